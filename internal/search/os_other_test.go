//go:build !linux

package search

import (
	"os"
	"testing"
)

func testTree(t testing.TB, dir string) *Tree { return &Tree{Root: FromFS(os.DirFS(dir))} }

func makeFIFO(testing.TB, string) {}

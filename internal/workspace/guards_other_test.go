//go:build unix && !linux

package workspace

import "testing"

// guards are the ways in which paths are held.
var guards = map[string]func(t testing.TB, do func()){
	"walk": func(t testing.TB, do func()) { do() },
}

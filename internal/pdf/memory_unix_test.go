//go:build unix

package pdf

import (
	"bytes"
	"context"
	"runtime"
	"runtime/debug"
	"testing"
)

// The address space of documents that were closed, or did not open, is given
// back.
func TestReserved(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for range 5 * reservedMost {
		openBytes(t, makePaper(hello).bytes(), Options{}).Close()
		b := sample(lockedRC4)
		if _, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), Options{}); err == nil {
			t.Fatal("it opened")
		}
		if n := reservedNow.Load(); n > 2*reservedMost {
			t.Fatalf("%d are reserved", n)
		}
	}
}

// Memory is given back at once, and what may still run finds zeros.
func TestFree(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems may keep the pages for a while")
	}
	m := reserve(0, 1<<20)
	b := m.Reallocate(1 << 16)
	b[100] = 1
	m.Free()
	if b[100] != 0 {
		t.Error("the page is still there")
	}
	runtime.KeepAlive(m)
}

func TestGrown(t *testing.T) {
	m := &grown{}
	b := m.Reallocate(4)
	copy(b, "abcd")
	b = m.Reallocate(10)
	if !bytes.Equal(b, []byte("abcd\x00\x00\x00\x00\x00\x00")) {
		t.Errorf("%q", b)
	}
}

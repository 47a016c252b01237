//go:build unix

package pdf

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// withMemory makes instances take their memory from the system. On the heap it
// would be copied each time that it grows, and what was copied from waits for
// the collector: four times the memory at the worst.
func withMemory(ctx context.Context) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(reserve))
}

// A reserved is the address space of the largest memory. The system gives it
// pages as they are touched.
type reserved struct{ all []byte }

// reservedNow is how many there are; many are those of closed documents, which
// the collector has not found yet. It does not see their size, so it is called
// when they are more than reservedMost.
var reservedNow atomic.Int64

const reservedMost = 8

func reserve(_, most uint64) experimental.LinearMemory {
	if reservedNow.Load() >= reservedMost {
		runtime.GC()
	}
	all, err := unix.Mmap(-1, 0, int(most), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return &grown{}
	}
	reservedNow.Add(1)
	m := &reserved{all}
	runtime.AddCleanup(m, unmap, all)
	return m
}

func unmap(all []byte) {
	unix.Munmap(all)
	reservedNow.Add(-1)
}

// Reallocate grows the memory in its place.
func (m *reserved) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) {
		return nil
	}
	return m.all[:size:size]
}

// Free gives the pages back, but not the addresses: an instance that was
// killed may still be running for a moment, and must find something there.
// They go when nothing refers to the instance any more.
func (m *reserved) Free() { unix.Madvise(m.all, unix.MADV_DONTNEED) }

// A grown is memory on the heap, for where the system lets nobody reserve more
// than he uses.
type grown struct{ used []byte }

// Reallocate moves the memory when it grows.
func (m *grown) Reallocate(size uint64) []byte {
	if size > uint64(len(m.used)) {
		m.used = append(make([]byte, 0, size), m.used...)[:size]
	}
	return m.used[:size]
}

// Free leaves it to the collector.
func (m *grown) Free() {}

//go:build unix

package pdf

import (
	"context"
	"runtime"

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

// reserve returns nothing that works when the system refuses: then wazero
// cannot make the instance, and panics.
func reserve(_, most uint64) experimental.LinearMemory {
	all, err := unix.Mmap(-1, 0, int(most), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return &reserved{}
	}
	m := &reserved{all}
	runtime.AddCleanup(m, func(all []byte) { unix.Munmap(all) }, all)
	return m
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

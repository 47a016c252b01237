//go:build !unix

package pdf

import "context"

// withMemory leaves the memory of instances on the heap.
func withMemory(ctx context.Context) context.Context { return ctx }

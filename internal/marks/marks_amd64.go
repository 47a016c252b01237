package marks

import "golang.org/x/sys/cpu"

func feeds(marks []uint64, b []byte) {
	if !cpu.X86.HasAVX2 {
		feedsPortable(marks, b)
		return
	}
	feedsAVX2(&marks[0], &b[0], len(marks))
}

func escapes(marks []uint64, b []byte) {
	if !cpu.X86.HasAVX2 {
		escapesPortable(marks, b)
		return
	}
	escapesAVX2(&marks[0], &b[0], len(marks))
}

// The number of marks is one at least.

//go:noescape
func feedsAVX2(marks *uint64, b *byte, n int)

//go:noescape
func escapesAVX2(marks *uint64, b *byte, n int)

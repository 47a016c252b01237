package marks

import "golang.org/x/sys/cpu"

// Fast tells that marks cost next to nothing.
var Fast = cpu.X86.HasAVX2

func escapes(marks []uint64, b []byte) {
	if !cpu.X86.HasAVX2 {
		escapesPortable(marks, b)
		return
	}
	escapesAVX2(&marks[0], &b[0], len(marks))
}

func pairs(marks []uint64, b []byte, p *Pair) {
	if !cpu.X86.HasAVX2 {
		pairsPortable(marks, b, p)
		return
	}
	pairsAVX2(&marks[0], &b[0], len(marks), p.Distance,
		everywhere(p.First), everywhere(p.Second), foldMask(p.FoldFirst), foldMask(p.FoldSecond))
}

// The number of marks is one at least.

//go:noescape
func escapesAVX2(marks *uint64, b *byte, n int)

//go:noescape
func pairsAVX2(marks *uint64, b *byte, n, distance int, first, second, foldFirst, foldSecond uint64)

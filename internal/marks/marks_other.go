//go:build !amd64

package marks

// Fast tells that marks cost next to nothing.
const Fast = false

func pairs(marks []uint64, b []byte, p *Pair) { pairsPortable(marks, b, p) }

func escapes(marks []uint64, b []byte) { escapesPortable(marks, b) }

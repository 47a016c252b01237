package workspace

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// guards are the ways in which paths are held: by the kernel, and by our own
// walk where the kernel cannot.
var guards = map[string]func(t testing.TB, do func()){
	"openat2": func(t testing.TB, do func()) {
		if !hasOpenat2 {
			t.Skip("this kernel has no openat2")
		}
		do()
	},
	"walk": func(t testing.TB, do func()) {
		was := hasOpenat2
		hasOpenat2 = false
		defer func() { hasOpenat2 = was }()
		do()
	},
}

// asNobody runs do without the rights of root, which no permission bit
// stops. Others than root it leaves as they are.
func asNobody(do func()) {
	if unix.Geteuid() != 0 {
		do()
		return
	}
	const nobody = 65534
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	unix.Setfsgid(nobody)
	unix.Setfsuid(nobody) // of this thread only; takes the file capabilities too
	defer unix.Setfsgid(0)
	defer unix.Setfsuid(0)
	do()
}

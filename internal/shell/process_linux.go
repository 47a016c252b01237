package shell

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// seesAll says that members finds them all.
const seesAll = true

// members returns the processes of a session or process group, and those that
// have the mark, if it is not empty, in the environment they were started with.
// Who has ended but was not waited for does not count.
func members(session int, mark string) (pids []int) {
	eachProcess(func(pid int, s stat) {
		if s.session == session || s.group == session || mark != "" && marked(pid, mark) {
			pids = append(pids, pid)
		}
	})
	return pids
}

// eachProcess calls f for each process that lives.
func eachProcess(f func(pid int, s stat)) {
	dir, err := os.Open("/proc")
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if s, ok := statOf(pid); ok && !s.ended {
			f(pid, s)
		}
	}
}

// A stat is what is needed of /proc/PID/stat.
type stat struct {
	ended                  bool
	parent, group, session int
}

func statOf(pid int) (s stat, ok bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return s, false
	}
	// The name of the program comes first, and may hold anything.
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < 4 {
		return s, false
	}
	s.ended = fields[0][0] == 'Z' || fields[0][0] == 'X'
	s.parent, _ = strconv.Atoi(string(fields[1]))
	s.group, _ = strconv.Atoi(string(fields[2]))
	s.session, _ = strconv.Atoi(string(fields[3]))
	return s, true
}

// marked reports whether a process was started with the mark.
func marked(pid int, mark string) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(b, []byte(mark))
}

// processes returns how many there are on the machine, roughly and cheaply.
func processes() int {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int(info.Procs)
}

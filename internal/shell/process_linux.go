package shell

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// seesAll says that members finds them all.
const seesAll = true

// members returns the processes of a session or process group, and those that
// have the mark, if it is not empty, in the environment they were started with.
// Who has ended but was not waited for does not count.
func members(session int, mark string) (pids []int) {
	eachMember(session, mark, func(pid int) { pids = append(pids, pid) })
	return pids
}

// eachMember calls f for each of the members, as soon as it is found: one that
// forks and ends lives for less than the whole look takes.
func eachMember(session int, mark string, f func(pid int)) {
	eachProcess(func(pid int, s stat) {
		if s.session == session || s.group == session || mark != "" && marked(pid, mark) {
			f(pid)
		}
	})
}

// strayed reports whether any process with the mark of a command lives. Of a
// command that has just begun only the processes after its own are looked at:
// to look at all takes longer than many commands.
func strayed(pid int, mark string, began time.Time) (found bool) {
	const few = 256
	if last := lastProcess(); time.Since(began) > time.Second || last < pid || last > pid+few {
		eachMember(-1, mark, func(int) { found = true })
		return found
	}
	chase(pid, func(pid int) bool {
		s, ok := statOf(pid)
		found = ok && !s.ended && marked(pid, mark)
		return !found
	})
	return found
}

// eachProcess calls f for each process that lives, also for those that are
// made meanwhile.
func eachProcess(f func(pid int, s stat)) {
	dir, err := os.Open("/proc")
	if err != nil {
		return
	}
	defer dir.Close()
	before := lastProcess() - young
	names, _ := dir.Readdirnames(-1)
	seen := map[int]bool{} // of those after that
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if s, ok := statOf(pid); ok && !s.ended {
			if pid > before {
				seen[pid] = true
			}
			f(pid, s)
		}
	}
	chase(before, func(pid int) bool {
		if s, ok := statOf(pid); ok && !s.ended && !seen[pid] && leads(pid) {
			seen[pid] = true
			f(pid, s)
		}
		return true
	})
}

// young is how many processes may be made while one is.
const young = 64

// chase calls f with the IDs after one, until none was given meanwhile or f
// says so: a process that forks and ends, over and over, lives for less than a
// look at all takes. An ID is given a while before its process can be seen, so
// the last ones are looked at again.
func chase(after int, f func(pid int) bool) {
	const most = 10_000 // somebody else may make them faster than they are looked at
	for range most {
		last := lastProcess()
		if last < after || last > after+most { // they begin anew
			after = last - young
		}
		for pid := after + 1; pid <= last; pid++ {
			if !f(pid) {
				return
			}
		}
		if lastProcess() == last {
			return
		}
		after = max(after, last-young)
	}
}

// lastProcess returns the ID that was given last, to a process or a thread.
func lastProcess() int {
	b, _ := os.ReadFile("/proc/loadavg")
	b = bytes.TrimSpace(b)
	pid, _ := strconv.Atoi(string(b[bytes.LastIndexByte(b, ' ')+1:]))
	return pid
}

// leads reports whether an ID is that of a process and not of another thread.
func leads(pid int) bool {
	id := strconv.Itoa(pid)
	b, _ := os.ReadFile("/proc/" + id + "/status")
	return bytes.Contains(b, []byte("\nTgid:\t"+id+"\n"))
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
	dir := "/proc/" + strconv.Itoa(pid)
	for range 5 {
		b, err := os.ReadFile(dir + "/environ")
		if err != nil || len(b) > 0 {
			return err == nil && bytes.Contains(b, []byte(mark))
		}
		// It has none, or is just becoming another program; threads of the
		// kernel have none, and no program.
		if _, err := os.Readlink(dir + "/exe"); err != nil {
			return false
		}
		time.Sleep(200 * time.Microsecond)
	}
	return false
}

// processes returns how many there are on the machine, roughly and cheaply.
func processes() int {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int(info.Procs)
}

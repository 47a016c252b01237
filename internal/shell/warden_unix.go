//go:build unix

package shell

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A warden is a small shell that waits for us to die. It hears of it because
// the pipe that it reads from ends; then it ends every process that was
// started here and removes our private folder. So nothing is left behind even
// if we are killed with SIGKILL. It lives in a session of its own and ignores
// the signals that a terminal sends.
type warden struct {
	cmd *exec.Cmd
	in  *os.File
}

// wardenScript reads "+PID" and "-PID": sessions to care for. At the end it
// looks for their processes, and for those with our mark.
const wardenScript = `trap '' INT TERM HUP QUIT PIPE
mark=$1 dir=$2
shift 2
sessions=()
while IFS= read -r line; do
  case $line in
    +*) sessions[${line#+}]=1 ;;
    -*) unset "sessions[${line#-}]" ;;
    .) exit 0 ;;
  esac
done
look() { # at processes; who is ours gets the signal
  for p; do
    hit=
    { IFS= read -r stat < "/proc/$p/stat"; } 2>/dev/null || continue
    set -- ${stat##*) }
    [ "$1" = Z ] && continue
    [ -n "$4" ] && [ -n "${sessions[$4]}" ] && hit=1
    if [ -z "$hit" ]; then
      while IFS= read -r -d '' v; do
        case $v in "$mark"*) hit=1; break ;; esac
      done 2>/dev/null < "/proc/$p/environ"
    fi
    [ -n "$hit" ] && kill "-$signal" "$p" 2>/dev/null && found=1
  done
}
newest() { { read -r _ _ _ _ last < /proc/loadavg; } 2>/dev/null || last=0; }
sweep() {
  signal=$1 found=
  for s in "${!sessions[@]}"; do # zombies are in their groups, so that says nothing where /proc does
    kill "-$signal" -- "-$s" 2>/dev/null && [ ! -e /proc/self/stat ] && found=1
  done
  newest
  seen=$((last-16))
  set -- /proc/[0-9]*
  look "${@#/proc/}"
  for i in {1..200}; do # who forks and ends is quicker than that
    newest
    top=$last
    set --
    while [ "$seen" -lt "$top" ]; do seen=$((seen+1)); set -- "$@" "$seen"; done
    look "$@"
    newest
    [ "$last" = "$top" ] && break
    seen=$((top-16))
  done
}
sweep TERM
for n in 1 2 3 4 5; do [ -z "$found" ] && break; sleep 0.2; sweep 0; done
for n in {1..50}; do
  [ -z "$found" ] && break
  [ "$n" -gt 5 ] && sleep 0.1
  sweep KILL
done
rm -rf -- "$dir"
`

// newWarden starts a warden for the tasks that run, nil if that does not work
// or if there is none for this shell.
func (h *Host) newWarden() *warden {
	bash := h.program
	dirs := filepath.SplitList(h.path)
	for _, dir := range append(dirs[:len(dirs):len(dirs)], usualFolders(nil)...) {
		if bash.Kind == "bash" {
			break
		}
		if p, ok := shellAt(filepath.Join(dir, "bash")); ok {
			bash = p
		}
	}
	if bash.Kind != "bash" {
		return nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer r.Close()
	path := strings.Join(append(dirs[:len(dirs):len(dirs)], usualFolders(nil)...), string(os.PathListSeparator))
	cmd := exec.Command(bash.Path, "-c", wardenScript, "burin-warden", callName+"="+h.mark+"-", h.dir)
	cmd.Stdin = r
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + path, "LC_ALL=C"}
	ownSession(cmd)
	if begin(cmd, cmd.Start) != nil {
		w.Close()
		return nil
	}
	new := &warden{cmd, w}
	for t := range h.tasks {
		new.add(t.Pid)
	}
	return new
}

// add gives a session into its care, remove takes it out. They report whether
// it listens.
func (w *warden) add(pid int) bool    { return w.say(fmt.Sprintf("+%d", pid)) }
func (w *warden) remove(pid int) bool { return w.say(fmt.Sprintf("-%d", pid)) }

func (w *warden) say(what string) bool {
	if w == nil {
		return true
	}
	w.in.SetWriteDeadline(time.Now().Add(time.Second)) // it may have been stopped
	_, err := w.in.WriteString(what + "\n")
	return err == nil
}

// dismiss sends the warden away: nothing is left for it to do.
func (w *warden) dismiss() {
	if w == nil {
		return
	}
	if !w.say(".") {
		w.cmd.Process.Kill() // or it takes the end of the pipe for ours
	}
	late := time.AfterFunc(time.Second, func() { w.cmd.Process.Kill() })
	defer late.Stop()
	w.in.Close()
	w.cmd.Wait()
	ended(w.cmd.Process.Pid)
}

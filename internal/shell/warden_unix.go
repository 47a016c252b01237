//go:build unix

package shell

import (
	"fmt"
	"os"
	"os/exec"
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
sweep() {
  found=
  for s in "${!sessions[@]}"; do kill "-$1" -- "-$s" 2>/dev/null && found=1; done
  for p in /proc/[0-9]*; do
    hit=
    { IFS= read -r stat < "$p/stat"; } 2>/dev/null || continue
    rest=${stat##*) }
    set -- "$1" $rest
    [ "$2" = Z ] && continue
    [ -n "$5" ] && [ -n "${sessions[$5]}" ] && hit=1
    if [ -z "$hit" ]; then
      while IFS= read -r -d '' v; do
        case $v in "$mark"*) hit=1; break ;; esac
      done 2>/dev/null < "$p/environ"
    fi
    [ -n "$hit" ] && kill "-$1" "${p#/proc/}" 2>/dev/null && found=1
  done
}
sweep TERM
for i in 1 2 3 4 5; do [ -z "$found" ] && break; sleep 0.2; sweep 0; done
for i in 1 2 3 4 5 6 7 8 9; do [ -z "$found" ] && break; sweep KILL; done
rm -rf -- "$dir"
`

// startWarden starts a warden, nil if that does not work or if there is none
// for this shell.
func startWarden(p Program, mark, dir string) *warden {
	path := p.Path
	if p.Kind != "bash" {
		bash, err := exec.LookPath("bash")
		if err != nil {
			return nil
		}
		path = bash
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer r.Close()
	cmd := exec.Command(path, "-c", wardenScript, "burin-warden", callName+"="+mark+"-", dir)
	cmd.Stdin = r
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	ownSession(cmd)
	if cmd.Start() != nil {
		w.Close()
		return nil
	}
	return &warden{cmd, w}
}

// add gives a session into its care, remove takes it out.
func (w *warden) add(pid int)    { w.say('+', pid) }
func (w *warden) remove(pid int) { w.say('-', pid) }

func (w *warden) is(pid int) bool { return w != nil && w.cmd.Process.Pid == pid }

func (w *warden) say(what byte, pid int) {
	if w != nil {
		fmt.Fprintf(w.in, "%c%d\n", what, pid)
	}
}

// dismiss sends the warden away: nothing is left for it to do.
func (w *warden) dismiss() {
	if w == nil {
		return
	}
	w.in.WriteString(".\n")
	w.in.Close()
	w.cmd.Wait()
}

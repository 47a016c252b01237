package burin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/burin-tools/burin"
)

// Commands in a sandbox write below the roots and in a folder for temporary
// files of their own, and nowhere else.
func TestSandboxedCommands(t *testing.T) {
	outside := t.TempDir()
	for _, mode := range []string{"auto", "strict"} {
		e, dir := open(t, map[string]string{"a.txt": "x\n"}, &burin.Options{Sandbox: mode})
		if strings.HasPrefix(e.Sandbox(), "none") {
			t.Skip("nothing confines commands here: " + e.Sandbox())
		}
		s := session(t, e, &burin.SessionOptions{Mode: "bypass", Allow: []string{"Bash"}})
		for _, c := range []struct{ command, want string }{
			{"echo y > a.txt && cat a.txt", "y\n[Exit code 0.]"},
			{"f=$(mktemp) && echo y > $f && cat $f", "y\n[Exit code 0.]"},
			{"cd / && cd $OLDPWD && pwd", dir + "\n[Exit code 0.]"},
			{"mkdir sub && cd sub", "[Exit code 0. No output. The next command runs in " + dir + "/sub.]"},
			{"(echo y > " + outside + "/b.txt) 2>/dev/null", "[Exit code 1. No output.]"},
			{"echo 'x: Permission denied'; false", "x: Permission denied\n[Exit code 1. Commands are confined here (--sandbox " + mode + "): they write only below the roots of the workspace and in TMPDIR, " +
				map[string]string{"auto": "and do not read keys.", "strict": "do not read keys, and have no network."}[mode] + "]"},
		} {
			got := call(t, s, "Bash", "command", c.command).Text()
			if got != c.want {
				t.Errorf("%s: %s: %q, want %q", mode, c.command, got, c.want)
			}
		}
		if _, err := os.Stat(filepath.Join(outside, "b.txt")); err == nil {
			t.Errorf("%s: a file outside was written", mode)
		}
	}
}

func TestSandboxModes(t *testing.T) {
	if _, err := burin.Open(t.TempDir(), &burin.Options{State: t.TempDir(), Sandbox: "maybe"}); err == nil {
		t.Error("an unknown mode was taken")
	}
}

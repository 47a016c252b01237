//go:build unix

package burin

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/burin-tools/burin/internal/dialect"
	"github.com/burin-tools/burin/tool"
)

// The shell takes .. out of the text, and -P does not: both are judged.
func TestCommandBehindLink(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, out := filepath.Join(base, "ws"), filepath.Join(base, "out", "deep")
	for _, dir := range []string{root, out} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(out, filepath.Join(root, "away")); err != nil {
		t.Fatal(err)
	}
	e, err := Open(root, &Options{State: filepath.Join(base, "state")})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	d, err := dialect.ByName("native")
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.policy(d, &SessionOptions{Allow: []string{"Bash(*)"}, Deny: []string{"Read(" + base + "/out/x)", "Read(./y)"}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]tool.Decision{
		"cd -P away/.. && cat x": tool.Deny,
		"cd away/.. && cat y":    tool.Deny,
		"cat away/../x":          tool.Deny,
		"cat away/../z":          tool.Allow,
	} {
		v := p.Check(&tool.Plan{Tool: "Bash", Access: []tool.Access{{Everything: true}}, Command: &tool.Command{Text: text, Dir: root}})
		if v.Decision != want {
			t.Errorf("%s: %s because %s", text, v.Decision, v.Reason)
		}
	}
}

// A command is judged by the files that are there.
func TestCommandPolicy(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(base, "ws")
	for _, name := range []string{"a.txt", "src/a.go", "pkg/.env", "deep/pkg/x.go", "evil/HEAD", "evil/objects/x", "evil/refs/x", "evil/sub/x", "linked/x"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"away": base, "linked/up": base, "notes.txt": "pkg/.env"} {
		if err := os.Symlink(to, filepath.Join(root, from)); err != nil {
			t.Fatal(err)
		}
	}
	e, err := Open(root, &Options{State: filepath.Join(base, "state")})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, tt := range []struct {
		dialect, text string
		want          tool.Decision
	}{
		{"native", "cat a.txt", tool.Allow},
		{"native", "cat src/*.go", tool.Allow},
		{"native", "cat pkg/.env", tool.Deny},
		{"native", "cat pkg/.e*", tool.Deny},
		{"native", "cat notes.txt", tool.Deny},
		{"native", "cat n*", tool.Deny},
		{"native", "cd pkg && cat .env", tool.Deny},
		{"native", "cat away/x", tool.Ask},
		{"native", "cat away/../y", tool.Ask},
		{"native", "cd away && cat x", tool.Ask},
		{"native", "grep -r x .", tool.Ask},
		{"native", "grep -r x deep", tool.Allow},
		{"native", "echo x > new.txt", tool.Allow},
		{"native", "echo x > away/new.txt", tool.Ask},
		{"native", "echo x > .git/config", tool.Ask},
		{"native", "mkdir -p a/b", tool.Allow},
		{"native", "cat " + base + "/ws/a.txt", tool.Allow},
		{"native", "cat /etc/passwd", tool.Ask},
		{"native", "git status", tool.Allow},
		{"native", "cd deep && git log", tool.Allow},
		{"native", "cd evil && git status", tool.Ask},
		{"native", "cd evil/sub && git log", tool.Ask},
		{"native", "git -C evil status", tool.Ask},
		{"native", "git -C evil diff", tool.Ask},
		{"native", "cd evil && git diff", tool.Ask},
		{"native", "git -C deep diff --frob", tool.Allow},
		{"native", "grep -R x src", tool.Allow},
		{"native", "grep -R x linked", tool.Ask},
		{"native", "grep -r x linked", tool.Allow},
		{"native", "find -L linked -name x", tool.Ask},
		{"native", "diff linked src", tool.Ask},
		{"native", "diff a.txt src/a.go", tool.Allow},
		{"wave", "cat < /dev/tcp/127.0.0.1/80", tool.Ask},
		{"mini", "echo x > /dev/tcp/127.0.0.1/80", tool.Ask},
		{"kimi", "printf x", tool.Ask},
		{"wave", "printf x", tool.Allow},
		{"wave", "cd .. && ls", tool.Ask},
	} {
		d, err := dialect.ByName(tt.dialect)
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.policy(d, &SessionOptions{Allow: []string{"Bash(git diff:*)"}})
		if err != nil {
			t.Fatal(err)
		}
		plan := &tool.Plan{
			Tool: "Bash", Name: "Bash", Access: []tool.Access{{Everything: true}},
			Command: &tool.Command{Text: tt.text, Dir: root},
		}
		if v := p.Check(plan); v.Decision != tt.want {
			t.Errorf("%s in %s: %s because %s", tt.text, tt.dialect, v.Decision, v.Reason)
		}
		if got := p.Footprint(plan); tt.text == "cat a.txt" && (len(got) != 1 || got[0].Real != root || got[0].Op != tool.Search || !got[0].Tree) {
			t.Errorf("%s touches %+v", tt.text, got)
		}
	}
}

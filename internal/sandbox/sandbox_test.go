package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestParseMode(t *testing.T) {
	for name, want := range map[string]Mode{"": Auto, "off": Off, "Auto": Auto, "strict": Strict} {
		if m, err := ParseMode(name); m != want || err != nil {
			t.Errorf("%q: %q, %v", name, m, err)
		}
	}
	if _, err := ParseMode("on"); err == nil || !strings.Contains(err.Error(), "off, auto and strict") {
		t.Errorf("a wrong mode: %v", err)
	}
}

// Without a means, strict refuses and automatic says that it does nothing.
func TestNoMeans(t *testing.T) {
	none := []string{}
	if s, err := New(Options{Mode: Strict, Means: none}); err == nil || !strings.Contains(err.Error(), "runs none unconfined") {
		t.Errorf("strict: %v, %v", s, err)
	}
	s, err := New(Options{Mode: Auto, Means: none})
	if err != nil || s.Confines() {
		t.Fatalf("auto: %v, confines %v", err, s.Confines())
	}
	if !strings.HasPrefix(s.Note(), "Commands are not confined: ") || !strings.HasPrefix(s.Describe(), "none: ") {
		t.Errorf("note %q, description %q", s.Note(), s.Describe())
	}
	runs(t, s)
}

func TestOff(t *testing.T) {
	runs(t, nil)
	s, err := New(Options{Mode: Off})
	if err != nil || s.Note() != "" || s.Confines() {
		t.Errorf("%v, %q, %v", err, s.Note(), s.Confines())
	}
	runs(t, s)
}

// runs starts this program with a harmless flag.
func runs(t *testing.T, s *Sandbox) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.list=^$")
	if err := s.Start(cmd); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	s.Close()
}

func TestThisSystem(t *testing.T) {
	if runtime.GOOS == "linux" {
		t.Skip("this system may have means")
	}
	s, err := New(Options{Mode: Auto})
	if err != nil || !strings.Contains(s.Note(), "no sandbox on this system.") {
		t.Errorf("auto: %v, %q", err, s.Note())
	}
	if _, err := New(Options{Mode: Strict}); err == nil {
		t.Error("strict runs")
	}
}

func TestOptionsAreChecked(t *testing.T) {
	there := t.TempDir()
	for _, o := range []Options{
		{Mode: "other"},
		{Mode: Auto, Write: []string{"relative"}},
		{Mode: Auto, Write: []string{filepath.Join(there, "missing")}},
		{Mode: Auto, Secrets: []string{"relative"}},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

func TestSecrets(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	list := Secrets(home)
	for _, want := range []string{".ssh", ".aws", ".gnupg", ".netrc", ".config/gh", ".docker/config.json", ".kube"} {
		found := false
		for _, s := range list {
			found = found || s == filepath.Join(home, filepath.FromSlash(want))
		}
		if !found {
			t.Errorf("%s is not secret", want)
		}
	}
}

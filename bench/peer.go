package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// The server to compare with.
const (
	peerPackage = "@modelcontextprotocol/server-filesystem"
	peerVersion = "2026.8.31"
)

var exeSuffix = map[bool]string{true: ".exe"}[runtime.GOOS == "windows"]

// installPeer returns the command that starts the other server. The first run
// installs it into the user's cache folder.
func installPeer(ctx context.Context) ([]string, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, errors.New("node was not found: the server to compare with runs on Node.js; install it, with npm, and run this again")
	}
	dir, err := peerFolder()
	if err != nil {
		return nil, err
	}
	main := filepath.Join(dir, "node_modules", filepath.FromSlash(peerPackage), "dist", "index.js")
	if _, err := os.Stat(main); err == nil {
		return []string{node, main}, nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return nil, fmt.Errorf("npm was not found: it installs the server to compare with (%s %s); install Node.js with npm and run this again", peerPackage, peerVersion)
	}
	fmt.Fprintf(os.Stderr, "installing %s %s into %s …\n", peerPackage, peerVersion, dir)
	return []string{node, main}, install(ctx, npm, dir)
}

func peerFolder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "burin", "bench", "server-filesystem-"+peerVersion), nil
}

// install lets npm fill a new folder, which gets its name when it is complete.
func install(ctx context.Context, npm, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	c := exec.CommandContext(ctx, npm, "install", "--no-audit", "--no-fund", "--prefix", part, peerPackage+"@"+peerVersion)
	c.Dir = part
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("npm could not install %s: %w\n%s", peerPackage, err, text)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(part, dir)
}

// peerVersions says what runs on the other side.
func peerVersions(ctx context.Context, peer []string) string {
	node, _ := exec.CommandContext(ctx, peer[0], "--version").Output()
	s := "server-filesystem " + peerVersion
	modules := filepath.Join(filepath.Dir(peer[1]), "..", "..", "..")
	var sdk struct{ Version string }
	text, err := os.ReadFile(filepath.Join(modules, "@modelcontextprotocol", "sdk", "package.json"))
	if err == nil && json.Unmarshal(text, &sdk) == nil {
		s += " (SDK " + sdk.Version + ")"
	}
	return s + ", node " + strings.TrimPrefix(strings.TrimSpace(string(node)), "v")
}

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// bubblewrap confines with another program, in namespaces.
type bubblewrap struct {
	options Options
	program string
}

const probeTimeout = 10 * time.Second

// openBubblewrap looks for the program in PATH, and tries it with itself.
func openBubblewrap(o Options) (means, error) {
	program, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, errors.New("bubblewrap (bwrap) is not in PATH")
	}
	if program, err = filepath.Abs(program); err != nil {
		return nil, err
	}
	b := &bubblewrap{o, program}
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	probe := exec.CommandContext(ctx, program, append(b.flags(), program, "--version")...)
	if said, err := probe.CombinedOutput(); err != nil {
		first, _, _ := bytes.Cut(bytes.TrimSpace(said), []byte("\n"))
		return nil, fmt.Errorf("%s does not work: %w: %s", program, err, first)
	}
	return b, nil
}

// flags are the arguments before the command's own.
func (b *bubblewrap) flags() []string {
	// Root keeps its capabilities otherwise, and could undo the rest with them.
	flags := []string{"--cap-drop", "ALL", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"}
	if b.options.Mode == Strict {
		flags = append(flags, "--unshare-net")
	}
	for _, p := range b.places() {
		flags = append(flags, b.place(p)...)
	}
	return append(flags, "--")
}

// places are the writable and the secret places, outer ones first, so that
// inner ones are laid over them.
func (b *bubblewrap) places() []string {
	all := slices.Concat(b.options.Write, b.options.Secrets)
	slices.SortStableFunc(all, func(x, y string) int {
		return strings.Count(x, "/") - strings.Count(y, "/")
	})
	return all
}

// place are the arguments for one place. Only what exists can be laid over.
func (b *bubblewrap) place(path string) []string {
	if slices.Contains(b.options.Write, path) {
		return []string{"--bind", path, path}
	}
	st, err := os.Lstat(path)
	switch {
	case err != nil, st.Mode()&os.ModeSymlink != 0:
		return nil
	case st.IsDir():
		return []string{"--tmpfs", path, "--remount-ro", path}
	}
	return []string{"--ro-bind", "/dev/null", path}
}

func (b *bubblewrap) start(cmd *exec.Cmd) error {
	if cmd.Err != nil || cmd.Path == "" {
		return cmd.Start()
	}
	args := append([]string{b.program}, b.flags()...)
	args = append(args, cmd.Path)
	if len(cmd.Args) > 1 {
		args = append(args, cmd.Args[1:]...)
	}
	cmd.Path, cmd.Args = b.program, args
	return cmd.Start()
}

func (b *bubblewrap) close()       {}
func (b *bubblewrap) note() string { return "" }

func (b *bubblewrap) describe() string {
	does := []string{
		"they write only in " + b.options.where() + " and in a folder for temporary files",
		fmt.Sprintf("see nothing of %d secret places", len(b.options.Secrets)),
		"see no processes but their own",
	}
	lacks := []string{
		"secret places that are made while a command runs are open to it",
		"local sockets of other programs, such as Docker's, can be used",
	}
	if b.options.Mode == Strict {
		does = append(does, "have no network but local sockets")
	} else {
		lacks = append(lacks, "the network is open")
	}
	return fmt.Sprintf("bubblewrap (%s) confines commands: %s. Not covered: %s.", b.program, strings.Join(does, ", "), strings.Join(lacks, "; "))
}

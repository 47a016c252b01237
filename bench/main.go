// Command bench measures Burin and others side by side, in one run, in rounds
// that take turns: with the official filesystem server, both over stdio; and,
// as a part of its own, with the programs that search trees of files.
//
//	go run ./bench                     reading and editing, about a minute
//	go run ./bench search              searching a small tree
//	go run ./bench search -tree DIR    searching this one; may be repeated
//	go run ./bench -quick              fewer rounds, without the edit of 100 MB
//	go run ./bench -json               the same figures for a program
//
// It judges no figure. It fails when an answer or a file is not what it has
// to be.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"syscall"
)

func main() {
	var b bench
	flag.BoolVar(&b.quick, "quick", false, "fewer rounds, and no edit of a 100 MB file")
	asJSON := flag.Bool("json", false, "print JSON instead of a table")
	only := flag.String("only", "", "run only the measures whose name matches this `pattern`")
	binary := flag.String("burin", "", "measure this `binary` instead of building one")
	flag.Func("tree", "search this `directory`, a repository of git, instead of a small tree; may be repeated", func(dir string) error {
		b.trees = append(b.trees, dir)
		return nil
	})
	args := os.Args[1:]
	if len(args) > 0 && args[0] == searchPart {
		b.searching, args = true, args[1:]
	}
	flag.CommandLine.Parse(args) // ends the program when it fails
	if *only == searchPart {
		b.searching, *only = true, ""
	}
	if flag.NArg() > 0 || len(b.trees) > 0 && !b.searching {
		fmt.Fprintln(os.Stderr, "usage: bench [search [-tree DIR]...] [flags]")
		os.Exit(2)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := b.run(ctx, *binary, *only)
	stop()
	if err != nil {
		b.report.writeTable(os.Stderr) // what there is
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	if *asJSON {
		err = b.report.writeJSON(os.Stdout)
	} else {
		err = b.report.writeTable(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// searchPart is the name of the part that searches trees.
const searchPart = "search"

// A bench is one run.
type bench struct {
	quick     bool
	searching bool     // trees, instead of all else
	trees     []string // none: a small one is made

	burin string   // the binary
	peer  []string // the command of the other server, without its folder
	dir   string   // holds all files of the run

	report report
}

// measures are run in this order. Each has its own servers and files, so that
// none leaves anything to the next.
var measures = []struct {
	name string
	run  func(*bench, context.Context) error
}{
	{"start", (*bench).start},
	{"read", (*bench).read},
	{"edit", (*bench).edit},
	{"commands", (*bench).commands},
	{"media", (*bench).media},
	{"parallel", (*bench).parallel},
	{"memory", (*bench).memory},
	{"lines", (*bench).lines},
	{"large", (*bench).large},
}

func (b *bench) run(ctx context.Context, binary, only string) (err error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "burin-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if b.dir, err = filepath.EvalSymlinks(b.dir); err != nil {
		return err
	}
	if !b.searching {
		if b.peer, err = installPeer(ctx); err != nil {
			return err
		}
	}
	if b.burin = binary; binary == "" {
		if b.burin, err = build(ctx, b.dir); err != nil {
			return err
		}
	}
	debug.SetGCPercent(400) // the client's own collections are nobody's figure
	b.report.begin(ctx, b)
	defer b.report.end()
	if b.searching {
		err := b.search(ctx, pattern.MatchString)
		if err != nil && ctx.Err() != nil {
			return errors.New("interrupted")
		}
		return err
	}
	for _, m := range measures {
		if !pattern.MatchString(m.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "measuring: %s …\n", m.name)
		if err := m.run(b, ctx); err != nil {
			if ctx.Err() != nil {
				return errors.New("interrupted")
			}
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}

// rounds returns how many rounds a measure gets.
func (b *bench) rounds(n int) int {
	if b.quick {
		return max(3, n/4)
	}
	return n
}

// build makes the binary as a release is made.
func build(ctx context.Context, dir string) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, "burin"+exeSuffix)
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, "./cmd/burin")
	c.Dir = root
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build burin: %w\n%s", err, text)
	}
	return out, nil
}

// moduleRoot is the folder of go.mod, above the current one.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("run it inside the repository, or name a binary with -burin")
		}
		dir = parent
	}
}

package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/burin-tools/burin/internal/profile"
	"github.com/burin-tools/burin/internal/ripgrep"
	"github.com/burin-tools/burin/internal/shell"
)

func doctorCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Show what was found and what is used",
		Args:  exactly(0, 0),
	}
	p := addFlags(c)
	install := c.Flags().String("install", "", "fetch a `program` into Burin's cache with npm; only rg is known")
	c.RunE = func(c *cobra.Command, _ []string) error {
		switch *install {
		case "":
			return doctor(c, p)
		case "rg":
			return installRipgrep(c)
		}
		return fmt.Errorf("cannot install %q; only rg is known", *install)
	}
	return c
}

func doctor(c *cobra.Command, flags *profile.Profile) error {
	say := func(what, format string, args ...any) {
		fmt.Fprintf(c.OutOrStdout(), "%-12s %s\n", what, fmt.Sprintf(format, args...))
	}
	say("version", "%s %s/%s", version(), runtime.GOOS, runtime.GOARCH)
	p, err := profile.Load(*flags)
	if err != nil {
		say("settings", "cannot be used: %v", err)
		return errFailed
	}
	e, err := p.Open(nil)
	if err != nil {
		say("error", "%v", err)
		return errFailed
	}
	defer e.Close()
	s, err := p.Session(e, nil)
	if err != nil {
		say("error", "%v", err)
		return errFailed
	}
	for i, r := range e.Roots() {
		what := "root"
		if i > 0 {
			what = "directory"
		}
		say(what, "%s", r)
	}
	say("dialect", "%s", s.Dialect())
	say("mode", "%s", s.Mode())
	say("state", "%s (locks and journals)", e.State())
	for _, f := range p.Files() {
		found := "not there"
		if _, err := os.Stat(f); err == nil {
			found = "used"
			if filepath.Base(f) == "projects.json" {
				found = "used (what was allowed for good; take out a rule there to be asked again)"
			}
		}
		say("settings", "%s: %s", f, found)
	}
	say("replace", "%s", replaceTest(e.Roots()[0]))
	say("shell", "%s", shellLine())
	if p.Shadows == "off" {
		say("shadows", "off, as set: grep, find and rg are the system's")
	} else {
		for _, line := range e.Shadows(c.Context()) {
			say("shadows", "%s", line)
		}
	}
	say("sandbox", "%s", e.Sandbox())
	say("search", "%s", searchLine(c.Context(), p.Search))
	return nil
}

// shellLine says which shell runs commands.
func shellLine() string {
	p, err := shell.Find(os.Getenv)
	if err != nil {
		return err.Error()
	}
	line := fmt.Sprintf("%s (%s)", p.Path, p.Why)
	if set := os.Getenv("BURIN_SHELL"); set != "" && p.Why != "by $BURIN_SHELL" {
		line += fmt.Sprintf("; BURIN_SHELL is not used: %s is not the absolute path of a bash or zsh", set)
	}
	return line
}

// searchLine says who matches patterns, and why.
func searchLine(ctx context.Context, backend string) string {
	rg, err := ripgrep.Find(ctx, ripgrep.Usual())
	found := "no ripgrep was found, and none is needed (burin doctor --install rg fetches one)"
	if err == nil {
		found = fmt.Sprintf("ripgrep %s was found %s: %s", rg.Version, rg.Found, rg.Path)
	}
	if backend == "rg" {
		return "by ripgrep, as set; " + found
	}
	return "in process; " + found
}

func installRipgrep(c *cobra.Command) error {
	rg, err := ripgrep.Install(c.Context(), ripgrep.Usual().Cache, func(s string) { fmt.Fprintln(c.ErrOrStderr(), s) })
	if err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "ripgrep %s is at %s\n", rg.Version, rg.Path)
	return nil
}

// replaceTest says whether files can be made in a folder.
func replaceTest(dir string) string {
	f, err := os.CreateTemp(dir, ".burin-doctor-*")
	if err != nil {
		return fmt.Sprintf("files in %s are rewritten in place, since none can be made there: %v", filepath.Base(dir), err)
	}
	f.Close()
	os.Remove(f.Name())
	return "files are replaced as a whole (new file, then rename)"
}

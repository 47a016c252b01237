// Package cli is the command line: one file a subcommand. It turns flags into
// a profile and arguments into calls, and prints answers.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/burin-tools/burin"
	"github.com/burin-tools/burin/internal/profile"
	"github.com/burin-tools/burin/tool"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // a tool failed
	exitUsage  = 2 // the command was not understood, or could not start
)

// errFailed says that a tool failed and has been reported.
var errFailed = errors.New("tool failed")

// ballast is memory that is never touched, so that the system never provides
// it. The garbage collector counts it and waits for about as much garbage: our
// live memory is so small that it would run several times in a call. From
// enough on it waits no longer, so that the buffers of large files do not pile
// up.
const (
	ballast = 10 << 20
	enough  = 128 << 20
)

// Main runs the command line and returns the exit code.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	defer runtime.KeepAlive(make([]byte, ballast))
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(enough)
	}
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	root := command()
	root.SetArgs(args)
	root.SetIn(in)
	answers := &checked{w: out}
	root.SetOut(answers)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = answers.err
	}
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFailed):
		return exitFailed
	}
	fmt.Fprintf(errOut, "burin: %v\n", err)
	return exitUsage
}

// A checked writer remembers that something could not be written: an answer
// that did not arrive whole must not look like one.
type checked struct {
	w   io.Writer
	err error
}

func (c *checked) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}

// raw returns what a checked writer writes to.
func raw(w io.Writer) io.Writer {
	if c, ok := w.(*checked); ok {
		return c.w
	}
	return w
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:   "burin",
		Short: "File and command tools for AI coding agents",
		Long: `Burin is an engine of file and command tools for AI coding agents: exact, safe and fast.
Agents use it as an MCP server (burin mcp); people and scripts call single tools (burin call).

Exit codes: 0 done, 1 the tool failed, 2 the command was not understood or could not start.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(mcpCommand(), callCommand(), batchCommand(), toolsCommand(), checkCommand(), doctorCommand(), versionCommand())
	return root
}

// addFlags adds the flags that choose a profile.
func addFlags(c *cobra.Command) *profile.Profile {
	p := &profile.Profile{}
	f := c.Flags()
	f.StringVar(&p.Root, "root", "", "the tree to work in (default: the current directory)")
	f.StringArrayVar(&p.AddDir, "add-dir", nil, "an additional `directory`; may be given several times")
	f.StringVar(&p.Dialect, "dialect", "", "how tools are spelled: "+list(burin.Dialects())+" (default native)")
	f.StringSliceVar(&p.Tools, "tools", nil, "show only these `tools` (default: those of the dialect)")
	f.StringVar(&p.Mode, "mode", "", "permission `mode`: default, acceptEdits, plan, bypass or dontAsk (default: the dialect's)")
	f.StringArrayVar(&p.Allow, "allow", nil, "a `rule` that allows, such as 'Edit(src/**)' or 'Bash(npm run *)'; may be given several times")
	f.StringArrayVar(&p.Ask, "ask", nil, "a `rule` that asks; may be given several times")
	f.StringArrayVar(&p.Deny, "deny", nil, "a `rule` that denies; may be given several times; deny wins over ask, ask over allow")
	f.StringVar(&p.Durability, "durability", "", "full: synced to disk before the answer (default); fast: left to the system")
	f.StringVar(&p.Search, "search", "", "who matches patterns: auto (default), native or rg; the answer is the same")
	f.StringVar(&p.Sandbox, "sandbox", "", "confine commands: off (default), auto (writes only below the roots, keys hidden) or strict (no network, too)")
	f.StringVar(&p.Shadows, "shadows", "", "what grep, find and rg mean in commands: auto (default; ugrep, bfs and ripgrep where they are) or off")
	c.RegisterFlagCompletionFunc("dialect", cobra.FixedCompletions(burin.Dialects(), cobra.ShellCompDirectiveNoFileComp))
	c.RegisterFlagCompletionFunc("mode", cobra.FixedCompletions(
		[]string{"default", "acceptEdits", "plan", "bypass", "dontAsk"}, cobra.ShellCompDirectiveNoFileComp))
	return p
}

func list(names []string) string {
	s := ""
	for i, n := range names {
		switch {
		case i == 0:
		case i == len(names)-1:
			s += " or "
		default:
			s += ", "
		}
		s += n
	}
	return s
}

// open opens the engine and one session as flags and files say.
func open(flags *profile.Profile, asker tool.Asker) (*burin.Engine, *burin.Session, error) {
	p, err := profile.Load(*flags)
	if err != nil {
		return nil, nil, err
	}
	e, err := p.Open(nil)
	if err != nil {
		return nil, nil, err
	}
	s, err := p.Session(e, asker)
	if err != nil {
		e.Close()
		return nil, nil, err
	}
	return e, s, nil
}

// exactly is cobra.ExactArgs with a message that shows the usage.
func exactly(min, max int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < min || len(args) > max {
			return fmt.Errorf("usage: %s", c.UseLine())
		}
		return nil
	}
}

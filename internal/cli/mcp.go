package cli

import (
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/burin-tools/burin"
	"github.com/burin-tools/burin/internal/mcpserver"
	"github.com/burin-tools/burin/internal/profile"
	"github.com/burin-tools/burin/tool"
)

func mcpCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve an agent over MCP on standard input and output",
		Long: `Serve an agent over MCP (Model Context Protocol) on standard input and output.
Without --root the tree is that of the client's roots, if it offers them, else the current directory.
Questions go to the client (elicitation) where it can ask a person; elsewhere the answer is no.`,
		Args: exactly(0, 0),
	}
	flags := addFlags(c)
	c.Flags().BoolVar(&flags.Structured, "structured", false, "send machine-readable results as structured content too")
	verbose := c.Flags().Bool("verbose", false, "log to standard error")
	c.RunE = func(c *cobra.Command, _ []string) error {
		p, err := profile.Load(*flags)
		if err != nil {
			return err
		}
		config := mcpserver.Config{
			Name: "burin", Version: version(),
			OperatorRoots: p.Root != "",
			Structured:    p.Structured,
			Open: func(roots []string, asker tool.Asker) (mcpserver.Session, error) {
				return openFor(p, *flags, roots, asker)
			},
		}
		// A client that went away is an error of a write, not a signal that
		// kills the process in the middle of a change. Were the signal ignored,
		// commands would inherit that.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
		if *verbose {
			config.Log = slog.New(slog.NewTextHandler(c.ErrOrStderr(), nil))
		}
		return mcpserver.Serve(c.Context(), c.InOrStdin(), raw(c.OutOrStdout()), config)
	}
	return c
}

// openFor opens a session for the roots of a client, or those of the profile.
// With roots of a client it is the settings file of its first root that
// counts, not that of the folder the server was started in.
func openFor(p, flags profile.Profile, roots []string, asker tool.Asker) (mcpserver.Session, error) {
	if len(roots) > 0 {
		var err error
		flags.Root = roots[0]
		if p, err = profile.Load(flags); err != nil {
			return nil, err
		}
		p.AddDir = append(roots[1:len(roots):len(roots)], p.AddDir...)
	}
	e, err := p.Open(nil)
	if err != nil {
		return nil, err
	}
	s, err := p.Session(e, asker)
	if err != nil {
		e.Close()
		return nil, err
	}
	return served{s, e}, nil
}

// A served session owns its engine.
type served struct {
	*burin.Session
	engine *burin.Engine
}

func (s served) Close() error {
	s.Session.Close()
	return s.engine.Close()
}

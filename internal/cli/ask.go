package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/burin-tools/burin/tool"
)

// terminalAsker asks on the terminal, where standard input is one.
func terminalAsker(c *cobra.Command) tool.Asker {
	in, ok := c.InOrStdin().(*os.File)
	if !ok || !isTerminal(in) {
		return nil
	}
	lines := bufio.NewReader(in)
	out := c.ErrOrStderr()
	return tool.AskerFunc(func(_ context.Context, q tool.Question) (tool.Answer, error) {
		if q.Detail != "" && !strings.HasSuffix(q.Summary, ": "+strings.TrimSpace(q.Detail)) {
			fmt.Fprintln(out, strings.TrimSuffix(q.Detail, "\n"))
		}
		always := ""
		if q.Always != "" {
			always = fmt.Sprintf(", [a]lways %s in this project", strings.ReplaceAll(q.Always, "\n", ", "))
		}
		fmt.Fprintf(out, "%s (%s)\nAllow? [y]es, [s]ession%s, [N]o: ", q.Summary, q.Reason, always)
		answer, err := lines.ReadString('\n')
		if err != nil {
			return tool.No, err
		}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			return tool.Once, nil
		case "s", "session":
			return tool.ForSession, nil
		case "a", "always":
			if q.Always != "" {
				return tool.ForProject, nil
			}
		}
		return tool.No, nil
	})
}

// isTerminal reports whether f is a terminal, as far as its kind tells: the
// null device is of the same kind.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// colourful reports whether colours may be written to w.
func colourful(w io.Writer) bool {
	f, ok := raw(w).(*os.File)
	return ok && isTerminal(f) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

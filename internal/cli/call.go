package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/burin-tools/burin"
	"github.com/burin-tools/burin/internal/diff"
	"github.com/burin-tools/burin/tool"
)

func callCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "call TOOL [JSON | -]",
		Short: "Run one tool and print its answer",
		Long: `Run one tool and print its answer. The arguments are a JSON object, or - to read one from standard input.
What has to be asked is asked on the terminal; without one the answer is no.
Each call is a session of its own: background tasks, and files with the rest of long output, end with it.
For more than one call in a session there is burin batch.`,
		Example: `  burin call Read '{"file_path":"README.md","limit":20}'
  burin call Edit '{"file_path":"a.txt","old_string":"colour","new_string":"color"}'
  burin call Bash '{"command":"npm run test"}' --allow 'Bash(npm run *)'`,
		Args:              exactly(1, 2),
		ValidArgsFunction: completeTools,
	}
	p := addFlags(c)
	asJSON := c.Flags().Bool("json", false, "print the result as JSON")
	c.RunE = func(c *cobra.Command, args []string) error {
		raw, err := arguments(c.InOrStdin(), args[1:])
		if err != nil {
			return err
		}
		e, s, err := open(p, terminalAsker(c))
		if err != nil {
			return err
		}
		defer e.Close()
		r, err := s.Call(c.Context(), args[0], raw)
		if err != nil {
			return unknownTool(s, err)
		}
		return printResult(c, r, *asJSON)
	}
	return c
}

// arguments returns the JSON that a call was given.
func arguments(in io.Reader, args []string) (json.RawMessage, error) {
	switch {
	case len(args) == 0:
		return json.RawMessage("{}"), nil
	case args[0] == "-":
		b, err := io.ReadAll(in)
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		return b, nil
	}
	return json.RawMessage(args[0]), nil
}

// unknownTool adds the names there are.
func unknownTool(s *burin.Session, err error) error {
	if tool.KindOf(err) != tool.UnknownTool {
		return err
	}
	var names []string
	for _, d := range s.Tools() {
		names = append(names, d.Name)
	}
	return fmt.Errorf("%w; dialect %s has %s", err, s.Dialect(), strings.Join(names, ", "))
}

func printResult(c *cobra.Command, r tool.Result, asJSON bool) error {
	switch {
	case asJSON:
		if err := json.NewEncoder(c.OutOrStdout()).Encode(resultJSON(r)); err != nil {
			return err
		}
	case r.Failed:
		fmt.Fprintln(c.ErrOrStderr(), r.Text())
	default:
		fmt.Fprintln(c.OutOrStdout(), r.Text())
		if d, ok := r.Meta["diff"].(diff.Diff); ok && colourful(c.OutOrStdout()) {
			path, _ := r.Meta["path"].(string)
			fmt.Fprint(c.OutOrStdout(), d.Colour(path, path))
		}
	}
	if r.Failed {
		return errFailed
	}
	return nil
}

// A resultLine is a result as JSON.
type resultLine struct {
	Tool       string         `json:"tool,omitempty"`
	Failed     bool           `json:"failed"`
	Kind       tool.Kind      `json:"kind,omitempty"`
	Text       string         `json:"text"`
	Structured map[string]any `json:"structured,omitempty"`
	Meta       map[string]any `json:"meta,omitempty"`
}

func resultJSON(r tool.Result) resultLine {
	return resultLine{Failed: r.Failed, Kind: r.Kind, Text: r.Text(), Structured: r.Structured, Meta: r.Meta}
}

// completeTools offers the names of the tools of the dialect.
func completeTools(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	d, _ := c.Flags().GetString("dialect")
	names, err := burin.ToolNames(d)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/burin-tools/burin/tool"
)

func checkCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "check TOOL JSON",
		Short: "Say whether a call would be allowed, and by which rule",
		Long: `Say whether a call would be allowed, and by which rule. Nothing is run.
The exit code is 0 for allow, 1 for ask and deny.`,
		Example: `  burin check --deny 'Edit(vendor/**)' Edit '{"file_path":"vendor/x.go","old_string":"a","new_string":"b"}'
  burin check --allow 'Bash(npm run *)' Bash '{"command":"npm run test && git push"}'`,
		Args:              exactly(1, 2),
		ValidArgsFunction: completeTools,
	}
	p := addFlags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		raw, err := arguments(c.InOrStdin(), args[1:])
		if err != nil {
			return err
		}
		e, s, err := open(p, nil)
		if err != nil {
			return err
		}
		defer e.Close()
		v, err := s.Check(c.Context(), args[0], raw)
		if err != nil {
			return unknownTool(s, err)
		}
		fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", v.Decision, v.Reason)
		if v.Rule != "" {
			fmt.Fprintf(c.OutOrStdout(), "rule: %s\n", v.Rule)
		}
		if v.Decision != tool.Allow {
			if v.Next != "" {
				fmt.Fprintf(c.OutOrStdout(), "to allow it: %s\n", v.Next)
			}
			return errFailed
		}
		return nil
	}
	return c
}

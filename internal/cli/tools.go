package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/burin-tools/burin/tool"
)

func toolsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "tools",
		Short: "List the tools of a dialect",
		Args:  exactly(0, 0),
	}
	p := addFlags(c)
	asJSON := c.Flags().Bool("json", false, "print names, descriptions and schemas as JSON")
	c.RunE = func(c *cobra.Command, _ []string) error {
		e, s, err := open(p, nil)
		if err != nil {
			return err
		}
		defer e.Close()
		if *asJSON {
			return printToolsJSON(c, s.Tools())
		}
		for i, d := range s.Tools() {
			if i > 0 {
				fmt.Fprintln(c.OutOrStdout())
			}
			printTool(c, d)
		}
		return nil
	}
	return c
}

type toolLine struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	ReadOnly    bool            `json:"readOnly"`
	Destructive bool            `json:"destructive"`
	Idempotent  bool            `json:"idempotent"`
}

func printToolsJSON(c *cobra.Command, defs []tool.Definition) error {
	lines := []toolLine{}
	for _, d := range defs {
		lines = append(lines, toolLine{d.Name, d.Title, d.Description, d.InputSchema, d.ReadOnly, d.Destructive, d.Idempotent})
	}
	e := json.NewEncoder(c.OutOrStdout())
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(lines)
}

func printTool(c *cobra.Command, d tool.Definition) {
	out := c.OutOrStdout()
	fmt.Fprintf(out, "%s: %s\n", d.Name, d.Title)
	for line := range strings.Lines(d.Description) {
		fmt.Fprintf(out, "    %s\n", strings.TrimRight(line, "\n"))
	}
	var schema struct {
		Properties map[string]struct {
			Type        string `json:"type"`
			Description string `json:"description"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if json.Unmarshal(d.InputSchema, &schema) != nil {
		return
	}
	fmt.Fprintf(out, "    arguments: %s\n", strings.Join(argumentNames(d.InputSchema, schema.Required), ", "))
}

// argumentNames lists the arguments in their order; optional ones carry a ?.
func argumentNames(schema json.RawMessage, required []string) (names []string) {
	need := map[string]bool{}
	for _, r := range required {
		need[r] = true
	}
	for _, name := range propertyOrder(schema) {
		if !need[name] {
			name += "?"
		}
		names = append(names, name)
	}
	return names
}

// propertyOrder returns the properties of a schema as they are written; a map
// would lose their order.
func propertyOrder(schema json.RawMessage) (names []string) {
	d := json.NewDecoder(strings.NewReader(string(schema)))
	depth, inside := 0, false
	for {
		t, err := d.Token()
		if err != nil {
			return names
		}
		switch t := t.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				depth++
			} else if depth--; inside && depth == 1 {
				return names
			}
		case string:
			switch {
			case !inside && depth == 1 && t == "properties":
				inside = true
			case inside && depth == 2:
				names = append(names, t)
				var skip json.RawMessage
				if d.Decode(&skip) != nil {
					return names
				}
			}
		}
	}
}

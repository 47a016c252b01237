package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Parse takes a command line apart, as bash would read it.
func Parse(text string) Line {
	if _, err := syntax.NewParser().Parse(strings.NewReader(text), ""); err != nil {
		return Line{Unknown: err.Error()}
	}
	return Line{Unknown: "not taken apart yet"}
}

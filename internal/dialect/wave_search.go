package dialect

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

const waveLine = 500 // bytes of a line in Grep

// waveSearchTools are shown only when they are named: Wave searches by
// commands of its shell.
func waveSearchTools() []*Tool {
	tools := []*Tool{
		bind(tool.Definition{Name: "Grep", Title: "Search contents", ReadOnly: true, Idempotent: true},
			(*waveGrep).args, (*toolbox.Box).Grep, waveGrepResult),
		bind(tool.Definition{Name: "Glob", Title: "Find files by name", ReadOnly: true, Idempotent: true},
			(*waveGlob).args, (*toolbox.Box).Glob, waveGlobResult),
	}
	for _, t := range tools {
		t.Hidden = true
	}
	return tools
}

type waveGrep struct {
	Pattern   string `json:"pattern" desc:"The regular expression to search for"`
	Path      string `json:"path,omitempty" desc:"File or directory to search in; the working directory by default"`
	Glob      string `json:"glob,omitempty" desc:"Glob to filter files, e.g. *.{ts,tsx}"`
	Mode      string `json:"output_mode,omitempty" desc:"What is returned" enum:"content,files_with_matches,count" default:"files_with_matches"`
	Before    *int64 `json:"-B,omitempty" desc:"Lines before each match; content only" min:"0"`
	After     *int64 `json:"-A,omitempty" desc:"Lines after each match; content only" min:"0"`
	Around    *int64 `json:"-C,omitempty" desc:"Lines around each match; content only" min:"0"`
	Context   *int64 `json:"context,omitempty" desc:"The same as -C" min:"0"`
	Number    *bool  `json:"-n,omitempty" desc:"Line numbers; content only" default:"true"`
	Fold      *bool  `json:"-i,omitempty" desc:"Ignore case"`
	Type      string `json:"type,omitempty" desc:"File type, e.g. js, py, rust"`
	Limit     *int64 `json:"head_limit,omitempty" desc:"Entries of the output; 0 for all" min:"0" default:"0"`
	Offset    *int64 `json:"offset,omitempty" desc:"Entries to skip" min:"0" default:"0"`
	Multiline *bool  `json:"multiline,omitempty" desc:"Matches may span lines" default:"false"`
}

func (w *waveGrep) args() (toolbox.GrepArgs, error) {
	a := toolbox.GrepArgs{
		Pattern: w.Pattern, Path: w.Path, Globs: globList(w.Glob), Type: w.Type,
		IgnoreCase: on(w.Fold), Multiline: on(w.Multiline),
		Limit: int(val(w.Limit, 0)), Skip: int(val(w.Offset, 0)), Total: true, Window: waveLine,
	}
	setMode(&a, w.Mode, w.Before, w.After, cmp.Or(w.Context, w.Around))
	return a, nil
}

func waveGrepResult(w *waveGrep, o *toolbox.GrepOut) tool.Result {
	var b strings.Builder
	if o.Args.Mode == toolbox.GrepCount {
		for _, f := range o.Files { // lines, not matches
			fmt.Fprintf(&b, "%s:%d\n", visibleName(f.Path), f.Count)
		}
	} else {
		grepEntries(&b, o, w.Number, "")
	}
	text := strings.TrimSuffix(b.String(), "\n")
	switch end := pastEnd(o); {
	case end != "":
		text = end
	case text == "" && !o.Timeout:
		text = "No matches found. Files that are ignored or lie in other directories are not searched unless path names them."
		if left := skipped(&o.Summary, false); left != "" {
			text += " Left out: " + left + "."
		}
	}
	if o.More {
		text += fmt.Sprintf("\n... showing %d of %d; use offset %d for more", o.Entries, o.All, o.Args.Skip+o.Entries)
	}
	if o.Cut {
		text += "\n... the output is larger than 10 MB and was cut here"
	}
	if o.Timeout {
		text = strings.TrimPrefix(text+"\nThe search took longer than 20 s; the results are incomplete.", "\n")
	}
	m := grepMeta(o)
	m["numMatches"], m["truncated"], m["appliedLimit"], m["appliedOffset"] = o.All, o.More, o.Args.Limit, o.Args.Skip
	return withMeta(text, m)
}

type waveGlob struct {
	Pattern string `json:"pattern" desc:"The glob to match files against"`
	Path    string `json:"path,omitempty" desc:"The directory to search in; the working directory by default"`
	Limit   *int64 `json:"limit,omitempty" desc:"Files of the result" min:"1" default:"100"`
}

func (w *waveGlob) args() (toolbox.GlobArgs, error) {
	return toolbox.GlobArgs{Pattern: w.Pattern, Path: w.Path, Ignored: true, Limit: int(val(w.Limit, 100)), Missing: true}, nil
}

func waveGlobResult(w *waveGlob, o *toolbox.GlobOut) tool.Result {
	var s []string
	for i, f := range o.Files {
		s = append(s, fmt.Sprintf("%d. %s", i+1, visibleName(f.Path)))
	}
	if o.All == 0 {
		s = append(s, "No files match the pattern")
	}
	if o.More {
		s = append(s, fmt.Sprintf("... showing the first %d of %d files; use a larger limit or a narrower pattern", len(o.Files), o.All))
	}
	if o.Timeout {
		s = append(s, "The listing took longer than 20 s; it is incomplete.")
	}
	return withMeta(strings.Join(s, "\n"), globMeta(o))
}

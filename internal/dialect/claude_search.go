package dialect

import (
	"fmt"
	"strings"

	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// Limits of Claude Code's search tools.
const (
	claudeGrepLimit = 250
	claudeLine      = 500
	claudeResult    = 20_000
)

func claudeSearchTools() []*Tool {
	return []*Tool{
		bind(tool.Definition{Name: "Glob", Title: "Find files by name", ReadOnly: true, Idempotent: true},
			(*claudeGlob).args, (*toolbox.Box).Glob, claudeGlobResult),
		bind(tool.Definition{Name: "Grep", Title: "Search contents", ReadOnly: true, Idempotent: true},
			(*claudeGrep).args, (*toolbox.Box).Grep, claudeGrepResult),
	}
}

type claudeGlob struct {
	Pattern string `json:"pattern" desc:"The glob pattern to match files against" minlen:"1"`
	Path    string `json:"path,omitempty" desc:"The directory to search in; omit it for the current working directory"`
}

func (w *claudeGlob) args() (toolbox.GlobArgs, error) {
	return toolbox.GlobArgs{Pattern: w.Pattern, Path: w.Path, Limit: 100}, nil
}

func claudeGlobResult(_ *claudeGlob, o *toolbox.GlobOut) tool.Result {
	var s []string
	for _, f := range o.Files {
		s = append(s, visibleName(f.Path))
	}
	if o.All == 0 {
		s = append(s, "No files found"+bracketed(skipped(&o.Summary, false)))
	}
	if o.More {
		s = append(s, fmt.Sprintf("(Results are truncated: the newest %d of %d files. Use a more specific path or pattern.)", len(o.Files), o.All))
	}
	if o.Timeout {
		s = append(s, "(The listing took longer than 20 s and is incomplete.)")
	}
	return withMeta(strings.Join(s, "\n"), globMeta(o))
}

type claudeGrep struct {
	Pattern   string `json:"pattern" desc:"The regular expression to search for in file contents" minlen:"1"`
	Path      string `json:"path,omitempty" desc:"File or directory to search in; defaults to the current working directory"`
	Glob      string `json:"glob,omitempty" desc:"Glob to filter files, e.g. *.js, *.{ts,tsx}"`
	Mode      string `json:"output_mode,omitempty" desc:"content shows matching lines, files_with_matches paths, count numbers of matches" enum:"content,files_with_matches,count" default:"files_with_matches"`
	Before    *int64 `json:"-B,omitempty" desc:"Lines before each match; content only" min:"0"`
	After     *int64 `json:"-A,omitempty" desc:"Lines after each match; content only" min:"0"`
	Context   *int64 `json:"-C,omitempty" desc:"Lines around each match; content only" min:"0"`
	Number    *bool  `json:"-n,omitempty" desc:"Line numbers; content only" default:"true"`
	Fold      *bool  `json:"-i,omitempty" desc:"Ignore case"`
	Type      string `json:"type,omitempty" desc:"File type, e.g. js, py, rust, go"`
	Limit     *int64 `json:"head_limit,omitempty" desc:"Lines or entries of the output; 0 for all" min:"0" default:"250"`
	Offset    *int64 `json:"offset,omitempty" desc:"Lines or entries to skip" min:"0" default:"0"`
	Multiline *bool  `json:"multiline,omitempty" desc:"Patterns may span lines and . matches newlines" default:"false"`
}

func (w *claudeGrep) args() (toolbox.GrepArgs, error) {
	a := toolbox.GrepArgs{
		Pattern: w.Pattern, Path: w.Path, Globs: globList(w.Glob), Type: w.Type,
		IgnoreCase: on(w.Fold), Multiline: on(w.Multiline),
		Limit: int(val(w.Limit, claudeGrepLimit)), Skip: int(val(w.Offset, 0)), Window: claudeLine, MaxBytes: 5 * claudeResult,
	}
	setMode(&a, w.Mode, w.Before, w.After, w.Context)
	return a, nil
}

func claudeGrepResult(w *claudeGrep, o *toolbox.GrepOut) tool.Result {
	var b strings.Builder
	if o.Args.Mode == toolbox.GrepFiles && o.InFiles > 0 {
		fmt.Fprintf(&b, "Found %s\n", count(o.InFiles, "file"))
	}
	grepEntries(&b, o, w.Number, "")
	if o.Args.Mode == toolbox.GrepCount && o.InFiles > 0 {
		fmt.Fprintf(&b, "\nFound %d total %s across %s.\n", o.Matches, times(o.Matches), count(o.InFiles, "file"))
	}
	text := strings.TrimSuffix(b.String(), "\n")
	switch end := pastEnd(o); {
	case end != "":
		text = end
	case text == "" && !o.Timeout:
		text = "No matches found" + bracketed(skipped(&o.Summary, false))
	}
	if o.More {
		text += fmt.Sprintf("\n\n[Showing %s from offset %d; more follow with offset %d]", count(o.Entries, "entry"), o.Args.Skip, o.Args.Skip+o.Entries)
	}
	if o.Timeout {
		text = strings.TrimPrefix(text+"\n[The search took longer than 20 s and is incomplete]", "\n")
	}
	if denied := deniedFiles(o.Denied); denied != "" {
		text += "\n[" + denied + "]"
	}
	return withMeta(text, grepMeta(o))
}

// bracketed says on a line of its own what was left out, if anything was.
func bracketed(left string) string {
	if left == "" {
		return ""
	}
	return "\n[Left out: " + left + "]"
}

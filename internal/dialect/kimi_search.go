package dialect

import (
	"fmt"
	"strings"

	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// Limits of Kimi's search tools.
const (
	kimiGrepLimit = 250
	kimiGlobLimit = 100
	kimiResult    = 50_000 // characters of a result
	kimiLine      = 2000   // bytes of a line of a file
)

func kimiSearchTools() []*Tool {
	return []*Tool{
		bind(tool.Definition{Name: "Grep", Title: "Search contents", ReadOnly: true, Idempotent: true},
			(*kimiGrep).args, (*toolbox.Box).Grep, kimiGrepResult).instead(kimiGrepFailure),
		bind(tool.Definition{Name: "Glob", Title: "Find files by name", ReadOnly: true, Idempotent: true},
			(*kimiGlob).args, (*toolbox.Box).Glob, kimiGlobResult),
	}
}

type kimiGrep struct {
	Pattern   string `json:"pattern" desc:"Regular expression in ripgrep's syntax"`
	Path      string `json:"path,omitempty" desc:"File or directory; the working directory when omitted"`
	Glob      string `json:"glob,omitempty" desc:"Only files that match this glob"`
	Type      string `json:"type,omitempty" desc:"Only files of this type, e.g. py, js, go"`
	Mode      string `json:"output_mode,omitempty" desc:"What is returned" enum:"content,files_with_matches,count_matches" default:"files_with_matches"`
	Fold      *bool  `json:"-i,omitempty" desc:"Ignore case" default:"false"`
	Number    *bool  `json:"-n,omitempty" desc:"Line numbers; content only" default:"true"`
	After     *int64 `json:"-A,omitempty" desc:"Lines after each match; content only" min:"0"`
	Before    *int64 `json:"-B,omitempty" desc:"Lines before each match; content only" min:"0"`
	Context   *int64 `json:"-C,omitempty" desc:"Lines around each match; content only" min:"0"`
	Limit     *int64 `json:"head_limit,omitempty" desc:"Lines of the result; 0 for no limit" min:"0" default:"250"`
	Offset    *int64 `json:"offset,omitempty" desc:"Lines of the result to skip" min:"0" default:"0"`
	Multiline *bool  `json:"multiline,omitempty" desc:"Matches may span lines" default:"false"`
	Ignored   *bool  `json:"include_ignored,omitempty" desc:"Search ignored files too; sensitive files stay filtered" default:"false"`
}

func (w *kimiGrep) args() (toolbox.GrepArgs, error) {
	a := toolbox.GrepArgs{
		Pattern: w.Pattern, Path: w.Path, Globs: globList(w.Glob), Type: w.Type,
		IgnoreCase: on(w.Fold), Multiline: on(w.Multiline), Ignored: on(w.Ignored),
		Limit: int(val(w.Limit, kimiGrepLimit)), Skip: int(val(w.Offset, 0)), Total: true,
		Window: kimiLine, MaxBytes: kimiResult - 1000, // room for what is said about the result
	}
	setMode(&a, w.Mode, w.Before, w.After, w.Context)
	return a, nil
}

func kimiGrepResult(w *kimiGrep, o *toolbox.GrepOut) tool.Result {
	var parts []string
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	paging := ""
	if o.More {
		paging = fmt.Sprintf("Results truncated to %d lines (total: %d). Use offset=%d to see more.", o.Entries, o.All, o.Args.Skip+o.Entries)
	}
	body := w.body(o)
	switch {
	case o.Timeout && body == "":
		r := tool.TextResult(kimiError("Grep timed out after 20s. Try a more specific path or pattern."))
		r.Failed, r.Kind = true, tool.TooLarge
		return r
	case body == "":
		add("No non-sensitive matches found")
	case o.Args.Mode == toolbox.GrepCount:
		kind := "total"
		if len(o.HeldBack) > 0 {
			kind = "total non-sensitive"
		}
		add(fmt.Sprintf("Found %d %s %s across %s.", o.Matches, kind, times(o.Matches), count(o.InFiles, "file")))
		add(paging)
		add(body)
	default:
		add(body)
		add(paging)
	}
	if n := len(o.HeldBack) + int(o.HeldMore); n > 0 {
		add(fmt.Sprintf("Filtered %d sensitive file(s): %s", n, heldBack(o)))
	}
	add(deniedFiles(o.Denied))
	if o.Timeout {
		add("Grep timed out after 20s; partial results returned")
	}
	if body == "" {
		if left := skipped(&o.Summary, o.Args.Ignored); left != "" {
			add("Left out: " + left + ".")
		}
	}
	return withMeta(kimiCap(strings.Join(parts, "\n")), grepMeta(o))
}

func times(n int64) string {
	if n == 1 {
		return "occurrence"
	}
	return "occurrences"
}

func (w *kimiGrep) body(o *toolbox.GrepOut) string {
	var b strings.Builder
	grepEntries(&b, o, w.Number, "[...truncated]")
	return strings.TrimSuffix(b.String(), "\n")
}

// kimiCap holds a result to the characters that Kimi takes.
func kimiCap(text string) string {
	if len(text) <= kimiResult {
		return text
	}
	cut := strings.LastIndexByte(text[:kimiResult], '\n')
	if cut < 0 {
		cut = kimiResult
	}
	return text[:cut] + fmt.Sprintf("\nOutput is truncated to fit in the message: %d of %d characters. Use head_limit and offset to see the rest.", cut, len(text))
}

// kimiGrepFailure words what only Grep can get wrong: the pattern.
func kimiGrepFailure(e *tool.Error) (tool.Result, bool) {
	if e.Kind != tool.Invalid || e.Op != "search" {
		return tool.Result{}, false
	}
	r := tool.TextResult(kimiError(withNext("Failed to grep: "+e.Reason, e)))
	r.Failed, r.Kind = true, e.Kind
	return r, true
}

type kimiGlob struct {
	Pattern string `json:"pattern" desc:"Glob; without a slash it matches at any depth. Braces are expanded"`
	Path    string `json:"path,omitempty" desc:"Directory to search; the working directory when omitted"`
	Ignored *bool  `json:"include_ignored,omitempty" desc:"List ignored files too; sensitive files stay filtered" default:"false"`
	Dirs    *bool  `json:"include_dirs,omitempty" desc:"Accepted and without effect: only files are listed"`
	Limit   *int64 `json:"head_limit,omitempty" desc:"Paths of the result; 0 for no limit" min:"0" default:"100"`
	Offset  *int64 `json:"offset,omitempty" desc:"Paths to skip" min:"0" default:"0"`
}

func (w *kimiGlob) args() (toolbox.GlobArgs, error) {
	return toolbox.GlobArgs{Pattern: w.Pattern, Path: w.Path, Ignored: on(w.Ignored),
		Limit: int(val(w.Limit, kimiGlobLimit)), Skip: int(val(w.Offset, 0))}, nil
}

func kimiGlobResult(w *kimiGlob, o *toolbox.GlobOut) tool.Result {
	var s []string
	limit := int(val(w.Limit, kimiGlobLimit))
	held := o.Summary.HeldBack
	switch {
	case o.All == 0 && held > 0:
		s = append(s, fmt.Sprintf("No non-sensitive matches found (%d sensitive file(s) filtered).", held))
	case o.All == 0 || len(o.Files) == 0:
		s = append(s, "No matches found")
		if left := skipped(&o.Summary, o.Args.Ignored); left != "" && o.All == 0 {
			s = append(s, "Left out: "+left+".")
		}
	default:
		if o.More {
			s = append(s, fmt.Sprintf("[Truncated at %d matches — use a more specific pattern]", len(o.Files)),
				fmt.Sprintf("Only %d of %d matches are returned. Use offset=%d to see more.", len(o.Files), o.All, o.Args.Skip+len(o.Files)))
		}
		for _, f := range o.Files {
			s = append(s, visibleName(f.Below))
		}
		if len(o.Files) == limit && !o.More && o.Args.Skip == 0 {
			s = append(s, fmt.Sprintf("Found %d matches", limit))
		}
		if held > 0 {
			s = append(s, fmt.Sprintf("Filtered %d sensitive file(s).", held))
		}
	}
	if o.Timeout {
		s = append([]string{"Glob timed out after 20s; partial results returned"}, s...)
	}
	if o.Summary.Unreadable > 0 && o.All > 0 {
		s = append(s, "Glob completed with warnings; some directories could not be read: "+skipped(&o.Summary, true))
	}
	return withMeta(kimiCap(strings.Join(s, "\n")), globMeta(o))
}

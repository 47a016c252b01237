package dialect

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/burin-tools/burin/internal/search"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// The search tools of the handbook, whose answers are JSON objects, and of
// the mini set.

func handbookSearchTools() []*Tool {
	return []*Tool{
		bind(tool.Definition{Name: "list_directory", Title: "List a directory", ReadOnly: true, Idempotent: true},
			(*handbookList).args, (*toolbox.Box).List, handbookListResult).instead(osError3),
		bind(tool.Definition{Name: "search_in_file", Title: "Search contents", ReadOnly: true, Idempotent: true},
			(*handbookGrep).args, (*toolbox.Box).Grep, handbookGrepResult),
		bind(tool.Definition{Name: "search_files", Title: "Find files by name", ReadOnly: true, Idempotent: true},
			(*handbookGlob).args, (*toolbox.Box).Glob, handbookGlobResult),
		bind(tool.Definition{Name: "file_info", Title: "Describe a file", ReadOnly: true, Idempotent: true},
			(*handbookStat).args, (*toolbox.Box).Stat, handbookStatResult),
	}
}

// osError3 is the code that the handbook's host gives for a directory that is
// not there.
func osError3(e *tool.Error) (tool.Result, bool) {
	if e.Kind != tool.NotFound {
		return tool.Result{}, false
	}
	r := tool.TextResult(withHelp(fmt.Sprintf("%s: no such directory (os error 3)", e.Path), e))
	r.Failed, r.Kind = true, e.Kind
	return r, true
}

type handbookList struct {
	Path      string `json:"path" desc:"Directory path" minlen:"1"`
	Recursive *bool  `json:"recursive,omitempty" desc:"List what lies below, too" default:"false"`
	MaxDepth  *int64 `json:"max_depth,omitempty" desc:"With recursive: levels below the directory; 0 for its own entries" min:"0"`
	SkipNoise *bool  `json:"skip_noise_dirs,omitempty" desc:"Leave out node_modules, .git and the like" default:"false"`
}

func (w *handbookList) args() (toolbox.ListArgs, error) {
	a := toolbox.ListArgs{Path: w.Path, Noise: true, Hide: on(w.SkipNoise)}
	if on(w.Recursive) {
		a.Depth = int(val(w.MaxDepth, -1))
	}
	return a, nil
}

func handbookListResult(_ *handbookList, o *toolbox.ListOut) tool.Result {
	var b bytes.Buffer
	b.WriteString(`{"entries":[`)
	for i, e := range o.Entries {
		if i > 0 {
			b.WriteByte(',')
		}
		kind := "file"
		switch e.Kind {
		case toolbox.FolderEntry:
			kind = "directory"
		case toolbox.LinkEntry:
			kind = "symlink"
		}
		b.WriteString(`{"name":`)
		writeJSON(&b, e.Name)
		fmt.Fprintf(&b, `,"type":%q,"size":%d,"depth":%d,"path":`, kind, max(e.Size, 0), e.Depth)
		writeJSON(&b, e.Path)
		b.WriteByte('}')
	}
	fmt.Fprintf(&b, `],"truncated":%t}`, o.Cut)
	return withMeta(b.String(), map[string]any{"entries": len(o.Entries), "cut": o.Cut})
}

type handbookGrep struct {
	Pattern string `json:"pattern" desc:"Regular expression" minlen:"1"`
	Path    string `json:"path,omitempty" desc:"File or directory; the project by default"`
	Fold    *bool  `json:"ignore_case,omitempty" desc:"Ignore case" default:"false"`
	Context *int64 `json:"context,omitempty" desc:"Lines around each match" min:"0" default:"0"`
	Offset  *int64 `json:"offset,omitempty" desc:"Lines to skip" min:"0" default:"0"`
	Limit   *int64 `json:"limit,omitempty" desc:"Lines of the answer" min:"1" default:"250"`
}

func (w *handbookGrep) args() (toolbox.GrepArgs, error) {
	n := int(val(w.Context, 0))
	return toolbox.GrepArgs{Pattern: w.Pattern, Path: w.Path, IgnoreCase: on(w.Fold), Mode: toolbox.GrepContent,
		Before: n, After: n, Limit: int(val(w.Limit, 250)), Skip: int(val(w.Offset, 0)), Window: nativeWindow}, nil
}

func handbookGrepResult(_ *handbookGrep, o *toolbox.GrepOut) tool.Result {
	var b bytes.Buffer
	b.WriteString(`{"matches":[`)
	first := true
	for _, f := range o.Files {
		for _, l := range f.Lines {
			if !first {
				b.WriteByte(',')
			}
			first = false
			b.WriteString(`{"path":`)
			writeJSON(&b, f.Path)
			fmt.Fprintf(&b, `,"line":%d,"match":%t,"text":`, l.N, !l.Context)
			writeJSON(&b, lineText(l, ""))
			b.WriteByte('}')
		}
	}
	fmt.Fprintf(&b, `],"truncated":%t`, o.More || o.Timeout)
	if o.More {
		fmt.Fprintf(&b, `,"next_offset":%d`, o.Args.Skip+o.Entries)
	}
	if o.Timeout {
		b.WriteString(`,"timed_out":true`)
	}
	if o.InFiles == 0 {
		leftOut(&b, o.Summary)
	}
	b.WriteByte('}')
	return withMeta(b.String(), grepMeta(o))
}

// leftOut says why there may be nothing.
func leftOut(b *bytes.Buffer, s search.Summary) {
	if left := skipped(&s, false); left != "" {
		b.WriteString(`,"left_out":`)
		writeJSON(b, left)
	}
}

type handbookGlob struct {
	Pattern string `json:"pattern" desc:"Glob; without a slash it matches at any depth" minlen:"1"`
	Path    string `json:"path,omitempty" desc:"Directory; the project by default"`
	Offset  *int64 `json:"offset,omitempty" desc:"Files to skip" min:"0" default:"0"`
	Limit   *int64 `json:"limit,omitempty" desc:"Files of the answer" min:"1" default:"100"`
}

func (w *handbookGlob) args() (toolbox.GlobArgs, error) {
	return toolbox.GlobArgs{Pattern: w.Pattern, Path: w.Path, Limit: int(val(w.Limit, 100)), Skip: int(val(w.Offset, 0))}, nil
}

func handbookGlobResult(_ *handbookGlob, o *toolbox.GlobOut) tool.Result {
	var b bytes.Buffer
	b.WriteString(`{"files":[`)
	for i, f := range o.Files {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"path":`)
		writeJSON(&b, f.Path)
		fmt.Fprintf(&b, `,"size":%d}`, f.Size)
	}
	fmt.Fprintf(&b, `],"total":%d,"truncated":%t`, o.All, o.More || o.Timeout)
	if o.More {
		fmt.Fprintf(&b, `,"next_offset":%d`, o.Args.Skip+len(o.Files))
	}
	if o.All == 0 {
		leftOut(&b, o.Summary)
	}
	b.WriteByte('}')
	return withMeta(b.String(), globMeta(o))
}

type handbookStat struct {
	Path string `json:"path" desc:"File or directory" minlen:"1"`
}

func (w *handbookStat) args() (toolbox.StatArgs, error) { return toolbox.StatArgs{Path: w.Path}, nil }

func handbookStatResult(w *handbookStat, o *toolbox.StatOut) tool.Result {
	var b bytes.Buffer
	b.WriteString(`{"path":`)
	writeJSON(&b, w.Path)
	b.WriteString(`,"type":`)
	writeJSON(&b, o.Type)
	fmt.Fprintf(&b, `,"size":%d,"mode":"%04o","modified":%q`, o.Size, o.Mode.Perm(), time.Unix(0, o.Mtime).UTC().Format(time.RFC3339Nano))
	if o.Text {
		fmt.Fprintf(&b, `,"lines":%d,"encoding":%q,"bom":%t,"line_endings":%q`, o.Lines, o.Form.Encoding.Name, o.Form.BOM > 0, o.Endings)
	}
	if o.Link != "" {
		b.WriteString(`,"link_target":`)
		writeJSON(&b, o.Link)
	}
	if o.Git != "" {
		fmt.Fprintf(&b, `,"git":%q`, o.Git)
	}
	b.WriteByte('}')
	return withMeta(b.String(), statMeta(o))
}

func miniSearchTool() *Tool {
	return bind(tool.Definition{Name: "search_files", Title: "Search contents", ReadOnly: true, Idempotent: true},
		(*miniSearch).args, (*toolbox.Box).Grep, miniSearchResult).instead(miniSearchFailure)
}

// miniSearchFailure words what only a search can get wrong: the pattern.
func miniSearchFailure(e *tool.Error) (tool.Result, bool) {
	if e.Kind != tool.Invalid || e.Op != "search" {
		return tool.Result{}, false
	}
	r := tool.TextResult(withNext("Cannot search: "+e.Reason+".", e))
	r.Failed, r.Kind = true, e.Kind
	return r, true
}

type miniSearch struct {
	Pattern string `json:"pattern" desc:"Regex pattern to search for" minlen:"1"`
	Path    string `json:"path,omitempty" desc:"Directory to search in (default: current dir)"`
	Include string `json:"include,omitempty" desc:"File glob to include (e.g. '*.ts')"`
}

func (w *miniSearch) args() (toolbox.GrepArgs, error) {
	return toolbox.GrepArgs{Pattern: w.Pattern, Path: w.Path, Globs: globList(w.Include),
		Mode: toolbox.GrepContent, Limit: 50, Window: nativeWindow}, nil
}

func miniSearchResult(_ *miniSearch, o *toolbox.GrepOut) tool.Result {
	var b strings.Builder
	grepLines(&b, o.Files, true, false, "")
	text := strings.TrimSuffix(b.String(), "\n")
	if text == "" {
		text = "(no matches)"
		if left := skipped(&o.Summary, false); left != "" {
			text += "\n(left out: " + left + ")"
		}
	}
	if o.More {
		text += "\n(only the first 50 lines are shown; use a narrower pattern, path or include)"
	}
	if o.Timeout {
		text += "\n(the search took too long and is incomplete)"
	}
	return withMeta(text, grepMeta(o))
}

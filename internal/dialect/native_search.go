package dialect

import (
	"fmt"
	"strings"
	"time"

	"github.com/burin-tools/burin/internal/textfile"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// Limits of the native search tools.
const (
	nativeGrepLimit = 250
	nativeGlobLimit = 100
	nativeListLimit = 200
	nativeWindow    = 400 // bytes of a long line around its match
)

func nativeSearchTools() []*Tool {
	return []*Tool{
		bind(tool.Definition{Name: "Grep", Title: "Search contents", ReadOnly: true, Idempotent: true},
			(*nativeGrep).args, (*toolbox.Box).Grep, nativeGrepResult),
		bind(tool.Definition{Name: "Glob", Title: "Find files by name", ReadOnly: true, Idempotent: true},
			(*nativeGlob).args, (*toolbox.Box).Glob, nativeGlobResult),
		bind(tool.Definition{Name: "List", Title: "List a folder", ReadOnly: true, Idempotent: true},
			(*nativeList).args, (*toolbox.Box).List, nativeListResult),
		bind(tool.Definition{Name: "Stat", Title: "Describe a file", ReadOnly: true, Idempotent: true},
			(*nativeStat).args, (*toolbox.Box).Stat, nativeStatResult),
	}
}

type nativeGrep struct {
	Pattern   string `json:"pattern" desc:"Regular expression" minlen:"1"`
	Path      string `json:"path,omitempty" desc:"File or folder; default the workspace"`
	Glob      string `json:"glob,omitempty" desc:"Only such files: *.{ts,tsx}; !*.md for all others"`
	Type      string `json:"type,omitempty" desc:"Only files of a type: go, py, js"`
	Mode      string `json:"output_mode,omitempty" desc:"What an entry is" enum:"content,files_with_matches,count,count_matches" default:"files_with_matches"`
	Fold      *bool  `json:"-i,omitempty" desc:"Ignore case"`
	Number    *bool  `json:"-n,omitempty" desc:"Line numbers" default:"true"`
	After     *int64 `json:"-A,omitempty" desc:"Lines after a match" min:"0"`
	Before    *int64 `json:"-B,omitempty" desc:"Lines before a match" min:"0"`
	Context   *int64 `json:"-C,omitempty" desc:"Lines around a match" min:"0"`
	Fixed     *bool  `json:"fixed_strings,omitempty" desc:"The pattern is literal text"`
	Word      *bool  `json:"word,omitempty" desc:"Whole words only"`
	Multiline *bool  `json:"multiline,omitempty" desc:"Matches may span lines"`
	Ignored   *bool  `json:"include_ignored,omitempty" desc:"Ignored files too"`
	Limit     *int64 `json:"head_limit,omitempty" desc:"Entries at most; 0: all" min:"0" default:"250"`
	Offset    *int64 `json:"offset,omitempty" desc:"Entries to skip" min:"0" default:"0"`
}

func (w *nativeGrep) args() (toolbox.GrepArgs, error) {
	a := toolbox.GrepArgs{
		Pattern: w.Pattern, Path: w.Path, Globs: globList(w.Glob), Type: w.Type,
		Fixed: on(w.Fixed), IgnoreCase: on(w.Fold), Word: on(w.Word), Multiline: on(w.Multiline), Ignored: on(w.Ignored),
		Limit: int(val(w.Limit, nativeGrepLimit)), Skip: int(val(w.Offset, 0)), Window: nativeWindow,
		MaxBytes: nativeCharsMax,
	}
	setMode(&a, w.Mode, w.Before, w.After, w.Context)
	return a, nil
}

func nativeGrepResult(w *nativeGrep, o *toolbox.GrepOut) tool.Result {
	var b strings.Builder
	grepEntries(&b, o, w.Number, "")
	b.WriteString("[" + w.status(o) + "]")
	return withMeta(b.String(), grepMeta(o))
}

func (w *nativeGrep) status(o *toolbox.GrepOut) string {
	var s []string
	switch {
	case o.InFiles == 0 && o.Summary.Searched == 0 && !o.Timeout && w.Glob+w.Type != "":
		s = append(s, "No matches: no file of that glob or type was searched.")
	case o.InFiles == 0 && !o.Timeout:
		s = append(s, "No matches.")
	case pastEnd(o) != "":
		s = append(s, pastEnd(o))
	case o.Args.Mode == toolbox.GrepContent:
		s = append(s, fmt.Sprintf("%s in %s.", count(o.Entries, "line"), count(len(o.Files), "file")))
	case o.Args.Mode == toolbox.GrepCount:
		s = append(s, fmt.Sprintf("%s in %s.", count(int(o.Matches), "match"), count(o.InFiles, "file")))
	default:
		s = append(s, countOf(o.Entries, o.InFiles, "file")+".")
	}
	if o.More {
		s = append(s, fmt.Sprintf(`More follow: the same call with "offset":%d.`, o.Args.Skip+o.Entries))
	}
	if o.Timeout {
		s = append(s, "The search took longer than 20 s and is not complete; use a narrower path or glob.")
	}
	if len(o.HeldBack) > 0 {
		s = append(s, fmt.Sprintf("Not searched, as possible secrets: %s.", heldBack(o)))
	}
	if denied := deniedFiles(o.Denied); denied != "" {
		s = append(s, denied+".")
	}
	if left := skipped(&o.Summary, o.Args.Ignored); left != "" && (o.InFiles == 0 || o.Summary.Unreadable > 0) {
		s = append(s, "Left out: "+left+".")
		if o.Summary.Ignored > 0 && !o.Args.Ignored {
			s = append(s, `Set include_ignored to search ignored files.`)
		}
	}
	return strings.Join(s, " ")
}

type nativeGlob struct {
	Pattern string `json:"pattern" desc:"Such as *.go, src/**/*.ts" minlen:"1"`
	Path    string `json:"path,omitempty" desc:"Folder; default the workspace"`
	Sort    string `json:"sort,omitempty" desc:"Order; path is quicker" enum:"newest,path" default:"newest"`
	Ignored *bool  `json:"include_ignored,omitempty" desc:"Ignored files too"`
	Limit   *int64 `json:"head_limit,omitempty" desc:"Entries at most; 0: all" min:"0" default:"100"`
	Offset  *int64 `json:"offset,omitempty" desc:"Files to skip" min:"0" default:"0"`
}

func (w *nativeGlob) args() (toolbox.GlobArgs, error) {
	return toolbox.GlobArgs{Pattern: w.Pattern, Path: w.Path, Ignored: on(w.Ignored), Sorted: w.Sort == "path",
		Limit: int(val(w.Limit, nativeGlobLimit)), Skip: int(val(w.Offset, 0))}, nil
}

func nativeGlobResult(w *nativeGlob, o *toolbox.GlobOut) tool.Result {
	var b strings.Builder
	size := 512
	for _, f := range o.Files {
		size += len(f.Path) + 1
	}
	b.Grow(size)
	for _, f := range o.Files {
		b.WriteString(visibleName(f.Path))
		b.WriteByte('\n')
	}
	var s []string
	switch {
	case o.All == 0:
		s = append(s, "No files match.")
	case len(o.Files) == 0:
		s = append(s, fmt.Sprintf("No entries: offset %d is past the end (%d).", o.Args.Skip, o.All))
	case o.Args.Sorted:
		s = append(s, countOf(len(o.Files), o.All, "file")+", by path.")
	default:
		s = append(s, countOf(len(o.Files), o.All, "file")+", newest first.")
	}
	if o.More {
		s = append(s, fmt.Sprintf(`More follow: the same call with "offset":%d.`, o.Args.Skip+len(o.Files)))
	}
	if o.Timeout {
		s = append(s, "The listing took longer than 20 s and is not complete; use a narrower path.")
	}
	if n := o.Summary.HeldBack; n > 0 {
		s = append(s, count(int(n), "file")+" held back (possible secrets, or denied by a rule).")
	}
	if left := skipped(&o.Summary, o.Args.Ignored); left != "" && (o.All == 0 || o.Summary.Unreadable > 0) {
		s = append(s, "Left out: "+left+".")
		if o.Summary.Ignored > 0 && !o.Args.Ignored {
			s = append(s, "Set include_ignored to list ignored files.")
		}
	}
	b.WriteString("[" + strings.Join(s, " ") + "]")
	return withMeta(b.String(), globMeta(o))
}

type nativeList struct {
	Path  string `json:"path,omitempty" desc:"Folder; default the workspace"`
	Depth *int64 `json:"depth,omitempty" desc:"Levels of folders to open" min:"0" max:"32" default:"2"`
	Limit *int64 `json:"limit,omitempty" desc:"Entries at most" min:"1" max:"10000" default:"200"`
}

func (w *nativeList) args() (toolbox.ListArgs, error) {
	return toolbox.ListArgs{Path: w.Path, Depth: int(val(w.Depth, 2)), Limit: int(val(w.Limit, nativeListLimit))}, nil
}

func nativeListResult(w *nativeList, o *toolbox.ListOut) tool.Result {
	var b strings.Builder
	for _, e := range o.Entries {
		b.WriteString(strings.Repeat("  ", e.Depth) + visibleName(e.Name))
		switch {
		case e.Kind == toolbox.FolderEntry && e.Inside == 0:
			b.WriteString("/  (empty)")
		case e.Kind == toolbox.FolderEntry && !e.Closed:
			b.WriteString("/")
		case e.Kind == toolbox.FolderEntry && e.Inside < 0:
			b.WriteString("/  (cannot be opened)")
		case e.Kind == toolbox.FolderEntry:
			fmt.Fprintf(&b, "/  (%s, not shown)", count(e.Inside, "entry"))
		case e.Kind == toolbox.LinkEntry:
			b.WriteString(" -> " + visibleName(e.To))
		case e.Kind == toolbox.SpecialEntry:
			b.WriteString("  (special file)")
		case e.Size < 0:
			b.WriteString("  (cannot be looked at)")
		default:
			fmt.Fprintf(&b, "  %d", e.Size)
		}
		b.WriteByte('\n')
	}
	s := []string{count(len(o.Entries), "entry") + " shown."}
	if len(o.Entries) == 0 {
		s = []string{"The folder is empty."}
	}
	switch {
	case o.Left > 0:
		s = append(s, fmt.Sprintf("%d more in this folder; raise limit.", o.Left))
	case o.Cut:
		s = append(s, "Not all fit; list a folder by its path, or raise limit.")
	}
	if o.Held > 0 {
		s = append(s, fmt.Sprintf("%s denied by a rule.", count(o.Held, "entry")))
	}
	if o.Errors > 0 {
		s = append(s, fmt.Sprintf("%s could not be opened.", count(o.Errors, "folder")))
	}
	b.WriteString("[" + strings.Join(s, " ") + "]")
	return withMeta(b.String(), map[string]any{"entries": len(o.Entries), "cut": o.Cut, "heldBack": o.Held})
}

type nativeStat struct {
	Path string `json:"file_path" desc:"File or folder" minlen:"1"`
}

func (w *nativeStat) args() (toolbox.StatArgs, error) { return toolbox.StatArgs{Path: w.Path}, nil }

func nativeStatResult(w *nativeStat, o *toolbox.StatOut) tool.Result {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", name+":", fmt.Sprintf(format, args...))
	}
	line("path", "%s", o.Name)
	if o.Link != "" {
		line("link to", "%s", o.Link)
	}
	if o.Real != o.Name {
		line("real", "%s", o.Real)
	}
	line("type", "%s", o.Type)
	if o.MIME != "" {
		line("mime", "%s", o.MIME)
	}
	if o.Mode.IsDir() {
		line("entries", "%d", o.Entries)
	} else {
		line("size", "%d bytes", o.Size)
	}
	if o.Text {
		line("lines", "%d", o.Lines)
		enc := o.Form.Encoding.Title
		if o.Form.BOM > 0 {
			enc += " with BOM"
		}
		line("encoding", "%s", enc)
		line("endings", "%s", endings(o))
	}
	line("mode", "%s", o.Mode)
	line("modified", "%s", time.Unix(0, o.Mtime).UTC().Format(time.RFC3339Nano))
	if o.Links > 1 && !o.Mode.IsDir() {
		line("links", "%d", o.Links)
	}
	if o.Git != "" {
		line("git", "%s", o.Git)
	}
	return withMeta(strings.TrimSuffix(b.String(), "\n"), statMeta(o))
}

func endings(o *toolbox.StatOut) string {
	s := o.Endings.String()
	if o.Endings == textfile.LF && o.Lines <= 1 && !o.EndsLF {
		s = "none"
	}
	if !o.EndsLF && o.Lines > 0 {
		s += ", no newline at the end"
	}
	return s
}

func statMeta(o *toolbox.StatOut) map[string]any {
	m := map[string]any{"path": o.Name, "real": o.Real, "type": o.Type, "size": o.Size, "mode": fmt.Sprintf("%04o", o.Mode.Perm()),
		"mtime": time.Unix(0, o.Mtime).UTC().Format(time.RFC3339Nano)}
	if o.Text {
		m["lines"], m["encoding"], m["endings"], m["bom"] = o.Lines, o.Form.Encoding.Name, o.Endings.String(), o.Form.BOM > 0
	}
	if o.Link != "" {
		m["link"] = o.Link
	}
	if o.Git != "" {
		m["git"] = o.Git
	}
	return m
}

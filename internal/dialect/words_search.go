package dialect

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/burin-tools/burin/internal/search"
	"github.com/burin-tools/burin/internal/textfile"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// grepLines writes matching lines and their context the way grep does:
// path:12:text for a match, path-11-text for context, -- between groups.
// group says whether there is context, which is what makes groups.
func grepLines(b *strings.Builder, files []toolbox.GrepFile, numbers, group bool, cutMark string) {
	first := true
	for _, f := range files {
		last := int64(-1)
		for _, l := range f.Lines {
			if f.Binary && l.N == 0 {
				fmt.Fprintf(b, "%s: binary file matches\n", visibleName(f.Path))
				continue
			}
			if group && !first && (last < 0 || l.N != last+1) {
				b.WriteString("--\n")
			}
			first, last = false, l.N
			grepLine(b, f.Path, l, numbers, cutMark)
		}
	}
}

// grepEntries writes the entries of an answer, one on a line: what grep would
// write, or files with their matches, or files.
func grepEntries(b *strings.Builder, o *toolbox.GrepOut, numbers *bool, cutMark string) {
	switch o.Args.Mode {
	case toolbox.GrepContent:
		grepLines(b, o.Files, val(numbers, true), o.Args.Before+o.Args.After > 0, cutMark)
	case toolbox.GrepCount:
		for _, f := range o.Files {
			fmt.Fprintf(b, "%s:%d\n", visibleName(f.Path), f.Matches)
		}
	default:
		for _, f := range o.Files {
			b.WriteString(visibleName(f.Path) + "\n")
		}
	}
}

func grepLine(b *strings.Builder, path string, l search.Line, numbers bool, cutMark string) {
	sep := byte(':')
	if l.Context {
		sep = '-'
	}
	b.WriteString(visibleName(path))
	b.WriteByte(sep)
	if numbers {
		b.WriteString(strconv.FormatInt(l.N, 10))
		b.WriteByte(sep)
	}
	b.WriteString(lineText(l, cutMark))
	b.WriteByte('\n')
}

// lineText is the text of a line; of a very long one it is the window around
// the match, with its place, or with cutMark behind it if it is the beginning.
func lineText(l search.Line, cutMark string) string {
	text := strings.TrimSuffix(l.Text, "\r")
	if esc, n := textfile.Escape([]byte(text)); n > 0 {
		text = string(esc)
	}
	switch {
	case l.Start == 0 && l.Len-len(l.Text) <= 1:
		return text
	case l.Start == 0 && cutMark != "":
		return text + cutMark
	}
	place := fmt.Sprintf("bytes %d-%d of %d", l.Start, l.Start+len(l.Text), l.Len)
	if !l.Context {
		place = fmt.Sprintf("match at column %d, %s", l.Column, place)
	}
	return "[" + place + "] " + text
}

// visibleName keeps a line feed in a name from breaking the lines of a list.
func visibleName(path string) string {
	if !strings.ContainsAny(path, "\n\r") {
		return path
	}
	return strconv.Quote(path)
}

// heldBack names what a search held back; of many files the first ones.
func heldBack(o *toolbox.GrepOut) string {
	const most = 20
	var shown []string
	named := min(most, len(o.HeldBack))
	for _, n := range o.HeldBack[:named] {
		shown = append(shown, visibleName(n))
	}
	if more := len(o.HeldBack) - named + int(o.HeldMore); more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, ", ")
}

// deniedFiles says how many files a rule keeps from being named; "" for none.
func deniedFiles(n int64) string {
	if n == 0 {
		return ""
	}
	return count(int(n), "file") + " denied by a rule"
}

// withNext appends what to do next, on a line of its own.
func withNext(s string, e *tool.Error) string {
	if e.Next == "" {
		return s
	}
	return s + "\n" + e.Next
}

// pastEnd says that a page lies behind the last entry; "" when it does not.
func pastEnd(o *toolbox.GrepOut) string {
	if o.InFiles == 0 || o.Entries > 0 || o.Args.Skip == 0 {
		return ""
	}
	return fmt.Sprintf("No entries: offset %d is past the end (%d).", o.Args.Skip, o.All)
}

// skipped says what a search left out, where that could matter; "" when
// nothing was.
func skipped(s *search.Summary, ignored bool) string {
	var parts []string
	add := func(n int64, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	if !ignored {
		add(s.Ignored, "ignored file or folder", "ignored files and folders")
	}
	add(s.Binary, "binary file", "binary files")
	add(s.TooLarge, "file that is too large", "files that are too large")
	if s.Unreadable > 0 {
		add(s.Unreadable, "unreadable file or folder", "unreadable files and folders")
		var names []string
		for _, u := range s.UnreadablePaths[:min(3, len(s.UnreadablePaths))] {
			names = append(names, visibleName(u.Path))
		}
		parts[len(parts)-1] += " (" + strings.Join(names, ", ") + ")"
	}
	return strings.Join(parts, ", ")
}

func grepMeta(o *toolbox.GrepOut) map[string]any {
	return map[string]any{
		"entries": o.Entries, "more": o.More, "files": o.InFiles, "heldBack": o.Summary.HeldBack,
		"searched": o.Summary.Searched, "ignored": o.Summary.Ignored, "binary": o.Summary.Binary,
		"timedOut": o.Timeout,
	}
}

func globMeta(o *toolbox.GlobOut) map[string]any {
	return map[string]any{"numFiles": o.All, "entries": len(o.Files), "truncated": o.More,
		"heldBack": o.Summary.HeldBack, "ignored": o.Summary.Ignored, "timedOut": o.Timeout}
}

// setMode sets what an entry is, and the context that only lines have.
func setMode(a *toolbox.GrepArgs, mode string, before, after, both *int64) {
	switch mode {
	case "content":
		a.Mode = toolbox.GrepContent
		a.Before, a.After = around(before, after, both)
	case "count", "count_matches":
		a.Mode = toolbox.GrepCount
	}
}

// around returns the lines before and after that were asked for: both, if given,
// is the two.
func around(before, after, both *int64) (int, int) {
	if both != nil {
		return int(*both), int(*both)
	}
	return int(val(before, 0)), int(val(after, 0))
}

func globList(glob string) []string {
	if glob == "" {
		return nil
	}
	return []string{glob}
}

func on(p *bool) bool { return p != nil && *p }

// countOf writes how many of all are shown.
func countOf(n, all int, what string) string {
	if n == all {
		return count(n, what)
	}
	return fmt.Sprintf("%d of %s", n, count(all, what))
}

// count writes a number with its noun.
func count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "ch"):
		what += "e"
	case strings.HasSuffix(what, "y"):
		what = strings.TrimSuffix(what, "y") + "ie"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

package dialect

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/burin-tools/burin/internal/search"
	"github.com/burin-tools/burin/internal/textfile"
	"github.com/burin-tools/burin/internal/toolbox"
)

// grepLines writes matching lines and their context the way grep does:
// path:12:text for a match, path-11-text for context, -- between groups.
// group says whether there is context, which is what makes groups.
func grepLines(b *strings.Builder, files []toolbox.GrepFile, numbers, group bool, most int) {
	first := true
	for _, f := range files {
		last := int64(-1)
		for _, l := range f.Lines {
			if f.Binary && l.N == 0 {
				fmt.Fprintf(b, "%s: binary file matches\n", f.Path)
				continue
			}
			if group && !first && (last < 0 || l.N != last+1) {
				b.WriteString("--\n")
			}
			first, last = false, l.N
			grepLine(b, f.Path, l, numbers, most)
		}
	}
}

func grepLine(b *strings.Builder, path string, l search.Line, numbers bool, most int) {
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
	b.WriteString(lineText(l, most))
	b.WriteByte('\n')
}

// lineText is the text of a line, cut at most characters with a word about
// it; of a very long line it is the window around the match, with its place.
func lineText(l search.Line, most int) string {
	text := strings.TrimSuffix(l.Text, "\r")
	if esc, n := textfile.Escape([]byte(text)); n > 0 {
		text = string(esc)
	}
	if l.Start > 0 || len(l.Text) < l.Len && l.Len-len(l.Text) > 1 {
		return fmt.Sprintf("[bytes %d-%d of %d] %s", l.Start, l.Start+len(l.Text), l.Len, text)
	}
	if most > 0 && len(text) > most {
		n := 0
		for i := range text {
			if n == most {
				return text[:i] + "[...truncated]"
			}
			n++
		}
	}
	return text
}

// visibleName keeps a line feed in a name from breaking the lines of a list.
func visibleName(path string) string {
	if !strings.ContainsAny(path, "\n\r") {
		return path
	}
	return strconv.Quote(path)
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

// count writes a number with its noun.
func count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "ch"):
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

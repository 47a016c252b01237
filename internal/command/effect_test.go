package command

import (
	"os"
	"strings"
	"testing"

	"github.com/burin-tools/burin/tool"
)

// An effectRow is a line of the table of effects.
type effectRow struct {
	line     string
	readOnly bool
	files    string // as they are written in the table
	checked  bool   // the files are
}

// effectRows reads the table. A row goes on over lines until its quotes are
// closed.
func effectRows(t testing.TB) []effectRow {
	t.Helper()
	text, err := os.ReadFile("testdata/effect.txt")
	if err != nil {
		t.Fatal(err)
	}
	var rows []effectRow
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for strings.Count(line, "'")%2 == 1 {
			i++
			line += "\n" + lines[i]
		}
		rows = append(rows, effectRowOf(line))
	}
	return rows
}

func effectRowOf(text string) effectRow {
	command, files, checked := strings.Cut(text[2:], " =>")
	readOnly := text[0] == '+'
	return effectRow{
		line:     strings.TrimRight(command, " "),
		readOnly: readOnly,
		files:    strings.TrimSpace(files),
		checked:  checked || readOnly,
	}
}

// split makes words of a line, with no more of the shell than the table
// needs.
func split(line string) []Word {
	var words []Word
	for at := 0; at < len(line); {
		if line[at] == ' ' {
			at++
			continue
		}
		w, next := splitWord(line, at)
		words, at = append(words, w), next
	}
	return words
}

func splitWord(line string, at int) (Word, int) {
	var text, pattern strings.Builder
	from, quote, w := at, byte(0), Word{Known: true}
	for depth := 0; at < len(line) && (quote != 0 || depth > 0 || line[at] != ' '); at++ {
		sign := line[at]
		switch {
		case quote == 0 && (sign == '\'' || sign == '"'), sign == quote:
			quote ^= sign
			continue
		case quote == 0 && sign == '\\' && at+1 < len(line):
			at++
			sign = line[at]
			pattern.WriteByte('\\')
		case quote != '\'' && (sign == '$' || sign == '`') && at+1 < len(line) && line[at+1] != '"':
			w.Known = false
		case quote == 0 && (sign == '*' || sign == '?'):
			w.Glob = true
		case sign == '*' || sign == '?':
			pattern.WriteByte('\\')
		}
		if quote == 0 && !w.Known {
			depth += strings.Count(string(sign), "(") - strings.Count(string(sign), ")")
		}
		text.WriteByte(sign)
		pattern.WriteByte(sign)
	}
	switch {
	case !w.Known:
		w.Text, w.Glob = line[from:at], false
	case w.Glob:
		w.Text = pattern.String()
	default:
		w.Text = text.String()
	}
	return w, at
}

// filesText writes the files of an effect as the table does.
func filesText(e Effect) string {
	var out []string
	for _, f := range e.Files {
		name := f.Name.Text
		if f.Name.Glob {
			name = "~" + name
		}
		if f.Tree {
			name += "/**"
		}
		out = append(out, opText(f.Does)+":"+name)
	}
	if !e.Complete {
		out = append(out, "...")
	}
	return strings.Join(out, " ")
}

func opText(does tool.Op) string {
	var out string
	for i, letter := range []string{"r", "w", "s"} {
		if does>>i&1 != 0 {
			out += letter
		}
	}
	return strings.ReplaceAll(out, "ws", "sw")
}

func TestEffectOf(t *testing.T) {
	rows := effectRows(t)
	if len(rows) < 250 {
		t.Fatalf("the table has %d rows only", len(rows))
	}
	for _, row := range rows {
		e := EffectOf(split(row.line))
		if e.ReadOnly != row.readOnly || row.checked && filesText(e) != row.files {
			t.Errorf("%s\n\tgot  %v => %s (%s)\n\twant %v => %s", row.line, e.ReadOnly, filesText(e), e.Why, row.readOnly, row.files)
		}
		if e.ReadOnly != (e.Why == "") {
			t.Errorf("%s: ReadOnly is %v, Why is %q", row.line, e.ReadOnly, e.Why)
		}
	}
}

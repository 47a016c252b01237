package command

import (
	"strings"

	"github.com/burin-tools/burin/tool"
)

// sed has a small language of its own. What is not surely understood is not
// ReadOnly.
func sed(c *call) {
	if c.has("--help", "--version") {
		return
	}
	script, ok := c.sedScript()
	if ok {
		c.sedRun(script)
	}
	suffix, inPlace := c.value("-i", "-I", "--in-place")
	if !inPlace {
		reads(c)
		return
	}
	c.list(c.operands, tool.ReadWrite, false)
	if suffix.Text != "" {
		c.incomplete = true // the names of the old contents
	}
}

// sedScript returns the script in the arguments, or false when it is computed
// or stands in a file.
func (c *call) sedScript() (string, bool) {
	var parts []Word
	for _, f := range c.flags {
		switch f.name {
		case "-e", "--expression":
			parts = append(parts, f.value)
		case "-f", "--file":
			c.refuseFlag(f.name, "reads commands that are not seen here")
			c.incomplete = true
			return "", false
		}
	}
	if parts == nil {
		first, ok := c.shift()
		if !ok {
			c.refuse("sed has no script")
			return "", false
		}
		parts = []Word{first}
	}
	return c.sedJoin(parts)
}

func (c *call) sedJoin(parts []Word) (string, bool) {
	var text []string
	for i, w := range parts {
		joins := i+1 < len(parts) && strings.HasSuffix(w.Text, `\`)
		if !w.Known || w.Glob || joins {
			c.refuse("sed " + w.Text + " is not known")
			c.incomplete = true
			return "", false
		}
		text = append(text, w.Text)
	}
	return strings.Join(text, "\n"), true
}

// maxProgram is the longest text of sed or awk that is looked through.
const maxProgram = 16 << 10

// sedRun notes what a script does besides printing.
func (c *call) sedRun(script string) {
	s := sedScanner{text: script, call: c, failed: len(script) > maxProgram}
	for s.ok() {
		s.command()
	}
	if s.failed {
		c.refuse("sed script is not understood")
		c.incomplete = true
	}
}

// A sedScanner goes through a script.
type sedScanner struct {
	text   string
	at     int
	failed bool
	call   *call
}

func (s *sedScanner) ok() bool { return !s.failed && s.at < len(s.text) }

// next returns the next sign, or 0 at the end.
func (s *sedScanner) next() byte {
	if s.at >= len(s.text) {
		return 0
	}
	s.at++
	return s.text[s.at-1]
}

func (s *sedScanner) peek() byte {
	if s.at >= len(s.text) {
		return 0
	}
	return s.text[s.at]
}

// skip goes over all signs of a set.
func (s *sedScanner) skip(signs string) {
	for s.at < len(s.text) && strings.IndexByte(signs, s.text[s.at]) >= 0 {
		s.at++
	}
}

// line returns what is left of the line.
func (s *sedScanner) line() string {
	rest, _, _ := strings.Cut(s.text[s.at:], "\n")
	s.at += len(rest)
	return rest
}

// command goes over one command with its addresses.
func (s *sedScanner) command() {
	s.skip(" \t\n;")
	if !s.ok() {
		return
	}
	s.addresses()
	s.skip(" \t")
	s.skip("!")
	s.skip(" \t")
	switch letter := s.next(); letter {
	case '{', '}':
	case '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
		s.end()
	case 'l', 'q', 'Q', 'L':
		s.skip(" \t")
		s.skip("0123456789")
		s.end()
	case '#':
		s.line()
	case 'a', 'i', 'c':
		s.addedText()
	case ':', 'b', 't', 'T':
		s.label()
	case 's':
		s.substitute()
	case 'y':
		s.transliterate()
	case 'r', 'R':
		s.skip(" \t")
		s.file(tool.Read)
	case 'w', 'W':
		s.skip(" \t")
		s.file(tool.Write)
	default: // e runs a program; there may be more elsewhere
		s.failed = true
	}
}

// end fails where a command goes on that should be over.
func (s *sedScanner) end() {
	s.skip(" \t")
	if s.at < len(s.text) && strings.IndexByte(";\n}#", s.peek()) < 0 {
		s.failed = true
	}
}

func (s *sedScanner) addresses() {
	if !s.address() {
		return
	}
	s.skip(" \t")
	if s.peek() != ',' {
		return
	}
	s.at++
	s.skip(" \t")
	s.skip("+~")
	if !s.address() {
		s.failed = true
	}
}

// address goes over one address, if there is one.
func (s *sedScanner) address() bool {
	switch sign := s.peek(); {
	case sign == '$':
		s.at++
	case sign >= '0' && sign <= '9':
		s.skip("0123456789")
		s.skip(" \t")
		s.skip("~")
		s.skip(" \t")
		s.skip("0123456789")
	case sign == '/' || sign == '\\':
		s.at++
		if sign == '\\' {
			sign = s.next()
		}
		s.pattern(sign)
		s.skip("IM")
	default:
		return false
	}
	return true
}

// pattern goes over a regular expression up to its end sign. Where programs
// of the name differ, in what a bracket hides, it fails.
func (s *sedScanner) pattern(end byte) {
	s.checkEnd(end)
	for s.ok() {
		switch sign := s.next(); sign {
		case end:
			return
		case '\\':
			s.next()
		case '\n':
			s.failed = true
		case '[':
			s.bracket()
		}
	}
	s.failed = true
}

// checkEnd fails for a sign that has a meaning of its own.
func (s *sedScanner) checkEnd(end byte) {
	if end <= ' ' || end >= 0x7f || strings.IndexByte(`\[]{};`, end) >= 0 || isWordSign(end) {
		s.failed = true
	}
}

// bracket goes over a set of signs; its [ is behind.
func (s *sedScanner) bracket() {
	length, ok := bracketLength(s.text[s.at:])
	s.at += length
	s.failed = s.failed || !ok
}

// bracketLength returns how long a set of signs is, behind its [. Where the
// programs differ in where it ends, it returns false. Some do not know that
// it may hide a slash, but then they refuse what is before the slash.
func bracketLength(text string) (int, bool) {
	at := len(text) - len(strings.TrimPrefix(text, "^"))
	if strings.HasPrefix(text[at:], "]") {
		at++
	}
	for at < len(text) {
		switch text[at] {
		case ']':
			return at + 1, text[at-min(1, at)] != '\\'
		case '\n':
			return at, false
		case '[':
			length := classLength(text[at:])
			if length == 0 {
				return at, false
			}
			at += length
		default:
			at++
		}
	}
	return at, false
}

// classLength returns how long the [:name:] is that a text begins with.
func classLength(text string) int {
	name, ok := strings.CutPrefix(text, "[:")
	end := strings.IndexFunc(name, func(r rune) bool { return r < 'a' || r > 'z' })
	if !ok || end < 0 || !strings.HasPrefix(name[end:], ":]") {
		return 0
	}
	return len("[:") + end + len(":]")
}

// replacement goes over the second part of a substitution.
func (s *sedScanner) replacement(end byte) {
	for s.ok() {
		switch s.next() {
		case end:
			return
		case '\\':
			s.next()
		case '\n':
			s.failed = true
		}
	}
	s.failed = true
}

func (s *sedScanner) substitute() {
	end := s.next()
	s.pattern(end)
	s.replacement(end)
	s.skip("gpiImM0123456789")
	switch s.peek() {
	case 'w':
		s.at++
		s.skip(" \t")
		s.file(tool.Write)
	default: // e runs what the substitution made
		s.end()
	}
}

func (s *sedScanner) transliterate() {
	end := s.next()
	s.checkEnd(end)
	from := s.at
	s.replacement(end)
	s.replacement(end)
	if strings.Contains(s.text[from:s.at], "[") {
		s.failed = true
	}
	s.end()
}

func (s *sedScanner) label() {
	s.skip(" \t")
	for s.at < len(s.text) && isWordSign(s.peek()) {
		s.at++
	}
	s.end()
}

// file goes over the name that ends the line.
func (s *sedScanner) file(does tool.Op) {
	name := s.line()
	if name == "" {
		s.failed = true
		return
	}
	if name == "/dev/stdout" || name == "/dev/stderr" || name == "/dev/stdin" {
		return
	}
	s.call.file(Word{Text: name, Known: true}, does, false)
	if does == tool.Write {
		s.call.refuse("sed w writes a file")
	}
}

// addedText goes over the text of a, i and c: to the end of the line, and
// further while lines end in a backslash. Programs differ in what two of them
// mean; there it fails.
func (s *sedScanner) addedText() {
	s.skip(" \t")
	for s.ok() {
		line := s.line()
		if strings.HasPrefix(line, `\\`) || strings.HasSuffix(line, `\\`) {
			s.failed = true
		}
		s.next()
		if !strings.HasSuffix(line, `\`) {
			return
		}
	}
}

func isWordSign(sign byte) bool {
	return sign == '_' || sign >= '0' && sign <= '9' || sign >= 'a' && sign <= 'z' || sign >= 'A' && sign <= 'Z'
}

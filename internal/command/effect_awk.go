package command

import (
	"strings"

	"github.com/burin-tools/burin/tool"
)

// languagePrograms have a language of their own in an argument.
var languagePrograms = []program{
	{names: "sed gsed", then: sed,
		flags: "-nErszu -e: -f< -l: -i?! -I?! --quiet --silent --debug --expression: --file< --follow-symlinks --in-place?! --line-length: --posix --regexp-extended --separate --sandbox --unbuffered --null-data --zero-terminated --help --version"},
	{names: "awk gawk mawk nawk", then: awk, stop: true,
		flags: "-F: -v: --field-separator: --assign: --posix --re-interval --csv --sandbox --version"},
}

var assignment = lazily(`^[A-Za-z_][A-Za-z0-9_]*=`)

// awk runs its first operand. The other operands are files, or assignments.
func awk(c *call) {
	if c.has("--version") {
		return
	}
	text, ok := c.shift()
	if !ok || !text.Known || text.Glob {
		c.refuse("awk " + text.Text + " is not known")
		c.incomplete = true
	} else {
		c.awkRun(text.Text)
	}
	for _, w := range c.operands {
		if w.Known && !w.Glob && beginsFlag(w) {
			c.refuse("awk " + w.Text + " is in no table")
		}
		if !w.Known || !assignment().MatchString(w.Text) {
			c.list([]Word{w}, tool.Read, false)
		}
	}
}

// awkReaches are the words by which a program of awk runs others, or reads
// files that are no operands. They are refused wherever they stand.
var awkReaches = lazily(`system\s*\(|\bgetline\b|\bARG[VC]\b`)

// maxReadings is in how many ways a program is read at most.
const maxReadings = 1 << 6

// awkRun notes what a program does besides printing. Whether a slash behind )
// divides or begins a pattern, only a whole parser could tell: the program
// must be harmless both ways.
func (c *call) awkRun(text string) {
	if found := awkReaches().FindString(text); found != "" {
		c.awkRefuse(found, "may do more than look")
		return
	}
	if len(text) > maxProgram {
		c.awkRefuse("program", "is too long")
		return
	}
	readings, understood := 1, false
	for reading := 0; reading < readings; reading++ {
		s := awkScanner{text: text, reading: reading}
		s.run()
		if s.reached != "" {
			c.awkRefuse(s.reached, "may do more than look")
			return
		}
		understood = understood || !s.failed
		if s.unclear > 0 {
			readings = 1 << strings.Count(text, "/")
		}
		if readings > maxReadings {
			break
		}
	}
	if !understood || readings > maxReadings {
		c.awkRefuse("program", "is not understood")
	}
}

func (c *call) awkRefuse(what, why string) {
	c.refuseFlag(what, why)
	c.incomplete = true
}

// An awkScanner goes through a program of awk.
type awkScanner struct {
	text    string
	at      int
	reading int // a bit for each unclear slash: it begins a pattern

	before  awkToken
	unclear int  // slashes so far that were unclear
	prints  bool // in a print statement, where > writes
	depth   int  // of parentheses in it
	failed  bool
	reached string // what does more than print
}

// An awkToken is as much of a token as tells what a slash after it is.
type awkToken uint8

const (
	awkOperator awkToken = iota // a pattern may follow
	awkOperand                  // a slash divides
	awkEither
)

func (s *awkScanner) run() {
	for s.at < len(s.text) && !s.failed && s.reached == "" {
		s.token()
	}
}

func (s *awkScanner) token() {
	sign := s.text[s.at]
	switch {
	case sign == '"':
		s.literal('"')
		s.before = awkOperand
	case sign == '/':
		s.slash()
	case sign == '#':
		s.comment()
	case sign == '\\':
		s.at += 2 // a line that goes on
	case sign == ' ' || sign == '\t' || sign == '\r':
		s.at++
	case sign == '\n':
		s.at++
		s.before = awkOperator
	case isWordSign(sign):
		s.word()
	default:
		s.operator(sign)
	}
}

// literal goes over a string or a pattern.
func (s *awkScanner) literal(end byte) {
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case end:
			s.at++
			return
		case '\\':
			s.at++
		case '\n':
			s.failed = true
			return
		case '[':
			if end == '/' && !s.bracket() {
				s.failed = true
				return
			}
		}
	}
	s.failed = true
}

// bracket goes to the end of a set of signs in a pattern.
func (s *awkScanner) bracket() bool {
	length, ok := bracketLength(s.text[s.at+1:])
	s.at += length
	return ok
}

func (s *awkScanner) slash() {
	divides := s.before == awkOperand
	if s.before == awkEither {
		divides = s.reading>>s.unclear&1 == 0
		s.unclear++
	}
	if divides {
		s.at++
		s.before = awkOperator
		return
	}
	s.literal('/')
	s.before = awkEither
}

func (s *awkScanner) comment() {
	rest, _, _ := strings.Cut(s.text[s.at:], "\n")
	s.at += len(rest)
}

// awkKeywords are words after which a pattern may stand.
var awkKeywords = counted("BEGIN END BEGINFILE ENDFILE break case continue default delete do else exit for function func if in next nextfile return switch while print printf")

func (s *awkScanner) word() {
	from := s.at
	number := s.text[from] <= '9'
	for s.at < len(s.text) && isWordSign(s.text[s.at]) && (!number || s.text[s.at] <= '9') {
		s.at++
	}
	word := s.text[from:s.at]
	_, keyword := awkKeywords[word]
	switch {
	case word == "print" || word == "printf":
		s.prints, s.depth = true, 0
		s.before = awkOperator
	case word == "system" || word == "getline":
		s.reached = word
	case keyword:
		s.before = awkOperator
	case word == "length":
		s.before = awkEither
	default:
		s.before = awkOperand
	}
}

// operator goes over one sign that is neither space nor literal nor word. A
// print statement is taken to last until ; or }: that is never too short.
func (s *awkScanner) operator(sign byte) {
	rest := s.text[s.at:]
	s.at++
	s.before = awkOperator
	switch sign {
	case ';', '}', '{':
		s.prints = false
	case '(':
		s.depth++
	case ')':
		s.depth--
		s.before = awkEither
	case ']', '.':
		s.before = awkOperand
	case '+', '-':
		if len(rest) > 1 && rest[1] == sign {
			s.at++
			s.before = awkEither
		}
	case '|':
		if !strings.HasPrefix(rest, "||") {
			s.reached = "|"
		}
		s.at++
	case '@':
		s.reached = "@"
	case '>':
		if s.prints && s.depth <= 0 && !toTerminal(rest) {
			s.reached = ">"
		}
	}
}

// awkTerminal is a redirection that ends in the program's own output.
var awkTerminal = lazily(`^>>?[ \t]*"/dev/std(err|out)"[ \t]*([;}\n]|$)`)

func toTerminal(rest string) bool { return awkTerminal().MatchString(rest) }

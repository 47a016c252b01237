package ripgrep

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A PatternError is a pattern that ripgrep does not understand.
type PatternError struct {
	Pattern string
	Message string // lower case, no full stop, in ripgrep's words
	Offset  int    // in bytes; -1 when ripgrep does not say
}

func (e *PatternError) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("invalid pattern %q: %s", e.Pattern, e.Message)
	}
	return fmt.Sprintf("invalid pattern %q at offset %d: %s", e.Pattern, e.Offset, e.Message)
}

var pcre2Error = regexp.MustCompile(`(?m)PCRE2: error compiling pattern at offset (\d+): (.*)$`)

// refusal makes an error of what ripgrep said instead of searching.
func (s *search) refusal(said string) error {
	e := &PatternError{Pattern: s.q.Pattern, Offset: -1}
	first := firstLine(said)
	switch {
	case strings.Contains(said, "regex parse error:"):
		e.parseError(said)
	case strings.Contains(said, "PCRE2: error compiling"):
		e.pcre2(said, s.p.pcre2Prefix(s.q.Word))
	case strings.Contains(said, "is not allowed in a regex"):
		e.Message = strings.ReplaceAll(first, `'"\n"'`, `"\n"`) + " unless matches may span lines"
		e.Offset = strings.IndexAny(e.Pattern, "\n")
		if i := strings.Index(e.Pattern, `\n`); e.Offset < 0 {
			e.Offset = i
		}
	case strings.Contains(strings.ToLower(said), "exceeds size limit"):
		e.Message = "the compiled pattern is too large"
	case first == "":
		return errors.New("ripgrep refused the search and did not say why")
	default:
		return fmt.Errorf("ripgrep: %s", first)
	}
	return e
}

// pcre2 reads an offset, which counts in the pattern as ripgrep has wrapped
// it.
func (e *PatternError) pcre2(said string, prefix int) {
	m := pcre2Error.FindStringSubmatch(said)
	if m == nil {
		e.Message = firstLine(said)
		return
	}
	e.Message = strings.TrimSpace(m[2])
	if n, err := strconv.Atoi(m[1]); err == nil {
		e.Offset = min(max(n-prefix, 0), len(e.Pattern))
	}
}

// pcre2Prefix is the length of what stands before the pattern.
func (p *Program) pcre2Prefix(word bool) (n int) {
	if word {
		n += len(`(?<!\w)(?:`)
	}
	if major, _, _ := strings.Cut(p.Version, "."); len(major) > 1 && major >= "14" {
		n += len(`(?:`)
	}
	return n
}

// parseError reads a drawing of the pattern with carets below the place:
//
//	regex parse error:
//	    (?:a{2,1})
//	        ^^^^^
//	error: invalid repetition count range
//
// The pattern may stand in a group of ripgrep's. One of several lines is
// drawn between rulers, its lines with their numbers.
func (e *PatternError) parseError(said string) {
	e.Message = "not a regular expression"
	_, said, _ = strings.Cut(said, "regex parse error:\n")
	var drawn []string
	place := -1
	for line := range strings.Lines(said) {
		line = strings.TrimSuffix(line, "\n")
		if cause, ok := strings.CutPrefix(line, "error: "); ok {
			e.Message = cause
			break
		}
		switch {
		case strings.HasPrefix(line, "~~~"):
		case len(drawn) > 0 && strings.Contains(line, "^") && strings.Trim(line, " ^") == "":
			if place < 0 {
				place = placeAbove(drawn, strings.IndexByte(line, '^'))
			}
		default:
			drawn = append(drawn, line)
		}
	}
	for i := range drawn {
		drawn[i] = drawn[i][margin(drawn[i]):]
	}
	group := strings.Index(strings.Join(drawn, "\n"), e.Pattern)
	switch {
	case place < 0 || group < 0:
	case place < group: // ripgrep's own group, which the pattern left open
		e.Offset = openGroup(e.Pattern)
	default:
		e.Offset = min(place-group, len(e.Pattern))
	}
}

var margins = regexp.MustCompile(`^(    | *\d+: )`)

// margin is the width of what stands before a line of the drawing.
func margin(line string) int { return len(margins.FindString(line)) }

// placeAbove is the offset in the drawn pattern that a caret points up to,
// from its column, which counts characters.
func placeAbove(drawn []string, column int) (offset int) {
	last := len(drawn) - 1
	for _, line := range drawn[:last] {
		offset += len(line) - margin(line) + 1
	}
	line := drawn[last]
	chars := []rune(line)
	return offset + len(string(chars[:min(column, len(chars))])) - margin(line)
}

// openGroup is the place of the last parenthesis that is not closed, or -1.
func openGroup(pattern string) int {
	var open []int
	class := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case class:
		case c == '(':
			open = append(open, i)
		case c == ')' && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1]
}

package ripgrep

import (
	"iter"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A batch is as large as the argument list of any system allows, and no
// larger than what can be sorted in little memory. The first one is small, so
// that a caller who wants the first few matches need not wait for thousands
// of files.
const (
	firstFiles = 500
	batchFiles = 8000
)

const nullDevice = os.DevNull

var batchBytes, patternBytes = func() (int, int) {
	if runtime.GOOS == "windows" {
		return 20 << 10, 4 << 10 // a command line has 32,767 characters
	}
	return 256 << 10, 100 << 10 // one argument has at most 128 KiB on Linux
}()

// batches cuts a list of files into argument lists.
func batches(files iter.Seq[string]) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		var batch []string
		limit, size, stopped := firstFiles, 0, false
		for path := range files {
			cost := len(path) + 3 // with its quotes and separator
			if len(batch) >= limit || len(batch) > 0 && size+cost > batchBytes {
				if stopped = !yield(batch); stopped {
					return
				}
				limit = min(4*limit, batchFiles)
				batch, size = nil, 0
			}
			batch = append(batch, path)
			size += cost
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}

// fixedFlags make ripgrep a matcher of the files it is given. Without
// --no-mmap it does not look for NUL bytes everywhere; --max-depth 0 keeps it
// out of a folder that has taken the place of a file.
var fixedFlags = []string{"--json", "--no-config", "--no-ignore", "--hidden", "--no-mmap", "--max-depth", "0"}

// flags are the arguments before the files.
func (q *Query) flags(single bool) []string {
	args := append([]string(nil), fixedFlags...)
	for _, f := range []struct {
		on   bool
		flag string
	}{
		{single, "-j1"},
		{q.Fixed, "-F"},
		{q.IgnoreCase, "-i"},
		{q.Word, "-w"},
		{q.Multiline, "-U"},
		{q.Multiline, "--multiline-dotall"},
		{q.PCRE2 && !q.Fixed, "-P"},
		{q.CRLF, "--crlf"},
	} {
		if f.on {
			args = append(args, f.flag)
		}
	}
	number := func(flag string, n int64) {
		if n > 0 {
			args = append(args, flag, strconv.FormatInt(n, 10))
		}
	}
	switch {
	case q.FilesOnly:
		number("-m", 1)
	case q.MaxPerFile > 0 && !q.CountOnly:
		number("-m", q.MaxPerFile+1) // one more tells that there are more
	}
	if !q.noLines() {
		number("-B", int64(q.Before))
		number("-A", int64(q.After))
	}
	return append(args, "-e", q.Pattern, "--")
}

// argument is how a path is named to ripgrep: a lone dash would be its
// standard input.
func argument(path string) string {
	if strings.HasPrefix(path, "-") {
		return "./" + path
	}
	return path
}

// An UnsupportedError is a query that this ripgrep cannot be given.
type UnsupportedError struct{ Reason string }

func (e *UnsupportedError) Error() string { return "ripgrep: " + e.Reason }

// can tells whether the query can be put into arguments at all.
func (p *Program) can(q *Query) error {
	reason := ""
	switch {
	case q.PCRE2 && !q.Fixed && !p.PCRE2:
		reason = p.Path + " was built without PCRE2, which look-around and back-references need"
	case len(q.Pattern) > patternBytes:
		reason = "a pattern of more than " + strconv.Itoa(patternBytes) + " bytes cannot be handed over"
	case strings.IndexByte(q.Pattern, 0) >= 0:
		reason = "a pattern with a NUL byte cannot be handed over"
	case !utf8.ValidString(q.Pattern):
		reason = "a pattern must be valid UTF-8"
	default:
		return nil
	}
	return &UnsupportedError{reason}
}

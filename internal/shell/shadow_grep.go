package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// grepFlags make ugrep what grep -r is to be: grep's patterns, no ignored
// files, no binary ones, nothing of version control.
var grepFlags = []string{
	"-G", "--ignore-files", "--hidden", "-I",
	"--exclude-dir=.git", "--exclude-dir=.svn", "--exclude-dir=.hg",
	"--exclude-dir=.bzr", "--exclude-dir=.jj", "--exclude-dir=.sl",
}

func shadowGrep(ctx context.Context, o ShadowOptions, s *Shadow) (string, error) {
	s.Program = o.look("ugrep")
	if s.Program == "" {
		return "", errors.New("ugrep is not installed")
	}
	found := remember(ctx, s.Program, tryUgrep)
	if found.err != nil {
		return "", fmt.Errorf("%s is not used, since %w", s.Program, found.err)
	}
	s.Version = found.version
	system := o.system("grep")
	s.Why = fmt.Sprintf("grep -r is %s (%s) for patterns and flags that mean the same to both, all else is %s.", found.version, s.Program, system)
	if system == "" {
		s.Why = fmt.Sprintf("grep is %s (%s), and fails for what that does otherwise, since the system has no grep.", found.version, s.Program)
	}
	return grepText(o, s.Program, system, found.perl), nil
}

// tryUgrep searches a small tree with the flags.
func tryUgrep(ctx context.Context, program string) (f finding) {
	dir, err := os.MkdirTemp("", "burin-ugrep-")
	if err != nil {
		return finding{err: err}
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"one.txt": "a foo\n", "sub/.two": "bar\n", "none": "foox\n", "skip.log": "foo\n", ".gitignore": "*.log\n",
		"binary": "foo\n\x00\n", ".git/config": "foo\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			return finding{err: err}
		}
	}
	trials := []struct {
		args []string
		code int
		said string // its lines, sorted
	}{
		{[]string{"--version"}, 0, ""},
		{[]string{"-rwl", "-e", "foo", "-e", "bar"}, 0, "one.txt\nsub/.two"},
		{[]string{"-rn", `a foo\|^bar`}, 0, "one.txt:1:a foo\nsub/.two:1:bar"},
		{[]string{"-r", "nowhere"}, 1, ""},
		{[]string{"-c", "foo", "skip.log"}, 0, "1"},
		{[]string{"-rac", "foo", "binary"}, 0, "binary:1"},
		{[]string{"-rlP", `a (?=f)`}, 0, "one.txt"},
	}
	failed := make([]error, len(trials))
	var all sync.WaitGroup
	for i, t := range trials {
		all.Go(func() {
			args := t.args
			if i > 0 {
				args = slices.Concat(grepFlags, args)
			}
			said, code := answer(ctx, dir, program, args...)
			if i == 0 {
				f.version = nameAndVersion(said)
			} else if code != t.code || sortedLines(said) != t.said {
				failed[i] = fmt.Errorf("it did not find what it was to find with %s", strings.Join(args, " "))
			}
		})
	}
	all.Wait()
	last := len(failed) - 1
	f.perl = failed[last] == nil
	for _, err := range failed[:last] {
		if err != nil {
			f.err = err
			break
		}
	}
	return f
}

func sortedLines(text string) string {
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r", ""), "\n"), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// grepText is the script for grep. It looks at the arguments as GNU grep does,
// and gives them to ugrep only when all are known to mean the same to it: in a
// search of folders, with plain patterns. Without folders there is nothing to
// ignore, and what a pipe has may not be valid UTF-8, which ugrep would skip.
func grepText(o ShadowOptions, ugrep, system string, perl bool) string {
	other := "exec " + quoted(shellPath(system)) + ` "$@"`
	rather := `other "$@"`
	if system == "" {
		other = `echo 'grep: there is only ugrep here, which does not do this as grep does' >&2; exit 127`
		rather = ":"
	}
	kinds := "EFG"
	if perl {
		kinds += "P"
	}
	return o.shell() + strings.NewReplacer(
		"@MARK@", shadowMark+"grep -r is ugrep.",
		"@OTHER@", other,
		"@RATHER@", rather,
		"@UGREP@", quoted(shellPath(ugrep))+" "+strings.Join(grepFlags, " "),
		"@KINDS@", kinds,
		"@LETTERS@", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_",
	).Replace(grepScript)
}

const grepScript = `@MARK@

# other gives all to the grep of the system.
other() { @OTHER@; }

# rather does so where the system has a grep.
rather() { @RATHER@; }

letters=@LETTERS@
line='
'
flags= kind=G value= given= patterns= first=1 files=0 missing= single= odd= include= exclude=

# known takes a cluster of flags, and tells whether all are known. What is left
# of it may be the value of the last one.
known() {
	rest=$1
	while [ "$rest" ]; do
		case $rest in
		[EFGP]*)
			case $flags in *[EFGP]*) return 1 ;; esac
			kind=${rest%"${rest#?}"} ;;
		[rRinlcowxvqshHaI]*) ;;
		[eABCm]) value=$rest; return 0 ;;
		e*) keep "${rest#?}"; return 0 ;;
		[ABCm]*)
			number "${rest#?}" || return
			flags=$flags${rest%"${rest#?}"}
			return ;;
		*) return 1 ;;
		esac
		flags=$flags${rest%"${rest#?}"}
		rest=${rest#?}
	done
}

number() {
	case $1 in [1-9] | [1-9][0-9] | [1-9][0-9][0-9]) ;; *) return 1 ;; esac
}

glob() {
	case $1 in '' | *[!$letters.*?-]*) return 1 ;; esac
}

# keep keeps a pattern until all flags are known.
keep() {
	given=1 patterns=$patterns$line$1
	case $1 in '' | *"$line"*) odd=1 ;; esac
}

# long takes a long flag, and tells whether it is known.
long() {
	case $1 in
	--include=*) include=1; glob "${1#*=}" ;;
	--exclude=*) exclude=1; glob "${1#*=}" ;;
	--exclude-dir=*) glob "${1#*=}" ;;
	--color | --color=always | --color=auto | --color=never) ;;
	--colour | --colour=always | --colour=auto | --colour=never) ;;
	--regexp=*) keep "${1#*=}" ;;
	--after-context=*) number "${1#*=}" && flags=${flags}A ;;
	--before-context=*) number "${1#*=}" && flags=${flags}B ;;
	--context=*) number "${1#*=}" && flags=${flags}C ;;
	--max-count=*) number "${1#*=}" && flags=${flags}m ;;
	--recursive) known r ;;
	--dereference-recursive) known R ;;
	--ignore-case) known i ;;
	--line-number) known n ;;
	--files-with-matches) known l ;;
	--count) known c ;;
	--only-matching) known o ;;
	--word-regexp) known w ;;
	--line-regexp) known x ;;
	--invert-match) known v ;;
	--quiet | --silent) known q ;;
	--no-messages) known s ;;
	--no-filename) known h ;;
	--with-filename) known H ;;
	--text) known a ;;
	--extended-regexp) known E ;;
	--fixed-strings) known F ;;
	--basic-regexp) known G ;;
	--perl-regexp) known P ;;
	*) return 1 ;;
	esac
}

# operand takes what is no flag: a file, or the pattern if it is the first and
# no flag gives one. Which it is shows in the end.
operand() {
	if [ "$first" ]; then
		first= pattern=$1
	else
		file "$1"
	fi
}

file() {
	files=$((files + 1))
	[ -r "$1" ] || missing=1
	[ -d "$1" ] || single=1
}

# plain tells whether a pattern means the same to both programs. It knows but
# the usual: literal text, classes, repetition, one level of groups, branches,
# and anchors at the ends. Each branch has something that is not empty, and
# literal text before what may be empty: without, some ugreps miss lines.
plain() {
	rest=$1
	case $flags in *[wx]*) case $rest in '' | *[!$letters]*) return 1 ;; esac ;; esac
	case $kind$rest in
	F | ?*"$line"*) return 1 ;;
	F*) case $flags in *i*) case $rest in *[!$ascii]*) return 1 ;; esac ;; esac; return 0 ;;
	esac
	solid= atom= letter= literal= group= branches= start=1
	while [ "$rest" ]; do
		case $rest in
		'$' | '\b' | '\>')
			[ "$solid" ] && [ -z "$group" ] || return 1
			[ "$rest" = '$' ] || [ "$letter" ] || return 1
			[ "$kind$rest" != 'P\>' ]
			return ;;
		'^'*)
			[ "$start" ] && [ -z "$group" ] || return 1
			case $flags in *o*) return 1 ;; esac
			skip 1; start= literal=1; continue ;;
		'\b'[$letters]* | '\<'[$letters]*)
			[ "$start" ] && [ -z "$group$given$branches" ] || return 1
			case $kind$rest in 'P\<'*) return 1 ;; esac
			skip 2; start=; continue ;;
		esac
		letter=
		case $kind$rest in
		# What stands for one character, and may be repeated.
		?[$letters]*) skip 1; one || return; letter=1 ;;
		?'\'[].*[$^\\/]*) skip 2; one || return ;;
		?'\w'* | ?'\s'* | P'\d'*) [ "$literal" ] || return 1; skip 2; one || return ;;
		?.*) skip 1; any || return ;;
		?'['*) class && any || return ;;
		G'{'[0-9,]*) return 1 ;;
		G[\(\)\{\}+?\|]*) skip 1; one || return ;;
		[EP]'\'[\(\)\{\}+?\|]*) skip 2; one || return ;;
		?[$text]*) skip 1; one || return ;;
		# Repetition, branches and groups.
		?'*'* | [EP][+?]*) [ "$atom" ] || return 1; skip 1; atom= ;;
		G'\'[+?]*) [ "$atom" ] || return 1; skip 2; atom= ;;
		G'\|'*) branch 2 || return ;;
		G'\('*) open 2 || return ;;
		G'\)'*) close 2 || return ;;
		[EP]'|'*) branch 1 || return ;;
		P'(?:'*) open 3 || return ;;
		[EP]'('*) open 1 || return ;;
		[EP]')'*) close 1 || return ;;
		?[$ascii]*) return 1 ;;
		*) # not ASCII; of some shells a character, of others a byte
			case $flags in *i*) return 1 ;; esac
			skip 1
			case $rest in '*'* | +* | '?'* | '{'* | '\'[+?{]*) return 1 ;; esac
			solid=1 literal=1 atom= start= ;;
		esac
	done
	[ "$solid" ] && [ -z "$group" ]
}
text=' ,:;=<>@#%&~"/!'"'-"
ascii="]$letters[^.*+?{}()|\$\\\\` + "\\`" + `$text"

# one takes note of a character. It is solid when it cannot be missing.
one() {
	atom=1 start=
	case $kind$rest in
	?'*'* | [EP]'?'* | G'\?'*) [ "$literal" ] ;;
	[EP]'{'* | G'\{'*) return 1 ;;
	*) solid=1 literal=1 ;;
	esac
}

# any is one for what is no literal text.
any() {
	before=$literal
	one || return
	literal=$before
}

# class takes a class in brackets without anything special in it. What is not
# in a class may be the end of a line for some ugreps, and is never found by
# others.
class() {
	rest=${rest#?}
	body=${rest%%]*}
	case $body in '' | "$rest" | *[!$letters\ ,:\;=@#%/.\"\'-]*) return 1 ;; esac
	rest=${rest#*]}
}

# branch, open and close take the marks of that length.
branch() {
	[ "$solid" ] || return 1
	skip $1
	solid= atom= literal= start=1 branches=1
}

skip() {
	case $1 in
	1) rest=${rest#?} ;;
	2) rest=${rest#??} ;;
	3) rest=${rest#???} ;;
	esac
}

open() {
	[ -z "$group" ] || return 1
	skip $1
	group=1 solid= atom= literal= start=
}

close() {
	[ "$group" ] && [ "$solid" ] || return 1
	skip $1
	group= atom= start=
	case $kind$rest in
	?'*'* | ?+* | ?'?'* | [EP]'{'* | G'\'[+?{]*) return 1 ;;
	esac
}

for arg do
	if [ "$value" ]; then
		case $value in
		e) keep "$arg" ;;
		end) operand "$arg" ;;
		*) number "$arg" || other "$@"; flags=$flags$value ;;
		esac
		[ "$value" = end ] || value=
		continue
	fi
	case $arg in
	--) value=end ;;
	--*) long "$arg" || other "$@" ;;
	-) other "$@" ;;
	-*) known "${arg#?}" || other "$@" ;;
	*) operand "$arg" ;;
	esac
done

case $flags in
*[rR]*) ;;
*) rather "$@" ;;
esac
# What both do, but not the same way together.
case $flags in
*h*H* | *H*h* | *[loABC]*v* | *v*[loABC]* | *c*v* | *v*c* | *c*o* | *o*c* | *o*[ABC]* | *[ABC]*o* | *m*[ABCov]* | *[ABCov]*m*) other "$@" ;;
esac
case @KINDS@ in *$kind*) ;; *) other "$@" ;; esac
if [ "$given" ]; then
	[ "$first" ] || file "$pattern"
	pattern=$patterns
elif [ "$first" ]; then
	other "$@"
else
	keep "$pattern"
	given= pattern=$patterns
fi
if [ "$value" ] && [ "$value" != end ] || [ "$odd$POSIXLY_CORRECT" ] || [ "$include$exclude" = 11 ]; then
	other "$@"
fi
# Of a single file, ugrep says the name; and it does not fail for a missing one.
if [ "$missing" ] || [ "$files$single" = 11 ]; then
	rather "$@"
fi
while [ "$pattern" ]; do
	pattern=${pattern#"$line"}
	plain "${pattern%%"$line"*}" || rather "$@"
	case $pattern in
	*"$line"*) pattern=$line${pattern#*"$line"} ;;
	*) pattern= ;;
	esac
done
# Without a folder, ugrep reads the standard input, too.
case $files$flags in
0*[rR]*) set -- "$@" . ;;
esac
case $flags in
*o*) exec @UGREP@ --separator=: "$@" ;; # or more matches of a line would be marked with +
esac
exec @UGREP@ "$@"
`

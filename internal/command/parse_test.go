package command

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// drawn writes a line down: a unit per line, with what runs it in front, its
// words in <> (with ? when not known and * when a pattern), its assignments,
// its redirections, and @ the folders.
func drawn(l Line) string {
	var lines []string
	for _, u := range l.Units {
		var w strings.Builder
		for _, name := range u.Under {
			w.WriteString(name + "> ")
		}
		for _, a := range u.Assigns {
			w.WriteString(a.Name + "=" + drawnWord(a.Value) + " ")
		}
		for _, a := range u.Args {
			w.WriteString(drawnWord(a) + " ")
		}
		for _, r := range u.Redirects {
			w.WriteString(r.Op + drawnWord(r.Target) + " ")
		}
		lines = append(lines, strings.TrimSpace(w.String()+drawnDirs(u.Dirs)))
	}
	if l.Unknown != "" {
		lines = append(lines, "unknown")
	}
	return strings.Join(lines, "\n")
}

func drawnWord(w Word) string {
	switch {
	case !w.Known:
		return "?" + w.Text
	case w.Glob:
		return "*" + w.Text
	case w.Text == "" || strings.ContainsAny(w.Text, " \n?*"):
		return "<" + w.Text + ">"
	}
	return w.Text
}

func drawnDirs(d Dirs) string {
	if d.Unknown {
		return "@?"
	}
	var all []string
	for _, steps := range d.Steps {
		s := "."
		for _, step := range steps {
			s += "/" + drawnWord(step)
		}
		all = append(all, s)
	}
	if all == nil {
		return ""
	}
	return "@" + strings.Join(all, ",")
}

func TestParse(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", ""},
		{"# nothing", ""},
		{"ls", "ls"},
		{"a; b && c || d | e |& f & g\nh", "a\nb\nc\nd\ne\nf\ng\nh"},
		{"(a; b) | { c; }", "a\nb\nc"},
		{"! a", "a"},
		{"time -p a b", "a b"},
		{"coproc a", "a"},
		{"if a; then b; elif c; then d; else e; fi", "a\nb\nc\nd\ne"},
		{"while a; do b; done; until c; do d; done", "a\nb\nc\nd"},
		{"for i in $(a) `b`; do c; done", "i=?i in $(a) `b`\na\nb\nc"},
		{"for i in 1; do c $i; done", "i=1\nc 1"},
		{"for i in 1 'a b'; do c $i; done", "i=?i in 1 'a b'\nc ?$i"},
		{"for i in a b; do c \"x$i.y\" $i; done", "i=?i in a b\nc xa.y a\nc xb.y b"},
		{"for i in *.x; do c \"$i\" $i; done", "i=?i in *.x\nc **.x ?$i"},
		{"for i in a; do for j in b c; do d $i$j; done; done", "i=a\nj=?j in b c\nd ab\nd ac"},
		{"for i in a; do i=$(b); c $i; done", "i=a\ni=?$(b)\nb\nc ?$i"},
		{"for i in a; do read i; c $i; done", "i=a\nread i\nc ?$i"},
		{"for i in a; do c ${i%x}; done", "i=a\nc ?${i%x}"},
		{"f() { i=b; }; for i in a; do f; c $i; done", "i=b\ni=a\nf\nc ?$i"},
		{"for i in a; do c \"$i:h\" $i[1]; done", "i=a\nc ?\"$i:h\" ?$i[1]"},
		{"for i in *.x; do (cd d && c \"$i\"); done", "i=?i in *.x\ncd d\nc ?\"$i\" @./d"},
		{"for ((i=$(a); i<3; i++)); do b; done", "i=?i=$(a)\na\ni=?i++\nb\nunknown"},
		{"for ((i=0; i<3; i++)); do b; done", "i=?i=0\ni=?i++\nb"},
		{"case $(a) in x$(b)) c;; *) d;& e) f;; esac", "a\nb\nc\nd\nf"},
		{"f() { a; }; function g { b; }; f x", "a\nb\nf x"},
		{"[[ -f $(a) && $(b) == c ]]", "a\nb"},
		{"select x in a; do b; done", "x=a\nb"},

		// Substitutions.
		{"a $(b `c`) \"$(d \"$(e)\")\"", "a ?$(b `c`) ?\"$(d \"$(e)\")\"\nb ?`c`\nc\nd ?\"$(e)\"\ne"},
		{"a ${x:-$(b)} ${y/$(c)/$(d)} ${z#$(e)}", "a ?${x:-$(b)} ?${y/$(c)/$(d)} ?${z#$(e)}\nb\nc\nd\ne"},
		{"a <(b) >(c)", "a /dev/fd/63 /dev/fd/63\nb\nc"},
		{"x=$(a) y=`b` c", "x=?$(a) y=?`b` c\na\nb"},
		{"x=($(a) b)", "x=?x=($(a) b)\na"},
		{"x[$(a)]=1", "x=?x[$(a)]=1\na\nunknown"},
		{"a > $(b) < `c`", "a >?$(b) <?`c`\nb\nc"},
		{"a x<(b)", "a ?x<(b)\nb"},
		{"a <<E\n$(b)\nE", "a\nb"},
		{"a <<'E'\n$(b)\nE", "a"},
		{"a <<-E\n\t`b`\n\tE\nc", "a\nb\nc"},
		{"a <<< $(b)", "a\nb"},
		{"a '$(b)' \"\\$(c)\" \\`d\\`", "a $(b) $(c) `d`"},
		{"echo ${x:=$(a)}", "echo ?${x:=$(a)}\nx=?${x:=$(a)}\na"},

		// Words.
		{`r\m x`, "rm x"},
		{`"r"'m' x`, "rm x"},
		{`$'\x72m' $'a\tb'`, "rm a\tb"},
		{`$'\0' a`, `?$'\0' a` + "\nunknown"},
		{"a $x ${x} \"$x\" $((1)) $\"t\"", "a ?$x ?${x} ?\"$x\" ?$((1)) ?$\"t\""},
		{`a ~ ~/x "~" \~/x ~u/x ~"/x" ~+ a=~`, `a ~ ~/x ./~ ./~/x ?~u/x ?~"/x" ?~+ ?a=~`},
		{"a ~u ~+ ~-/x ~1", "a ?~u ?~+ ?~-/x ?~1"},
		{`a * x? [ab] "*" \* '['a] [ a[`, `a ** *x? *[ab] <*> <*> [a] [ a[`},
		{`a "x*"*`, `a *x\**`},
		{"a @(b|c) =d == *(e:'f':)", "a ?@(b|c) ?=d == ?*(e:'f':)\nunknown"},
		{"rm{,} {a,b}{1..2} {a..c}", "rm rm a1 a2 b1 b2 ?{a..c}"},
		{"a \"\" ''", "a <> <>"},
		{"a b\\\nc", "a bc"},

		// Assignments and redirections.
		{"A=1 B= c", "A=1 B=<> c"},
		{"A=1", "A=1"},
		{"A+=1", "A=?A+=1"},
		{"export A=1 B", "export A=1 B"},
		{"declare -x A=$(b)", "declare -x ?A=$(b)\nb"},
		{"let x=1", "let ?x=1\nx=?x=1"},
		{"((a==b || c<=d)); ((x<<=1)); ((--y))", "x=?x<<=1\ny=?--y"},
		{"a {fd}>b; coproc X { c; }", "a >b\nfd=?{fd}\nX=?X\nc"},
		{"cd a || return; b", "cd a\nreturn\nb @./a,."},
		{"cd a || exit >x; b", "cd a\nexit >x\nb @./a,."},
		{"/usr/bin/cd a && b", "/usr/bin/cd a\nb"},
		{"git submodule foreach 'a; b'; git bisect run c d", "git submodule foreach <a; b>\ngit> a @?\ngit> b @?\ngit bisect run c d\ngit> c d"},
		{"a >b >>c >|d <e <>f &>g &>>h 2>i >&j 2>&1 >&- <&3 3>&4-", "a >b >>c >|d <e <>f &>g &>>h >i >&j"},
		{"> a", ">a"},
		{"{ a; } > b", ">b\na"},
		{"a >! b", "a b >?!"},
		{"a >&$x", "a >&?$x"},

		// Programs that run their arguments.
		{"sudo -u x --host=y A=1 rm z", "sudo -u x --host=y A=1 rm z\nsudo> A=1 rm z"},
		{"doas rm x", "doas rm x\ndoas> rm x"},
		{"env -i -u A B=1 C=$d rm x", "env -i -u A B=1 ?C=$d rm x\nenv> B=1 ?C=$d rm x\nunknown"},
		{"env -i -u A B=1 C=\"$d\" rm x", "env -i -u A B=1 ?C=\"$d\" rm x\nenv> B=1 C=?\"$d\" rm x"},
		{"env -S 'rm x' y", "env -S <rm x> y\nenv> rm x y"},
		{"env -iS'rm x'", "env <-iSrm x>\nenv> rm x"},
		{"env - rm x", "env - rm x\nenv> rm x"},
		{"env -C a rm x", "env -C a rm x\nenv> rm x @./a"},
		{"env", "env"},
		{"command -p rm x; command -v rm", "command -p rm x\ncommand> rm x\ncommand -v rm"},
		{"builtin eval rm x", "builtin eval rm x\nbuiltin> eval rm x\nbuiltin> eval> rm x"},
		{"exec -a y rm x; exec 3<a", "exec -a y rm x\nexec> rm x\nexec <a"},
		{"nohup nice -n 5 nice -5 ionice -c2 rm x", "nohup nice -n 5 nice -5 ionice -c2 rm x\nnohup> nice -n 5 nice -5 ionice -c2 rm x\nnohup> nice> nice -5 ionice -c2 rm x\nnohup> nice> nice> ionice -c2 rm x\nnohup> nice> nice> ionice> rm x"},
		{"chrt -o 0 rm x; chrt -p 1", "chrt -o 0 rm x\nchrt> rm x\nchrt -p 1"},
		{"taskset -c 0 rm x; setsid -w rm x", "taskset -c 0 rm x\ntaskset> rm x\nsetsid -w rm x\nsetsid> rm x"},
		{"timeout -k 5 10 rm x", "timeout -k 5 10 rm x\ntimeout> rm x"},
		{"timeout $t rm x", "timeout ?$t rm x\nunknown"},
		{"timeout --kill 5 10 rm x", "timeout --kill 5 10 rm x\ntimeout> rm x"},
		{"timeout --odd rm x", "timeout --odd rm x\nunknown"},
		{"stdbuf -oL rm x; /usr/bin/time -f x rm y", "stdbuf -oL rm x\nstdbuf> rm x\n/usr/bin/time -f x rm y\ntime> rm y"},
		{"xargs rm", "xargs rm\nxargs> rm ?<input>"},
		{"xargs -0 -n1 -I{} rm {}x", "xargs -0 -n1 -I{} rm {}x\nxargs> rm ?{}x"},
		{"xargs -I % % x", "xargs -I % % x\nxargs> ?% x\nunknown"},
		{"xargs", "xargs"},
		{"find . -exec rm {} \\; -ok a {} b ';' -execdir c {} +", "find . -exec rm {} ; -ok a {} b ; -execdir c {} +\nfind> rm ?{}\nfind> a ?{} b\nfind> c ?{} @?"},
		{"find . -exec sh -c 'rm x' {} +", "find . -exec sh -c <rm x> {} +\nfind> sh -c <rm x> ?{}\nfind> sh> rm x"},
		{"bash -lc 'a; b' x; sh -ec \"c\"; zsh -c -- d", "bash -lc <a; b> x\nbash> a\nbash> b\nsh -ec c\nsh> c\nzsh -c -- d\nzsh> d"},
		{"bash -euo pipefail -c 'a'", "bash -euo pipefail -c a\nbash> a"},
		{"bash -c \"$x\"", "bash -c ?\"$x\"\nunknown"},
		{"bash -c 'sh -c \"rm x\"'", "bash -c <sh -c \"rm x\">\nbash> sh -c <rm x>\nbash> sh> rm x"},
		{"a | sh", "a\nsh\nunknown"},
		{"bash -s x", "bash -s x\nunknown"},
		{"bash x.sh y", "bash x.sh y"},
		{"bash --version", "bash --version"},
		{"bash <(a)", "bash /dev/fd/63\na\nunknown"},
		{"bash /dev/stdin", "bash /dev/stdin\nunknown"},
		{"eval a 'b; c'", "eval a <b; c>\neval> a b\neval> c"},
		{"eval \"$x\"", "eval ?\"$x\"\nunknown"},
		{"source f", "source f\nunknown"},
		{". ./f", ". ./f\nunknown"},
		{"$x y", "?$x y\nunknown"},
		{"r? y", "*r? y\nunknown"},
		{"alias ls=rm", "alias ls=rm\nunknown"},
		{"alias", "alias"},
		{"trap 'rm x' EXIT", "trap <rm x> EXIT\ntrap> rm x @?"},
		{"trap - EXIT; trap '' INT; trap", "trap - EXIT\ntrap <> INT\ntrap"},
		{"time -f %e a; time -p -- b", "time> a\n-f %e a\ntime> b\n-- b\nunknown"},
		{"direnv exec . a; mise exec x@1 -- b; mise ls", "direnv exec . a\ndirenv> a\nmise exec x@1 -- b\nmise> b\nmise ls"},
		{"valgrind --tool=x --y a", "valgrind --tool=x --y a\nvalgrind> a"},
		{"trap $x", "trap ?$x\nunknown"},
		{"trap \"$x\" EXIT", "trap ?\"$x\" EXIT\nunknown"},
		{"watch -n 1 'rm x; ls' y", "watch -n 1 <rm x; ls> y\nwatch> watch> rm x\nwatch> watch> ls y"},
		{"watch -x rm x", "watch -x rm x\nwatch> rm x"},
		{"parallel rm ::: x", "parallel rm ::: x\nunknown"},
		{"strace -f -o x rm y; strace -o '|rm x' y", "strace -f -o x rm y\nstrace> rm y\nstrace -o <|rm x> y\nstrace> y\nunknown"},
		{"flock l rm x; flock -n l -c 'rm y'; flock 9", "flock l rm x\nflock> rm x\nflock -n l -c <rm y>\nflock> rm y\nflock 9"},
		{"busybox rm x", "busybox rm x\nbusybox> rm x"},
		{"unshare -r rm x; chroot / rm y", "unshare -r rm x\nunshare> rm x @?\nchroot / rm y\nchroot> rm y @?"},
		{"runuser -u bob -- rm x; su bob -c 'rm y'; su -", "runuser -u bob -- rm x\nrunuser> rm x @?\nsu bob -c <rm y>\nsu> rm y @?\nsu -\nunknown"},
		{"script -qec 'rm x' /dev/null", "script -qec <rm x> /dev/null\nscript> rm x"},
		{"git -c alias.x='!rm y' x", "git -c <alias.x=!rm y> x\nunknown"},
		{"git -c user.name=x log", "git -c user.name=x log"},
		{"ssh h rm x", "ssh h rm x"},
		{"noglob rm x; - rm y; repeat 2 rm z", "noglob rm x\nnoglob> rm x\n- rm y\n-> rm y\nrepeat 2 rm z\nrepeat> rm z @?"},
		{"/usr/bin/env rm x", "/usr/bin/env rm x\nenv> rm x"},
		{`\sudo r\m x`, "sudo rm x\nsudo> rm x"},

		// Where they run.
		{"cd a && b; c", "cd a\nb @./a\nc @./a,."},
		{"cd a; cd b && c", "cd a\ncd b @./a,.\nc @./a/b,./b"},
		{"(cd a && b); c", "cd a\nb @./a\nc"},
		{"cd a && b || c", "cd a\nb @./a\nc @.,./a"},
		{"cd a || exit; b", "cd a\nexit\nb @./a"},
		{"cd; a", "cd\na @./~,."},
		{"cd - && a", "cd -\na @?"},
		{"cd $x && a", "cd ?$x\na @?"},
		{"for i in 1; do a; cd b; done; c", "i=1\na @?\ncd b @?\nc @?"},
		{"f() { cd a; }; b", "cd a @?\nb @?"},
		{"cd a & b", "cd a\nb"},
		{"cd a | b; c", "cd a\nb\nc"},
		{"a | cd b; c", "a\ncd b\nc @?"},
		{"if cd a; then b; else c; fi; d", "cd a\nb @./a\nc\nd @./a,."},
		{"pushd a && b && popd && c", "pushd a\nb @./a\npopd @./a\nc @?"},
		{"eval 'cd a' && b", "eval <cd a>\neval> cd a\nb @./a"},
		{"command cd a && b", "command cd a\ncommand> cd a\nb @./a"},
		{"sh -c 'cd a; b' && c", "sh -c <cd a; b>\nsh> cd a\nsh> b @./a,.\nc"},
		{"x=$(cd a && b) c", "x=?$(cd a && b) c\ncd a\nb @./a"},

		// What is evaluated.
		{"echo $((1+2))", "echo ?$((1+2))"},
		{"x=1; echo $((x+1))", "x=1\necho ?$((x+1))"},
		{"i=0; i=$((i+1))", "i=0\ni=?$((i+1))"},
		{"i=x$(a)$((i+1)); echo $((i))", "i=?x$(a)$((i+1))\na\necho ?$((i))\nunknown"},
		{"x='a[$(rm y)]'; echo $((x))", "x=<a[$(rm y)]>\necho ?$((x))\nunknown"},
		{"read x; ((x))", "read x\nunknown"},
		{"[[ x -eq 'a[$(rm y)]' ]]", "unknown"},
		{"[[ -v 'a[$(rm y)]' ]]", "unknown"},
		{"test -v 'a[$(rm y)]'", "test -v <a[$(rm y)]>\nunknown"},
		{"unset 'a[$(rm y)]'", "unset <a[$(rm y)]>\nunknown"},
		{"x='$(rm y)'; echo ${x@P}", "x=<$(rm y)>\necho ?${x@P}\nunknown"},
		{"x='a[$(rm y)]'; echo ${!x}", "x=<a[$(rm y)]>\necho ?${!x}\nunknown"},
		{"declare -n x=PATH; x=.", "declare -n x=PATH\nx=.\nunknown"},
		{"echo @($(rm x))", "echo ?@($(rm x))\nunknown"},
		{"mapfile -C 'rm x' -c 1 y", "mapfile -C <rm x> -c 1 y\nunknown"},
		{"hash -p /bin/rm ls", "hash -p /bin/rm ls\nunknown"},

		// What is not understood.
		{"a && (", "unknown"},
		{"a\r\nb", "unknown"},
		{"a\x00b", "unknown"},
		{"a \xff", "unknown"},
		{"$((a b) )", "unknown"},
	}
	for _, tt := range tests {
		want := tt.want
		if got := drawn(Parse(tt.text)); got != want {
			t.Errorf("%s\ngot\n%s\nwant\n%s\n(%s)", tt.text, got, want, Parse(tt.text).Unknown)
		}
	}
}

// The words of a unit say how they were written, and a unit does.
func TestSource(t *testing.T) {
	l := Parse("A=1  r\\m  'x y'  > log; ! { b; } 2>c &")
	var got []string
	for _, u := range l.Units {
		got = append(got, u.Source)
		for _, a := range u.Args {
			got = append(got, a.Source)
		}
	}
	want := []string{`A=1  r\m  'x y'  > log`, `r\m`, `'x y'`, "2>c", "b", "b"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q", got)
	}
}

// What is nested, long or many ends as not known, or ends soon.
func TestBounds(t *testing.T) {
	soon := func(name, text string) Line {
		began := time.Now()
		l := Parse(text)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: took %s", name, took)
		}
		return l
	}
	for name, text := range map[string]string{
		"nested":   strings.Repeat("eval ", 100) + "rm x",
		"wrapped":  strings.Repeat("env ", 100) + "rm x",
		"long":     "echo " + strings.Repeat("x", maxText),
		"many":     strings.Repeat("a;", maxUnits+1),
		"brackets": strings.Repeat("(", 200_000),
		"dollars":  strings.Repeat("$(", 150_000),
		"ifs":      strings.Repeat("if ", 100_000),
	} {
		if l := soon(name, text); l.Unknown == "" {
			t.Errorf("%s: known, with %d units", name, len(l.Units))
		}
	}
	soon("braces", "echo "+strings.Repeat("{a,b}", 19_000))
	soon("loops", strings.Repeat("while :; do ", 5000)+"cd a"+strings.Repeat("; done", 5000))
	soon("quotes", strings.Repeat("\"$(", 2000)+"a"+strings.Repeat(")\"", 2000))
	if l := Parse("echo {1..100000} {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"); len(l.Units[0].Args) != 3 {
		t.Errorf("%d words", len(l.Units[0].Args))
	}
	if l := Parse(strings.Repeat("cd a; ", 1000) + "b"); !l.Units[1000].Dirs.Unknown {
		t.Error("too many places are sure")
	}
}

// FuzzParse looks for what breaks or never ends.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"a && b | c", "x=$(a) b > c", "sudo env -S 'a b' c", "find . -exec a {} +", "cd a; (cd b)", "a <<E\n$(b)\nE", "{a,b}$'\\x41'", "[[ -v a ]]; ((x))", "xargs -I{} sh -c '{}'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		began := time.Now()
		l := Parse(text)
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("took %s", took)
		}
		for _, u := range l.Units {
			if len(u.Args)+len(u.Assigns)+len(u.Redirects) == 0 {
				t.Errorf("an empty unit: %+v", u)
			}
			EffectOf(u.Args)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	text := strings.Repeat("cd src && go test ./... | grep -v 'no test files' > \"$log\"; ", 34)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Parse(text)
	}
}

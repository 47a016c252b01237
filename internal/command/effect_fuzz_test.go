package command

import (
	"slices"
	"strings"
	"testing"
)

// anyWord are the programs that have no flags: what looks like one is a word.
var anyWord = fields("echo true false : times expr test [ [[ (( let printf seq find bfs tar xxd dd chmod set")

// FuzzEffect looks for arguments at which EffectOf falls over, and for those
// that hide from it a flag that is in no table.
func FuzzEffect(f *testing.F) {
	for _, row := range effectRows(f) {
		f.Add(row.line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := split(line)
		e := EffectOf(args)
		if e.ReadOnly != (e.Why == "") {
			t.Fatalf("%q: ReadOnly is %v, Why is %q", line, e.ReadOnly, e.Why)
		}
		if len(args) == 0 {
			if e.ReadOnly {
				t.Fatal("nothing is ReadOnly")
			}
			return
		}
		checkUnknownFlag(t, args, e)
	})
}

// checkUnknownFlag puts a flag that no program has right behind the program,
// where no -- and no other flag can be before it.
func checkUnknownFlag(t *testing.T, args []Word, e Effect) {
	name, ok := programName(args[0])
	if !ok || !e.ReadOnly || slices.Contains(anyWord, name) {
		return
	}
	for _, flag := range []string{"--no-such-flag", "--no-such-flag=x", "-\x01", "-%"} {
		with := slices.Insert(slices.Clone(args), 1, Word{Text: flag, Known: true})
		got := EffectOf(with)
		if got.ReadOnly {
			t.Errorf("%v: ReadOnly with %q", texts(args), flag)
		}
		if got.Complete {
			t.Errorf("%v: Complete with %q", texts(args), flag)
		}
	}
}

func texts(words []Word) []string {
	var out []string
	for _, w := range words {
		out = append(out, w.Text)
	}
	return out
}

// TestUnknownFlag is the promise of the tables for all rows: no flag is taken
// that is not in them, wherever it stands.
func TestUnknownFlag(t *testing.T) {
	for _, row := range effectRows(t) {
		args := split(row.line)
		checkUnknownFlag(t, args, EffectOf(args))
	}
}

// TestComputed makes each argument that a row has a computed one, which may
// become any flag. What is ReadOnly then has no flag that harms.
func TestComputed(t *testing.T) {
	for _, row := range effectRows(t) {
		args := split(row.line)
		name, _ := programName(args[0])
		for i := range args[1:] {
			if name == "" || slices.ContainsFunc(args[:i+1], func(w Word) bool { return plain(w, "--") }) {
				break
			}
			with := slices.Clone(args)
			with[i+1] = Word{Text: "$x"}
			p := programs().byName[name]
			if e := EffectOf(with); e.ReadOnly && p != nil && !p.harmless && !computedIsFine(with, i+1) {
				t.Errorf("%s: ReadOnly", strings.Join(texts(with), " "))
			}
		}
	}
}

// computedIsFine reports whether an argument stands where the program has no
// flags any more.
func computedIsFine(args []Word, at int) bool {
	switch args[0].Text {
	case "awk", "gawk", "env", "timeout", "nice", "time", "stdbuf", "xargs", "command", "printf":
		return at > 1
	case "[[": // its signs are read before anything is computed
		return true
	}
	return false
}

func BenchmarkEffectOf(b *testing.B) {
	args := split("git log --oneline -n 5 --format='%h %s' -- src/main.go")
	for b.Loop() {
		EffectOf(args)
	}
}

func BenchmarkPrograms(b *testing.B) {
	for b.Loop() {
		t := &programTable{byName: map[string]*program{}}
		t.add(slices.Clone(textPrograms))
		t.add(slices.Clone(gitPrograms))
	}
}

package main

import (
	"slices"
	"testing"
	"time"
)

func TestParsePage(t *testing.T) {
	for answer, want := range map[string]struct {
		paths []string
		next  int
	}{
		"a.go\nb/c.go\n[2 files.]": {[]string{"a.go", "b/c.go"}, 0},
		"a.go\n[1 of 2 files. More follow: the same call with \"offset\":1.]\n": {[]string{"a.go"}, 1},
		"[No matches. Left out: 3 binary files.]":                               {[]string{}, 0},
	} {
		p, err := parse(answer)
		if err != nil || !slices.Equal(p.paths, want.paths) || p.next != want.next {
			t.Errorf("%q: %+v, %v", answer, p, err)
		}
	}
	for _, answer := range []string{
		"a.go\n", "a.go\n[2 files.]", "a.go\n[1 file. The search took longer than 20 s and is not complete.]",
		"a.go\n[1 of 2 files. More follow: the same call with \"offset\":]",
	} {
		if p, err := parse(answer); err == nil {
			t.Errorf("%q: %+v, want an error", answer, p)
		}
	}
}

func TestPeerPaths(t *testing.T) {
	for _, answer := range []string{"./b c\n./a\n", "b c\x00a\x00", "a\nb c\n"} {
		if got := peerPaths([]byte(answer)); !slices.Equal(got, []string{"a", "b c"}) {
			t.Errorf("%q: %q", answer, got)
		}
	}
}

// A peer that was asked in the first rounds only is compared with these.
func TestFillSlow(t *testing.T) {
	var r searchRow
	r.fill([]side{{name: serverSide}, {name: processSide}, {name: "rg"}, {name: gitSide}},
		[][]float64{{1, 1, 9}, {2, 2, 9}, {2, 2, 18}, {4, 4}})
	if r.Server != 1 || r.Process != 2 || r.Rounds != 3 ||
		r.Peers[0] != (peerFigure{"rg", 2, 0.5, 1}) || r.Peers[1] != (peerFigure{gitSide, 4, 0.25, 0.5}) {
		t.Errorf("got %+v", r)
	}
}

// Each round begins with another side; a slow one is left out of later ones.
func TestSearchTurns(t *testing.T) {
	order := ""
	ask := func(name string) func() (time.Duration, []byte, error) {
		return func() (time.Duration, []byte, error) { order += name; return time.Millisecond, nil, nil }
	}
	c := &contest{bench: &bench{quick: true}}
	var row searchRow
	err := c.turns([]side{{name: serverSide, ask: ask("s")}, {name: processSide, ask: ask("p")}, {name: "rg", ask: ask("r"), slow: true}}, &row)
	if err != nil || order != "sprsprprsrsp" || row.Peers[0].MS != 1 {
		t.Errorf("order %s, error %v, %+v", order, err, row)
	}
}

package main

import (
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		list []float64
		want float64
	}{
		{nil, 0},
		{[]float64{3}, 3},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := median(c.list); got != c.want {
			t.Errorf("median(%v) = %v, want %v", c.list, got, c.want)
		}
	}
}

// The ratio is that of the rounds, not of the medians: a slow round of the
// machine is slow for both sides.
func TestRatioIsPaired(t *testing.T) {
	var r rounds
	r.add(1, 10)
	r.add(10, 100)
	r.add(30, 150)
	if x := r.row("", "", "ms", 0.1); x.Ratio != 0.1 || x.Ours != 10 || x.Theirs != 100 {
		t.Errorf("got %+v", x)
	}
}

func TestTurns(t *testing.T) {
	var order string
	side := func(name string) func() (time.Duration, error) {
		return func() (time.Duration, error) { order += name; return time.Millisecond, nil }
	}
	if _, err := compare(2, 2, side("a"), side("b")); err != nil || order != "aabbaabb" {
		t.Errorf("order %s, error %v", order, err)
	}
}

func TestUnnumbered(t *testing.T) {
	for dialect, answer := range map[string]string{
		"mini":   "/a.txt (3 lines)\n1\tone\n2\t\ttwo\n3\t",
		"native": "1\tone\n2\t\ttwo\n[Lines 1-2 of 2. End of file.]",
		"":       "one\n\ttwo\n",
	} {
		if got := unnumbered(dialect, answer); got != "one\n\ttwo\n" {
			t.Errorf("%s: %q", dialect, got)
		}
	}
}

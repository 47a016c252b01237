package main

import (
	"slices"
	"time"
)

// A row is one line of the table. Ours and Theirs are medians, Ratio is the
// median of the ratios of the rounds.
type row struct {
	Measure string  `json:"measure"`
	Peer    string  `json:"peer"`
	Unit    string  `json:"unit"`
	Ours    float64 `json:"ours"`
	Theirs  float64 `json:"theirs"`
	Ratio   float64 `json:"ratio"`
	Wanted  float64 `json:"wanted,omitempty"` // highest ratio; 0 for none
	Rounds  int     `json:"rounds"`
	Skipped string  `json:"skipped,omitempty"` // why there are no figures
}

// rounds are the figures of two sides that took turns.
type rounds struct{ ours, theirs []float64 }

func (r *rounds) add(ours, theirs float64) {
	r.ours, r.theirs = append(r.ours, ours), append(r.theirs, theirs)
}

func (r *rounds) row(measure, peer, unit string, wanted float64) row {
	ratios := make([]float64, len(r.ours))
	for i := range ratios {
		ratios[i] = r.ours[i] / r.theirs[i]
	}
	return row{
		Measure: measure, Peer: peer, Unit: unit, Wanted: wanted, Rounds: len(ratios),
		Ours: median(r.ours), Theirs: median(r.theirs), Ratio: median(ratios),
	}
}

func median(list []float64) float64 {
	s := slices.Sorted(slices.Values(list))
	n := len(s)
	if n == 0 {
		return 0
	}
	return (s[(n-1)/2] + s[n/2]) / 2
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// times calls f n times and returns the median of its times in milliseconds.
func times(n int, f func() (time.Duration, error)) (float64, error) {
	list := make([]float64, n)
	for i := range list {
		d, err := f()
		if err != nil {
			return 0, err
		}
		list[i] = ms(d)
	}
	return median(list), nil
}

// compare lets both sides take turns: n rounds of k calls each, of which the
// median counts.
func compare(n, k int, ours, theirs func() (time.Duration, error)) (*rounds, error) {
	var r rounds
	for range n {
		a, err := times(k, ours)
		if err != nil {
			return nil, err
		}
		b, err := times(k, theirs)
		if err != nil {
			return nil, err
		}
		r.add(a, b)
	}
	return &r, nil
}

package workspace

import (
	"testing"
	"time"
)

func TestSettled(t *testing.T) {
	at := time.Unix(1_700_000_000, 123_456_789)
	whole := time.Unix(1_700_000_000, 0)
	for _, c := range []struct {
		name     string
		mod, chg time.Time
		now      time.Time
		want     bool
	}{
		{"just written", at, at, at.Add(time.Millisecond), false},
		{"some ticks ago", at, at, at.Add(60 * time.Millisecond), true},
		{"old content, new name", at.Add(-time.Hour), at, at.Add(time.Millisecond), false},
		{"written in the future", at.Add(time.Hour), at, at.Add(time.Second), false},
		{"times in whole seconds", whole, whole, whole.Add(time.Second), false},
		{"times in whole seconds, long ago", whole, whole, whole.Add(3 * time.Second), true},
	} {
		s := Stamp{ModTime: c.mod.UnixNano(), Change: c.chg.UnixNano()}
		if got := s.Settled(c.now); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

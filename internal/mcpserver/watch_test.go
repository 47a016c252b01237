package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"
)

// A call that lasts is handed the reading from; one that does not keeps it.
func TestWatch(t *testing.T) {
	var passed atomic.Int32
	w := newWatch(func() { passed.Add(1) })
	done := make(chan struct{})
	kept := make(chan struct{})
	go func() {
		w.keep(done)
		close(kept)
	}()
	for range 1000 {
		w.during(func() {})
	}
	if w.during(func() { wait(t, func() bool { return passed.Load() > 0 }) }) {
		t.Error("a call that lasts keeps the reading")
	}
	before := passed.Load()
	if !w.during(func() {}) && passed.Load() == before {
		t.Error("nobody reads after a short call")
	}
	wait(t, func() bool { return !w.awake.Load() }) // it falls asleep …
	before = passed.Load()
	if w.during(func() { wait(t, func() bool { return passed.Load() > before }) }) { // … and wakes up
		t.Error("a call after a pause is not watched")
	}
	close(done)
	<-kept
}

func wait(t *testing.T, until func() bool) {
	t.Helper()
	for range 5000 {
		if until() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("waited in vain")
}

// The parts of long answers do not mix, and cut no character.
func TestLongAnswersAtOnce(t *testing.T) {
	text := strings.Repeat("1\t\"é\" 文字\\\x01 \xff\n", 40_000)
	c := start(t, &fakes{large: text}, nil)
	c.shake("2025-11-25", "{}")
	const n = 12
	for i := range n {
		c.send(callLine(fmt.Sprint(i), "large", "{}"))
		c.send(callLine(fmt.Sprint(100+i), "echo", "{}"))
	}
	want := strings.ToValidUTF8(text, "\ufffd")
	long := 0
	for range 2 * n {
		m := c.next()
		if !utf8.ValidString(m) {
			t.Fatalf("no UTF-8: %.100q", m)
		}
		if len(m) < 1000 {
			continue
		}
		if got := textOf(t, m); got != want {
			t.Fatalf("an answer of %d bytes, want %d: %.100q", len(got), len(want), got)
		}
		long++
	}
	if long != n {
		t.Errorf("%d long answers, want %d", long, n)
	}
}

// What was lent is given back once, after the answer.
func TestRecycle(t *testing.T) {
	var back atomic.Int32
	f := &fakes{recycle: func() { back.Add(1) }}
	c := start(t, f, nil)
	c.shake("2025-11-25", "{}")
	for i := range 3 {
		c.send(callLine(fmt.Sprint(i), "large", "{}"))
		c.next()
	}
	if err := c.end(); err != nil {
		t.Error(err)
	}
	if back.Load() != 3 {
		t.Errorf("memory given back %d times, want 3", back.Load())
	}
}

// textOf returns the text of an answer.
func textOf(t *testing.T, message string) string {
	t.Helper()
	var m struct {
		Result struct{ Content []struct{ Text string } }
	}
	if err := json.Unmarshal([]byte(message), &m); err != nil || len(m.Result.Content) != 1 {
		t.Fatalf("%v: %.100q", err, message)
	}
	return m.Result.Content[0].Text
}

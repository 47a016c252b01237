package mcpserver

import (
	"strings"
	"testing"
)

func TestFlightIsBounded(t *testing.T) {
	var f flight
	if err := f.add("huge", &pending{size: maxPending + 1}); err != nil {
		t.Errorf("one alone: %v", err)
	}
	if err := f.add("small", &pending{size: 1}); err != errBusy {
		t.Errorf("over the bytes: %v", err)
	}
	if err := f.add("huge", &pending{}); err != errTwice {
		t.Errorf("same key: %v", err)
	}
	empty := f.empty()
	f.remove("huge")
	select {
	case <-empty:
		t.Error("empty before the answer was written")
	default:
	}
	f.landed()
	<-empty
	<-f.empty()
	for i := range maxCalls {
		if err := f.add(strings.Repeat("x", i), &pending{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.add("one more", &pending{}); err != errBusy {
		t.Errorf("over the number: %v", err)
	}
}

func TestBusy(t *testing.T) {
	bothWays(t, func(t *testing.T, change func(*Config, *server)) {
		f := &fakes{slow: make(chan struct{}, 1)}
		c := start(t, f, change)
		c.shake("2025-11-25", "{}")
		c.send(callLine("1", "slow", "{}"))
		<-f.slow
		c.s.flight.mu.Lock()
		c.s.flight.bytes += maxPending
		c.s.flight.mu.Unlock()
		c.send(callLine("2", "echo", "{}"))
		c.want(`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"too many requests without an answer"}}`)
		c.want(textReply("1", "slept"))
	})
}

func TestShelf(t *testing.T) {
	var s shelf
	s.put(make([]byte, 0, maxKept+1))
	for range 20 {
		s.put(make([]byte, 10, 1<<10))
	}
	s.put(make([]byte, 0, 2<<20))
	if b := s.get(1 << 20); cap(b) != 2<<20 || len(b) != 0 {
		t.Errorf("a megabyte: cap %d, len %d", cap(b), len(b))
	}
	if b := s.get(1); cap(b) != 1<<10 || len(b) != 0 {
		t.Errorf("a byte: cap %d, len %d", cap(b), len(b))
	}
	for range 10 {
		s.put(make([]byte, 0, maxKept))
	}
	if s.bytes > maxShelf {
		t.Errorf("keeps %d bytes", s.bytes)
	}
}

package ripgrep

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var three = []string{"a", "b", "c"}

func TestOrderIsThatOfTheList(t *testing.T) {
	var files []string
	for i := range 3000 {
		files = append(files, "dir/file"+strconv.Itoa(i*7919%3000))
	}
	found, sum, err := all(t, t.Context(), pretend(t, "fine"), t.TempDir(), files, Query{Pattern: "hit"})
	if err != nil || !slices.Equal(paths(found), files) {
		t.Errorf("%d files, %v", len(found), err)
	}
	if sum.TimedOut || sum.OutputCut || sum.Incomplete || sum.Retried || sum.Warnings != nil {
		t.Errorf("summary %+v", sum)
	}
}

func TestEndingEarlyRunsNothingMore(t *testing.T) {
	p := pretend(t, "fine")
	asked := 0
	files := func(yield func(string) bool) {
		for asked < 100000 {
			asked++
			if !yield("f" + strconv.Itoa(asked)) {
				return
			}
		}
	}
	for range p.Matches(t.Context(), t.TempDir(), files, Query{Pattern: "hit"}, nil) {
		break
	}
	if asked > firstFiles+1 {
		t.Errorf("%d files were asked for", asked)
	}
	pids, _ := os.ReadFile(os.Getenv(fakePids))
	if n := len(strings.Fields(string(pids))); n != 1 {
		t.Errorf("%d processes", n)
	}
}

func TestDeadline(t *testing.T) {
	for mode, want := range map[string][]string{"hang": nil, "partial hang": {"a", "b"}} {
		t.Run(mode, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			begun := time.Now()
			found, sum, err := all(t, ctx, pretend(t, mode), t.TempDir(), three, Query{Pattern: "hit"})
			if err != nil || !sum.TimedOut || !slices.Equal(paths(found), want) {
				t.Errorf("found %v, %+v, %v", paths(found), sum, err)
			}
			if took := time.Since(begun); took > 300*time.Millisecond+grace+3*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestExpiredBeforeItBegins(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	_, sum, err := all(t, ctx, pretend(t, "hang"), t.TempDir(), three, Query{Pattern: "hit"})
	if err != nil || !sum.TimedOut {
		t.Errorf("%+v, %v", sum, err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	found, sum, err := all(t, ctx, pretend(t, "partial hang"), t.TempDir(), three, Query{Pattern: "hit"})
	if !errors.Is(err, context.Canceled) || found != nil || sum.TimedOut {
		t.Errorf("found %v, %+v, %v", found, sum, err)
	}
}

func TestEndlessOutput(t *testing.T) {
	for mode, lines := range map[string]bool{"endless": true, "endless line": false} {
		t.Run(mode, func(t *testing.T) {
			found, sum, err := all(t, t.Context(), pretend(t, mode), t.TempDir(), three, Query{Pattern: "hit"})
			if err != nil || !sum.OutputCut || sum.TimedOut {
				t.Errorf("%+v, %v", sum, err)
			}
			if lines && (len(found) != 1 || !found[0].Truncated || len(found[0].Lines) < MaxOutput/300 || len(found[0].Lines) > MaxOutput/150) {
				t.Errorf("found %d files", len(found))
			}
		})
	}
}

func TestEndlessOutputOfWhichNothingIsHeld(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, sum, err := all(t, ctx, pretend(t, "endless line"), t.TempDir(), three, Query{Pattern: "hit", CountOnly: true})
	if err != nil || !sum.TimedOut {
		t.Errorf("%+v, %v", sum, err)
	}
}

func TestCountOnlyIsBounded(t *testing.T) {
	found, sum, err := all(t, t.Context(), pretend(t, "endless"), t.TempDir(), three, Query{Pattern: "hit", CountOnly: true, MaxOutput: 1 << 20})
	if err != nil || !sum.OutputCut || len(found) != 1 || found[0].Count < 1<<16-10 || !found[0].Truncated {
		t.Errorf("%+v, %+v, %v", found, sum, err)
	}
}

func TestGarbage(t *testing.T) {
	found, _, err := all(t, t.Context(), pretend(t, "garbage"), t.TempDir(), three, Query{Pattern: "hit"})
	if err == nil || !strings.Contains(err.Error(), "not a record of ripgrep") || !slices.Equal(paths(found), []string{"a"}) {
		t.Errorf("found %v, %v", paths(found), err)
	}
}

func TestRefusedPattern(t *testing.T) {
	_, sum, err := all(t, t.Context(), pretend(t, "refuses"), t.TempDir(), three, Query{Pattern: "(foo()"})
	e, ok := errors.AsType[*PatternError](err)
	if !ok || e.Offset != 0 || e.Message != "unclosed group" || sum.Warnings != nil {
		t.Errorf("%#v, %+v", err, sum)
	}
}

func TestPartialOutputWithStatus2(t *testing.T) {
	found, sum, err := all(t, t.Context(), pretend(t, "half and status 2"), t.TempDir(), three, Query{Pattern: "hit"})
	if err != nil || !slices.Equal(paths(found), []string{"a"}) || !sum.Incomplete || len(sum.Warnings) != 2 || sum.Warnings[0] != "b: Permission denied (os error 13)" {
		t.Errorf("found %v, %+v, %v", paths(found), sum, err)
	}
}

func TestCrash(t *testing.T) {
	found, _, err := all(t, t.Context(), pretend(t, "crash"), t.TempDir(), three, Query{Pattern: "hit"})
	if err == nil || !strings.Contains(err.Error(), "no more") || len(found) != 1 {
		t.Errorf("found %v, %v", paths(found), err)
	}
}

func TestScarceResources(t *testing.T) {
	found, sum, err := all(t, t.Context(), pretend(t, "scarce"), t.TempDir(), three, Query{Pattern: "hit"})
	if err != nil || !sum.Retried || !slices.Equal(paths(found), three) || len(found[0].Lines) != 1 {
		t.Errorf("found %v, %+v, %v", paths(found), sum, err)
	}
}

func TestScarceResourcesAreRetriedOnce(t *testing.T) {
	_, sum, err := all(t, t.Context(), pretend(t, "always scarce"), t.TempDir(), three, Query{Pattern: "hit"})
	if err == nil || !sum.Retried {
		t.Errorf("%+v, %v", sum, err)
	}
	pids, _ := os.ReadFile(os.Getenv(fakePids))
	if n := len(strings.Fields(string(pids))); n != 2 {
		t.Errorf("%d processes", n)
	}
}

func TestProgramIsGone(t *testing.T) {
	_, _, err := all(t, t.Context(), &Program{Path: "/nowhere/rg"}, t.TempDir(), three, Query{Pattern: "hit"})
	if !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestQueriesThatCannotBeHandedOver(t *testing.T) {
	p := pretend(t, "fine")
	for _, q := range []Query{
		{Pattern: "a\x00b"}, {Pattern: "\xff"}, {Pattern: strings.Repeat("x", 1<<20)}, {Pattern: "(?=x)", PCRE2: true},
	} {
		_, _, err := all(t, t.Context(), p, t.TempDir(), three, q)
		if _, ok := errors.AsType[*UnsupportedError](err); !ok {
			t.Errorf("%.20q: %v", q.Pattern, err)
		}
	}
}

func TestBatches(t *testing.T) {
	long := strings.Repeat("d/", 2000)
	var files []string
	for i := range 30000 {
		name := strconv.Itoa(i)
		if i > 29000 {
			name = long + name
		}
		files = append(files, name)
	}
	var again []string
	for b := range batches(slices.Values(files)) {
		size := 0
		for _, f := range b {
			size += len(f) + 3
		}
		if len(b) == 0 || len(b) > batchFiles || size > batchBytes {
			t.Errorf("a batch of %d files, %d bytes", len(b), size)
		}
		again = append(again, b...)
	}
	if !slices.Equal(files, again) {
		t.Error("the batches are not the list")
	}
}

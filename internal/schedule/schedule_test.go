package schedule

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/burin-tools/burin/tool"
)

func path(elem ...string) string { return filepath.FromSlash("/" + strings.Join(elem, "/")) }

func file(op tool.Op, elem ...string) tool.Access { return tool.Access{Op: op, Real: path(elem...)} }

func tree(op tool.Op, elem ...string) tool.Access {
	return tool.Access{Op: op, Real: path(elem...), Tree: true}
}

var everything = tool.Access{Everything: true}

// The rows and columns are the same calls; x where two take turns.
func TestMatrix(t *testing.T) {
	calls := []struct {
		name     string
		accesses []tool.Access
		want     string
	}{
		{"reads a", []tool.Access{file(tool.Read, "w", "a")}, "..x.xx."},
		{"searches the tree", []tool.Access{tree(tool.Search, "w")}, "..xxxx."},
		{"writes a", []tool.Access{file(tool.Write, "w", "a")}, "xxx.xx."},
		{"writes b", []tool.Access{file(tool.Write, "w", "b")}, ".x.x.x."},
		{"edits a", []tool.Access{file(tool.ReadWrite, "w", "a")}, "xxx.xx."},
		{"runs a command", []tool.Access{everything}, "xxxxxx."},
		{"touches nothing", nil, "......."},
	}
	for _, a := range calls {
		got := ""
		for _, b := range calls {
			var g Gate
			g.add(a.accesses)
			if _, queued := g.add(b.accesses); queued {
				got += "x"
			} else {
				got += "."
			}
		}
		if got != a.want {
			t.Errorf("%s: got %s, want %s", a.name, got, a.want)
		}
	}
}

func TestConflict(t *testing.T) {
	tests := []struct {
		name string
		a, b tool.Access
		want bool
	}{
		{"two reads", file(tool.Read, "a"), file(tool.Read, "a"), false},
		{"tree and what lies in it", tree(tool.Write, "a"), file(tool.Read, "a", "b", "c"), true},
		{"tree and itself", tree(tool.Write, "a"), file(tool.Read, "a"), true},
		{"a folder that is not a tree", file(tool.Write, "a"), file(tool.Read, "a", "b"), false},
		{"the file above a tree", tree(tool.Write, "a", "b"), file(tool.Read, "a"), false},
		{"sibling that begins alike", tree(tool.Write, "a"), file(tool.Write, "ab"), false},
		{"tree in a tree", tree(tool.Search, "a"), tree(tool.Write, "a", "b"), true},
		{"trees side by side", tree(tool.Write, "a"), tree(tool.Write, "b"), false},
		{"two searches", tree(tool.Search, "a"), tree(tool.Search, "a"), false},
		{"the whole file system", tree(tool.Search), file(tool.Write, "a"), true},
		{"everything and a read", everything, file(tool.Read, "a"), true},
		{"everything twice", everything, everything, true},
		{"no path", tool.Access{Op: tool.Read}, file(tool.Read, "a"), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Conflict(tt.a, tt.b); got != tt.want {
				t.Errorf("got %v", got)
			}
			if got := Conflict(tt.b, tt.a); got != tt.want {
				t.Errorf("the other way round: got %v", got)
			}
		})
	}
}

// A bench is a gate in a synctest bubble that notes who starts when.
type bench struct {
	t       *testing.T
	gate    Gate
	mu      sync.Mutex
	started []string
	leave   map[string]func()
	waited  []string
	failed  map[string]error
}

func newBench(t *testing.T) *bench {
	return &bench{t: t, leave: make(map[string]func()), failed: make(map[string]error)}
}

// come lets a call arrive and waits until it has started or stands in the
// queue.
func (b *bench) come(ctx context.Context, name string, accesses ...tool.Access) {
	go func() {
		leave, err := b.gate.Enter(ctx, accesses, func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.waited = append(b.waited, name)
		})
		b.mu.Lock()
		defer b.mu.Unlock()
		if err != nil {
			b.failed[name] = err
			return
		}
		b.started = append(b.started, name)
		b.leave[name] = leave
	}()
	synctest.Wait()
}

func (b *bench) done(name string) {
	b.leave[name]()
	synctest.Wait()
}

func (b *bench) want(started ...string) {
	b.t.Helper()
	if d := cmp.Diff(started, b.started); d != "" {
		b.t.Errorf("started, -want +got:\n%s", d)
	}
}

func (b *bench) wantEmpty() {
	b.t.Helper()
	if len(b.gate.calls) != 0 {
		b.t.Errorf("%d calls are still in the gate", len(b.gate.calls))
	}
}

func TestFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, b, a := t.Context(), newBench(t), file(tool.Write, "a")
		for _, name := range []string{"1", "2", "3"} {
			b.come(ctx, name, a)
		}
		b.want("1")
		b.done("1")
		b.want("1", "2")
		b.done("2")
		b.want("1", "2", "3")
		b.done("3")
		b.wantEmpty()
		if d := cmp.Diff([]string{"2", "3"}, b.waited); d != "" {
			t.Errorf("told that they wait: %s", d)
		}
	})
}

func TestOvertaking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, b := t.Context(), newBench(t)
		b.come(ctx, "read a", file(tool.Read, "a"))
		b.come(ctx, "write a", file(tool.Write, "a"))
		b.come(ctx, "write b", file(tool.Write, "b"))         // independent: passes
		b.come(ctx, "read a again", file(tool.Read, "a"))     // behind the queued writer
		b.come(ctx, "search", tree(tool.Search))              // behind both writers
		b.come(ctx, "write c", file(tool.Write, "c"))         // behind the search
		b.come(ctx, "read nothing")                           // passes
		b.come(ctx, "command", tool.Access{Everything: true}) // behind all
		b.want("read a", "write b", "read nothing")

		b.done("write b")
		b.want("read a", "write b", "read nothing")
		b.done("read a")
		b.want("read a", "write b", "read nothing", "write a")
		b.done("write a")
		got := slices.Sorted(slices.Values(b.started[4:]))
		if d := cmp.Diff([]string{"read a again", "search"}, got); d != "" {
			t.Errorf("after the writers: %s", d)
		}
		b.done("search")
		b.done("read a again")
		b.done("write c")
		if last := b.started[len(b.started)-1]; last != "command" {
			t.Errorf("last is %s", last)
		}
		b.done("command")
		b.done("read nothing")
		b.wantEmpty()
	})
}

func TestCancelInQueueLetsFollowersGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, b := t.Context(), newBench(t)
		giveUp, cancel := context.WithCancel(ctx)
		b.come(ctx, "read", file(tool.Read, "a"))
		b.come(giveUp, "write", file(tool.Write, "a"))
		b.come(ctx, "read 2", file(tool.Read, "a"))
		b.want("read")

		cancel()
		synctest.Wait()
		b.want("read", "read 2")
		err := b.failed["write"]
		if !errors.Is(err, context.Canceled) || tool.KindOf(err) != tool.Canceled {
			t.Errorf("error is %v", err)
		}
		if _, ok := errors.AsType[*tool.Error](err); !ok {
			t.Errorf("error is a %T", err)
		}
		for c := range b.gate.calls {
			if len(c.behind) != 0 {
				t.Error("one who gave up is still waited on")
			}
		}
		b.done("read")
		b.done("read 2")
		b.wantEmpty()
	})
}

func TestDeadlineInQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		b.come(t.Context(), "1", everything)
		b.come(ctx, "2", everything)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if err := b.failed["2"]; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v", err)
		}
		b.done("1")
		b.wantEmpty()
	})
}

func TestCanceledContextNeverEnters(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var g Gate
	leave, err := g.Enter(ctx, nil, func() { t.Error("waits") })
	if leave != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCanceledWhileItsTurnComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		ctx, cancel := context.WithCancel(t.Context())
		b.come(t.Context(), "1", everything)
		b.come(ctx, "2", everything)
		cancel()
		b.leave["1"]() // both at once: it may not start
		synctest.Wait()
		b.want("1")
		b.wantEmpty()
	})
}

func TestLeaveTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for _, name := range []string{"1", "2", "3"} {
			b.come(t.Context(), name, everything)
		}
		b.done("1")
		b.done("1")
		b.want("1", "2")
		b.done("2")
		b.done("3")
		b.wantEmpty()
	})
}

func TestPanicWhileWaitingLeavesNothing(t *testing.T) {
	var g Gate
	leave, _ := g.Enter(t.Context(), []tool.Access{everything}, nil)
	func() {
		defer func() { recover() }()
		g.Enter(t.Context(), []tool.Access{everything}, func() { panic("observer") })
	}()
	leave()
	if len(g.calls) != 0 {
		t.Errorf("%d calls are still in the gate", len(g.calls))
	}
}

// However many come, two that conflict never run at once, and all of them run
// or give up.
func TestNeverTwoInConflict(t *testing.T) {
	var g Gate
	var mu sync.Mutex
	running := make(map[int][]tool.Access)
	var entered, gaveUp atomic.Int64
	var all sync.WaitGroup
	const workers, rounds = 16, 150
	for w := range workers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 1))
			for range rounds {
				ctx, cancel := t.Context(), func() {}
				if r.IntN(5) == 0 {
					ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(200))*time.Microsecond)
				}
				accesses := randomAccesses(r)
				leave, err := g.Enter(ctx, accesses, nil)
				cancel()
				if err != nil {
					gaveUp.Add(1)
					continue
				}
				mu.Lock()
				for other, theirs := range running {
					if overlap(accesses, theirs) {
						t.Errorf("%v runs beside %v of worker %d", accesses, theirs, other)
					}
				}
				running[w] = accesses
				mu.Unlock()
				time.Sleep(time.Duration(r.IntN(50)) * time.Microsecond)
				mu.Lock()
				delete(running, w)
				mu.Unlock()
				leave()
				entered.Add(1)
			}
		})
	}
	all.Wait()
	if entered.Load()+gaveUp.Load() != workers*rounds {
		t.Errorf("%d entered, %d gave up", entered.Load(), gaveUp.Load())
	}
	if len(g.calls) != 0 {
		t.Errorf("%d calls are still in the gate", len(g.calls))
	}
}

func randomAccesses(r *rand.Rand) (list []tool.Access) {
	ops := []tool.Op{tool.Read, tool.Write, tool.Search, tool.ReadWrite}
	for range r.IntN(3) {
		p := "/" + string(rune('a'+r.IntN(3)))
		if r.IntN(2) == 0 {
			p += "/" + string(rune('a'+r.IntN(3)))
		}
		list = append(list, tool.Access{Op: ops[r.IntN(4)], Real: filepath.FromSlash(p), Tree: r.IntN(4) == 0, Everything: r.IntN(20) == 0})
	}
	return list
}

// overlap is written down anew, so that it does not share a fault with the
// code.
func overlap(as, bs []tool.Access) bool {
	const sep = string(filepath.Separator)
	for _, a := range as {
		for _, b := range bs {
			below := func(tree, p tool.Access) bool { return tree.Tree && strings.HasPrefix(p.Real+sep, tree.Real+sep) }
			same := a.Real == b.Real || below(a, b) || below(b, a)
			if a.Everything || b.Everything || same && (a.Op|b.Op)&tool.Write != 0 {
				return true
			}
		}
	}
	return false
}

func BenchmarkQueue(b *testing.B) {
	for _, n := range []int{1, 100, 500} {
		b.Run(fmt.Sprint(n, "Queued"), func(b *testing.B) {
			accesses := []tool.Access{{Op: tool.ReadWrite, Real: "/home/someone/project/src/main.go"}}
			for b.Loop() {
				var g Gate
				calls := make([]*call, n)
				for i := range calls {
					calls[i], _ = g.add(accesses)
				}
				for _, c := range calls {
					g.remove(c)
				}
			}
		})
	}
}

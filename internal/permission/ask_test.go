//go:build !windows

package permission

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/burin-tools/burin/tool"
)

// An oracle gives one answer and notes what it was asked.
type oracle struct {
	answer tool.Answer
	err    error
	mu     sync.Mutex
	asked  []tool.Question
}

func (o *oracle) Ask(_ context.Context, q tool.Question) (tool.Answer, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = append(o.asked, q)
	return o.answer, o.err
}

// What may hold for good is offered with the question, and kept.
func TestForProject(t *testing.T) {
	for _, c := range []struct {
		name string
		plan *tool.Plan
		rule string // "" where a person decides each time
	}{
		{"a command", running("npm install x"), "Bash(npm install:*)"},
		{"several", running("npm install && go build ./... | tail -3"), "Bash(npm install:*)\nBash(go build:*)"},
		{"a change of a file", editOf("/w/src/a"), "Edit(src/a)"},
		{"a command that destroys", running("rm -r x"), ""},
		{"one that redirects", running("npm test > log"), ""},
		{"a computed one", running("$x"), ""},
		{"what an ask rule wants to know", running("careful y"), ""},
		{"a file outside", editOf("/x/a"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var kept []string
			o := &oracle{answer: tool.ForProject}
			options := world(Options{Asker: o, Remember: func(rule string) error { kept = append(kept, rule); return nil }})
			p := policyOf(t, options, "ask Bash(careful:*)")
			if _, err := p.Enter(t.Context(), c.plan, nil); err != nil {
				t.Fatal(err)
			}
			if got := o.asked[0].Always; got != c.rule || strings.Join(kept, "\n") != c.rule {
				t.Errorf("offered %q, kept %q; want %q", got, kept, c.rule)
			}
			if c.rule == "" {
				return
			}
			later := policyOf(t, world(Options{Allow: kept}), "")
			if v := later.Check(c.plan); v.Decision != tool.Allow {
				t.Errorf("another time: %s because %s", v.Decision, v.Reason)
			}
		})
	}
}

// A rule that cannot be kept holds for the session, and that is said.
func TestForProjectWithoutRoom(t *testing.T) {
	o := &oracle{answer: tool.ForProject}
	p := policyOf(t, world(Options{Asker: o, Remember: func(string) error { return errors.New("disk full") }}), "")
	v, err := p.Enter(t.Context(), running("npm install"), nil)
	if err != nil || !strings.Contains(v.Reason, "for this session") || !strings.Contains(v.Reason, "disk full") {
		t.Errorf("%v, %v", v, err)
	}
	if v := p.Check(running("npm install y")); v.Decision != tool.Allow {
		t.Errorf("later: %s", v.Reason)
	}
}

func TestEnter(t *testing.T) {
	tests := []struct {
		name   string
		asker  tool.Asker
		plan   *tool.Plan
		kind   tool.Kind // "" when it may run
		reason string
		asked  bool
	}{
		{"nothing to ask", &oracle{}, readOf("/w/a"), "", "reading inside", false},
		{"yes", &oracle{answer: tool.Once}, editOf("/w/a"), "", "this once", true},
		{"yes for the session", &oracle{answer: tool.ForSession}, editOf("/w/a"), "", "for this session", true},
		{"no", &oracle{}, editOf("/w/a"), tool.Denied, "the person said no", true},
		{"no answer that is known", &oracle{answer: 7}, editOf("/w/a"), tool.Denied, "the person said no", true},
		{"error", &oracle{answer: tool.Once, err: errors.New("line is dead")}, editOf("/w/a"), tool.Denied, "line is dead", true},
		{"panic", tool.AskerFunc(func(context.Context, tool.Question) (tool.Answer, error) { panic("boom") }), editOf("/w/a"), tool.Denied, "boom", true},
		{"nobody there", nil, editOf("/w/a"), tool.Denied, "mode default asks before a change, and there is nobody to ask", false},
		{"nobody there, outside", nil, readOf("/x/a"), tool.Outside, "outside the workspace, and there is nobody to ask", false},
		{"no, outside", &oracle{}, readOf("/x/a"), tool.Denied, "outside the workspace, and the person said no", true},
		{"secrets are not asked about", &oracle{answer: tool.Once}, readOf("/w/.env"), tool.Sensitive, "no allow rule names it", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			v, err := policyOf(t, Options{Asker: tt.asker}, "").Enter(t.Context(), tt.plan, func(tool.Verdict) { asked++ })
			if (asked == 1) != tt.asked {
				t.Errorf("asked %d times", asked)
			}
			if !strings.Contains(v.Reason, tt.reason) {
				t.Errorf("reason is %q", v.Reason)
			}
			if tt.kind == "" {
				if err != nil || v.Decision != tool.Allow {
					t.Errorf("got %s, %v", v.Decision, err)
				}
				return
			}
			e, ok := errors.AsType[*tool.Error](err)
			if !ok || e.Kind != tt.kind || e.Reason != v.Reason || e.Path != tt.plan.Path || v.Decision != tool.Deny {
				t.Fatalf("got %s and error %#v", v.Decision, err)
			}
			if e.Next == "" || !strings.Contains(e.Next, v.Next) {
				t.Errorf("next step is %q", e.Next)
			}
		})
	}
}

func TestQuestion(t *testing.T) {
	o := &oracle{}
	plan := editOf("/w/a", "/w/b")
	plan.Preview = func(context.Context) (string, error) { return strings.Repeat("é", maxDetail+5), nil }
	policyOf(t, Options{Asker: o}, "").Enter(t.Context(), plan, nil)
	want := []tool.Question{{
		Tool: "edit_file", Summary: "Edit /w/a", Reason: "mode default asks before a change", Paths: []string{"/w/a", "/w/b"},
		Detail: strings.Repeat("é", maxDetail) + "\n(cut: these are the first 20000 of 20005 characters)",
	}}
	if d := cmp.Diff(want, o.asked); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestPreviewOnlyWhenAsking(t *testing.T) {
	plan := editOf("/w/a")
	plan.Preview = func(context.Context) (string, error) { t.Error("previewed"); return "", nil }
	policyOf(t, Options{Asker: &oracle{}}, "allow Edit").Enter(t.Context(), plan, nil)
	policyOf(t, Options{Asker: &oracle{}}, "deny Edit").Enter(t.Context(), plan, nil)
	policyOf(t, Options{}, "").Enter(t.Context(), plan, nil)
}

func TestPreviewThatFails(t *testing.T) {
	o := &oracle{answer: tool.Once}
	plan := editOf("/w/a")
	plan.Preview = func(context.Context) (string, error) { return "", errors.New("gone") }
	if _, err := policyOf(t, Options{Asker: o}, "").Enter(t.Context(), plan, nil); err != nil {
		t.Error(err)
	}
	if got := o.asked[0].Detail; got != "(no preview: gone)" {
		t.Errorf("detail is %q", got)
	}
}

func TestAskerThatHangs(t *testing.T) {
	for name, wait := range map[string]time.Duration{"set": time.Minute, "default": 0} {
		synctest.Test(t, func(t *testing.T) {
			hung := make(chan struct{})
			defer close(hung)
			p := policyOf(t, Options{AskTimeout: wait, Asker: tool.AskerFunc(func(context.Context, tool.Question) (tool.Answer, error) {
				<-hung // whatever its context says
				return tool.Once, nil
			})}, "")
			start := time.Now()
			_, err := p.Enter(t.Context(), editOf("/w/a"), nil)
			if tool.KindOf(err) != tool.Denied || !strings.Contains(err.Error(), "nobody answered within") {
				t.Errorf("%s: got %v", name, err)
			}
			if took := time.Since(start); wait != 0 && took != wait || wait == 0 && took != 5*time.Minute {
				t.Errorf("%s: took %s", name, took)
			}
		})
	}
}

func TestCanceledWhileAsking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := policyOf(t, Options{Asker: tool.AskerFunc(func(ctx context.Context, _ tool.Question) (tool.Answer, error) {
			<-ctx.Done()
			return tool.Once, ctx.Err()
		})}, "")
		var errs [2]error // one is asked, one waits for its turn
		var both sync.WaitGroup
		for i := range errs {
			both.Go(func() { _, errs[i] = p.Enter(ctx, editOf("/w/a"), nil) })
		}
		synctest.Wait()
		cancel()
		both.Wait()
		for _, err := range errs {
			if tool.KindOf(err) != tool.Canceled || !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		}
	})
}

func TestSessionMemory(t *testing.T) {
	o := &oracle{answer: tool.ForSession}
	p := policyOf(t, Options{Asker: o}, "ask Edit(careful); deny Edit(later)")
	steps := []struct {
		name  string
		plan  *tool.Plan
		asked int // questions so far
	}{
		{"first", editOf("/w/[a]"), 1},
		{"same again", editOf("/w/[a]"), 1},
		{"a write of it", writeOf("/w/[a]"), 1},
		{"by another name", editOf("/link/[a]"), 1},
		{"what it would match as a glob", editOf("/w/a"), 2},
		{"below it", editOf("/w/[a]/b"), 3},
		{"read outside", readOf("/x/a"), 4},
		{"read outside again", readOf("/x/a"), 4},
		{"write where only reading was allowed", writeOf("/x/a"), 5},
		{"both now", editOf("/x/a"), 5},
		{"asked for by a rule", editOf("/w/careful"), 6},
		{"asked for by a rule, again", editOf("/w/careful"), 6},
		{"one known, one not", editOf("/w/a", "/w/b"), 7},
		{"both known", editOf("/w/a", "/w/b"), 7},
		{"command", unread(), 8},
		{"a command is asked about each time", unread(), 9},
		{"protected", editOf("/w/.git/config"), 10},
		{"protected, again", editOf("/w/.git/config"), 10},
		{"a new file", writeOf("/w/new"), 11},
		{"which is then known, and edited", editOf("/w/new"), 11},
	}
	for _, s := range steps {
		if _, err := p.Enter(t.Context(), s.plan, nil); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		if len(o.asked) != s.asked {
			t.Fatalf("%s: %d questions, want %d", s.name, len(o.asked), s.asked)
		}
	}
	p.remember(editOf("/w/later"))
	if v := p.Check(editOf("/w/later")); v.Decision != tool.Deny {
		t.Errorf("an answer wins over a deny rule: %s", v.Reason)
	}
}

func TestOnceIsOnce(t *testing.T) {
	o := &oracle{answer: tool.Once}
	p := policyOf(t, Options{Asker: o}, "")
	for range 2 {
		p.Enter(t.Context(), editOf("/w/a"), nil)
	}
	if len(o.asked) != 2 {
		t.Errorf("asked %d times", len(o.asked))
	}
}

// Two equal questions at once are one: the second waits for the answer.
func TestSameQuestionAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		questions, open := 0, 0
		var mu sync.Mutex
		p := policyOf(t, Options{Asker: tool.AskerFunc(func(context.Context, tool.Question) (tool.Answer, error) {
			mu.Lock()
			questions, open = questions+1, open+1
			if open > 1 {
				t.Error("two questions at once")
			}
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			defer mu.Unlock()
			open--
			return tool.ForSession, nil
		})}, "")
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				if _, err := p.Enter(t.Context(), editOf([]string{"/w/a", "/w/b"}[i%2]), nil); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if questions != 2 {
			t.Errorf("%d questions about two files", questions)
		}
	})
}

//go:build unix

package burin_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/burin-tools/burin"
	"github.com/burin-tools/burin/tool"
)

const mostTasks = 16

// Where no more background tasks are taken, nothing is begun; and what a
// command has printed that cannot become one is not lost.
func TestNoMoreTasks(t *testing.T) {
	e, dir := open(t, nil, nil)
	s := session(t, e, &burin.SessionOptions{Dialect: "wave", Mode: "bypass"})
	for range mostTasks {
		if r := call(t, s, "Bash", "command", "exec sleep 100", "run_in_background", true); r.Failed {
			t.Fatal(r.Text())
		}
	}
	r := call(t, s, "Bash", "command", "touch begun; sleep 1", "run_in_background", true)
	if r.Kind != tool.Busy {
		t.Errorf("%s", r.Text())
	}
	time.Sleep(100 * time.Millisecond)
	if _, err := os.Stat(filepath.Join(dir, "begun")); err == nil {
		t.Error("a command was begun that cannot go on")
	}
	r = call(t, s, "Bash", "command", "echo precious; for i in {1..50}; do sleep 0.1; done", "timeout", 300)
	if r.Kind != tool.Timeout || !strings.Contains(r.Text(), "precious") || !strings.Contains(r.Text(), "already running (16)") {
		t.Errorf("%s: %s", r.Kind, r.Text())
	}
}

// A session that is closed keeps no task, whenever it was started.
func TestTasksEndWithTheSession(t *testing.T) {
	e, _ := open(t, nil, nil)
	for range 10 {
		s := session(t, e, &burin.SessionOptions{Mode: "bypass"})
		tasks := make(chan tool.Result, 4)
		var all sync.WaitGroup
		for range cap(tasks) {
			all.Go(func() {
				r, err := s.Call(context.Background(), "Bash", json.RawMessage(`{"command":"sleep 100","run_in_background":true}`))
				if err == nil && !r.Failed {
					tasks <- r
				}
			})
		}
		time.Sleep(2 * time.Millisecond)
		s.Close()
		all.Wait()
		close(tasks)
		for r := range tasks {
			got := call(t, s, "TaskOutput", "task_id", r.Meta["task"], "block", false)
			if got.Meta["state"] != "stopped" {
				t.Errorf("%v", got.Text())
			}
		}
		if r := call(t, s, "Bash", "command", "sleep 100", "run_in_background", true); !r.Failed {
			t.Errorf("%s", r.Text())
		}
	}
}

// Engines can be closed while their commands run and start: all calls return,
// and soon.
func TestCloseDuringCalls(t *testing.T) {
	var all sync.WaitGroup
	for i := range 6 {
		e, _ := open(t, nil, &burin.Options{Sandbox: []string{"off", "auto"}[i%2]})
		for _, dialect := range []string{"native", "wave", "kimi"} {
			s := session(t, e, &burin.SessionOptions{Dialect: dialect, Mode: "bypass"})
			for _, command := range []string{
				`{"command":"sleep 100"}`,
				`{"command":"yes"}`,
				`{"command":"seq 100000; trap '' TERM; setsid sleep 100 & sleep 100"}`,
				`{"command":"sleep 100","description":"d","run_in_background":true}`,
			} {
				all.Go(func() { s.Call(context.Background(), "Bash", json.RawMessage(command)) })
			}
		}
		all.Go(func() {
			time.Sleep(time.Duration(50*i) * time.Millisecond)
			began := time.Now()
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it took %s to close", took)
			}
		})
	}
	all.Wait()
}

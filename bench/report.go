package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// A report is what a run has found.
type report struct {
	When    time.Time `json:"when"`
	Machine string    `json:"machine"`
	Ours    string    `json:"ours"`
	Theirs  string    `json:"theirs"`
	Load    [2]string `json:"load"` // before and after
	Took    string    `json:"took"`
	Rows    []row     `json:"rows"`
}

func (r *report) begin(ctx context.Context, b *bench) {
	r.When = time.Now().Truncate(time.Second)
	r.Machine = fmt.Sprintf("%s, %d CPUs, %s/%s", cpuName(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	version, err := exec.CommandContext(ctx, b.burin, "version").Output()
	if err != nil {
		version = []byte("burin")
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(version)), "\n")
	r.Ours = first
	r.Theirs = peerVersions(ctx, b.peer)
	r.Load[0] = load()
}

func (r *report) end() {
	r.Load[1] = load()
	r.Took = time.Since(r.When).Round(time.Second).String()
}

func (r *report) add(x row) { r.Rows = append(r.Rows, x) }

func (r *report) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

func (r *report) writeTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintln(t, "measure\t| ours\t| theirs\t| ratio\t| wanted")
	fmt.Fprintln(t, "---\t| ---\t| ---\t| ---\t| ---")
	for _, x := range r.Rows {
		if x.Skipped != "" {
			fmt.Fprintf(t, "%s\t| –\t| –\t| –\t| %s\n", x.Measure, x.Skipped)
			continue
		}
		fmt.Fprintf(t, "%s\t| %s %s\t| %s %s\t| %s\t| %s\n", x.Measure,
			figure(x.Ours), x.Unit, figure(x.Theirs), x.Unit, figure(x.Ratio), x.verdict())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s. Ours: %s. Theirs: %s. Load %s before, %s after. Took %s.\n",
		r.Machine, r.Ours, r.Theirs, r.Load[0], r.Load[1], r.Took)
	return err
}

func (x *row) verdict() string {
	switch {
	case x.Wanted == 0:
		return "–"
	case x.Ratio <= x.Wanted:
		return fmt.Sprintf("≤ %v", x.Wanted)
	}
	return fmt.Sprintf("≤ %v (missed)", x.Wanted)
}

// figure writes a number with three digits that say something.
func figure(f float64) string {
	switch {
	case f >= 100:
		return fmt.Sprintf("%.0f", f)
	case f >= 10:
		return fmt.Sprintf("%.1f", f)
	case f >= 1:
		return fmt.Sprintf("%.2f", f)
	case f >= 0.1:
		return fmt.Sprintf("%.3f", f)
	}
	return fmt.Sprintf("%.2g", f)
}

func cpuName() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "CPU of unknown name"
}

func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

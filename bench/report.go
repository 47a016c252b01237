package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
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
	Rows    []row     `json:"rows,omitempty"`
	Trees   []*tree   `json:"trees,omitempty"`
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
	if b.searching {
		r.Theirs = searchVersions(ctx)
	} else {
		r.Theirs = peerVersions(ctx, b.peer)
	}
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
	for _, x := range r.Trees {
		if err := x.write(w); err != nil {
			return err
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	if len(r.Rows) > 0 {
		fmt.Fprintln(t, "measure\t| ours\t| theirs\t| ratio\t| wanted")
		fmt.Fprintln(t, "---\t| ---\t| ---\t| ---\t| ---")
	}
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
	if len(r.Rows) > 0 {
		fmt.Fprintln(w)
	}
	_, err := fmt.Fprintf(w, "%s. Ours: %s. Theirs: %s. Load %s before, %s after. Took %s.\n",
		r.Machine, r.Ours, r.Theirs, r.Load[0], r.Load[1], r.Took)
	return err
}

func (x *row) verdict() string { return verdict(x.Ratio, x.Wanted) }

func verdict(figure, wanted float64) string {
	switch {
	case wanted == 0:
		return "–"
	case figure <= wanted:
		return fmt.Sprintf("≤ %v", wanted)
	}
	return fmt.Sprintf("≤ %v (missed)", wanted)
}

// write writes the table of a tree. After the time of a peer come the ratios
// of the server and of the process to it.
func (x *tree) write(w io.Writer) error {
	fmt.Fprintf(w, "**%s**: %d files, %s MB", x.Name, x.Files, figure(x.MB))
	if x.Peak > 0 {
		fmt.Fprintf(w, "; highest memory of the server %s MB", figure(x.Peak))
		if x.Files >= largeTree {
			fmt.Fprintf(w, " (wanted %s)", verdict(x.Peak, largestMemory))
		}
	}
	fmt.Fprint(w, "\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	for i, r := range x.Rows {
		if i == 0 {
			fmt.Fprint(t, "question\t| files\t| server\t| process\t| ratio\t| wanted\t")
			line := strings.Repeat("---\t| ", 5) + "---\t"
			for _, p := range columns(x.Rows) {
				fmt.Fprintf(t, "| %s\t", p)
				line += "| ---\t"
			}
			fmt.Fprint(t, "\n", line, "\n")
		}
		newest := r.Peers[0].Server
		fmt.Fprintf(t, "%s\t| %d\t| %s\t| %s\t| %s\t| %s\t", r.Question, r.Found,
			figure(r.Server), figure(r.Process), figure(newest), verdict(newest, r.Wanted))
		for _, name := range columns(x.Rows) {
			cell := "–"
			if slices.Contains(r.TooSlow, name) {
				cell = fmt.Sprintf("> %v", tooSlow)
			}
			for _, p := range r.Peers {
				if p.Name == name {
					cell = fmt.Sprintf("%s (%s, %s)", figure(p.MS), figure(p.Server), figure(p.Process))
				}
			}
			fmt.Fprintf(t, "| %s\t", cell)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nMilliseconds. Files that are excused: %s.\n\n", x.excused())
	return err
}

// columns are the names of all peers.
func columns(rows []searchRow) (list []string) {
	for _, r := range rows {
		for _, p := range r.Peers {
			if !slices.Contains(list, p.Name) {
				list = append(list, p.Name)
			}
		}
	}
	return list
}

// excused tells about which files a peer differs, and why it may: the most
// over the questions.
func (x *tree) excused() string {
	most := map[string]int{}
	for _, r := range x.Rows {
		for why, n := range r.Excused {
			most[why] = max(most[why], n)
		}
	}
	var list []string
	for _, why := range slices.Sorted(maps.Keys(most)) {
		list = append(list, fmt.Sprintf("%s %d", why, most[why]))
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, "; ")
}

// searchVersions says which programs search beside ripgrep, whose versions
// are its names.
func searchVersions(ctx context.Context) string {
	var list []string
	for _, name := range []string{"git", "grep"} {
		out, err := exec.CommandContext(ctx, name, "--version").Output()
		if err == nil {
			first, _, _ := strings.Cut(string(out), "\n")
			list = append(list, first)
		}
	}
	return strings.Join(list, ", ")
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

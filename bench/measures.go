package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// What the other side of a row is called.
const (
	filesystem = "server-filesystem"
	sed        = "sed"
)

// ours starts Burin.
func (b *bench) ours(ctx context.Context, dialect string, more ...string) (*server, error) {
	args := append([]string{b.burin, "mcp", "--root", b.dir, "--dialect", dialect}, more...)
	return launch(ctx, "burin", args...)
}

// theirs starts the other server.
func (b *bench) theirs(ctx context.Context) (*server, error) {
	return launch(ctx, filesystem, append(b.peer[:2:2], b.dir)...)
}

// both starts one of each.
func (b *bench) both(ctx context.Context, dialect string, more ...string) (ours, theirs *server, err error) {
	if ours, err = b.ours(ctx, dialect, more...); err != nil {
		return nil, nil, err
	}
	if theirs, err = b.theirs(ctx); err != nil {
		ours.close()
		return nil, nil, err
	}
	return ours, theirs, nil
}

// start measures how long a person waits for a server.
func (b *bench) start(ctx context.Context) error {
	var time, memory rounds
	for round := range b.rounds(16) + 1 {
		ours, theirs, err := b.both(ctx, "native")
		if err != nil {
			return err
		}
		a, _, errA := resident(ours.cmd.Process.Pid)
		c, _, errC := resident(theirs.cmd.Process.Pid)
		ours.close()
		theirs.close()
		if round == 0 {
			continue // both come from the disk
		}
		time.add(ms(ours.started), ms(theirs.started))
		if errA == nil && errC == nil {
			memory.add(a, c)
		}
	}
	b.report.add(time.row("start to initialize", filesystem, "ms", 0.1))
	if len(memory.ours) > 0 {
		b.report.add(memory.row("resident memory, idle after initialize", filesystem, "MB", 0.3))
	}
	return nil
}

// read measures reading a whole file.
func (b *bench) read(ctx context.Context) error {
	for _, m := range []struct {
		title, dialect string
		size, calls    int
		wanted         float64
	}{
		{"read of 16 KB, whole text (mini)", "mini", 16 << 10, 20, 0.25},
		{"read of 16 KB, numbered page (native)", "native", 16 << 10, 20, 0.25},
		{"read of 1 MB, whole text (mini)", "mini", 1 << 20, 5, 0.1},
	} {
		if err := b.readOf(ctx, m.title, m.dialect, m.size, m.calls, m.wanted); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) readOf(ctx context.Context, title, dialect string, size, calls int, wanted float64) error {
	content := textOf(size)
	path, err := b.write("read", fmt.Sprintf("%d.txt", size), content)
	if err != nil {
		return err
	}
	ours, theirs, err := b.both(ctx, dialect, "--durability", "fast")
	if err != nil {
		return err
	}
	defer ours.close()
	defer theirs.close()
	a, c := readRequest(dialect, path), theirRead(path)
	for range 3 * calls { // warm: the other side compiles while it runs
		if err := checkRead(ours, a, dialect, content); err != nil {
			return err
		}
		if err := checkRead(theirs, c, "", content); err != nil {
			return err
		}
	}
	r, err := compare(b.rounds(24), calls,
		func() (time.Duration, error) { d, _, err := ours.call(a); return d, err },
		func() (time.Duration, error) { d, _, err := theirs.call(c); return d, err })
	if err != nil {
		return err
	}
	b.report.add(r.row(title, filesystem, "ms", wanted))
	return nil
}

func readRequest(dialect, path string) request {
	if dialect == "native" {
		return newRequest("Read", map[string]any{"file_path": path})
	}
	return newRequest("read_file", map[string]any{"path": path})
}

func theirRead(path string) request {
	return newRequest("read_text_file", map[string]any{"path": path})
}

func checkRead(s *server, r request, dialect string, want []byte) error {
	_, line, err := s.call(r)
	if err != nil {
		return err
	}
	id, got, err := text(line)
	if err != nil {
		return s.fail(err)
	}
	if got = unnumbered(dialect, got); id != s.id || got != string(want) {
		return fmt.Errorf("%s: the text read is not that of the file (%d bytes, want %d)", s.name, len(got), len(want))
	}
	return nil
}

// unnumbered returns the lines of an answer as they are in the file: without
// their numbers and what stands before or after them.
func unnumbered(dialect, answer string) string {
	switch dialect {
	case "mini": // a line with the name before; a piece after the last line feed
		_, answer, _ = strings.Cut(answer, "\n")
	case "native": // a line with what was shown after
		answer = answer[:strings.LastIndexByte(answer, '\n')+1]
	default:
		return answer
	}
	var b strings.Builder
	b.Grow(len(answer))
	for line := range strings.Lines(answer) {
		_, rest, _ := strings.Cut(line, "\t")
		b.WriteString(rest)
	}
	return b.String()
}

// edit measures the replacement of one short text that stands once.
func (b *bench) edit(ctx context.Context) error {
	for _, m := range []struct {
		title, durability string
		size, calls       int
		wanted            float64
	}{
		{"edit in 16 KB, without sync", "fast", 16 << 10, 10, 0.3},
		{"edit in 16 KB, synced (theirs never is)", "full", 16 << 10, 10, 0},
		{"edit in 1 MB, without sync", "fast", 1 << 20, 4, 0.05},
	} {
		if err := b.editOf(ctx, m.title, m.durability, m.size, m.calls, m.wanted); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) editOf(ctx context.Context, title, durability string, size, calls int, wanted float64) error {
	ours, theirs, err := b.both(ctx, "native", "--durability", durability)
	if err != nil {
		return err
	}
	defer ours.close()
	defer theirs.close()
	name := fmt.Sprintf("%d-%s.txt", size, durability)
	a, err := b.newCoin("edit-ours", name, size, ourEdit)
	if err != nil {
		return err
	}
	c, err := b.newCoin("edit-theirs", name, size, theirEdit)
	if err != nil {
		return err
	}
	for range 3 * calls {
		if _, err := a.flip(ours); err != nil {
			return err
		}
		if _, err := c.flip(theirs); err != nil {
			return err
		}
	}
	r, err := compare(b.rounds(24), calls,
		func() (time.Duration, error) { return a.flip(ours) },
		func() (time.Duration, error) { return c.flip(theirs) })
	if err != nil {
		return err
	}
	if err := errors.Join(a.check(), c.check()); err != nil {
		return err
	}
	b.report.add(r.row(title, filesystem, "ms", wanted))
	return nil
}

// A coin is a file with the coin, which each edit turns.
type coin struct {
	path    string
	content []byte // with heads
	turn    [2]request
	flips   int
}

func (b *bench) newCoin(folder, name string, size int, edit func(path, old, new string) request) (*coin, error) {
	c := &coin{content: textOf(size)}
	var err error
	if c.path, err = b.write(folder, name, c.content); err != nil {
		return nil, err
	}
	c.turn = [2]request{edit(c.path, heads, tails), edit(c.path, tails, heads)}
	return c, nil
}

func ourEdit(path, old, new string) request {
	return newRequest("Edit", map[string]any{"file_path": path, "old_string": old, "new_string": new})
}

func theirEdit(path, old, new string) request {
	return newRequest("edit_file", map[string]any{"path": path,
		"edits": []any{map[string]any{"oldText": old, "newText": new}}})
}

// flip turns the coin. The first time it checks the file as well.
func (c *coin) flip(s *server) (time.Duration, error) {
	d, _, err := s.call(c.turn[c.flips%2])
	if err != nil {
		return 0, err
	}
	if c.flips++; c.flips <= 2 {
		err = c.check()
	}
	return d, err
}

// check compares the whole file with what it has to be after all flips.
func (c *coin) check() error {
	want := c.content
	if c.flips%2 == 1 {
		want = bytes.Replace(want, []byte(heads), []byte(tails), 1)
	}
	return same(c.path, want)
}

// large measures the same in a file of 100 MB, of which the other side gets
// one round: it may take minutes.
func (b *bench) large(ctx context.Context) error {
	const size, title = 100 << 20, "edit in 100 MB, without sync (theirs once)"
	if b.quick {
		b.report.add(row{Measure: title, Peer: filesystem, Skipped: "left out by -quick"})
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	ours, theirs, err := b.both(limited, "native", "--durability", "fast")
	if err != nil {
		return err
	}
	defer ours.close()
	defer theirs.close()
	a, err := b.newCoin("large-ours", "100MB.txt", size, ourEdit)
	if err != nil {
		return err
	}
	defer os.Remove(a.path)
	c, err := b.newCoin("large-theirs", "100MB.txt", size, theirEdit)
	if err != nil {
		return err
	}
	defer os.Remove(c.path)
	for range 2 {
		if _, err := a.flip(ours); err != nil {
			return err
		}
	}
	mine, err := times(7, func() (time.Duration, error) { return a.flip(ours) })
	if err != nil {
		return err
	}
	their, err := c.flip(theirs)
	if limited.Err() != nil && ctx.Err() == nil {
		b.report.add(row{Measure: title, Peer: filesystem, Skipped: fmt.Sprintf("ours %s ms; theirs was stopped after 15 minutes", figure(mine))})
		return nil
	}
	if err == nil {
		err = errors.Join(a.check(), c.check())
	}
	if err != nil {
		return err
	}
	var r rounds
	r.add(mine, ms(their))
	b.report.add(r.row(title, filesystem, "ms", 0))
	_, p, errA := resident(ours.cmd.Process.Pid)
	_, q, errC := resident(theirs.cmd.Process.Pid)
	if errA == nil && errC == nil {
		var r rounds
		r.add(p, q)
		b.report.add(r.row("peak memory, edit in 100 MB", filesystem, "MB", 0))
	}
	return nil
}

// parallel measures many reads that are sent without waiting for answers.
func (b *bench) parallel(ctx context.Context) error {
	const files = 200
	ours, theirs, err := b.both(ctx, "mini")
	if err != nil {
		return err
	}
	defer ours.close()
	defer theirs.close()
	var contents []string
	var a, c []request
	for i := range files {
		content := append([]byte(fmt.Sprintf("file %d\n", i)), textOf(16<<10)...)
		path, err := b.write("parallel", fmt.Sprintf("%d.txt", i), content)
		if err != nil {
			return err
		}
		contents = append(contents, string(content))
		a, c = append(a, readRequest("mini", path)), append(c, theirRead(path))
	}
	for range 3 {
		if _, err := ours.burst(a, "mini", contents); err != nil {
			return err
		}
		if _, err := theirs.burst(c, "", contents); err != nil {
			return err
		}
	}
	r, err := compare(b.rounds(12), 1,
		func() (time.Duration, error) { return ours.burst(a, "mini", nil) },
		func() (time.Duration, error) { return theirs.burst(c, "", nil) })
	if err != nil {
		return err
	}
	b.report.add(r.row("200 reads of 16 KB at once", filesystem, "ms", 0))
	return nil
}

// burst sends requests at once and waits for all answers. Where contents are
// given, each answer has to show the text of its file.
func (s *server) burst(list []request, dialect string, contents []string) (time.Duration, error) {
	first := s.id + 1
	var send []byte
	for _, r := range list {
		send = append(send, s.encode(r)...)
	}
	written := make(chan error, 1)
	began := time.Now()
	go func() {
		_, err := s.in.Write(send)
		written <- err
	}()
	var lines [][]byte
	for range list {
		line, err := s.answer()
		switch {
		case err != nil:
			return 0, s.fail(err)
		case len(line) < 16<<10: // it has to hold the text
			return 0, s.fail(fmt.Errorf("not the text of the file: %s", line[:min(len(line), 500)]))
		case contents != nil:
			lines = append(lines, bytes.Clone(line))
		}
	}
	took := time.Since(began)
	if err := <-written; err != nil {
		return 0, s.fail(err)
	}
	if contents == nil {
		return took, nil
	}
	seen := map[int]bool{}
	for _, line := range lines {
		id, got, err := text(line)
		if err != nil {
			return 0, s.fail(err)
		}
		i := id - first
		if i < 0 || i >= len(list) || seen[id] || unnumbered(dialect, got) != contents[i] {
			return 0, s.fail(fmt.Errorf("answer %d does not show the file that was asked for", id))
		}
		seen[id] = true
	}
	return took, nil
}

// memory measures what stays resident after work.
func (b *bench) memory(ctx context.Context) error {
	calls, title := 10_000, "resident memory, after 10,000 reads of 16 KB"
	if b.quick {
		calls, title = 1_000, "resident memory, after 1,000 reads of 16 KB"
	}
	ours, theirs, err := b.both(ctx, "mini", "--durability", "fast")
	if err != nil {
		return err
	}
	defer ours.close()
	defer theirs.close()
	if _, _, err := resident(ours.cmd.Process.Pid); err != nil {
		b.report.add(row{Measure: title, Peer: filesystem, Skipped: err.Error()})
		return nil
	}
	small, err := b.write("memory", "small.txt", textOf(16<<10))
	if err != nil {
		return err
	}
	a, c := readRequest("mini", small), theirRead(small)
	for range calls {
		if _, _, err := ours.call(a); err != nil {
			return err
		}
		if _, _, err := theirs.call(c); err != nil {
			return err
		}
	}
	if err := b.addMemory(ours, theirs, title, ""); err != nil {
		return err
	}
	if err := b.workOn1MB(ours, theirs); err != nil {
		return err
	}
	return b.addMemory(ours, theirs, "resident memory, after 20 reads and edits of 1 MB more", "peak memory of all these calls")
}

// workOn1MB reads and edits a file of 1 MB on both sides.
func (b *bench) workOn1MB(ours, theirs *server) error {
	mine, err := b.newCoin("memory", "ours.txt", 1<<20, func(path, old, new string) request {
		return newRequest("edit_file", map[string]any{"path": path, "old_string": old, "new_string": new})
	})
	if err != nil {
		return err
	}
	their, err := b.newCoin("memory", "theirs.txt", 1<<20, theirEdit)
	if err != nil {
		return err
	}
	for range 20 {
		_, _, err1 := ours.call(readRequest("mini", mine.path))
		_, _, err2 := theirs.call(theirRead(their.path))
		_, err3 := mine.flip(ours)
		_, err4 := their.flip(theirs)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return err
		}
	}
	return errors.Join(mine.check(), their.check())
}

func (b *bench) addMemory(ours, theirs *server, title, peakTitle string) error {
	now1, peak1, err1 := resident(ours.cmd.Process.Pid)
	now2, peak2, err2 := resident(theirs.cmd.Process.Pid)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	var now, peak rounds
	now.add(now1, now2)
	b.report.add(now.row(title, filesystem, "MB", 0.3))
	if peakTitle != "" {
		peak.add(peak1, peak2)
		b.report.add(peak.row(peakTitle, filesystem, "MB", 0.3))
	}
	return nil
}

// lines measures reading 2,000 lines at the end of a log of 1 GB, by their
// numbers, as sed does it; and by counting from the end, which is the way of
// the other server.
func (b *bench) lines(ctx context.Context) error {
	const count = 2000
	titles := []string{"2,000 lines at the end of 1 GB, first read", "the same, second read"}
	tool, err := exec.LookPath("sed")
	if err != nil {
		b.report.add(row{Measure: titles[0], Peer: sed, Skipped: "there is no sed on this machine"})
		return nil
	}
	path := filepath.Join(b.dir, "log.txt")
	defer os.Remove(path)
	fmt.Fprintln(os.Stderr, "  writing a log of 1 GB …")
	total, err := writeLog(path)
	if err != nil {
		b.report.add(row{Measure: titles[0], Peer: sed, Skipped: err.Error()})
		return nil
	}
	runSed := func() (time.Duration, []byte, error) {
		c := exec.CommandContext(ctx, tool, "-n", fmt.Sprintf("%d,%dp", total-count+1, total), path)
		began := time.Now()
		out, err := c.Output()
		return time.Since(began), out, err
	}
	_, want, err := runSed()
	if err != nil {
		return err
	}
	small, err := b.write("lines", "small.txt", []byte("warm\n"))
	if err != nil {
		return err
	}
	r := newRequest("Read", map[string]any{"file_path": path, "offset": total - count + 1, "limit": count, "max_chars": 500_000})
	var first, second rounds
	var memory float64
	for range b.rounds(7) {
		d1, d2, mb, err := b.logReads(ctx, small, r, want)
		if err != nil {
			return err
		}
		ds, _, err := runSed()
		if err != nil {
			return err
		}
		first.add(d1, ms(ds))
		second.add(d2, ms(ds))
		memory = max(memory, mb)
	}
	b.report.add(first.row(titles[0], sed, "ms", 0.2))
	b.report.add(second.row(titles[1], sed, "ms", 0.001))
	return b.fromTheEnd(ctx, path, want)
}

// logReads reads the same lines in a new session: once, and then again.
func (b *bench) logReads(ctx context.Context, small string, r request, want []byte) (first, second, peak float64, err error) {
	s, err := b.ours(ctx, "native")
	if err != nil {
		return 0, 0, 0, err
	}
	defer s.close()
	for range 20 {
		if _, _, err := s.call(readRequest("native", small)); err != nil {
			return 0, 0, 0, err
		}
	}
	d, _, err := s.call(r)
	if err != nil {
		return 0, 0, 0, err
	}
	first = ms(d)
	if err := checkRead(s, r, "native", want); err != nil {
		return 0, 0, 0, err
	}
	second, err = times(20, func() (time.Duration, error) { d, _, err := s.call(r); return d, err })
	_, peak, _ = resident(s.cmd.Process.Pid)
	return first, second, peak, err
}

// fromTheEnd compares with the other server, which can count from the end
// alone.
func (b *bench) fromTheEnd(ctx context.Context, path string, want []byte) error {
	ours, theirs, err := b.both(ctx, "native")
	if err != nil {
		return err
	}
	defer ours.close()
	defer theirs.close()
	a := newRequest("Read", map[string]any{"file_path": path, "offset": -2000, "max_chars": 500_000})
	// It counts what follows the last line feed as a line.
	c := newRequest("read_text_file", map[string]any{"path": path, "tail": 2001})
	for range 3 {
		if err := errors.Join(checkRead(ours, a, "native", want), checkRead(theirs, c, "", want)); err != nil {
			return err
		}
	}
	r, err := compare(b.rounds(12), 3,
		func() (time.Duration, error) { d, _, err := ours.call(a); return d, err },
		func() (time.Duration, error) { d, _, err := theirs.call(c); return d, err })
	if err != nil {
		return err
	}
	b.report.add(r.row("the same, counted from the end", filesystem, "ms", 0))
	return nil
}

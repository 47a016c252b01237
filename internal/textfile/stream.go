package textfile

import "context"

// stream walks a line that is too long to be held, piece by piece. It keeps
// the text that the page can take, counts the rest, and sets Text, Total and
// End of the line.
func (p *pager) stream(ctx context.Context, l *Run) error {
	// One unit more than fits shows whether the last character is cut.
	s := &streamer{pager: p, from: l.From, to: l.From + p.Max + 1}
	var err error
	if l.End, err = s.run(ctx, l.Start); err != nil {
		return err
	}
	if s.splits {
		return &ColumnError{Column: l.From, Total: s.seen, Splits: true}
	}
	l.Text, l.Total = s.kept, s.seen
	return nil
}

type streamer struct {
	*pager
	from, to int   // units to be kept
	texts    arena // of one piece
	buf      []byte

	seen   int // units
	kept   []byte
	splits bool // from lies inside a character
}

// run reads until the line ends and returns the offset after it.
func (s *streamer) run(ctx context.Context, at int64) (int64, error) {
	for at < s.size {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		b, err := s.piece(at)
		if err != nil {
			return 0, err
		}
		end := indexFeed(b, s.Form.Encoding)
		switch {
		case end >= 0:
			b = b[:end]
		case at+int64(len(b)) < s.size:
			b = b[:s.wholeChars(b)]
		}
		s.texts.reset()
		s.take(s.show(&s.texts, b))
		at += int64(len(b))
		if end >= 0 {
			break
		}
	}
	return at, nil
}

func (s *streamer) piece(at int64) ([]byte, error) {
	n := min(blockSize, s.size-at)
	if s.mem != nil {
		return s.mem[at : at+n], nil
	}
	if s.buf == nil {
		s.buf = make([]byte, blockSize)
	}
	return s.buf[:n], readFull(s.src, s.buf[:n], at)
}

// wholeChars returns how many bytes of b, a piece with more after it, are
// whole characters, and no CR that belongs to the line feed after it.
func (s *streamer) wholeChars(b []byte) int {
	n := len(b)
	switch e := s.Form.Encoding; {
	case e.wide:
		if highHalf(e, b[n-2:]) || unit(b[n-2:], e) == '\r' {
			n -= 2
		}
		return n
	case e == UTF8:
		n -= cutRune(b)
	case !e.single():
		n = e.boundary(b)
	}
	if n == len(b) && b[n-1] == '\r' {
		n--
	}
	return n
}

// take keeps of the next text what lies between from and to.
func (s *streamer) take(text []byte) {
	size := s.Units.Count(text)
	from, to := s.from-s.seen, s.to-s.seen
	s.seen += size
	if to <= 0 || from > size {
		return
	}
	start, stop := 0, len(text)
	if from > 0 {
		var ok bool
		if start, ok = s.Units.offset(text, from); !ok {
			s.splits = true
		}
	}
	if to < size {
		stop, _ = s.Units.offset(text, to)
	}
	s.kept = append(s.kept, text[start:max(start, stop)]...)
}

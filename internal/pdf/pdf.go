// Package pdf reads PDF files: how many pages, the text of a page, a picture
// of a page. The work is done by PDFium, which runs as WebAssembly inside this
// process: it sees the bytes of one file and nothing else, neither the disk
// nor the network nor the memory of the program. Nothing is started before the
// first file is opened.
//
// A document holds one of few places (two) until it is closed. Every call ends
// when its context does, and after a while in any case; a file that makes
// PDFium crash, hang or eat memory fails that one call.
package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	pdfium_errors "github.com/klippa-app/go-pdfium/errors"

	"github.com/burin-tools/burin/tool"
)

const (
	// MaxSize is the size in bytes of the largest file that Open takes.
	MaxSize = 100 << 20

	// timeout is how long opening, or the work on one page, may take.
	timeout = 30 * time.Second

	// headSize is where PDFium, like other readers, looks for the mark "%PDF-".
	headSize = 1024
)

// Options say how a document is opened. The zero value is for a document
// without a password.
type Options struct {
	Password string // of the reader or the owner; "" is tried in any case
}

// A Document is an open PDF. Its methods may be called by several goroutines,
// which then wait for each other.
type Document struct {
	Title, Author string
	Encrypted     bool // it is, although the empty or the given password opens it
	pages         int

	src      io.ReaderAt
	size     int64
	password string
	timeout  time.Duration
	turn     chan struct{} // holds a value while a call runs
	in       *instance     // nil after a failure, until the next call
	closed   bool
}

// Open opens a PDF of size bytes, which must not change until the document is
// closed. A broken table of contents is repaired on the way. It waits for a
// place, and the first call in a process for PDFium to start: a tenth of a
// second, some seconds where its machine code is not in the cache yet.
//
// Errors are of the kinds TooLarge, Invalid (not a PDF), Encrypted, Damaged
// and Timeout, or say that reading src or the context failed.
func Open(ctx context.Context, src io.ReaderAt, size int64, o Options) (*Document, error) {
	if err := look(src, size); err != nil {
		return nil, err
	}
	d := &Document{src: src, size: size, password: o.Password, timeout: timeout, turn: make(chan struct{}, 1)}
	if err := takePlace(ctx); err != nil {
		return nil, err
	}
	about, err := call(ctx, d, "the PDF", (*instance).about)
	if err == nil && about.pages == 0 {
		err = &tool.Error{Kind: tool.Damaged, Reason: "the PDF has no pages"}
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	d.Title, d.Author, d.Encrypted, d.pages = about.title, about.author, about.encrypted, about.pages
	return d, nil
}

// Pages returns how many pages there are, at least 1.
func (d *Document) Pages() int { return d.pages }

// Close waits for a running call and gives the place back. It may be called
// more than once.
func (d *Document) Close() {
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	if d.closed {
		return
	}
	d.closed = true
	if d.in != nil {
		d.in.close()
		d.in = nil
	}
	givePlace()
}

// look refuses what need not be shown to PDFium.
func look(src io.ReaderAt, size int64) error {
	if size > MaxSize {
		return &tool.Error{Kind: tool.TooLarge,
			Reason: fmt.Sprintf("the PDF has %d bytes, more than the limit of %d (%d MiB)", size, MaxSize, MaxSize>>20),
			Next:   "Split it with a command such as qpdf or pdfseparate, and read the parts."}
	}
	head := make([]byte, min(max(size, 0), headSize))
	if _, err := src.ReadAt(head, 0); err != nil && err != io.EOF {
		return err
	}
	if !bytes.Contains(head, []byte("%PDF-")) {
		return &tool.Error{Kind: tool.Invalid, Reason: "it is not a PDF: the mark %PDF- is not in its first bytes"}
	}
	return nil
}

// check refuses a page number that does not exist.
func (d *Document) check(page int) error {
	if page < 1 || page > d.pages {
		return outside(page, d.pages)
	}
	return nil
}

var errSlow = errors.New("took too long")

// call lets f work on the document, alone, and within the time that ctx and
// the document allow. After a failure the instance is thrown away, whatever it
// was: the next call starts with a new one. The failure is worded; what is the
// subject of the sentence.
func call[T any](ctx context.Context, d *Document, what string, f func(*instance) (T, error)) (result T, err error) {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return result, ctx.Err()
	}
	if d.closed {
		return result, &tool.Error{Kind: tool.Internal, Reason: "the PDF was closed already"}
	}
	// The time for the start of PDFium is not that of the document.
	if _, err := pool(ctx); err != nil {
		return result, word(what, d.timeout, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, d.timeout, errSlow)
	defer cancel()
	if d.in == nil {
		if d.in, err = open(ctx, d.src, d.size, d.password); err != nil {
			return result, word(what, d.timeout, err)
		}
	}
	if result, err = within(ctx, d.in, f); err != nil {
		d.in = nil
	}
	return result, word(what, d.timeout, err)
}

// word turns a failure into one that an agent can act on.
func word(what string, limit time.Duration, err error) error {
	wrong := func(kind tool.Kind, reason, next string) error {
		return &tool.Error{Kind: kind, Reason: what + " " + reason, Next: next, Err: err}
	}
	var read *readError
	var known *tool.Error
	switch {
	case err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &read):
		return read.err
	case errors.Is(err, errSlow):
		return wrong(tool.Timeout, fmt.Sprintf("took longer than %v and was given up", limit), "Go on with other pages.")
	case errors.Is(err, pdfium_errors.ErrPassword):
		return wrong(tool.Encrypted, "is encrypted and the password is missing or wrong", "Ask the user for the password, or for a copy without one.")
	case errors.Is(err, pdfium_errors.ErrSecurity):
		return wrong(tool.Encrypted, "is encrypted in a way that is not supported, so that no password opens it", "Ask the user for a copy without encryption.")
	case errors.Is(err, pdfium_errors.ErrFormat), errors.Is(err, pdfium_errors.ErrFile):
		return wrong(tool.Damaged, "is damaged and cannot be parsed, and repair failed", "Ask for another copy of the file.")
	case errors.Is(err, pdfium_errors.ErrPage):
		return wrong(tool.Damaged, "is damaged and cannot be parsed", "Go on with other pages.")
	case errors.Is(err, errStart):
		return &tool.Error{Kind: tool.Internal, Reason: err.Error(), Err: err}
	}
	return wrong(tool.Damaged, "made the PDF engine fail: it is damaged or needs too much memory", "Go on with other pages.")
}

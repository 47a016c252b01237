package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	pdfium_errors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// An instance is a PDFium of its own with one document in it. It serves one
// call at a time and does not live on after an error.
type instance struct {
	pdfium.Pdfium
	src   *source
	doc   references.FPDF_DOCUMENT
	forms bool

	page   references.FPDF_PAGE // the one that is loaded
	number int                  // its number, 0 for none
}

// open makes an instance with the document.
func open(ctx context.Context, src io.ReaderAt, size int64, password string) (*instance, error) {
	p, err := pool(ctx)
	if err != nil {
		return nil, err
	}
	machine, err := newMachine(p)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errStart, err)
	}
	in := &instance{Pdfium: machine, src: newSource(src, size)}
	_, err = within(ctx, in, func(in *instance) (struct{}, error) {
		return struct{}{}, in.load(password)
	})
	if err != nil {
		return nil, err
	}
	return in, nil
}

// newMachine takes two milliseconds, and panics where there is no memory.
func newMachine(p pdfium.Pool) (machine pdfium.Pdfium, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("no memory: %v", p)
		}
	}()
	return p.GetInstance(time.Minute)
}

// load opens the document, with the empty password if that works.
func (in *instance) load(password string) error {
	request := &requests.OpenDocument{FileReader: in.src, FileReaderSize: in.src.size}
	opened, err := in.OpenDocument(request)
	if errors.Is(err, pdfium_errors.ErrPassword) && password != "" {
		request.Password = &password
		opened, err = in.OpenDocument(request)
	}
	if err != nil {
		return err
	}
	in.doc = opened.Document
	form, err := in.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: in.doc})
	if err != nil {
		return err
	}
	in.forms = form.FormType != enums.FPDF_FORMTYPE_NONE
	return nil
}

type about struct {
	title, author string
	encrypted     bool
	pages         int
}

func (in *instance) about() (a about, err error) {
	count, err := in.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: in.doc})
	if err != nil {
		return a, err
	}
	security, err := in.FPDF_GetSecurityHandlerRevision(&requests.FPDF_GetSecurityHandlerRevision{Document: in.doc})
	if err != nil {
		return a, err
	}
	a = about{pages: count.PageCount, encrypted: security.SecurityHandlerRevision >= 0}
	a.title = in.meta("Title")
	a.author = in.meta("Author")
	return a, nil
}

// meta returns an entry of the information about the document as one line.
func (in *instance) meta(tag string) string {
	text, err := in.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: in.doc, Tag: tag})
	if err != nil {
		return ""
	}
	return oneLine(text.Value)
}

// show makes number, from 1, the page that is loaded. What is filled into a
// form is no part of a page, so it is drawn into it first.
func (in *instance) show(number int) error {
	if in.number == number {
		return nil
	}
	if err := in.leave(); err != nil {
		return err
	}
	if err := in.enter(number); err != nil || !in.forms {
		return err
	}
	if _, err := in.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: in.current(), Usage: requests.FPDFPage_FlattenUsageNormalDisplay}); err != nil {
		return nil // it is shown as it is
	}
	if err := in.leave(); err != nil {
		return err
	}
	return in.enter(number)
}

func (in *instance) enter(number int) error {
	loaded, err := in.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: in.doc, Index: number - 1})
	if err != nil {
		return err
	}
	in.page, in.number = loaded.Page, number
	return nil
}

func (in *instance) leave() error {
	if in.number == 0 {
		return nil
	}
	in.number = 0
	_, err := in.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: in.page})
	return err
}

func (in *instance) current() requests.Page { return requests.Page{ByReference: &in.page} }

// close ends a healthy instance.
func (in *instance) close() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	within(ctx, in, func(in *instance) (struct{}, error) { return struct{}{}, in.Close() })
	in.src.detach()
}

// patience is how long a call that was stopped is waited for. What runs in
// WebAssembly looks at its context all the time; only a read of the source can
// take longer.
const patience = 2 * time.Second

// within runs f until it is done or ctx is. It kills the instance when f
// fails, panics or does not end in time.
func within[T any](ctx context.Context, in *instance, f func(*instance) (T, error)) (T, error) {
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				o.err = fmt.Errorf("panic: %v", p)
			}
			done <- o
		}()
		o.result, o.err = f(in)
	}()
	select {
	case o := <-done:
		if o.err != nil {
			in.kill()
			o.err = errors.Join(o.err, in.src.failure())
		}
		return o.result, o.err
	case <-ctx.Done():
		in.kill()
		select {
		case <-done:
		case <-time.After(patience):
		}
		var none T
		if context.Cause(ctx) == errSlow {
			return none, errSlow
		}
		return none, ctx.Err()
	}
}

func (in *instance) kill() {
	in.src.detach()
	in.Kill()
}

// A source is what PDFium reads from, at places of its choice. PDFium is only
// told that a read failed; the reason is kept for us. A source outlives a
// killed instance in tables of the library, so it lets go of its reader.
type source struct {
	reader atomic.Pointer[io.ReaderAt]
	failed atomic.Pointer[readError]
	size   int64
	at     int64
}

type readError struct{ err error }

func (e *readError) Error() string { return e.err.Error() }

func newSource(r io.ReaderAt, size int64) *source {
	s := &source{size: size}
	s.reader.Store(&r)
	return s
}

func (s *source) Seek(offset int64, whence int) (int64, error) {
	if whence != io.SeekStart || offset < 0 {
		return 0, errors.ErrUnsupported
	}
	s.at = offset
	return offset, nil
}

func (s *source) Read(p []byte) (int, error) {
	r := s.reader.Load()
	if r == nil {
		return 0, io.ErrClosedPipe
	}
	n, err := (*r).ReadAt(p, s.at)
	s.at += int64(n)
	if err != nil && err != io.EOF {
		s.failed.Store(&readError{err})
	}
	return n, err
}

func (s *source) detach() { s.reader.Store(nil) }

func (s *source) failure() error {
	if e := s.failed.Load(); e != nil {
		return e
	}
	return nil
}

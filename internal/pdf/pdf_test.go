package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klippa-app/go-pdfium/requests"

	"github.com/burin-tools/burin/tool"
)

func TestMain(m *testing.M) {
	if starting.attempt != nil {
		panic("PDFium is started before anybody asked for it")
	}
	os.Exit(m.Run())
}

var hello = sheet{content: lines(12, "Hello")}

func openBytes(t testing.TB, b []byte, o Options) *Document {
	t.Helper()
	d, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func textOf(t testing.TB, d *Document, page int) string {
	t.Helper()
	text, err := d.Text(context.Background(), page)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestOpen(t *testing.T) {
	plain := makePaper(hello).bytes()
	wrongOffset := bytes.Replace(plain, []byte("startxref\n"), []byte("startxref\n9"), 1)
	for _, c := range []struct {
		name      string
		file      []byte
		password  string
		text      string
		encrypted bool
	}{
		{"plain", plain, "", "Hello", false},
		{"a password for nothing", plain, "secret", "Hello", false},
		{"something before the mark", append([]byte("HTTP/1.1 200 OK\r\n\r\n"), plain...), "", "Hello", false},
		{"table in another place", wrongOffset, "", "Hello", false},
		{"broken table", sample(brokenTable), "", "Hello small PDF", false},
		{"cut in the table", plain[:len(plain)-20], "", "Hello", false},
		{"object streams", sample(objectStreams), "", "Hello", false},
		{"password of the user", sample(lockedAES), "secret", "Hello", true},
		{"password of the owner", sample(lockedAES), "owner", "Hello", true},
		{"only the owner has one", sample(ownerOnly), "", "Hello", true},
		{"only the owner has one, a wrong one", sample(ownerOnly), "wrong", "Hello", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := openBytes(t, c.file, Options{Password: c.password})
			if got := textOf(t, d, 1); got != c.text || d.Encrypted != c.encrypted || d.Pages() != 1 {
				t.Errorf("%q, encrypted %v, %d pages", got, d.Encrypted, d.Pages())
			}
		})
	}
}

func TestOpenFails(t *testing.T) {
	plain := makePaper(hello).bytes()
	garbage := append([]byte("%PDF-1.4\n"), strings.Repeat("0123456789abcdef", 2700000)...)
	for _, c := range []struct {
		name     string
		file     []byte
		password string
		kind     tool.Kind
		mentions string
		next     string
	}{
		{"RC4", sample(lockedRC4), "", tool.Encrypted, "password", "password"},
		{"AES", sample(lockedAES), "", tool.Encrypted, "password", "password"},
		{"wrong password", sample(lockedAES), "wrong", tool.Encrypted, "password", "password"},
		{"half a file", plain[:len(plain)/2], "", tool.Damaged, "cannot be parsed", "copy"},
		{"garbage", garbage, "", tool.Damaged, "cannot be parsed", "copy"},
		{"mark only", []byte("%PDF-1.7"), "", tool.Damaged, "cannot be parsed", "copy"},
		{"no pages", makePaper().bytes(), "", tool.Damaged, "no pages", ""},
		{"text", []byte("# A PDF is nice\n"), "", tool.Invalid, "not a PDF", ""},
		{"nothing", nil, "", tool.Invalid, "not a PDF", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open(context.Background(), bytes.NewReader(c.file), int64(len(c.file)), Options{Password: c.password})
			wantError(t, err, c.kind, c.mentions, c.next)
			// What came before does not matter.
			if got := textOf(t, openBytes(t, sample(brokenTable), Options{}), 1); got != "Hello small PDF" {
				t.Errorf("after the failure: %q", got)
			}
		})
	}
}

func wantError(t *testing.T, err error, kind tool.Kind, mentions, next string) {
	t.Helper()
	e, ok := errors.AsType[*tool.Error](err)
	if !ok || e.Kind != kind || !strings.Contains(e.Error(), mentions) || !strings.Contains(e.Next, next) {
		t.Errorf("error %#v (%v), want %s, %q, next %q", err, err, kind, mentions, next)
	}
}

// mute is a reader that fails.
type mute struct{ err error }

func (m mute) ReadAt([]byte, int64) (int, error) { return 0, m.err }

func TestTooLarge(t *testing.T) {
	_, err := Open(context.Background(), mute{errors.New("was read")}, MaxSize+1, Options{})
	wantError(t, err, tool.TooLarge, fmt.Sprint(MaxSize), "Split")
	wantError(t, err, tool.TooLarge, fmt.Sprint(MaxSize+1), "")
}

// failing reads from a file that breaks after some reads.
type failing struct {
	io.ReaderAt
	after int
	err   error
}

func (f *failing) ReadAt(p []byte, at int64) (int, error) {
	if f.after--; f.after < 0 {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(p, at)
}

func TestReadFails(t *testing.T) {
	b := makePaper(hello).bytes()
	broken := errors.New("input/output error")
	for after := range 3 {
		_, err := Open(context.Background(), &failing{bytes.NewReader(b), after, broken}, int64(len(b)), Options{})
		if !errors.Is(err, broken) {
			t.Errorf("after %d reads: %v", after, err)
		}
	}
}

func TestInformation(t *testing.T) {
	p := makePaper(hello)
	info := p.object("<</Title(A \\(small\\)\\n title)/Author<FEFF00C9006D0069006C0065>>>")
	d := openBytes(t, p.write(fmt.Sprintf("/Info %d 0 R", info)), Options{})
	if d.Title != "A (small) title" || d.Author != "Émile" {
		t.Errorf("%q by %q", d.Title, d.Author)
	}
}

func TestManyPages(t *testing.T) {
	var sheets []sheet
	for i := range 10000 {
		sheets = append(sheets, sheet{content: lines(12, fmt.Sprintf("number %d", i+1))})
	}
	d := openBytes(t, makePaper(sheets...).bytes(), Options{})
	for _, page := range []int{1, 5000, 10000} {
		if got := textOf(t, d, page); got != fmt.Sprintf("number %d", page) {
			t.Errorf("page %d: %q", page, got)
		}
	}
	for _, page := range []int{0, -1, 10001} {
		_, err := d.Text(context.Background(), page)
		wantError(t, err, tool.Invalid, fmt.Sprintf("page %d does not exist, the document has 10000 pages", page), "1 to 10000")
	}
}

// bomb has a first page that draws a form that draws ten forms, and so on: ten
// to the power of levels in all. The second page says Hello.
func bomb(levels int) []byte {
	p := makePaper(sheet{content: "/X0 Do", resources: "/XObject<</X0 8 0 R>>"}, hello)
	for i := range levels {
		content := strings.Repeat(fmt.Sprintf("/X%d Do ", i+1), 10)
		p.stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 200 100]/Resources<</XObject<</X%d %d 0 R>>>>", i+1, 9+i), []byte(content))
	}
	p.stream("/Type/XObject/Subtype/Form/BBox[0 0 200 100]/Resources<</Font<</F1 3 0 R>>>>", []byte(lines(12, "x")))
	return p.bytes()
}

func TestTimeout(t *testing.T) {
	d := openBytes(t, bomb(8), Options{})
	d.timeout = 300 * time.Millisecond
	goroutines := runtime.NumGoroutine()
	begin := time.Now()
	_, err := d.Text(context.Background(), 1)
	wantError(t, err, tool.Timeout, "page 1 took longer than 300ms", "other pages")
	if took := time.Since(begin); took > patience {
		t.Errorf("it took %v to stop", took)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, %d before: it still runs", n, goroutines)
	}
	if got := textOf(t, d, 2); got != "Hello" {
		t.Errorf("page 2 afterwards: %q", got)
	}
}

func TestCancel(t *testing.T) {
	d := openBytes(t, bomb(8), Options{})
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(200*time.Millisecond, cancel)
	begin := time.Now()
	_, _, _, _, err := d.Render(ctx, 1, RenderOptions{})
	if !errors.Is(err, context.Canceled) || time.Since(begin) > patience {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
	if got := textOf(t, d, 2); got != "Hello" {
		t.Errorf("page 2 afterwards: %q", got)
	}
	if _, err := Open(ctx, bytes.NewReader(bomb(1)), 1000, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("opened with a context that is over: %v", err)
	}
}

// The bomb needs more memory than an instance gets, and PDFium then traps.
func TestOutOfMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	d := openBytes(t, bomb(8), Options{})
	_, err := d.Text(context.Background(), 1)
	wantError(t, err, tool.Damaged, "memory", "other pages")
	if got := textOf(t, d, 2); got != "Hello" {
		t.Errorf("page 2 afterwards: %q", got)
	}
}

func TestPanic(t *testing.T) {
	d := openBytes(t, makePaper(hello).bytes(), Options{})
	_, err := call(context.Background(), d, "page 1", func(*instance) (int, error) { panic("oh") })
	wantError(t, err, tool.Damaged, "page 1", "")
	if got := textOf(t, d, 1); got != "Hello" {
		t.Errorf("afterwards: %q", got)
	}
}

// A third document waits until one of two is closed, and for no longer than
// its context.
func TestPlaces(t *testing.T) {
	b := makePaper(hello).bytes()
	first, second := openBytes(t, b, Options{}), openBytes(t, b, Options{})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := Open(ctx, bytes.NewReader(b), int64(len(b)), Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a third document: %v", err)
	}
	time.AfterFunc(50*time.Millisecond, first.Close)
	third := openBytes(t, b, Options{})
	if textOf(t, second, 1)+textOf(t, third, 1) != "HelloHello" {
		t.Error("texts differ")
	}
	if _, err := first.Text(context.Background(), 1); tool.KindOf(err) != tool.Internal {
		t.Errorf("text of a closed document: %v", err)
	}
	first.Close()
	if len(taken) != 2 {
		t.Errorf("%d places are taken, want 2", len(taken))
	}
}

// PDFium does not see the disk.
func TestNoFiles(t *testing.T) {
	name := t.TempDir() + "/a.pdf"
	if err := os.WriteFile(name, makePaper(hello).bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	d := openBytes(t, makePaper(hello).bytes(), Options{})
	_, err := call(context.Background(), d, "", func(in *instance) (int, error) {
		opened, err := in.OpenDocument(&requests.OpenDocument{FilePath: &name})
		if err != nil {
			return 0, nil
		}
		return 0, fmt.Errorf("opened %v", opened.Document)
	})
	if err != nil {
		t.Error(errors.Unwrap(err))
	}
}

package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

const (
	// places is how many documents may be open at a time.
	places = 2

	// memoryPages limits the memory of an instance, in pages of 64 KiB: 512 MiB.
	memoryPages = 512 << 20 / (64 << 10)
)

var errStart = errors.New("the PDF engine does not start")

var taken = make(chan struct{}, places)

// takePlace waits until fewer than places documents are open.
func takePlace(ctx context.Context) error {
	select {
	case taken <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func givePlace() { <-taken }

// starting is the one attempt to start PDFium in this process, nil before the
// first, and after one that failed.
var starting struct {
	sync.Mutex
	*attempt
}

type attempt struct {
	done chan struct{} // closed when the rest is set
	pool pdfium.Pool
	err  error
}

// Warm starts PDFium in the background, so that the first document need not
// wait for it. Some 50 MB of memory stay in use.
func Warm() { begin() }

// pool returns the shared pool, and starts it when nobody did. The start goes
// on when ctx ends: it cannot be stopped, and the next call needs it.
func pool(ctx context.Context) (pdfium.Pool, error) {
	a := begin()
	select {
	case <-a.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if a.err != nil {
		return nil, fmt.Errorf("%w: %w", errStart, a.err)
	}
	return a.pool, nil
}

func begin() *attempt {
	starting.Lock()
	defer starting.Unlock()
	if starting.attempt == nil {
		starting.attempt = &attempt{done: make(chan struct{})}
		go starting.run()
	}
	return starting.attempt
}

func (a *attempt) run() {
	a.pool, a.err = start(cacheDir())
	if a.err != nil {
		starting.Lock()
		starting.attempt = nil
		starting.Unlock()
	}
	close(a.done)
}

// start compiles PDFium, or takes the machine code from dir, where it also
// keeps it. A folder that cannot be used is done without; one with damaged
// machine code is removed, so that the next start makes it anew.
func start(dir string) (pdfium.Pool, error) {
	// Compiling takes six times the memory that the result does.
	if !hasEntries(dir) {
		defer debug.FreeOSMemory()
	}
	if cache, err := openCache(dir); err == nil {
		if p, err := compile(config().WithCompilationCache(cache)); err == nil {
			return p, nil
		}
		os.RemoveAll(dir)
	}
	return compile(config())
}

// config is how PDFium is run: stopped with its context, of limited memory.
// The exceptions are what its C code jumps with.
func config() wazero.RuntimeConfig {
	return wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithCloseOnContextDone(true).
		WithMemoryLimitPages(memoryPages)
}

// compile makes the pool. Its instances have no files and no output: without
// the empty FSConfig they would see the whole disk, and what they print would
// get between the messages on our output. An instance serves one document, so
// that nothing of it is left for the next.
func compile(c wazero.RuntimeConfig) (pdfium.Pool, error) {
	return webassembly.Init(webassembly.Config{
		Context:       withMemory(context.Background()),
		MaxTotal:      -1, // takePlace counts
		RuntimeConfig: c,
		FSConfig:      wazero.NewFSConfig(),
		Stdout:        io.Discard,
		Stderr:        io.Discard,
	})
}

// cacheDir returns the folder for machine code, "" where there is none.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "burin", "pdfium")
}

func hasEntries(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0
}

// openCache makes the folder for this user alone: what lies in it is run.
func openCache(dir string) (wazero.CompilationCache, error) {
	if dir == "" {
		return nil, errors.New("no folder for caches")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := private(dir); err != nil {
		return nil, err
	}
	return wazero.NewCompilationCacheWithDir(dir)
}

package workspace

import (
	"context"
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
)

// A bucket is the lock of all files that share a hash. Goroutines of this
// process queue for turn; its holder alone tries the lock file, which is the
// lock between processes.
type bucket struct {
	turn   chan struct{}
	holder atomic.Pointer[Workspace]
}

type bucketKey struct {
	state string
	n     int
}

// inProcess holds the buckets of this process, whichever workspace uses
// them, as a lock between workspaces must be one thing.
var inProcess sync.Map // bucketKey → *bucket

func (s *state) bucket(n int) *bucket {
	key := bucketKey{s.dir, n}
	if b, ok := inProcess.Load(key); ok {
		return b.(*bucket)
	}
	b, _ := inProcess.LoadOrStore(key, &bucket{turn: make(chan struct{}, 1)})
	return b.(*bucket)
}

// bucketOf returns the bucket of a real path.
func bucketOf(real string) int {
	h := fnv.New32a()
	h.Write([]byte(foldCase(real)))
	return int(h.Sum32() % buckets)
}

// Lock keeps other processes and other goroutines from changing the file
// that r names, as long as they ask too, until unlock is called. Replace
// wants it held. It waits no longer than ctx.
//
// Files share 1024 locks: a goroutine that holds one must not ask for a
// second before it has given back the first, or it may wait for itself.
//
// If the last holder was killed in the middle of a Replace, Lock first puts
// its file right.
func (w *Workspace) Lock(ctx context.Context, r Resolved) (unlock func(), err error) {
	if err := w.judged(r); err != nil {
		return nil, err
	}
	n := bucketOf(r.Real)
	b := w.state.bucket(n)
	select {
	case b.turn <- struct{}{}:
	default:
		select {
		case b.turn <- struct{}{}:
		case <-ctx.Done():
			return nil, w.failure("lock", r, ctx.Err())
		}
	}
	file := flock.New(w.state.lockFile(n))
	if err := acquire(ctx, file); err != nil {
		<-b.turn
		return nil, w.failure("lock", r, err)
	}
	b.holder.Store(w)
	if w.state.active(n) {
		w.recover(n)
	}
	return sync.OnceFunc(func() {
		b.holder.Store(nil)
		file.Unlock()
		<-b.turn
	}), nil
}

// tryBucket is Lock for recovery: it takes the bucket only if it is free.
func (w *Workspace) tryBucket(n int) (unlock func(), ok bool) {
	b := w.state.bucket(n)
	select {
	case b.turn <- struct{}{}:
	default:
		return nil, false
	}
	file := flock.New(w.state.lockFile(n))
	if ok, err := file.TryLock(); err != nil || !ok {
		file.Close()
		<-b.turn
		return nil, false
	}
	b.holder.Store(w)
	return func() {
		b.holder.Store(nil)
		file.Unlock()
		<-b.turn
	}, true
}

// acquire takes the lock file. Another process holds it for the time of one
// small write as a rule, so the first tries do not sleep.
func acquire(ctx context.Context, file *flock.Flock) error {
	pause := 50 * time.Microsecond
	for try := 0; ; try++ {
		ok, err := file.TryLock()
		if errors.Is(err, fs.ErrNotExist) && try == 0 { // someone cleaned up the state folder
			if os.MkdirAll(filepath.Dir(file.Path()), 0o700) == nil {
				continue
			}
		}
		if ok {
			return nil
		}
		file.Close()
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if try < 10 {
			runtime.Gosched()
			continue
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		pause = min(pause*3/2, 5*time.Millisecond)
	}
}

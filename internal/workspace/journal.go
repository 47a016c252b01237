package workspace

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The journal is one file for all buckets. Its first bytes say which buckets
// are in the middle of something; each bucket has a slot of its own for what
// that is. To note a change and to strike it out is to overwrite a few bytes
// of a file that is open anyway, which costs a tenth of what making and
// removing a file would.
//
//	0      a byte per bucket: 0 nothing, 1 there is a record
//	4096   slots of slotSize bytes, a record each
//
// A slot starts with a page, so that a record of usual length is written
// whole or not at all.
//
// A record is written under the lock of its bucket. It is not synced: what
// it is for is a killed process, and that leaves the page cache alone. After
// a power cut a temporary file may remain, with content nobody needs.
const (
	slotStart = 4096
	slotSize  = 2 * 4096
)

// A record says what is being done to a file, so that another process can
// put it right.
type record struct {
	kind   recordKind
	target string // real path of the file
	temp   string // name of the temporary file beside it, "" in place
	made   int    // how many folders above target are new
	old    Stamp  // the file that is replaced; Ino 0 when there is none
	ino    uint64 // of the temporary file, 0 when not known yet
}

type recordKind string

const (
	placing   recordKind = "placing"   // a temporary file takes the name of the target
	keeping   recordKind = "keeping"   // backups are being made, target untouched
	rewriting recordKind = "rewriting" // the target is being overwritten, backups are complete
)

const journalMagic = "burin1"

// encode joins the fields by NUL, which no path can hold.
func (rec *record) encode() []byte {
	fields := []string{
		journalMagic, string(rec.kind), rec.target, rec.temp, strconv.Itoa(rec.made),
		strconv.FormatUint(rec.old.Dev, 10), strconv.FormatUint(rec.old.Ino, 10),
		strconv.FormatInt(rec.old.Size, 10), strconv.FormatInt(rec.old.ModTime, 10),
		strconv.FormatUint(rec.ino, 10), "end", "", // a longer record may have been here
	}
	return []byte(strings.Join(fields, "\x00"))
}

func decodeRecord(data []byte) (*record, bool) {
	f := strings.Split(string(data), "\x00")
	if len(f) < 11 || f[0] != journalMagic || f[10] != "end" || !filepath.IsAbs(f[2]) {
		return nil, false
	}
	rec := &record{kind: recordKind(f[1]), target: f[2], temp: f[3]}
	var errs [6]error
	rec.made, errs[0] = strconv.Atoi(f[4])
	rec.old.Dev, errs[1] = strconv.ParseUint(f[5], 10, 64)
	rec.old.Ino, errs[2] = strconv.ParseUint(f[6], 10, 64)
	rec.old.Size, errs[3] = strconv.ParseInt(f[7], 10, 64)
	rec.old.ModTime, errs[4] = strconv.ParseInt(f[8], 10, 64)
	rec.ino, errs[5] = strconv.ParseUint(f[9], 10, 64)
	for _, err := range errs {
		if err != nil {
			return nil, false
		}
	}
	return rec, rec.temp == "" || isTempName(rec.temp)
}

func (s *state) note(bucket int, rec *record) error {
	data := rec.encode()
	if len(data) > slotSize {
		return fmt.Errorf("journal record of %d bytes is too long", len(data))
	}
	if _, err := s.journal.WriteAt(data, slotStart+int64(bucket)*slotSize); err != nil {
		return err
	}
	_, err := s.journal.WriteAt([]byte{1}, int64(bucket))
	return err
}

// strike takes the record of a bucket out. If that fails the record stays,
// and recovery finds that there is nothing to do.
func (s *state) strike(bucket int) { s.journal.WriteAt([]byte{0}, int64(bucket)) }

// active reports whether a bucket has a record.
func (s *state) active(bucket int) bool {
	var flag [1]byte
	s.journal.ReadAt(flag[:], int64(bucket))
	return flag[0] != 0
}

func (s *state) record(bucket int) (*record, bool) {
	data := make([]byte, slotSize)
	n, err := s.journal.ReadAt(data, slotStart+int64(bucket)*slotSize)
	if err != nil && err != io.EOF {
		return nil, false
	}
	return decodeRecord(data[:n])
}

// recoverAll puts right what processes left that are no longer there. A
// bucket whose lock is held has a living owner.
func (w *Workspace) recoverAll() {
	flags := make([]byte, buckets)
	n, _ := w.state.journal.ReadAt(flags, 0)
	for b, flag := range flags[:n] {
		if flag == 0 {
			continue
		}
		if unlock, ok := w.tryBucket(b); ok {
			if w.state.active(b) { // still, now that we hold it
				w.recover(b)
			}
			unlock()
		}
	}
}

// recover finishes or undoes what the record of a bucket says. It must hold
// the bucket. When it is killed itself, the record is still there.
func (w *Workspace) recover(bucket int) {
	rec, ok := w.state.record(bucket)
	if ok {
		var err error
		switch rec.kind {
		case placing:
			err = w.sweep(rec)
		case rewriting:
			err = w.restore(bucket, rec)
		}
		if err != nil {
			return
		}
	}
	w.dropBackups(bucket)
	w.state.strike(bucket)
}

// sweep removes a temporary file and the new folders that hold nothing else.
// The error is that of the hook; what the system refuses cannot be helped.
func (w *Workspace) sweep(rec *record) error {
	if err := w.step(StepSweep, rec.target); err != nil {
		return err
	}
	dir, err := openFolder("", filepath.Dir(rec.target))
	if err == nil {
		w.sweepTemp(dir, rec)
		dir.close()
	}
	if !exists(rec.target) {
		removeFolders(filepath.Dir(rec.target), rec.made)
	}
	return nil
}

// sweepTemp decides what the file under the temporary name is: ours, the
// replaced one after the exchange, or, when the process died between an
// exchange and its verification, one that somebody else had put in the place
// of the target. That last one gets its name back.
func (w *Workspace) sweepTemp(dir *folder, rec *record) {
	st, err := dir.stat(rec.temp)
	if err != nil || !st.Mode.IsRegular() && rec.ino == 0 {
		return
	}
	ours := rec.ino == 0 || st.Ino == rec.ino
	replaced := st.Dev == rec.old.Dev && st.Ino == rec.old.Ino && st.Size == rec.old.Size && st.ModTime == rec.old.ModTime
	if !ours && !replaced {
		name := filepath.Base(rec.target)
		if now, err := dir.stat(name); err == nil && now.Ino == rec.ino {
			dir.rename(rec.temp, name)
		}
		return
	}
	dir.unlink(rec.temp)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// removeFolders removes up to n folders upwards from path, as long as they
// are empty.
func removeFolders(path string, n int) {
	for ; n > 0; n-- {
		dir, name := filepath.Dir(path), filepath.Base(path)
		up, err := openFolder("", dir)
		if err == nil {
			err = up.rmdir(name)
			up.close()
		}
		if err != nil && !isMissing(err) {
			return
		}
		path = dir
	}
}

// restore puts the backup of a file back that was being rewritten in place.
// It does so only while the content is still a mixture of old and new: when
// somebody has written to the file since, theirs stays. A backup that cannot
// be put back is kept.
func (w *Workspace) restore(bucket int, rec *record) error {
	if err := w.step(StepRestore, rec.target); err != nil {
		return err
	}
	target, err := openForRewrite("", rec.target)
	if err != nil {
		w.keep(bucket, rec)
		return nil
	}
	defer target.Close()
	st, err := stampOf(target)
	if err != nil || st.Ino != rec.old.Ino || st.Dev != rec.old.Dev {
		return nil // another file by now
	}
	mixed, err := isMixture(target, w.state.backup(bucket, "old"), w.state.backup(bucket, "new"))
	if err == nil && mixed {
		err = copyBack(target, w.state.backup(bucket, "old"))
	}
	if err != nil {
		w.keep(bucket, rec)
	}
	return nil
}

// keep puts a backup aside for a person, with a note where it belongs.
func (w *Workspace) keep(bucket int, rec *record) {
	dir := filepath.Join(w.state.dir, "kept")
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	name := filepath.Join(dir, randomHex())
	if os.Rename(w.state.backup(bucket, "old"), name) == nil {
		os.WriteFile(name+".txt", []byte(rec.target+"\n"), 0o600)
	}
}

func (w *Workspace) dropBackups(bucket int) {
	os.Remove(w.state.backup(bucket, "old"))
	os.Remove(w.state.backup(bucket, "new"))
}

// isMixture reports whether each byte of f is that of the old or of the new
// content at its place, or a zero, as in a block that never reached the disk.
func isMixture(f *os.File, oldName, newName string) (bool, error) {
	oldFile, err := os.Open(oldName)
	if err != nil {
		return false, err
	}
	defer oldFile.Close()
	newFile, err := os.Open(newName)
	if err != nil {
		return false, err
	}
	defer newFile.Close()
	var now, was, wanted [32 << 10]byte
	for off := int64(0); ; {
		n, err := f.ReadAt(now[:], off)
		if err != nil && err != io.EOF {
			return false, err
		}
		if n == 0 {
			return true, nil
		}
		a := readSome(oldFile, was[:n], off)
		b := readSome(newFile, wanted[:n], off)
		if !bytes.Equal(now[:n], a) && !bytes.Equal(now[:n], b) && !bytewise(now[:n], a, b) {
			return false, nil
		}
		off += int64(n)
	}
}

func readSome(f *os.File, buf []byte, off int64) []byte {
	n, _ := f.ReadAt(buf, off)
	return buf[:n]
}

func bytewise(now, was, wanted []byte) bool {
	for i, c := range now {
		if c != 0 && !(i < len(was) && was[i] == c) && !(i < len(wanted) && wanted[i] == c) {
			return false
		}
	}
	return true
}

// openForRewrite opens a file for reading and writing by its real path.
func openForRewrite(base, path string) (*os.File, error) {
	dir, err := openFolder(base, filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.close()
	f, err := dir.open(filepath.Base(path), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if st, err := stampOf(f); err != nil || st.Mode.Type() != 0 {
		f.Close()
		return nil, fs.ErrInvalid
	}
	return f, nil
}

// copyBack overwrites an open file by the content of another and syncs it.
func copyBack(f *os.File, from string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	if err := overwrite(f, src); err != nil {
		return err
	}
	return f.Sync()
}

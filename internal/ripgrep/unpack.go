package ripgrep

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	maxProgram  = 64 << 20
	maxUnpacked = 128 << 20
)

// unpack writes the program of a package to a new file. Nothing else is taken
// from the package, and no name in it is used as one.
func unpack(archive, to string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	in := tar.NewReader(io.LimitReader(plain, maxUnpacked))
	for {
		h, err := in.Next()
		if err == io.EOF {
			return errors.New("there is no ripgrep in it")
		}
		if err != nil {
			return err
		}
		if h.Name != "package/bin/"+binary || h.Typeflag != tar.TypeReg {
			continue
		}
		if h.Size > maxProgram {
			return fmt.Errorf("the program in it has %d bytes, more than the %d allowed", h.Size, maxProgram)
		}
		return writeProgram(to, in, h.Size)
	}
}

// writeProgram makes a file that can be run, and has it on disk before it
// gets its name.
func writeProgram(path string, in io.Reader, size int64) error {
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.CopyN(out, in, size)
	return errors.Join(err, out.Chmod(0o755), out.Sync(), out.Close())
}

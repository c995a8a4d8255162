package atomicfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
)

// File is an output that was found writable before the work which fills it. Close gives it up.
type File struct {
	name    string
	special *os.File // what is no regular file is open from the start: opening a FIFO twice would end it for its reader
}

// Open prepares the writing of a file, and changes nothing. A name that cannot be written is an error here. A FIFO is
// waited for until it has a reader, or the context ends.
func Open(ctx context.Context, name string) (*File, error) {
	at, err := locate(name)
	if err != nil {
		return nil, err
	}
	if at.special {
		f, err := openSpecial(ctx, at)
		return &File{name, f}, err
	}
	f, err := at.temporary()
	if err != nil {
		return nil, err
	}
	return &File{name, nil}, errors.Join(f.Close(), os.Remove(f.Name()))
}

// Close gives up the file. What was written stays.
func (f *File) Close() error {
	if f.special == nil {
		return nil
	}
	s := f.special
	f.special = nil
	return s.Close()
}

// Write makes what the function writes the content of the file.
func (f *File) Write(ctx context.Context, write func(io.Writer) error) error {
	if s := f.special; s != nil {
		stop := context.AfterFunc(ctx, func() { s.SetWriteDeadline(past) }) // a reader may never read on
		defer stop()
		err := fill(ctx, s, write)
		return errors.Join(err, f.Close())
	}
	at, err := locate(f.name)
	if err != nil {
		return err
	}
	if at.special { // it has become one
		if f.special, err = openSpecial(ctx, at); err != nil {
			return err
		}
		return f.Write(ctx, write)
	}
	return at.replace(ctx, write)
}

// Write opens a file and makes what the function writes its content.
func Write(ctx context.Context, name string, write func(io.Writer) error) error {
	f, err := Open(ctx, name)
	if err != nil {
		return err
	}
	return f.Write(ctx, write)
}

// WriteBytes makes b the content of a file.
func WriteBytes(ctx context.Context, name string, b []byte) error {
	return Write(ctx, name, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// place is where a name leads to.
type place struct {
	asked   string      // the name as the caller has it, for errors
	path    string      // behind all symbolic links
	info    fs.FileInfo // nil if there is no file yet
	special bool        // no regular file
	fd      int         // of /dev/stdout and the like, else -1
}

// maxLinks bounds a chain of symbolic links as Linux does.
const maxLinks = 40

// locate follows symbolic links to a file, which may not exist.
func locate(name string) (place, error) {
	at := place{asked: name, path: name, fd: -1}
	for range maxLinks {
		if at.fd = descriptor(at.path); at.fd >= 0 {
			at.special = true
			return at, nil
		}
		info, err := os.Lstat(at.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return at, nil
		case err != nil:
			return at, at.because(err)
		case info.IsDir():
			return at, at.because(errors.New("is a directory"))
		case info.Mode()&fs.ModeSymlink == 0:
			at.info, at.special = info, !info.Mode().IsRegular()
			return at, nil
		}
		to, err := os.Readlink(at.path)
		if err != nil {
			return at, at.because(err)
		}
		if !filepath.IsAbs(to) { // joined as it is: "a/.." of a link a is no place to shorten
			dir, _ := filepath.Split(at.path)
			to = dir + to
		}
		at.path = to
	}
	return at, at.because(errors.New("too many symbolic links"))
}

// because is an error that names the file as the caller does.
func (at place) because(err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return &fs.PathError{Op: "write", Path: at.asked, Err: err}
}

// temporary creates the file that will get the name. Its mode is the one that the umask leaves.
func (at place) temporary() (*os.File, error) {
	if at.info != nil {
		f, err := os.OpenFile(at.path, os.O_WRONLY, 0)
		if err != nil {
			return nil, at.because(err)
		}
		f.Close()
	}
	dir, base := filepath.Split(at.path)
	if base == "" {
		return nil, at.because(errors.New("is a directory"))
	}
	mode := fs.FileMode(0o666)
	if at.info != nil {
		mode = 0o600 // until it has the mode of the file, which may be a secret
	}
	for {
		f, err := os.OpenFile(dir+prefix+strconv.FormatUint(rand.Uint64(), 36), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		switch {
		case err == nil:
			return f, nil
		case errors.Is(err, fs.ErrExist):
		case at.info != nil && errors.Is(err, fs.ErrPermission):
			return nil, at.because(fmt.Errorf("%w to create a file in its folder, which a complete replacement needs", fs.ErrPermission))
		default:
			return nil, at.because(err)
		}
	}
}

// prefix begins temporary names; the longest has 19 bytes.
const prefix = ".vyre-"

// written has the names of the temporary files that are being written.
var written sync.Map

// RemoveTemporaries removes what is being written, for a process that ends in between. Where an open file cannot be removed, it
// stays.
func RemoveTemporaries() {
	written.Range(func(name, _ any) bool {
		os.Remove(name.(string))
		return true
	})
}

// replace writes a temporary file and renames it.
func (at place) replace(ctx context.Context, write func(io.Writer) error) error {
	f, err := at.temporary()
	if err != nil {
		return err
	}
	written.Store(f.Name(), nil)
	reached("created")
	renamed := false
	defer func() { // also if write panics
		written.Delete(f.Name())
		if !renamed {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := fill(ctx, f, write); err != nil {
		return at.named(f, err)
	}
	reached("written")
	if at.info != nil {
		if err := keepOwner(f, at.info); err != nil {
			return at.because(err)
		}
		if err := f.Chmod(at.info.Mode().Perm()); err != nil {
			return at.because(err)
		}
	}
	if err := f.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) { // some file systems cannot
		return at.because(err)
	}
	reached("synchronised")
	if err := f.Close(); err != nil {
		return at.because(err)
	}
	reached("closed")
	if err := ctx.Err(); err != nil {
		return at.because(err)
	}
	if err := os.Rename(f.Name(), at.path); err != nil {
		var link *os.LinkError
		if errors.As(err, &link) {
			err = link.Err
		}
		return at.because(err)
	}
	renamed = true
	reached("renamed")
	return nil
}

// reached is told of each step of a file that is being replaced. Tests end the process in one.
var reached = func(step string) {}

// named is an error of the temporary file, whose name says nothing to the caller, as one of the file; other errors stay.
func (at place) named(temporary *os.File, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) && inner.Path == temporary.Name() {
		return at.because(err)
	}
	return err
}

// fill runs a function with a buffered writer that fails when the context has ended.
func fill(ctx context.Context, f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(&until{ctx, f}, 1<<18)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// until is a file that takes nothing after the end of a context.
type until struct {
	ctx context.Context
	f   *os.File
}

// Write writes in pieces, which take a millisecond each.
func (u *until) Write(b []byte) (n int, err error) {
	for {
		if err := u.ctx.Err(); err != nil {
			return n, err
		}
		some, err := u.f.Write(b[:min(len(b), 1<<20)])
		if n, b = n+some, b[some:]; err == nil && len(b) > 0 {
			continue
		}
		if err != nil && u.ctx.Err() != nil {
			err = u.ctx.Err()
		}
		return n, err
	}
}

//go:build unix

package atomicfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// past ends the writing of a FIFO at once.
var past = time.Unix(1, 0)

// again is how long a FIFO without a reader is left alone.
const again = 10 * time.Millisecond

// openSpecial opens what is no regular file. Opening a FIFO would block until there is a reader, whatever becomes of the
// context; therefore it is tried without waiting, again and again.
func openSpecial(ctx context.Context, at place) (*os.File, error) {
	if at.fd >= 0 {
		fd, err := syscall.Dup(at.fd) // shares the offset, as a file opened anew would not
		if err != nil {
			return nil, at.because(err)
		}
		syscall.CloseOnExec(fd)
		return os.NewFile(uintptr(fd), at.asked), nil
	}
	fifo, flags := at.info.Mode()&fs.ModeNamedPipe != 0, os.O_WRONLY|syscall.O_NOCTTY
	if fifo {
		flags |= syscall.O_NONBLOCK
	}
	for {
		f, err := os.OpenFile(at.path, flags, 0)
		if err == nil {
			return f, nil
		}
		if !fifo || !errors.Is(err, syscall.ENXIO) {
			return nil, at.because(err)
		}
		select {
		case <-ctx.Done():
			return nil, at.because(ctx.Err())
		case <-time.After(again):
		}
	}
}

// descriptor is the number of the open file that a name such as /dev/fd/1 stands for, else -1.
func descriptor(name string) int {
	dir, base := filepath.Split(name)
	n, err := strconv.ParseUint(base, 10, 31)
	if err != nil {
		return -1
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return -1
	}
	own := "/proc/" + strconv.Itoa(os.Getpid()) + "/"
	if dir == "/dev/fd" || dir == own+"fd" || strings.HasPrefix(dir, own+"task/") && strings.HasSuffix(dir, "/fd") {
		return int(n)
	}
	return -1
}

// keepOwner gives a file the owner and the group of another. Without the right to do so, the file stays the user's.
func keepOwner(f *os.File, old fs.FileInfo) error {
	was, ok := old.Sys().(*syscall.Stat_t)
	info, err := f.Stat()
	if err != nil || !ok {
		return err
	}
	if is, ok := info.Sys().(*syscall.Stat_t); ok && is.Uid == was.Uid && is.Gid == was.Gid {
		return nil
	}
	if err := f.Chown(int(was.Uid), int(was.Gid)); err == nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	if err := f.Chown(-1, int(was.Gid)); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

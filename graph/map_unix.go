//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package graph

import (
	"os"
	"syscall"
)

// mapFile returns the bytes of a file, which are read when they are looked at.
func mapFile(name string) (b []byte, unmap func() error, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() // the mapping stays
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if size := info.Size(); info.Mode().IsRegular() && size > 0 && int64(int(size)) == size {
		if b, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED); err == nil {
			return b, func() error { return syscall.Munmap(b) }, nil
		}
	}
	return readFile(name)
}

//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package graph

import (
	"os"
	"syscall"
)

// mapFile returns the bytes of a file, which are read when they are looked at, and the file, which says whether it was written.
func mapFile(name string) (b []byte, m mapping, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, mapping{}, err
	}
	info, err := f.Stat()
	if err == nil {
		if size := info.Size(); info.Mode().IsRegular() && size > 0 && int64(int(size)) == size {
			if b, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED); err == nil {
				return b, mapping{func() error { return syscall.Munmap(b) }, f}, nil
			}
		}
		b, m, err = readFile(name)
	}
	f.Close()
	return b, m, err
}

//go:build (amd64 || arm64) && (linux || darwin)

package native

import "syscall"

func reserve(n int) ([]byte, error) {
	return syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
}

func seal(mem []byte) error { return syscall.Mprotect(mem, syscall.PROT_READ|syscall.PROT_EXEC) }

func release(mem []byte) error { return syscall.Munmap(mem) }

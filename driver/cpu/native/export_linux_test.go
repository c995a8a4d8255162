//go:build amd64 || arm64

package native

import "syscall"

// Refuse lets the n-th call that makes memory for code fail, counted from 0, until restore is called; taken is how many
// mappings were made since and not given back.
func Refuse(n int) (taken func() int, restore func()) {
	was, calls, mapped := system, 0, 0
	refused := func() bool { calls++; return calls-1 == n }
	system.mmap = func(fd int, offset int64, length, prot, flags int) ([]byte, error) {
		if refused() {
			return nil, syscall.ENOMEM
		}
		mapped++
		return was.mmap(fd, offset, length, prot, flags)
	}
	system.mprotect = func(mem []byte, prot int) error {
		if refused() {
			return syscall.EACCES
		}
		return was.mprotect(mem, prot)
	}
	system.munmap = func(mem []byte) error {
		mapped--
		return was.munmap(mem)
	}
	return func() int { return mapped }, func() { system = was }
}

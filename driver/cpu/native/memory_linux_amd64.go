package native

import (
	"fmt"
	"syscall"
)

// codePage is memory with machine code: written, then read and executed, never both.
type codePage struct{ mem []byte }

// newCode puts code where it can be executed.
func newCode(code []byte) (*codePage, error) {
	const page = 4096
	mem, err := syscall.Mmap(-1, 0, (len(code)+page-1)/page*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("no memory for machine code: %w", err)
	}
	copy(mem, code)
	if err := syscall.Mprotect(mem, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		_ = syscall.Munmap(mem)
		return nil, fmt.Errorf("memory cannot be made executable: %w", err)
	}
	return &codePage{mem}, nil
}

func (c *codePage) free() {
	_ = syscall.Munmap(c.mem) // of a mapping of our own, whole
	c.mem = nil
}

//go:build amd64 || arm64

package native

import (
	"fmt"
	"os"
	"syscall"
)

// system is what makes and frees memory for code; tests let it fail.
var system = struct {
	mmap     func(fd int, offset int64, length, prot, flags int) ([]byte, error)
	mprotect func(mem []byte, prot int) error
	munmap   func(mem []byte) error
}{syscall.Mmap, syscall.Mprotect, syscall.Munmap}

// codePage is memory with machine code: written, then read and executed, never both.
type codePage struct{ mem []byte }

// newCode puts code where it can be executed.
func newCode(code []byte) (*codePage, error) {
	page := os.Getpagesize()
	mem, err := system.mmap(-1, 0, (len(code)+page-1)/page*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("no memory for machine code: %w", err)
	}
	copy(mem, code)
	synchronize(mem)
	if err := system.mprotect(mem, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		_ = system.munmap(mem)
		return nil, fmt.Errorf("memory cannot be made executable: %w", err)
	}
	return &codePage{mem}, nil
}

func (c *codePage) free() {
	_ = system.munmap(c.mem) // of a mapping of our own, whole
	c.mem = nil
}

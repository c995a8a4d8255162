//go:build (amd64 && (linux || darwin || windows)) || (arm64 && (linux || darwin))

package native

import (
	"fmt"
	"os"
)

// system is what makes and frees memory for code; tests let it fail.
var system = struct {
	reserve func(n int) ([]byte, error) // whole pages, to be written
	seal    func(mem []byte) error      // makes them read and executed, no longer written
	release func(mem []byte) error
}{reserve, seal, release}

// codePage is memory with machine code: written, then read and executed, never both.
type codePage struct{ mem []byte }

// newCode puts code where it can be executed.
func newCode(code []byte) (*codePage, error) {
	page := os.Getpagesize()
	mem, err := system.reserve((len(code) + page - 1) / page * page)
	if err != nil {
		return nil, fmt.Errorf("no memory for machine code: %w", err)
	}
	copy(mem, code)
	synchronize(mem)
	if err := system.seal(mem); err != nil {
		_ = system.release(mem)
		return nil, fmt.Errorf("memory cannot be made executable: %w", err)
	}
	return &codePage{mem}, nil
}

func (c *codePage) free() {
	_ = system.release(c.mem) // of our own, whole
	c.mem = nil
}

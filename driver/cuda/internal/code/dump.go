package code

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/govyre/vyre/internal/atomicfile"
	"github.com/govyre/vyre/internal/ptx"
)

// dump writes a text, and what the assembler said of it if that refused it, to the directory that
// a debug switch names.
func (c *Compiler) dump(m *ptx.Module, log string) {
	dir := c.gpu.Debug().PTX
	c.dumpFile(dir, m.Kernels[0].Entry+".ptx", []byte(m.Text))
	if log != "" {
		c.dumpFile(dir, m.Kernels[0].Entry+".log", []byte(log))
	}
}

// dumpFile writes a file, if there is a directory for it. That it cannot is said and does not stop anybody.
func (c *Compiler) dumpFile(dir, name string, text []byte) {
	if dir == "" {
		return
	}
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = atomicfile.WriteBytes(context.Background(), filepath.Join(dir, name), text)
	}
	if err != nil {
		fmt.Fprintln(c.gpu.Debug().Output, "vyre: text not written:", err)
	}
}

package code

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/govyre/vyre/internal/atomicfile"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/wire"
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

// steps are what the passes made of a program.
type steps struct {
	text     bytes.Buffer
	programs []*ir.Program
}

// show keeps a program, and returns a line with the end of its file's name.
func (s *steps) show(p *ir.Program) string {
	s.programs = append(s.programs, p)
	return fmt.Sprintf("// vyre ir *.%02d.vyrb\n", len(s.programs))
}

// dumpSteps writes the text, and the programs in wire form, to the directory that a debug switch names.
func (c *Compiler) dumpSteps(entry string, s *steps) {
	dir := c.gpu.Debug().Passes
	c.dumpFile(dir, entry+".passes", s.text.Bytes())
	for i, p := range s.programs {
		if b, err := wire.Encode(p); err == nil {
			c.dumpFile(dir, fmt.Sprintf("%s.%02d.vyrb", entry, i+1), b)
		}
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

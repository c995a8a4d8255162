package cuda

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/govyre/vyre/internal/ptx"
)

// dump writes a text, and what the assembler said of it if that refused it, to the directory that
// a debug switch names.
func (d *Device) dump(m *ptx.Module, log string) {
	dir := d.Debug().PTX
	d.dumpFile(dir, m.Kernels[0].Entry+".ptx", []byte(m.Text))
	if log != "" {
		d.dumpFile(dir, m.Kernels[0].Entry+".log", []byte(log))
	}
}

// dumpSteps writes what a kernel was after each run of a pass to the directory that a debug switch names.
func (d *Device) dumpSteps(m *ptx.Module, steps []byte) {
	d.dumpFile(d.Debug().Passes, m.Kernels[0].Entry+".passes", steps)
}

// dumpFile writes a file, if there is a directory for it. That it cannot is said and does not stop anybody.
func (d *Device) dumpFile(dir, name string, text []byte) {
	if dir == "" {
		return
	}
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), text, 0o666)
	}
	if err != nil {
		fmt.Fprintln(d.Debug().Output, "vyre: text not written:", err)
	}
}

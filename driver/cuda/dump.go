package cuda

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/govyre/vyre/internal/ptx"
)

// dump writes a text, and what the assembler said of it if that refused it, to the directory that
// a debug switch names. That it cannot is said and does not stop anybody.
func (d *Device) dump(m *ptx.Module, log string) {
	debug := d.Debug()
	if debug.PTX == "" {
		return
	}
	base := filepath.Join(debug.PTX, m.Kernels[0].Entry)
	err := os.MkdirAll(debug.PTX, 0o777)
	if err == nil {
		err = os.WriteFile(base+".ptx", []byte(m.Text), 0o666)
	}
	if err == nil && log != "" {
		err = os.WriteFile(base+".log", []byte(log), 0o666)
	}
	if err != nil {
		fmt.Fprintln(debug.Output, "vyre: text not written:", err)
	}
}

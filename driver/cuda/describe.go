package cuda

import (
	"fmt"

	"github.com/govyre/vyre/driver/cuda/internal/code"
)

// describe says what was opened.
func (d *Device) describe() {
	c := &d.gpu.Caps
	reduced := ""
	if c.TargetReduced {
		reduced = fmt.Sprintf(", below its own %d.%d", c.Major, c.Minor)
	}
	d.gpu.Say("%s, target %s%s, driver %s: stream flag %v, memory pools %v, graphs %v, loops in them %v", c.Model, c.Target, reduced,
		code.VersionText(c.DriverVersion), c.StreamFlag, c.MemPools, c.Graphs, c.LoopNodes)
}

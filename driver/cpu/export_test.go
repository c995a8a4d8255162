package cpu

import (
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu/native"
)

// MaxIdle is how much machine code is kept that no device uses.
const MaxIdle = maxIdle

// MachineCode returns the machine code of a kernel.
func MachineCode(k driver.Kernel) *native.Kernel { return k.(*kernel).code.native }

package cpu

import (
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu/native"
)

// MaxIdle is how much machine code is kept that no device uses.
const MaxIdle = maxIdle

// MaxKernels is how many programs a device keeps decoded.
const MaxKernels = maxKernels

// MachineCode returns the machine code of a kernel.
func MachineCode(k driver.Kernel) *native.Kernel { return k.(*kernel).code.native }

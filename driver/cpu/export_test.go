package cpu

import (
	"sync/atomic"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/native"
)

// MaxIdle is how much machine code is kept that no device uses.
const MaxIdle = maxIdle

// MaxKernels is how many programs a device keeps compiled.
const MaxKernels = maxKernels

// Decoded reports whether a kernel was prepared for the interpreter.
func Decoded(k driver.Kernel) bool { return k.(*kernel).code.interp != nil }

// MachineCode returns the machine code of a kernel.
func MachineCode(k driver.Kernel) *native.Kernel { return k.(*kernel).code.native }

// Load32 looks at a word of a buffer while runs write it.
func Load32(b driver.Buffer, word int) uint32 {
	return atomic.LoadUint32((*uint32)(unsafe.Pointer(&b.(*buffer).mem[4*word])))
}

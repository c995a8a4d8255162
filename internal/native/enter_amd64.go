//go:build linux || darwin || windows

package native

import (
	"errors"
	"sync"
)

// enter calls machine code with a group's and a vector's frame, and 32 times the vector's number.
//
//go:noescape
func enter(code, group, vector, index uintptr)

// returns is code that returns.
var returns = []byte{0xC3}

// synchronize makes written code seen where it is run, which it always is here.
func synchronize([]byte) {}

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

func xgetbv() (low uint32)

// hostLacks returns what the processor or the system lacks. The processor is asked once: in a virtual machine it asks the
// host, which takes as long as a pass over a small program.
var hostLacks = sync.OnceValue(func() error {
	const fma, osxsave, avx, f16c = 1 << 12, 1 << 27, 1 << 28, 1 << 29
	_, _, c, _ := cpuid(1, 0)
	if c&osxsave == 0 || c&avx == 0 || xgetbv()&6 != 6 {
		return errors.New("the processor, or the system, has no AVX")
	}
	_, b, _, _ := cpuid(7, 0)
	switch {
	case b&(1<<5) == 0:
		return errors.New("the processor has no AVX2")
	case c&fma == 0:
		return errors.New("the processor has no FMA")
	case c&f16c == 0:
		return errors.New("the processor has no F16C")
	}
	return nil
})

// hostTargets are the instruction sets that run here, the best first.
func hostTargets() []target {
	if host512 {
		return []target{amd64Target512(), amd64Target()}
	}
	return []target{amd64Target()}
}

var host512 = has512()

// has512 reports whether the processor has what AVX-512 is taken for here, and the system saves its registers.
func has512() bool {
	const state = 0xE6                                 // of XMM, of YMM, of the mask registers and of both parts of what is new
	const need = 1<<16 | 1<<17 | 1<<28 | 1<<30 | 1<<31 // F, DQ, CD, BW and VL
	if hostLacks() != nil || xgetbv()&state != state {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&need == need
}

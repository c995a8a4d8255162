package amd64

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"sync"
)

// Reg is a general register.
type Reg uint8

// The general registers. The generated code leaves SP, BP and R14 alone: stack, frame pointer and
// the goroutine are Go's.
const (
	AX Reg = iota
	CX
	DX
	BX
	SP
	BP
	SI
	DI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

// Y is a vector register: ymm0 to ymm15, of AVX-512 to ymm31, or its low half.
type Y uint8

// Mem is a memory operand: base, index times scale if Scale is not 0, displacement.
type Mem struct {
	Base  Reg
	Index Reg // or a vector register, of a gather
	Scale uint8
	Disp  int32
}

// RM is an operand that may be a register or memory.
type RM struct {
	reg   uint8
	isMem bool
	mem   Mem
}

// RM is the register as an operand that might be memory.
func (r Reg) RM() RM { return RM{reg: uint8(r)} }

// RM is the register as an operand that might be memory.
func (y Y) RM() RM { return RM{reg: uint8(y)} }

// RM is the memory as an operand that might be a register.
func (m Mem) RM() RM { return RM{isMem: true, mem: m} }

// IsMem reports whether the operand is memory.
func (o RM) IsMem() bool { return o.isMem }

// Mem is the memory that the operand is.
func (o RM) Mem() Mem { return o.mem }

// Reg is the number of the register that the operand is.
func (o RM) Reg() uint8 { return o.reg }

// At is memory at a register plus a displacement.
func At(base Reg, disp int32) Mem { return Mem{Base: base, Disp: disp} }

// Label is a place in the code, which jumps may name before it is known.
type Label int32

// Asm collects machine code.
type Asm struct {
	code   []byte
	labels []int32 // by label: offset, −1 unknown
	fixes  []fix
	masks  bool // there are mask registers, and 32 of vectors: AVX-512
}

// fix is a 32-bit displacement to be filled in.
type fix struct{ at, label int32 }

// New returns an empty assembler.
func New() *Asm {
	a := &Asm{}
	if code, ok := spare.Get().(*[]byte); ok {
		a.code = (*code)[:0]
	}
	return a
}

// spare has memory for code. A large program has megabytes of it, and new memory takes longer than to write there.
var spare sync.Pool

// maxSpare bounds what is kept of one program.
const maxSpare = 8 << 20

// Reuse takes back the code that an assembler has returned, once nobody reads it any more.
func Reuse(code []byte) {
	if cap(code) <= maxSpare {
		spare.Put(&code)
	}
}

// NewLabel returns a label that stands nowhere yet.
func (a *Asm) NewLabel() Label {
	a.labels = append(a.labels, -1)
	return Label(len(a.labels) - 1)
}

// Bind puts a label here.
func (a *Asm) Bind(l Label) { a.labels[l] = int32(len(a.code)) }

// Len returns the bytes written so far.
func (a *Asm) Len() int { return len(a.code) }

// Offset returns where a bound label stands.
func (a *Asm) Offset(l Label) int { return int(a.labels[l]) }

// Bytes fills in the jumps and returns the code.
func (a *Asm) Bytes() ([]byte, error) {
	for _, f := range a.fixes {
		to := a.labels[f.label]
		if to < 0 {
			return nil, fmt.Errorf("BUG: amd64: label %d is jumped to and stands nowhere", f.label)
		}
		binary.LittleEndian.PutUint32(a.code[f.at:], uint32(to-f.at-4))
	}
	return a.code, nil
}

// longest is the most bytes of an instruction, and one to spare.
const longest = 16

// piece is room for an instruction, at the end of the code. Its methods write bytes from the n-th on, and return how many there
// are then.
type piece [longest]byte

// room returns where the next instruction goes, which wrote then counts. Large programs have megabytes of code, so what there is
// room for doubles.
func (a *Asm) room() *piece {
	n := len(a.code)
	if cap(a.code)-n < longest {
		a.grow()
	}
	return (*piece)(a.code[n : n+longest])
}

//go:noinline
func (a *Asm) grow() {
	a.code = append(make([]byte, 0, max(4096, 2*cap(a.code))), a.code...)
}

// wrote says how many bytes of the room are written.
func (a *Asm) wrote(n int) { a.code = a.code[:len(a.code)+n] }

// emit writes bytes, of which there are few.
//
//go:noinline
func (a *Asm) emit(b ...byte) {
	a.wrote(copy(a.room()[:], b))
}

//go:noinline
func (a *Asm) emit32(v uint32) {
	binary.LittleEndian.PutUint32(a.room()[:], v)
	a.wrote(4)
}

// operands writes the operand bytes: reg is the register field, o the other operand. A displacement of one byte counts in units
// of some bytes.
//
//go:noinline
func (p *piece) operands(n int, reg uint8, o RM, unit int32) int {
	reg = reg & 7 << 3
	if !o.isMem {
		p[n] = 0xC0 | reg | o.reg&7
		return n + 1
	}
	m := o.mem
	base := uint8(m.Base) & 7
	mod, disp := uint8(0x80), m.Disp
	switch {
	case disp == 0 && base != 5: // base 5 without displacement means something else
		mod = 0
	case unit == 1:
		if disp == int32(int8(disp)) {
			mod = 0x40
		}
	case disp%unit == 0 && disp/unit == int32(int8(disp/unit)):
		mod, disp = 0x40, disp/unit
	}
	if m.Scale == 0 && base != 4 {
		p[n] = mod | reg | base
		n++
	} else {
		index, scale := uint8(4), uint8(0) // 4 is no index
		if m.Scale != 0 {
			index = uint8(m.Index) & 7
			scale = uint8(bits.TrailingZeros8(m.Scale))
		}
		p[n], p[n+1] = mod|reg|4, scale<<6|index<<3|base
		n += 2
	}
	switch mod {
	case 0x40:
		p[n] = byte(disp)
		n++
	case 0x80:
		n = p.imm32(n, uint32(disp))
	}
	return n
}

func (p *piece) imm32(n int, v uint32) int {
	binary.LittleEndian.PutUint32(p[n:], v)
	return n + 4
}

// high returns the fourth bits of what the operand names: index (X) and base or register (B).
func (o RM) high() (x, b uint8) {
	if !o.isMem {
		return 0, o.reg >> 3
	}
	if o.mem.Scale != 0 {
		x = uint8(o.mem.Index) >> 3
	}
	return x, uint8(o.mem.Base) >> 3
}

// String is the name of a register, all of it.
func (r Reg) String() string { return r.wide() }

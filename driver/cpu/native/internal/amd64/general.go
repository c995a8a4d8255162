package amd64

// Size is the width of a general operation in bytes.
type Size uint8

// Cond is a condition of a jump.
type Cond uint8

// The conditions that are used: unsigned, equality, sign and parity.
const (
	B  Cond = 2
	AE Cond = 3
	E  Cond = 4
	NE Cond = 5
	BE Cond = 6
	A  Cond = 7
	S  Cond = 8
	NS Cond = 9
	L  Cond = 12
	GE Cond = 13
	LE Cond = 14
	G  Cond = 15
)

// Alu is an operation of two operands, the first of which takes the result.
type Alu uint8

// The operations; the numbers are those of the opcodes.
const (
	ADD Alu = 0
	OR  Alu = 1
	AND Alu = 4
	SUB Alu = 5
	XOR Alu = 6
	CMP Alu = 7
)

// rex writes prefixes for an operation of the size: reg in the register field, o the other operand.
// Registers 4 to 7 as bytes need a prefix.
//
//go:noinline
func (a *Asm) rex(size Size, reg uint8, o RM) {
	x, b := o.high()
	p := x<<1 | b | (reg>>3)<<2
	if size == 2 {
		a.emit(0x66)
	}
	if size == 8 {
		p |= 8
	}
	if p != 0 || size == 1 {
		a.emit(0x40 | p)
	}
}

// op writes an operation with one opcode for bytes and the next for the other sizes.
//
//go:noinline
func (a *Asm) op(size Size, opcode byte, reg uint8, o RM) {
	a.rex(size, reg, o)
	if size > 1 {
		opcode++
	}
	a.emit(opcode)
	a.modrm(reg, o)
}

// two writes an operation whose opcode has the prefix 0F.
//
//go:noinline
func (a *Asm) two(size Size, opcode byte, reg uint8, o RM) {
	a.rex(size, reg, o)
	a.emit(0x0F, opcode)
	a.modrm(reg, o)
}

// Load copies the operand to a register; of 4 bytes, with zeros above.
func (a *Asm) Load(size Size, d Reg, o RM) { a.op(size, 0x8A, uint8(d), o) }

// LoadAcquire is Load of what others write; what follows is later than it, as after any load.
func (a *Asm) LoadAcquire(size Size, d Reg, m Mem) { a.Load(size, d, m.RM()) }

// Store copies a register to memory.
func (a *Asm) Store(size Size, m Mem, s Reg) { a.op(size, 0x88, uint8(s), m.RM()) }

// LoadZero loads 1 or 2 bytes with zeros above.
func (a *Asm) LoadZero(size Size, d Reg, o RM) {
	a.two(byteReg(size, o), 0xB6+byte(size-1), uint8(d), o)
}

// LoadSign loads 1 or 2 bytes extended by the sign to 4.
func (a *Asm) LoadSign(size Size, d Reg, o RM) {
	a.two(byteReg(size, o), 0xBE+byte(size-1), uint8(d), o)
}

// byteReg is the size that gives a widening load the prefix it needs: one for a byte in a register.
func byteReg(size Size, o RM) Size {
	if size == 1 && !o.isMem {
		return 1
	}
	return 4
}

// LoadSign32 loads 4 bytes extended by the sign to 8.
func (a *Asm) LoadSign32(d Reg, o RM) {
	a.rex(8, uint8(d), o)
	a.emit(0x63)
	a.modrm(uint8(d), o)
}

// Imm32 loads a constant, with zeros above.
func (a *Asm) Imm32(d Reg, v uint32) {
	a.rex(4, 0, d.RM())
	a.emit(0xB8 | uint8(d)&7)
	a.emit32(v)
}

// Imm64 loads a constant.
func (a *Asm) Imm64(d Reg, v uint64) {
	a.rex(8, 0, d.RM())
	a.emit(0xB8 | uint8(d)&7)
	a.emit32(uint32(v))
	a.emit32(uint32(v >> 32))
}

// StoreImm stores a constant of 4 bytes, extended by the sign where size is 8.
func (a *Asm) StoreImm(size Size, m Mem, v int32) {
	a.op(size, 0xC6, 0, m.RM())
	a.emit32(uint32(v))
}

// Alu applies an operation to a register and an operand.
func (a *Asm) Alu(op Alu, size Size, d Reg, o RM) { a.op(size, byte(op)<<3|2, uint8(d), o) }

// AluTo applies an operation to memory and a register.
func (a *Asm) AluTo(op Alu, size Size, m Mem, s Reg) { a.op(size, byte(op)<<3, uint8(s), m.RM()) }

// AluImm applies an operation to an operand and a constant of 4 bytes.
func (a *Asm) AluImm(op Alu, size Size, o RM, v int32) {
	a.op(size, 0x80, uint8(op), o)
	a.emit32(uint32(v))
}

// Lea computes an address.
func (a *Asm) Lea(d Reg, m Mem) {
	a.rex(8, uint8(d), m.RM())
	a.emit(0x8D)
	a.modrm(uint8(d), m.RM())
}

// Lea4 computes a sum of 32 bits, with zeros above.
func (a *Asm) Lea4(d Reg, m Mem) {
	a.rex(4, uint8(d), m.RM())
	a.emit(0x8D)
	a.modrm(uint8(d), m.RM())
}

// LeaLabel computes the address of a place in the code.
func (a *Asm) LeaLabel(d Reg, l Label) {
	a.rex(8, uint8(d), RM{})
	a.emit(0x8D, 5|uint8(d)&7<<3)
	a.rel(l)
}

// Test sets the flags by the bits that both registers have.
func (a *Asm) Test(size Size, x, y Reg) { a.op(size, 0x84, uint8(y), x.RM()) }

// MulImm multiplies an operand by a constant.
func (a *Asm) MulImm(size Size, d Reg, o RM, v int32) {
	a.rex(size, uint8(d), o)
	a.emit(0x69)
	a.modrm(uint8(d), o)
	a.emit32(uint32(v))
}

// Mul multiplies a register by an operand.
func (a *Asm) Mul(size Size, d Reg, o RM) { a.two(size, 0xAF, uint8(d), o) }

// ShiftImm shifts a register by a constant: left (4), right (5) or right with the sign (7).
func (a *Asm) ShiftImm(kind uint8, size Size, d Reg, n uint8) {
	a.op(size, 0xC0, kind, d.RM())
	a.emit(n)
}

// Shift is ShiftImm by as much as CX says, modulo the bits of the size.
func (a *Asm) Shift(kind uint8, size Size, d Reg) { a.op(size, 0xD2, kind, d.RM()) }

// Neg negates a register.
func (a *Asm) Neg(size Size, d Reg) { a.op(size, 0xF6, 3, d.RM()) }

// Div divides DX:AX by an operand; signed with IDiv. CDQ fills DX with the sign.
func (a *Asm) Div(size Size, o RM)  { a.op(size, 0xF6, 6, o) }
func (a *Asm) IDiv(size Size, o RM) { a.op(size, 0xF6, 7, o) }

// CDQ fills DX with the sign of AX.
func (a *Asm) CDQ(size Size) {
	a.rex(size, 0, RM{})
	a.emit(0x99)
}

// LowestBit is the number of the lowest bit that is set; o is not 0.
func (a *Asm) LowestBit(d Reg, o RM) {
	a.emit(0xF3) // tzcnt; older processors read bsf, which gives the same here
	a.two(4, 0xBC, uint8(d), o)
}

// ClearLowest clears the lowest bit that is set, and sets the flags by the rest.
func (a *Asm) ClearLowest(r Reg) {
	a.Lea(R11, At(r, -1))
	a.Alu(AND, 4, r, R11.RM())
}

// SetNE sets a register to whether the last comparison found a difference.
func (a *Asm) SetNE(d Reg) {
	a.rex(1, 0, d.RM())
	a.emit(0x0F, 0x95)
	a.modrm(0, d.RM())
	a.LoadZero(1, d, d.RM())
}

// CMov copies the operand if the condition holds.
func (a *Asm) CMov(c Cond, size Size, d Reg, o RM) { a.two(size, 0x40|byte(c), uint8(d), o) }

// Lock makes the next instruction atomic.
func (a *Asm) Lock() { a.emit(0xF0) }

// XAdd adds a register to memory and leaves there what memory was.
func (a *Asm) XAdd(size Size, m Mem, s Reg) { a.two(size, 0xC1, uint8(s), m.RM()) }

// Xchg exchanges a register and memory, atomically.
func (a *Asm) Xchg(size Size, m Mem, s Reg) { a.op(size, 0x86, uint8(s), m.RM()) }

// CmpXchg stores s if memory holds AX; AX becomes what memory was.
func (a *Asm) CmpXchg(size Size, m Mem, s Reg) { a.two(size, 0xB1, uint8(s), m.RM()) }

// MFence waits for all stores.
func (a *Asm) MFence() { a.emit(0x0F, 0xAE, 0xF0) }

// Fence keeps the order of accesses but of stores before loads, as the processor does anyway.
func (a *Asm) Fence() {}

// Clock reads the cycle counter into AX; DX is lost.
func (a *Asm) Clock() {
	a.RDTSC()
	a.ShiftImm(4, 8, DX, 32)
	a.Alu(OR, 8, AX, DX.RM())
}

// RDTSC reads the cycle counter into DX:AX.
func (a *Asm) RDTSC() { a.emit(0x0F, 0x31) }

// Ret returns.
func (a *Asm) Ret() { a.emit(0xC3) }

// Jmp jumps to a label.
func (a *Asm) Jmp(l Label) {
	a.emit(0xE9)
	a.rel(l)
}

// JmpTo jumps to where an operand says.
func (a *Asm) JmpTo(o RM) {
	a.rex(4, 4, o)
	a.emit(0xFF)
	a.modrm(4, o)
}

// Jcc jumps to a label if the condition holds.
func (a *Asm) Jcc(c Cond, l Label) {
	a.emit(0x0F, 0x80|byte(c))
	a.rel(l)
}

func (a *Asm) rel(l Label) {
	a.fixes = append(a.fixes, fix{len(a.code), l})
	a.emit32(0)
}

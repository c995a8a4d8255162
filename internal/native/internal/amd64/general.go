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
	ADC Alu = 2
	SBB Alu = 3
	AND Alu = 4
	SUB Alu = 5
	XOR Alu = 6
	CMP Alu = 7
)

// rex writes prefixes for an operation of the size: reg in the register field, o the other operand.
// Registers 4 to 7 as bytes need a prefix.
//
//go:noinline
func (p *piece) rex(size Size, reg uint8, o RM) (n int) {
	x, b := o.high()
	prefix := x<<1 | b | (reg>>3)<<2
	if size == 2 {
		p[0] = 0x66
		n = 1
	}
	if size == 8 {
		prefix |= 8
	}
	if prefix != 0 || size == 1 {
		p[n] = 0x40 | prefix
		n++
	}
	return n
}

// sized is the opcode of an operation that has one for bytes and the next for the other sizes.
func sized(size Size, opcode byte) byte {
	if size > 1 {
		opcode++
	}
	return opcode
}

// op writes an operation with one opcode for bytes and the next for the other sizes.
//
//go:noinline
func (a *Asm) op(size Size, opcode byte, reg uint8, o RM) {
	a.one(size, sized(size, opcode), reg, o)
}

// opImm is op with a constant of 4 bytes.
//
//go:noinline
func (a *Asm) opImm(size Size, opcode byte, reg uint8, o RM, v int32) {
	a.one(size, sized(size, opcode), reg, o)
	a.emit32(uint32(v))
}

// one writes an operation with one opcode.
//
//go:noinline
func (a *Asm) one(size Size, opcode byte, reg uint8, o RM) {
	p := a.room()
	n := p.rex(size, reg, o)
	p[n] = opcode
	a.wrote(p.operands(n+1, reg, o, 1))
}

// two writes an operation whose opcode has the prefix 0F.
//
//go:noinline
func (a *Asm) two(size Size, opcode byte, reg uint8, o RM) {
	p := a.room()
	n := p.rex(size, reg, o)
	p[n], p[n+1] = 0x0F, opcode
	a.wrote(p.operands(n+2, reg, o, 1))
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
	a.one(8, 0x63, uint8(d), o)
}

// Imm32 loads a constant, with zeros above.
func (a *Asm) Imm32(d Reg, v uint32) {
	p := a.room()
	n := p.rex(4, 0, d.RM())
	p[n] = 0xB8 | uint8(d)&7
	a.wrote(p.imm32(n+1, v))
}

// Imm64 loads a constant.
func (a *Asm) Imm64(d Reg, v uint64) {
	p := a.room()
	n := p.rex(8, 0, d.RM())
	p[n] = 0xB8 | uint8(d)&7
	a.wrote(p.imm32(p.imm32(n+1, uint32(v)), uint32(v>>32)))
}

// StoreImm stores a constant of 4 bytes, extended by the sign where size is 8.
func (a *Asm) StoreImm(size Size, m Mem, v int32) {
	a.opImm(size, 0xC6, 0, m.RM(), v)
}

// Alu applies an operation to a register and an operand.
func (a *Asm) Alu(op Alu, size Size, d Reg, o RM) { a.op(size, byte(op)<<3|2, uint8(d), o) }

// AluTo applies an operation to memory and a register.
func (a *Asm) AluTo(op Alu, size Size, m Mem, s Reg) { a.op(size, byte(op)<<3, uint8(s), m.RM()) }

// AluImm applies an operation to an operand of 4 or 8 bytes and a constant.
func (a *Asm) AluImm(op Alu, size Size, o RM, v int32) {
	if int32(int8(v)) == v {
		a.one(size, 0x83, uint8(op), o)
		a.emit(uint8(v))
		return
	}
	a.opImm(size, 0x80, uint8(op), o, v)
}

// Lea computes an address.
func (a *Asm) Lea(d Reg, m Mem) { a.one(8, 0x8D, uint8(d), m.RM()) }

// Lea4 computes a sum of 32 bits, with zeros above.
func (a *Asm) Lea4(d Reg, m Mem) { a.one(4, 0x8D, uint8(d), m.RM()) }

// LeaLabel computes the address of a place in the code.
func (a *Asm) LeaLabel(d Reg, l Label) {
	p := a.room()
	n := p.rex(8, uint8(d), RM{})
	p[n], p[n+1] = 0x8D, 5|uint8(d)&7<<3
	a.rel(p, n+2, l)
}

// Test sets the flags by the bits that both registers have.
func (a *Asm) Test(size Size, x, y Reg) { a.op(size, 0x84, uint8(y), x.RM()) }

// MulImm multiplies an operand by a constant.
func (a *Asm) MulImm(size Size, d Reg, o RM, v int32) {
	if int32(int8(v)) == v {
		a.one(size, 0x6B, uint8(d), o)
		a.emit(uint8(v))
		return
	}
	a.one(size, 0x69, uint8(d), o)
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

// MulWide multiplies AX by an operand; the product is in DX:AX. MulWideSigned takes both for signed numbers.
func (a *Asm) MulWide(size Size, o RM)       { a.op(size, 0xF6, 4, o) }
func (a *Asm) MulWideSigned(size Size, o RM) { a.op(size, 0xF6, 5, o) }

// Div divides DX:AX by an operand; signed with IDiv. CDQ fills DX with the sign.
func (a *Asm) Div(size Size, o RM)  { a.op(size, 0xF6, 6, o) }
func (a *Asm) IDiv(size Size, o RM) { a.op(size, 0xF6, 7, o) }

// CDQ fills DX with the sign of AX.
func (a *Asm) CDQ(size Size) {
	p := a.room()
	n := p.rex(size, 0, RM{})
	p[n] = 0x99
	a.wrote(n + 1)
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
	a.two(1, 0x95, 0, d.RM())
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
	p := a.room()
	p[0] = 0xE9
	a.rel(p, 1, l)
}

// JmpTo jumps to where an operand says.
func (a *Asm) JmpTo(o RM) {
	a.one(4, 0xFF, 4, o)
}

// Jcc jumps to a label if the condition holds.
func (a *Asm) Jcc(c Cond, l Label) {
	p := a.room()
	p[0], p[1] = 0x0F, 0x80|byte(c)
	a.rel(p, 2, l)
}

// rel ends an instruction that has n bytes by how far it is from there to a label.
//
//go:noinline
func (a *Asm) rel(p *piece, n int, l Label) {
	a.fixes = append(a.fixes, fix{int32(len(a.code) + n), int32(l)})
	a.wrote(p.imm32(n, 0))
}

package arm64

import (
	"fmt"

	"github.com/govyre/vyre/internal/native/internal/amd64"
)

// General registers keep their numbers, 0 to 15. Those above are for one instruction of amd64: temp0 has the address of
// memory, temp1 the rest of one, temp2 and temp3 values. Go's register 18 and those from 27 on are left alone.
const (
	temp0 = 16
	temp1 = 17
	temp2 = 19
	temp3 = 20
	zero  = 31
)

// flags says what the next conditional jump goes by.
type flags struct {
	kind flagKind
	at   int    // where the code ended then; of what is not in the processor's flags: nothing may come between
	wide inst   // 1 if reg has 64 bits
	reg  uint32 // of inRegister
	x, o vector // of ofMasks
}

type flagKind uint8

const (
	noFlags    flagKind = iota
	compared            // the processor's flags are those of a subtraction
	signOnly            // its flags tell whether the result is zero, and its sign
	inRegister          // a register is zero or not
	ofMasks             // two vectors have set lanes in common, or one has all of the other's
)

func sized(size amd64.Size) inst {
	switch size {
	case 4:
		return 0
	case 8:
		return wide
	}
	panic("BUG: arm64: an operation on less than 4 bytes")
}

func reg(r amd64.Reg) uint32 { return uint32(r) }

// scales are shifts, by scale.
var scales = [9]uint32{1: 0, 2: 1, 4: 2, 8: 3}

// place returns memory as a register and a displacement.
func (a *Asm) place(m amd64.Mem) (base uint32, disp int32) {
	base = reg(m.Base)
	if m.Scale != 0 {
		a.i(addX, temp0, base, reg(m.Index), scales[m.Scale])
		base = temp0
	}
	return base, m.Disp
}

// address brings the address of memory into a register, temp0 if there is a choice.
func (a *Asm) address(m amd64.Mem) uint32 {
	base, disp := a.place(m)
	return a.plus(temp0, base, disp)
}

// near is place for memory that an instruction on n bytes then reaches.
func (a *Asm) near(m amd64.Mem, n int32) (base uint32, disp int32) {
	base, disp = a.place(m)
	if disp >= -256 && disp < 256 || disp > 0 && disp%n == 0 && disp/n < 4096 {
		return base, disp
	}
	return a.plus(temp0, base, disp), 0
}

// plus returns a register with a sum: base if n is 0, else d.
func (a *Asm) plus(d, base uint32, n int32) uint32 {
	switch {
	case n == 0:
		return base
	case n > 0 && n < 4096:
		a.i(addImmX, d, base, uint32(n))
	case n < 0 && n > -4096:
		a.i(subImmX, d, base, uint32(-n))
	default:
		a.immediate(temp1, uint64(int64(n)))
		a.i(addX, d, base, temp1, 0)
	}
	return d
}

// immediate loads a constant of 64 bits.
func (a *Asm) immediate(d uint32, v uint64) {
	if ^v < 1<<16 {
		a.i(movnX, d, uint32(^v))
		return
	}
	first := true
	for part := range uint32(4) {
		bits := uint32(v >> (16 * part) & 0xFFFF)
		switch {
		case bits == 0 && (part > 0 || v != 0):
		case first:
			a.i(movzX, d, bits, part)
			first = false
		default:
			a.i(movkX, d, bits, part)
		}
	}
}

// moved is an instruction that loads or stores n bytes, with its form for any displacement.
type moved struct {
	scaled, unscaled inst
	n                int32
}

var (
	loads   = [17]moved{1: {ldrB, ldurB, 1}, 2: {ldrH, ldurH, 2}, 4: {ldrW, ldurW, 4}, 8: {ldrX, ldurX, 8}}
	stores  = [17]moved{1: {strB, sturB, 1}, 2: {strH, sturH, 2}, 4: {strW, sturW, 4}, 8: {strX, sturX, 8}}
	signed  = [17]moved{1: {ldrsB, ldursB, 1}, 2: {ldrsH, ldursH, 2}, 4: {ldrsW, ldursW, 4}}
	floats  = [17]moved{4: {ldrS, ldurS, 4}, 8: {ldrD, ldurD, 8}, 16: {ldrQ, ldurQ, 16}}
	floated = [17]moved{4: {strS, sturS, 4}, 8: {strD, sturD, 8}, 16: {strQ, sturQ, 16}}
)

// move writes a load or store of a register.
func (a *Asm) move(how moved, r uint32, m amd64.Mem) {
	base, disp := a.place(m)
	a.moveAt(how, r, base, disp)
}

func (a *Asm) moveAt(how moved, r, base uint32, disp int32) {
	switch {
	case disp >= 0 && disp%how.n == 0 && disp/how.n < 4096:
		a.i(how.scaled, r, base, uint32(disp))
	case disp >= -256 && disp < 256:
		a.i(how.unscaled, r, base, uint32(disp))
	default:
		a.i(how.scaled, r, a.plus(temp0, base, disp), 0)
	}
}

// value returns a register with an operand: its own, or else t.
func (a *Asm) value(size amd64.Size, o amd64.RM, t uint32) uint32 {
	if !o.IsMem() {
		return uint32(o.Reg())
	}
	a.move(loads[size], t, o.Mem())
	return t
}

// Load copies the operand to a register; of 4 bytes, with zeros above.
func (a *Asm) Load(size amd64.Size, d amd64.Reg, o amd64.RM) {
	if o.IsMem() {
		a.move(loads[size], reg(d), o.Mem())
		return
	}
	a.i(movW+sized(size), reg(d), uint32(o.Reg()))
}

// LoadAcquire is Load of what others write; what follows is later than it.
func (a *Asm) LoadAcquire(size amd64.Size, d amd64.Reg, m amd64.Mem) {
	a.i(ldarW+sized(size), reg(d), a.address(m))
}

// Store copies a register to memory.
func (a *Asm) Store(size amd64.Size, m amd64.Mem, s amd64.Reg) { a.move(stores[size], reg(s), m) }

// LoadZero loads 1 or 2 bytes with zeros above.
func (a *Asm) LoadZero(size amd64.Size, d amd64.Reg, o amd64.RM) {
	if o.IsMem() {
		a.move(loads[size], reg(d), o.Mem())
		return
	}
	a.i(uxtb+inst(size-1), reg(d), uint32(o.Reg()))
}

// LoadSign loads 1 or 2 bytes extended by the sign to 4.
func (a *Asm) LoadSign(size amd64.Size, d amd64.Reg, o amd64.RM) {
	if o.IsMem() {
		a.move(signed[size], reg(d), o.Mem())
		return
	}
	a.i(sxtb+inst(size-1), reg(d), uint32(o.Reg()))
}

// LoadSign32 loads 4 bytes extended by the sign to 8.
func (a *Asm) LoadSign32(d amd64.Reg, o amd64.RM) {
	if o.IsMem() {
		a.move(signed[4], reg(d), o.Mem())
		return
	}
	a.i(sxtw, reg(d), uint32(o.Reg()))
}

// Imm32 loads a constant, with zeros above.
func (a *Asm) Imm32(d amd64.Reg, v uint32) { a.immediate(reg(d), uint64(v)) }

// StoreImm stores a constant of 4 bytes, extended by the sign where size is 8.
func (a *Asm) StoreImm(size amd64.Size, m amd64.Mem, v int32) {
	r := uint32(zero)
	if v != 0 {
		a.immediate(temp2, uint64(int64(v)))
		r = temp2
	}
	a.move(stores[size], r, m)
}

// alu are the operations on registers, with flags where there is such a form.
var alu = [8]inst{amd64.ADD: addsW, amd64.ADC: adcsW, amd64.SBB: sbcsW, amd64.SUB: subsW, amd64.AND: andsW, amd64.OR: orrW, amd64.XOR: eorW}

// Alu applies an operation to a register and an operand.
func (a *Asm) Alu(op amd64.Alu, size amd64.Size, d amd64.Reg, o amd64.RM) {
	r := a.value(size, o, temp2)
	a.operate(op, size, reg(d), reg(d), r)
}

// operate writes d ← x op y, and what the flags are then.
func (a *Asm) operate(op amd64.Alu, size amd64.Size, d, x, y uint32) {
	if op == amd64.CMP {
		a.i(cmpW+sized(size), x, y)
	} else {
		a.i(alu[op]+sized(size), d, x, y)
	}
	a.flagsOf(op)
}

func (a *Asm) flagsOf(op amd64.Alu) {
	switch op {
	case amd64.CMP, amd64.SUB:
		a.flags = flags{kind: compared}
	case amd64.AND:
		a.flags = flags{kind: signOnly}
	default: // of sums, the carry is another
		a.flags = flags{}
	}
}

// AluTo applies an operation, other than a comparison, to memory and a register.
func (a *Asm) AluTo(op amd64.Alu, size amd64.Size, m amd64.Mem, s amd64.Reg) {
	a.inMemory(op, size, m, reg(s))
}

// inMemory applies an operation to memory and a register that is not one of the first three temporary ones.
func (a *Asm) inMemory(op amd64.Alu, size amd64.Size, m amd64.Mem, s uint32) {
	if !a.locked {
		base, disp := a.near(m, loads[size].n)
		a.moveAt(loads[size], temp2, base, disp)
		a.operate(op, size, temp2, temp2, s)
		a.moveAt(stores[size], temp2, base, disp)
		return
	}
	a.atomically(size, m, func() { a.operate(op, size, temp2, temp2, s) })
	a.flags = flags{}
}

// atomically changes what memory has, which is in temp2 on the way, as often as it takes; temp1 is lost.
func (a *Asm) atomically(size amd64.Size, m amd64.Mem, change func()) {
	a.locked = false
	at := a.address(m)
	again := a.NewLabel()
	a.Bind(again)
	a.i(ldaxrW+sized(size), temp2, at)
	change()
	a.i(stlxrW+sized(size), temp1, temp2, at)
	a.to(again, cbnzW, temp1)
}

// AluImm applies an operation to an operand and a constant of 4 bytes.
func (a *Asm) AluImm(op amd64.Alu, size amd64.Size, o amd64.RM, v int32) {
	if o.IsMem() && op == amd64.CMP {
		a.move(loads[size], temp2, o.Mem())
		a.compareImm(size, temp2, v)
		return
	}
	if o.IsMem() {
		a.immediate(temp3, uint64(int64(v)))
		a.inMemory(op, size, o.Mem(), temp3)
		return
	}
	d := uint32(o.Reg())
	short := [8]inst{amd64.ADD: addsImmW, amd64.SUB: subsImmW}[op]
	switch {
	case op == amd64.CMP:
		a.compareImm(size, d, v)
		return
	case short != none && v >= 0 && v < 4096:
		a.i(short+sized(size), d, d, uint32(v))
	default:
		a.immediate(temp3, uint64(int64(v)))
		a.operate(op, size, d, d, temp3)
	}
	a.flagsOf(op)
}

func (a *Asm) compareImm(size amd64.Size, x uint32, v int32) {
	if v >= 0 && v < 4096 {
		a.i(cmpImmW+sized(size), x, uint32(v))
		a.flagsOf(amd64.CMP)
		return
	}
	a.immediate(temp3, uint64(int64(v)))
	a.operate(amd64.CMP, size, x, x, temp3)
}

// Lea computes an address.
func (a *Asm) Lea(d amd64.Reg, m amd64.Mem) {
	base := reg(m.Base)
	if m.Scale != 0 {
		a.i(addX, reg(d), base, reg(m.Index), scales[m.Scale])
		base = reg(d)
	}
	if r := a.plus(reg(d), base, m.Disp); r != reg(d) {
		a.i(movX, reg(d), r)
	}
}

// Lea4 computes a sum of 32 bits, with zeros above.
func (a *Asm) Lea4(d amd64.Reg, m amd64.Mem) {
	base := reg(m.Base)
	if m.Scale != 0 {
		a.i(addW, reg(d), base, reg(m.Index), scales[m.Scale])
		base = reg(d)
	}
	switch n := m.Disp; {
	case n >= 0 && n < 4096:
		a.i(addImmW, reg(d), base, uint32(n))
	case n < 0 && n > -4096:
		a.i(subImmW, reg(d), base, uint32(-n))
	default:
		a.immediate(temp1, uint64(uint32(n)))
		a.i(addW, reg(d), base, temp1, 0)
	}
}

// LeaLabel computes the address of a place in the code.
func (a *Asm) LeaLabel(d amd64.Reg, l amd64.Label) { a.to(l, adr, reg(d)) }

// Test sets the flags by the bits that both registers have.
func (a *Asm) Test(size amd64.Size, x, y amd64.Reg) {
	a.i(tstW+sized(size), reg(x), reg(y))
	a.flagsOf(amd64.AND)
}

// MulImm multiplies an operand by a constant.
func (a *Asm) MulImm(size amd64.Size, d amd64.Reg, o amd64.RM, v int32) {
	r := a.value(size, o, temp2)
	a.immediate(temp3, uint64(int64(v)))
	a.i(mulW+sized(size), reg(d), r, temp3)
	a.flags = flags{}
}

// Mul multiplies a register by an operand.
func (a *Asm) Mul(size amd64.Size, d amd64.Reg, o amd64.RM) {
	a.i(mulW+sized(size), reg(d), reg(d), a.value(size, o, temp2))
	a.flags = flags{}
}

// MulWide multiplies AX by an operand of 8 bytes; the product is in DX:AX. MulWideSigned takes both for signed numbers.
func (a *Asm) MulWide(size amd64.Size, o amd64.RM)       { a.mulWide(umulh, size, o) }
func (a *Asm) MulWideSigned(size amd64.Size, o amd64.RM) { a.mulWide(smulh, size, o) }

func (a *Asm) mulWide(upper inst, size amd64.Size, o amd64.RM) {
	by := a.value(size, o, temp2)
	a.i(upper, temp3, reg(amd64.AX), by)
	a.i(mulX, reg(amd64.AX), reg(amd64.AX), by)
	a.i(movX, reg(amd64.DX), temp3)
	a.flags = flags{}
}

// ShiftImm shifts a register by a constant: left (4), right (5) or right with the sign (7).
func (a *Asm) ShiftImm(kind uint8, size amd64.Size, d amd64.Reg, n uint8) {
	if n > 0 {
		a.i([8]inst{4: lslW, 5: lsrW, 7: asrW}[kind]+sized(size), reg(d), reg(d), uint32(n))
	}
	a.flags = flags{kind: inRegister, at: a.Len(), wide: sized(size), reg: reg(d)}
}

// Shift is ShiftImm by as much as CX says, modulo the bits of the size.
func (a *Asm) Shift(kind uint8, size amd64.Size, d amd64.Reg) {
	a.i([8]inst{4: lslvW, 5: lsrvW, 7: asrvW}[kind]+sized(size), reg(d), reg(d), reg(amd64.CX))
	a.flags = flags{}
}

// Neg negates a register.
func (a *Asm) Neg(size amd64.Size, d amd64.Reg) {
	a.i(negW+sized(size), reg(d), reg(d))
	a.flags = flags{}
}

// Div divides AX by an operand; DX, which gets the rest, has been 0. IDiv likewise, and DX has been the sign of AX.
func (a *Asm) Div(size amd64.Size, o amd64.RM)  { a.divide(udivW, size, o) }
func (a *Asm) IDiv(size amd64.Size, o amd64.RM) { a.divide(sdivW, size, o) }

func (a *Asm) divide(op inst, size amd64.Size, o amd64.RM) {
	by := a.value(size, o, temp2)
	a.i(op+sized(size), temp3, reg(amd64.AX), by)
	a.i(msubW+sized(size), reg(amd64.DX), temp3, by, reg(amd64.AX))
	a.i(movW+sized(size), reg(amd64.AX), temp3)
	a.flags = flags{}
}

// CDQ fills DX with the sign of AX.
func (a *Asm) CDQ(size amd64.Size) {
	a.i(asrW+sized(size), reg(amd64.DX), reg(amd64.AX), uint32(8*size-1))
}

// LowestBit is the number of the lowest bit that is set; o is not 0.
func (a *Asm) LowestBit(d amd64.Reg, o amd64.RM) {
	a.i(rbitW, reg(d), a.value(4, o, temp2))
	a.i(clzW, reg(d), reg(d))
	a.flags = flags{}
}

// ClearLowest clears the lowest bit that is set, and sets the flags by the rest.
func (a *Asm) ClearLowest(r amd64.Reg) {
	a.i(subImmW, temp2, reg(r), 1)
	a.operate(amd64.AND, 4, reg(r), reg(r), temp2)
}

// SetNE sets a register to whether the last comparison found a difference.
func (a *Asm) SetNE(d amd64.Reg) { a.i(cset, reg(d), a.condition(amd64.NE)) }

// CMov copies the operand if the condition holds.
func (a *Asm) CMov(c amd64.Cond, size amd64.Size, d amd64.Reg, o amd64.RM) {
	a.i(cselW+sized(size), reg(d), a.value(size, o, temp2), reg(d), a.condition(c))
}

// Lock makes the next instruction atomic.
func (a *Asm) Lock() { a.locked = true }

// XAdd adds a register to memory and leaves there what memory was.
func (a *Asm) XAdd(size amd64.Size, m amd64.Mem, s amd64.Reg) {
	sum := func() {
		a.i(movX, temp3, temp2)
		a.i(addW+sized(size), temp2, temp2, reg(s), 0)
	}
	if a.locked {
		a.atomically(size, m, sum)
	} else {
		at := a.address(m)
		a.moveAt(loads[size], temp2, at, 0)
		sum()
		a.moveAt(stores[size], temp2, at, 0)
	}
	a.i(movX, reg(s), temp3)
	a.flags = flags{}
}

// Xchg exchanges a register and memory, atomically.
func (a *Asm) Xchg(size amd64.Size, m amd64.Mem, s amd64.Reg) {
	a.atomically(size, m, func() {
		a.i(movX, temp3, temp2)
		a.i(movX, temp2, reg(s))
	})
	a.i(movX, reg(s), temp3)
}

// CmpXchg stores s if memory holds AX; AX becomes what memory was.
func (a *Asm) CmpXchg(size amd64.Size, m amd64.Mem, s amd64.Reg) {
	at, again, other := a.address(m), a.NewLabel(), a.NewLabel()
	w := sized(size)
	a.Bind(again)
	if a.locked {
		a.i(ldaxrW+w, temp2, at)
	} else {
		a.moveAt(loads[size], temp2, at, 0)
	}
	a.i(cmpW+w, temp2, reg(amd64.AX))
	a.to(other, bCond, 1)
	if a.locked {
		a.i(stlxrW+w, temp1, reg(s), at)
		a.to(again, cbnzW, temp1)
	} else {
		a.moveAt(stores[size], reg(s), at, 0)
	}
	a.Bind(other)
	a.i(movX, reg(amd64.AX), temp2)
	a.locked, a.flags = false, flags{kind: compared}
}

// MFence waits for all stores; Fence keeps the order of all accesses.
func (a *Asm) MFence() { a.i(dmb) }
func (a *Asm) Fence()  { a.i(dmb) }

// Clock reads the counter of cycles, or of what passes for such, into AX.
func (a *Asm) Clock() { a.i(mrsCounter, reg(amd64.AX)) }

// Ret returns.
func (a *Asm) Ret() { a.i(ret) }

// Jmp jumps to a label.
func (a *Asm) Jmp(l amd64.Label) { a.to(l, b) }

// JmpTo jumps to where an operand says.
func (a *Asm) JmpTo(o amd64.RM) { a.i(br, a.value(8, o, temp2)) }

// branch jumps to a label by an instruction that goes by a register, or by its opposite around a jump.
func (a *Asm) branch(l amd64.Label, op, opposite inst, r uint32) {
	if !a.far {
		a.to(l, op, r)
		return
	}
	on := a.NewLabel()
	a.to(on, opposite, r)
	a.Jmp(l)
	a.Bind(on)
}

// Jcc jumps to a label if the condition holds.
func (a *Asm) Jcc(c amd64.Cond, l amd64.Label) {
	f := a.flags
	if f.kind == inRegister || f.kind == ofMasks {
		if f.at != a.Len() {
			panic("BUG: arm64: something stands between what sets a condition and what goes by it")
		}
		r, w := f.reg, f.wide
		if f.kind == ofMasks {
			r, w, c = temp2, wide, a.masks(f, c)
		}
		switch c {
		case amd64.E:
			a.branch(l, cbzW+w, cbnzW+w, r)
			return
		case amd64.NE:
			a.branch(l, cbnzW+w, cbzW+w, r)
			return
		}
		panic("BUG: arm64: a condition of nothing")
	}
	holds := a.condition(c)
	if !a.far {
		a.to(l, bCond, holds)
		return
	}
	on := a.NewLabel()
	a.to(on, bCond, holds^1)
	a.Jmp(l)
	a.Bind(on)
}

var conditionOf = [16]uint32{amd64.E: 0, amd64.NE: 1, amd64.AE: 2, amd64.B: 3, amd64.S: 4, amd64.NS: 5, amd64.A: 8, amd64.BE: 9,
	amd64.GE: 10, amd64.L: 11, amd64.G: 12, amd64.LE: 13}

// condition is the processor's own condition.
func (a *Asm) condition(c amd64.Cond) uint32 {
	simple := c == amd64.E || c == amd64.NE || c == amd64.S || c == amd64.NS
	if a.flags.kind != compared && (a.flags.kind != signOnly || !simple) {
		panic("BUG: arm64: a condition of what set no flags")
	}
	return conditionOf[c]
}

// Name is what a register of amd64 is called here.
func Name(r amd64.Reg) string { return fmt.Sprintf("x%d", r) }

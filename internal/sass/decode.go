package sass

import "fmt"

// distance is by how many instructions a branch of sm_90 goes on or back from the next one, from the first half of its bits:
// bytes, of which bits 2 to 9 stand in bits 16 to 23 and the others from bit 34 on.
func distance(low uint64) int {
	return int(int32(low>>34<<10|low>>16&0xFF<<2)) / bytesOf
}

// decode reads an instruction of 128 bits that nvdisasm 11.8 has no text for: VIMNMX of sm_90, which is built as IMNMX of
// sm_80 is. Its parts:
//
//	0-11    what it is, and in 9-11 what kind of operand the second one is
//	12-15   the guard
//	16-31   the result, the first operand
//	32-63   the second operand
//	72      it is signed
//	81-86   predicates that it does not use
//	87-90   the predicate by which it is the smaller or the greater one
//	91      the second operand is a uniform register
//	105-    for the scheduler
func decode(low, high uint64) (inst, error) {
	in := inst{text: fmt.Sprintf("BITS.0x%03x %#016x %#016x", low&0xFFF, low, high), op: "VIMNMX"}
	unknown := &UnknownError{in.text}
	if low&0x1FF != 0x048 || high&(1<<41-1)&^(0x1F<<23|1<<8) != 0x3F<<17 {
		return in, unknown
	}
	flag := func(bits uint64) operand {
		return operand{kind: predicate, n: int(bits & 7), invert: bits&8 != 0}
	}
	b := operand{kind: register, n: int(low >> 32 & 0xFF)}
	switch low >> 9 & 7 {
	case 1:
		if low>>40 != 0 {
			return in, unknown
		}
	case 4:
		b = operand{kind: immediate, bits: uint32(low >> 32)}
	case 6:
		b.n += uniform
		if low>>38 != 0 || high&(1<<27) == 0 {
			return in, unknown
		}
	default:
		return in, unknown
	}
	if high&(1<<8) == 0 {
		in.mods = []string{"U32"}
	}
	in.guard = flag(low >> 12)
	in.args = []operand{{kind: register, n: int(low >> 16 & 0xFF)}, {kind: register, n: int(low >> 24 & 0xFF)}, b, flag(high >> 23)}
	in.do = operations[in.op]
	return in, nil
}

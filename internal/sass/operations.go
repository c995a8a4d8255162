package sass

import (
	"fmt"
	"math/bits"
)

// operations are the instructions that are known. It is filled at the start, since the parser looks into it.
var operations map[string]func(*thread, *inst)

func init() {
	operations = map[string]func(*thread, *inst){
		"NOP": nothing, "DEPBAR": nothing, "CCTL": nothing, "MEMBAR": nothing, "ERRBAR": nothing, "CGAERRBAR": nothing,
		"ENDCOLLECTIVE": nothing, "BPT": trap,
		"EXIT": exit,
		"BRA":  branch,
		"MOV":  move, "CS2R": clearPair, "S2R": specialRegister, "S2UR": specialRegister,
		"LDC": loadConstant, "LDG": load, "LDL": load, "LDS": load, "STG": store, "STL": store, "STS": store,
		"LDGSTS": copyToShared, "LDGDEPBAR": nothing,
		"RED": update, "REDG": update, "ATOMG": update, "ATOMS": update,
		"B2R":   groupVote,
		"IADD3": add, "IMAD": multiply, "LEA": scaledAdd, "HFMA2": constantHalves,
		"LOP3": logic, "PLOP3": predicateLogic, "SHF": funnel, "PRMT": permute,
		"ISETP": compare, "SEL": choose, "IMNMX": extreme, "VIMNMX": extreme,
		"BREV": unary(bits.Reverse32),
		"POPC": unary(func(x uint32) uint32 { return uint32(bits.OnesCount32(x)) }),
		"IABS": unary(magnitude),
		"FLO":  highest,
		"SGXT": extend,
		"BMSK": mask,
		"P2R":  packFlags,
		"R2P":  unpackFlags,
		"IDP":  dot,
		"FSET": setFloat,
		"CALL": branch, "RET": back,
		"BMOV":     keepLanes,
		"VABSDIFF": distanceBetween,
		"FADD":     fused, "FMUL": fused, "FFMA": fused, "DADD": fusedDouble, "DMUL": fusedDouble, "DFMA": fusedDouble,
		"FSETP": compareFloats, "DSETP": compareFloats, "FMNMX": extremeFloat, "FSEL": chooseFloat,
		"HADD2": fusedHalves, "HMUL2": fusedHalves, "HMNMX2": extremeHalves, "HSETP2": compareHalves, "F2FP": pack,
		"MUFU": approximate, "FCHK": divisible, "FRND": roundToIntegral,
		"I2F": integerToFloat, "I2FP": integerToFloat, "F2I": floatToInteger, "F2F": floatToFloat, "I2I": integerToInteger,
	}
}

func magnitude(x uint32) uint32 {
	if int32(x) < 0 {
		return -x
	}
	return x
}

func b2u(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func unary(f func(uint32) uint32) func(*thread, *inst) {
	return func(t *thread, in *inst) { t.set(in.args[0], f(t.value(in.args[1]))) }
}

// all reports whether all predicates hold that stand before what an instruction does.
func (t *thread) all(list []operand) bool {
	for _, c := range list {
		if !t.flag(c) {
			return false
		}
	}
	return true
}

// trap is BPT.TRAP, which stands where nobody is to come by.
func trap(t *thread, in *inst) { t.err = fmt.Errorf("it traps") }

func exit(t *thread, in *inst) { t.done = t.all(in.args) }

func branch(t *thread, in *inst) {
	to := in.args[len(in.args)-1]
	conditions := in.args[:len(in.args)-1]
	if in.has("DIV") || in.has("CONV") { // of the lanes of a mask
		mask := ^uint32(0)
		if len(conditions) > 0 {
			mask, conditions = t.value(conditions[len(conditions)-1]), conditions[:len(conditions)-1]
		}
		if here := mask&t.w.alive&^t.w.now == 0; here != in.has("CONV") {
			return
		}
	}
	if !t.all(conditions) {
		return
	}
	if in.to != 0 {
		t.pc = in.to
		return
	}
	pc, ok := t.w.group.m.code.labels[to.name]
	if !ok {
		t.err = fmt.Errorf("there is no label %s", to.name)
	}
	t.pc = pc
}

// back returns to where a pair of registers says, in bytes from where the kernel that is named begins, if all conditions hold.
func back(t *thread, in *inst) {
	n := len(in.args) - 2
	if !t.all(in.args[:n]) {
		return
	}
	to, of := t.pair(in.args[n]), in.args[n+1].name
	code := t.w.group.m.code
	from, ok := code.labels[of]
	if !ok || to%bytesOf != 0 || to/bytesOf+uint64(from) >= uint64(len(code.insts)) {
		t.err = fmt.Errorf("there is no instruction %#x bytes after %s", to, of)
		return
	}
	t.pc = int(to)/bytesOf + from
}

func move(t *thread, in *inst) { t.set(in.args[0], t.value(in.args[1])) }

// clearPair is CS2R of SRZ, the only special register that it is known for.
func clearPair(t *thread, in *inst) {
	if in.args[1].name != "SRZ" {
		t.err = &UnknownError{in.text}
	}
	if in.has("32") {
		t.set(in.args[0], 0)
		return
	}
	t.setPair(in.args[0], 0)
}

func specialRegister(t *thread, in *inst) {
	lane := uint32(t.lane)
	g := t.w.group
	var v uint32
	switch in.args[1].name {
	case "SR_TID.X":
		v = t.id[0]
	case "SR_TID.Y":
		v = t.id[1]
	case "SR_TID.Z":
		v = t.id[2]
	case "SR_CTAID.X":
		v = g.id[0]
	case "SR_CTAID.Y":
		v = g.id[1]
	case "SR_CTAID.Z":
		v = g.id[2]
	case "SR_LANEID":
		v = lane
	case "SR_EQMASK":
		v = 1 << lane
	case "SR_LTMASK":
		v = 1<<lane - 1
	case "SR_LEMASK":
		v = 2<<lane - 1
	case "SR_GEMASK":
		v = ^uint32(0) << lane
	case "SR_GTMASK":
		v = ^uint32(1) << lane
	case "SR_LMEMHIOFF": // what a stack may grow down to
	case "SR_CgaCtaId": // the only group of a cluster
	default:
		t.err = &UnknownError{in.text}
	}
	t.set(in.args[0], v)
}

// width is how many bytes an access moves, and whether they have a sign.
func (in *inst) width() (size int, signed bool) {
	for _, m := range in.mods {
		switch m {
		case "U8":
			return 1, false
		case "S8":
			return 1, true
		case "U16":
			return 2, false
		case "S16":
			return 2, true
		case "64":
			return 8, false
		case "128":
			return 16, false
		}
	}
	return 4, false
}

func loadConstant(t *thread, in *inst) {
	size, signed := in.width()
	if size > 8 {
		t.err = &UnknownError{in.text}
		return
	}
	t.arrive(in.args[0], t.bank(in.args[1], size), size, signed)
}

// arrive puts what was loaded into registers.
func (t *thread) arrive(dst operand, v uint64, size int, signed bool) {
	switch {
	case size == 8:
		t.setPair(dst, v)
	case signed:
		shift := 64 - 8*size
		t.set(dst, uint32(int64(v<<shift)>>shift))
	default:
		t.set(dst, uint32(v))
	}
}

func load(t *thread, in *inst) {
	size, signed := in.width()
	from := t.place(in.args[len(in.args)-1], in.op[2:], size)
	dst := in.args[0]
	for at := 0; at < size && t.err == nil; at += 8 {
		t.arrive(dst, t.read(from, at, min(size, 8)), min(size, 8), signed)
		dst.n += 2
	}
}

func store(t *thread, in *inst) {
	size, _ := in.width()
	to := t.place(in.args[0], in.op[2:], size)
	src := in.args[1]
	for at := 0; at < size && t.err == nil; at++ {
		o := src
		if o.n%uniform != zero {
			o.n += at / 4
		}
		to[at] = byte(t.value(o) >> (8 * (at % 4)))
	}
}

// nothing is what instructions do that let earlier ones be waited for, or others' memory be seen: all that is done is seen by
// all, in order.
func nothing(*thread, *inst) {}

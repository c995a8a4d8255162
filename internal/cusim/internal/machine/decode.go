package machine

import (
	"fmt"
	"math"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// inst is one decoded instruction.
type inst struct {
	run   func(w *warp, in *inst, m uint32) // for the lanes in m, which is not empty; nil for what moves control
	ctl   control
	guard int32 // a predicate, or −1
	not   bool
	// Slots. What they are of, values or predicates, is the instruction's business.
	d, a, b, c, e int32
	f1            fn1
	f2            fn2
	f3            fn3
	f4            fn4
	loop          loop   // that computes all lanes
	mask          uint64 // of a loop's result
	cmp           func(a, b uint64) bool
	test          func(a uint64) bool
	x             any // what only this kind of instruction needs

	target, meet int32
	src          *asm.Inst
}

// control says how an instruction moves control.
type control uint8

const (
	onward control = iota
	branches
	leaves
	waits  // at a barrier of the group
	yields // other warps should run now
	picks  // branches by a table
)

// decoder turns a kernel into instructions.
type decoder struct {
	k      *asm.Kernel
	d      *Kernel
	at     map[*asm.Var]uint64
	slot   []int32 // by register: a slot of values or of predicates
	consts map[uint64]int32
	err    error
}

func (im *Image) decode(m *asm.Module, k *asm.Kernel) (*Kernel, error) {
	live := newLiveness(k)
	d := &Kernel{source: k, mem: im.mem, estimate: estimateRegisters(k, live)}
	at, err := im.placed(m, k, d)
	if err != nil {
		return nil, err
	}
	dec := &decoder{k: k, d: d, at: at, consts: make(map[uint64]int32)}
	dec.slot, d.own, d.preds = live.slots(k)
	d.preds += 2 // constants: nowhere and everywhere
	meet := meets(k.Code)
	d.code = make([]inst, len(k.Code))
	for i := range k.Code {
		in, src := &d.code[i], &k.Code[i]
		*in = inst{guard: -1, not: src.Not, src: src, d: -1, a: -1, b: -1, c: -1, e: -1, meet: meet[i]}
		if src.Guard != asm.NoReg {
			in.guard = dec.slot[src.Guard]
		}
		dec.inst(in, src)
		if dec.err != nil {
			return nil, fmt.Errorf("kernel %s, line %d: %s: %w", k.Name, src.Line, src, dec.err)
		}
	}
	return d, nil
}

// noPred and allPred are predicates that never and always hold.
func (d *Kernel) noPred() int32  { return int32(d.preds - 2) }
func (d *Kernel) allPred() int32 { return int32(d.preds - 1) }

// constant is the slot of a constant.
func (dec *decoder) constant(bits uint64) int32 {
	if s, ok := dec.consts[bits]; ok {
		return s
	}
	s := int32(dec.d.own + len(dec.d.consts))
	var v values
	for l := range v {
		v[l] = bits
	}
	dec.d.consts = append(dec.d.consts, v)
	dec.consts[bits] = s
	return s
}

// value is the slot of a source operand.
func (dec *decoder) value(o *asm.Operand) int32 {
	switch o.Kind {
	case asm.IsReg:
		return dec.slot[o.Reg]
	case asm.IsImm:
		return dec.constant(o.Bits)
	case asm.IsSymbol:
		return dec.constant(dec.symbol(o))
	case asm.IsNothing:
		return -1
	}
	dec.err = fmt.Errorf("an operand of this kind is not simulated")
	return 0
}

// symbol is the address of a variable in its own space; parameters count from the start of their block.
func (dec *decoder) symbol(o *asm.Operand) uint64 {
	if o.Var.Space == asm.Param {
		return uint64(o.Var.Offset) + o.Bits
	}
	return dec.at[o.Var] + o.Bits
}

// pred is the slot of a predicate that is read.
func (dec *decoder) pred(o *asm.Operand) int32 {
	if o.Kind == asm.IsImm {
		if o.Bits == 0 {
			return dec.d.noPred()
		}
		return dec.d.allPred()
	}
	return dec.slot[o.Reg]
}

// dest is the slot of a register that is written; −1 for a sink.
func (dec *decoder) dest(o *asm.Operand) int32 {
	if o.Kind == asm.IsSink {
		return -1
	}
	return dec.slot[o.Reg]
}

// width is how many bits the register of an operand has; t's for constants and sinks.
func (dec *decoder) width(o *asm.Operand, t asm.Type) int {
	if o.Kind == asm.IsReg {
		return dec.k.Regs[o.Reg].Type.Bits()
	}
	return t.Bits()
}

// inst decodes one instruction.
func (dec *decoder) inst(in *inst, src *asm.Inst) {
	args := src.Args
	switch src.Op {
	case "bra":
		in.ctl, in.target = branches, int32(args[0].Bits)
	case "brx":
		in.ctl, in.a = picks, dec.value(&args[0])
		targets := make([]int32, len(args[1].Vec))
		for i := range targets {
			targets[i] = int32(args[1].Vec[i].Bits)
		}
		in.x = targets
	case "call": // of what the driver has; the others were inlined
		in.run, in.a, in.b = runSetConditional, dec.value(&args[0]), dec.value(&args[1])
	case "exit", "ret":
		in.ctl = leaves
	case "trap", "brkpt":
		in.run = func(w *warp, in *inst, m uint32) { w.fault(Trapped, in, m, "the kernel executed %s", in.src.Op) }
	case "nanosleep":
		in.ctl = yields
	case "fence", "membar", "prefetch", "pmevent":
		in.run = func(*warp, *inst, uint32) {} // memory is in order
	case "mov":
		dec.mov(in, src)
	case "cvt":
		dec.cvt(in, src)
	case "cvta", "isspacep":
		dec.spaces(in, src)
	case "selp":
		in.run, in.d, in.a, in.b, in.c = runSelect, dec.dest(&args[0]), dec.value(&args[1]), dec.value(&args[2]), dec.pred(&args[3])
	case "setp":
		dec.setp(in, src)
	case "set", "slct":
		dec.choosing(in, src)
	case "testp":
		in.run, in.d, in.a = runTest, dec.dest(&args[0]), dec.value(&args[1])
		in.test = property(src.Mods[0], formats[src.Type])
	case "ld", "ldu", "st":
		dec.access(in, src)
	case "atom", "red":
		dec.atomic(in, src)
	case "bar", "barrier":
		dec.barrier(in, src)
	case "vote", "match", "shfl", "redux", "activemask", "elect":
		dec.subgroup(in, src)
	case "mma":
		in.run, in.x = runMulAdd, dec.mulAdd(src)
	case "ldmatrix":
		in.run, in.x = runLoadTiles, dec.loadTiles(src)
	case "cp":
		dec.copies(in, src)
	default:
		dec.lanewise(in, src)
	}
	if in.run == nil && in.ctl == onward && dec.err == nil {
		dec.err = fmt.Errorf("this form is not simulated")
	}
}

// lanewise decodes what computes one value a lane from others.
func (dec *decoder) lanewise(in *inst, src *asm.Inst) {
	args := src.Args
	if src.Type == asm.Pred {
		in.d, in.a = dec.dest(&args[0]), dec.pred(&args[1])
		in.run = map[string]func(*warp, *inst, uint32){"and": runPredAnd, "or": runPredOr, "xor": runPredXor, "not": runPredNot}[src.Op]
		if len(args) > 2 {
			in.b = dec.pred(&args[2])
		}
		return
	}
	in.d = dec.dest(&args[0])
	for i, s := range []*int32{&in.a, &in.b, &in.c, &in.e} {
		if i+1 < len(args) {
			*s = dec.value(&args[i+1])
		}
	}
	if src.Has("cc") || src.Op == "addc" || src.Op == "subc" || src.Op == "madc" {
		in.run = runCarry
		in.x = newCarry(src)
		return
	}
	float := src.Type.Float()
	switch len(args) {
	case 2:
		if in.f1 = integer1(src); float {
			in.f1 = float1(src)
			if in.f1 != nil {
				in.f1 = dressed1(src, in.f1)
			}
		}
		if in.f1 != nil {
			in.run = run1
		}
	case 3:
		if in.f2 = integer2(src); float {
			in.f2 = float2(src)
			if in.f2 != nil {
				in.f2 = dressed2(src, in.f2)
			}
		}
		if in.f2 != nil {
			in.run = run2
		}
	case 4:
		if in.f3 = integer3(src); float {
			in.f3 = dressed3(src, float3(src))
		}
		if in.f3 != nil {
			in.run = run3
		}
	case 5:
		if in.f4 = integer4(src); in.f4 != nil {
			in.run = run4
		}
	}
	in.quicken(src)
}

func (dec *decoder) mov(in *inst, src *asm.Inst) {
	d, s := &src.Args[0], &src.Args[1]
	switch {
	case src.Type == asm.Pred:
		in.run, in.d, in.a = runPredMov, dec.dest(d), dec.pred(s)
	case d.Kind == asm.IsVec && s.Kind == asm.IsVec:
		dec.err = fmt.Errorf("both operands are vectors")
	case d.Kind == asm.IsVec:
		in.a = dec.value(s)
		in.x = &split{slots: dec.each(d.Vec, dec.dest), width: src.Type.Bits() / len(d.Vec)}
		in.run = runUnpack
	case s.Kind == asm.IsVec:
		in.d = dec.dest(d)
		in.x = &split{slots: dec.each(s.Vec, dec.value), width: src.Type.Bits() / len(s.Vec)}
		in.run = runPack
	case s.Kind == asm.IsSpecial:
		in.d, in.x = dec.dest(d), s.Special
		in.run = runSpecial
	default:
		in.run, in.d, in.a = runMov, dec.dest(d), dec.value(s)
	}
}

func (dec *decoder) each(list []asm.Operand, slot func(*asm.Operand) int32) []int32 {
	slots := make([]int32, len(list))
	for i := range list {
		slots[i] = slot(&list[i])
	}
	return slots
}

func (dec *decoder) cvt(in *inst, src *asm.Inst) {
	args := src.Args
	in.d, in.a = dec.dest(&args[0]), dec.value(&args[1])
	if len(args) == 3 { // two values into one register, the first into its upper half
		one := *src
		one.Type = map[asm.Type]asm.Type{asm.F16x2: asm.F16, asm.BF16x2: asm.BF16}[src.Type]
		f := conversion(&one, 16)
		in.b, in.run = dec.value(&args[2]), run2
		in.f2 = func(a, b uint64) uint64 { return f(a)<<16 | f(b) }
		return
	}
	in.f1 = conversion(src, dec.width(&args[0], src.Type))
	in.run = run1
}

// spaces decodes what goes between generic addresses and those of a space.
func (dec *decoder) spaces(in *inst, src *asm.Inst) {
	args := src.Args
	first, size := uint64(0), uint64(0)
	switch src.Space() {
	case asm.Shared:
		first, size = sharedWindow, windowBytes
	case asm.Local:
		first, size = localWindow, windowBytes
	}
	if src.Op == "isspacep" {
		in.run, in.d, in.a = runTest, dec.dest(&args[0]), dec.value(&args[1])
		in.test = func(a uint64) bool {
			if size == 0 {
				return a >= globalBase && a < globalEnd
			}
			return a-first < size
		}
		return
	}
	in.run, in.d, in.a = run1, dec.dest(&args[0]), dec.value(&args[1])
	mask := maskOf(src.Type.Bits())
	if src.Has("to") {
		in.f1 = func(a uint64) uint64 { return (a - first) & mask }
	} else {
		in.f1 = func(a uint64) uint64 { return (a + first) & mask }
	}
}

func (dec *decoder) setp(in *inst, src *asm.Inst) {
	args := src.Args
	in.d, in.e = dec.dest(&args[0]), -1
	if args[0].Second != asm.NoReg {
		in.e = dec.slot[args[0].Second]
	}
	in.a, in.b = dec.value(&args[1]), dec.value(&args[2])
	in.cmp = compare(src)
	c := &combining{with: -1}
	if len(args) == 4 {
		c.with, c.not, c.op = dec.pred(&args[3]), args[3].Not, src.One("and", "or", "xor")
	}
	in.x = c
	in.run = runSetp
	if c.with < 0 && in.e < 0 {
		in.quickSetp(src)
	}
}

// compare is the comparison that the instruction's first modifier names.
func compare(src *asm.Inst) func(a, b uint64) bool {
	t := src.Type
	if src.Op == "set" {
		t = src.From
	}
	if !t.Float() {
		return compareInt(src.Mods[0], t)
	}
	f := formats[t]
	cmp := compareFloat(src.Mods[0], f)
	if src.Has("ftz") {
		return func(a, b uint64) bool { return cmp(f.flush(a), f.flush(b)) }
	}
	return cmp
}

// choosing decodes comparisons into values and choices by sign.
func (dec *decoder) choosing(in *inst, src *asm.Inst) {
	args := src.Args
	in.d, in.a, in.b = dec.dest(&args[0]), dec.value(&args[1]), dec.value(&args[2])
	if src.Op == "set" {
		cmp := compare(src)
		yes := maskOf(32)
		if src.Type == asm.F32 {
			yes = uint64(math.Float32bits(1))
		}
		in.run = run2
		in.f2 = func(a, b uint64) uint64 {
			if cmp(a, b) {
				return yes
			}
			return 0
		}
		return
	}
	in.c, in.run = dec.value(&args[3]), run3
	if src.From == asm.S32 {
		in.f3 = func(a, b, c uint64) uint64 {
			if int32(c) >= 0 {
				return a
			}
			return b
		}
		return
	}
	in.f3 = func(a, b, c uint64) uint64 {
		if f32(c) >= 0 {
			return a
		}
		return b
	}
}

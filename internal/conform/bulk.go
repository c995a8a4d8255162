package conform

import (
	"slices"
	"unsafe"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// Function is an op of one f32 operand and its result type, such as sqrt.f32 or cvt.i32.
type Function struct {
	Op  ir.Op
	Out ir.Type
}

// String is the op's name; of a conversion, with the type it gives.
func (f Function) String() string {
	if f.Op.Info().Result.Kind == ir.ResultStated {
		return f.Op.String() + "." + f.Out.String()
	}
	return f.Op.String()
}

// FunctionsF32 lists the pure ops of one f32 operand: the exact ones, which are basic ops, conversions and
// accurate functions, or else the approximate ones.
func FunctionsF32(exact bool) []Function {
	var fs []Function
	for _, op := range ir.Ops() {
		for _, o := range OpCases(op) {
			if len(o.in) == 1 && o.in[0] == ir.F32 && (op.Info().Attr&ir.Approximate == 0) == exact {
				fs = append(fs, Function{op, o.out})
			}
		}
	}
	return fs
}

// Bulk evaluates a function on runs of arguments, many times faster than the interpreter: a recipe is
// written down once as a list of steps, and each step goes over bulkLanes values in a loop of its own. A step
// without such a loop calls the op's evaluation function, so the loops only have to be right where
// they are; tests hold them against those functions, and the whole against the interpreter. It may not
// be shared between goroutines.
type Bulk struct {
	steps  []bulkStep
	slots  []bulkValues
	result int
	wide   bool       // the results
	out    bulkValues // the results, zero-extended
}

// bulkLanes is how many values a step goes over. A recipe's values then stay in the first-level cache.
const bulkLanes = 128

// bulkValues are the raw bits of one value for every lane: types of 64 bits have all of the room, all others
// are words in its first half, bools being 0 or 1. Loops over floats then load floats.
type bulkValues [bulkLanes]uint64

// The words as what they are. That is the memory of v, in any byte order.
func (v *bulkValues) u32() *[bulkLanes]uint32  { return (*[bulkLanes]uint32)(unsafe.Pointer(v)) }
func (v *bulkValues) i32() *[bulkLanes]int32   { return (*[bulkLanes]int32)(unsafe.Pointer(v)) }
func (v *bulkValues) f32() *[bulkLanes]float32 { return (*[bulkLanes]float32)(unsafe.Pointer(v)) }

// isWide reports whether values of type t have 64 bits.
func isWide(t ir.Type) bool { return t.Bits() == 64 }

func (v *bulkValues) get(i int, wide bool) uint64 {
	if wide {
		return v[i]
	}
	return uint64(v.u32()[i])
}

func (v *bulkValues) set(i int, wide bool, bits uint64) {
	if wide {
		v[i] = bits
	} else {
		v.u32()[i] = uint32(bits)
	}
}

// bulkLoop computes one op for all lanes.
type bulkLoop func(dst, a, b, c *bulkValues)

// bulkStep is an op; or, without a loop, the choice between two arms: b if a holds, else c.
type bulkStep struct {
	loop         bulkLoop
	wide         bool // of a choice: what it chooses among
	dst, a, b, c int
	then, els    []bulkStep
}

// NewBulk prepares the evaluation of a function.
func NewBulk(f Function) *Bulk {
	w := &bulkWriter{consts: map[int]uint64{}, open: [][]bulkStep{nil}}
	x := w.value(ir.F32)
	var y exact.Ref
	rec := exact.RecipeOf(f.Op)
	if same, ok := exact.AccurateOf(f.Op); ok {
		rec = exact.RecipeOf(same)
	}
	if rec != nil {
		y = rec(exact.NewEmitter(w), f.Out, exact.Ref(x), 0)
	} else {
		y = w.op(f.Op, ir.F32, f.Out, 0, exact.Ref(x), 0, 0)
	}
	return w.finish(int(y))
}

// Range evaluates the function on the arguments with bits from, from+1, … and calls sink with the bits of
// the results of a few at a time, in order. n is a multiple of 128.
func (b *Bulk) Range(from uint32, n int, sink func(at uint32, results []uint64)) {
	for i := 0; i < n; i += bulkLanes {
		at := from + uint32(i)
		x := b.slots[0].u32()
		for k := range x {
			x[k] = at + uint32(k)
		}
		b.run(b.steps)
		if b.wide {
			sink(at, b.slots[b.result][:])
			continue
		}
		for k, r := range b.slots[b.result].u32() {
			b.out[k] = uint64(r)
		}
		sink(at, b.out[:])
	}
}

func (b *Bulk) run(steps []bulkStep) {
	for i := range steps {
		s := &steps[i]
		if s.loop != nil {
			s.loop(&b.slots[s.dst], &b.slots[s.a], &b.slots[s.b], &b.slots[s.c])
			continue
		}
		cond := &b.slots[s.a]
		some, all := false, true
		for _, c := range cond.u32() {
			some, all = some || c != 0, all && c != 0
		}
		// Arms are pure, so it does no harm to run one for lanes that do not want it.
		if some {
			b.run(s.then)
		}
		if !all {
			b.run(s.els)
		}
		if s.wide {
			bulkSelectWide(&b.slots[s.dst], cond, &b.slots[s.b], &b.slots[s.c])
		} else {
			bulkSelect(&b.slots[s.dst], cond, &b.slots[s.b], &b.slots[s.c])
		}
	}
}

// bulkWriter takes a recipe's steps. A ref is the number of a value, and becomes a slot in the end.
type bulkWriter struct {
	consts map[int]uint64 // bits of the values that are constants
	types  []ir.Type
	open   [][]bulkStep // lists being written: the function's, then one for each open arm
	ifs    []bulkStep
}

// value makes a value of type t.
func (w *bulkWriter) value(t ir.Type) int {
	w.types = append(w.types, t)
	return len(w.types) - 1
}

// Const gives a constant.
func (w *bulkWriter) Const(t ir.Type, bits uint64) exact.Ref {
	v := w.value(t)
	w.consts[v] = bits
	return exact.Ref(v)
}

// Op adds a step.
func (w *bulkWriter) Op(op ir.Op, out ir.Type, imm uint32, _ int, a, b, c exact.Ref) exact.Ref {
	in := w.types[a]
	if op == ir.OpSelect {
		in = w.types[b]
	}
	return w.op(op, in, out, imm, a, b, c)
}

func (w *bulkWriter) op(op ir.Op, in, out ir.Type, imm uint32, a, b, c exact.Ref) exact.Ref {
	loop := bulkLoops[bulkKey{op, in}]
	if op == ir.OpCvt || op == ir.OpBitcast {
		loop = bulkConversions[bulkConversion{op, in, out}]
	}
	if loop == nil {
		loop = bulkByTable(op, in, out, imm, [3]bool{isWide(w.types[a]), isWide(w.types[b]), isWide(w.types[c])})
	}
	v := w.value(out)
	w.add(bulkStep{loop: loop, dst: v, a: int(a), b: int(b), c: int(c)})
	return exact.Ref(v)
}

func (w *bulkWriter) add(s bulkStep) {
	last := len(w.open) - 1
	w.open[last] = append(w.open[last], s)
}

// If begins a choice and its first arm.
func (w *bulkWriter) If(c exact.Ref, t ir.Type) {
	w.ifs = append(w.ifs, bulkStep{a: int(c), dst: w.value(t), wide: isWide(t)})
	w.open = append(w.open, nil)
}

// Else ends the first arm and begins the second.
func (w *bulkWriter) Else(v exact.Ref) {
	s := &w.ifs[len(w.ifs)-1]
	s.b = int(v)
	s.then = w.close()
	w.open = append(w.open, nil)
}

// End ends the second arm.
func (w *bulkWriter) End(v exact.Ref) exact.Ref {
	s := w.ifs[len(w.ifs)-1]
	w.ifs = w.ifs[:len(w.ifs)-1]
	s.c = int(v)
	s.els = w.close()
	w.add(s)
	return exact.Ref(s.dst)
}

func (w *bulkWriter) close() []bulkStep {
	last := w.open[len(w.open)-1]
	w.open = w.open[:len(w.open)-1]
	return last
}

// finish gives values slots. A slot is free again after the last use of its value, as the steps stand in
// the list, arms included: nothing is read again further up.
func (w *bulkWriter) finish(result int) *Bulk {
	f := slotter{last: make([]int, len(w.types)), slot: make([]int, len(w.types))}
	steps := w.close()
	f.uses(steps)
	f.last[result] = f.clock + 1
	b := &Bulk{}
	// The argument, then the constants, have slots that are never given to another value.
	f.pinned = 1
	type constant struct {
		bits uint64
		wide bool
	}
	slots := map[constant]int{}
	for v := range w.types {
		bits, is := w.consts[v]
		if !is {
			continue
		}
		k := constant{bits, isWide(w.types[v])}
		at, known := slots[k]
		if !known {
			at = f.pinned
			f.pinned++
			slots[k] = at
		}
		f.slot[v] = at
	}
	f.n, f.clock = f.pinned, 0
	f.assign(steps)
	b.slots = make([]bulkValues, f.n)
	for k, at := range slots {
		for i := range bulkLanes {
			b.slots[at].set(i, k.wide, k.bits)
		}
	}
	b.steps, b.result, b.wide = steps, f.slot[result], isWide(w.types[result])
	return b
}

// slotter assigns slots to values in the order of steps.
type slotter struct {
	last   []int // the last step that uses a value
	slot   []int
	free   []int
	n      int // slots so far
	pinned int
	clock  int
}

// uses notes the last use of every value. The two results of arms are used by the choice, after both.
func (f *slotter) uses(steps []bulkStep) {
	for i := range steps {
		s := &steps[i]
		f.uses(s.then)
		f.uses(s.els)
		f.clock++
		f.last[s.a], f.last[s.b], f.last[s.c] = f.clock, f.clock, f.clock
	}
}

func (f *slotter) assign(steps []bulkStep) {
	for i := range steps {
		s := &steps[i]
		f.assign(s.then)
		f.assign(s.els)
		f.clock++
		dst := s.dst
		operands := [...]int{s.a, s.b, s.c}
		s.a, s.b, s.c = f.slot[s.a], f.slot[s.b], f.slot[s.c]
		for k, v := range operands {
			if at := f.slot[v]; f.last[v] == f.clock && at >= f.pinned && !slices.Contains(operands[:k], v) {
				f.free = append(f.free, at)
			}
		}
		// A loop reads a lane before anything is written to where it lies, so the result may take the slot of an operand.
		if n := len(f.free); n > 0 {
			f.slot[dst], f.free = f.free[n-1], f.free[:n-1]
		} else {
			f.slot[dst] = f.n
			f.n++
		}
		if f.last[dst] == 0 { // nobody reads it
			f.free = append(f.free, f.slot[dst])
		}
		s.dst = f.slot[dst]
	}
}

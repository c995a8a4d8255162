package columns

import (
	"cmp"
	"slices"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// Fold is an op that is computed of constants: of the type that its mnemonic carries, and with a result of a type.
type Fold struct {
	Op      ir.Op
	In, Out ir.Type
	Args    []ir.Type
}

// id is what a row of constants is told by: the type of its second operand stands for a select, that of its first for
// all else.
func (f Fold) id() uint32 { return uint32(f.Op)<<8 | uint32(f.In)<<4 | uint32(f.Out) }

// Folds lists what is computed: exact ops of the table without an immediate, accurate functions aside, for all types.
var Folds = func() (all []Fold) {
	for _, op := range ir.Ops() {
		in := op.Info()
		if in.Attr&(ir.Pure|ir.Convergent|ir.Expanded|ir.Approximate) != ir.Pure || exact.Of(op) == nil ||
			in.Args == 0 || in.List || in.Imm != ir.ImmNone {
			continue
		}
		at := max(in.Typed, 1) - 1
		for t := ir.Bool; t <= ir.BF16; t++ {
			if !in.In[at].Set.Has(t) {
				continue
			}
			f := Fold{Op: op, In: t}
			for _, o := range in.In[:in.Args] {
				if o.Same == 0 && o.Set.One() != ir.None {
					f.Args = append(f.Args, o.Set.One())
				} else {
					f.Args = append(f.Args, t)
				}
			}
			if f.Out = in.ResultType(f.Args...); f.Out != ir.None {
				all = append(all, f)
				continue
			}
			for f.Out = ir.Bool; f.Out <= ir.BF16; f.Out++ {
				if op == ir.OpCvt && ir.CanConvert(f.Out, t) || op == ir.OpBitcast && ir.CanBitcast(f.Out, t) {
					all = append(all, f)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b Fold) int { return cmp.Compare(a.id(), b.id()) })
	return all
}()

// Eval computes it by the op table. Of what an op makes, all NaNs are one; moves keep their bits.
func (f Fold) Eval(args [3]uint64) uint64 {
	v := exact.Eval(f.Op, f.In, f.Out, 0, args[0], args[1], args[2])
	if quiet := nan[f.Out]; f.makesNaN() && v&(f.Out.Mask()>>1) > quiet&^(quiet&-quiet) {
		return quiet
	}
	return v
}

var nan = map[ir.Type]uint64{ir.F16: 0x7e00, ir.BF16: 0x7fc0, ir.F32: 0x7fc0_0000, ir.F64: 0x7ff8_0000_0000_0000}

func (f Fold) makesNaN() bool { return nan[f.Out] != 0 && f.Op != ir.OpSelect && f.Op != ir.OpBitcast }

// folder writes the kernel that folds.
type folder struct {
	*build.Builder
	value, leader, hit, changed ir.Object
	row, program, id            build.Value
	raw                         []build.Value // operands
}

// foldProgram is the kernel: a row an invocation, and a case for each op and type, which executes that op.
func foldProgram(group uint32) (*ir.Program, error) {
	b := build.New("Fold", build.Workgroup(group))
	f := &folder{Builder: b}
	chunk, ops := b.Buffer("chunk", ir.U32, ir.RO), b.Buffer("ops", ir.U32, ir.RO)
	rows, busy := b.Buffer("rows", ir.U32, ir.RO), b.Buffer("busy", ir.U32, ir.RO)
	f.leader, f.value = b.Buffer("leader", ir.U32, ir.RW), b.Buffer("value", ir.U64, ir.WO)
	f.hit, f.changed = b.Buffer("hit", ir.U32, ir.RW), b.Buffer("changed", ir.U32, ir.RW)
	lane, warps := b.Lane(), b.Mul(b.Groups(0), b.U32(group/32))
	me := b.Add(b.Mul(b.Group(0), b.U32(group/32)), b.Warp())
	// It goes through chunks as the other kernels do.
	b.For(me, b.Len(chunk), b.Mul(warps, b.U32(32)), func(from build.Value, _ build.Label) {
		c := b.Add(from, b.Mul(lane, warps))
		left := b.Var(b.Op(ir.OpBallot, b.And(b.Lt(c, b.Len(chunk)), b.Ne(b.Load(busy, b.Load(chunk, c)), b.U32(0)))))
		b.Loop(nil, func(l build.Label, _ []build.Value) {
			b.If(b.Eq(left.Get(), b.U32(0)), func() { b.Break(l) })
			at := b.Add(from, b.Mul(b.Op(ir.OpCtz, left.Get()), warps))
			f.row, f.program = b.Add(b.Mul(at, b.U32(32)), lane), b.Load(chunk, at)
			b.Block(func(done build.Label) { f.one(ops, rows, func() { b.Break(done) }) })
			left.Set(b.And(left.Get(), b.Sub(left.Get(), b.U32(1))))
		})
	})
	return b.Program()
}

// one computes a row, if its operands are constants.
func (f *folder) one(ops, rows ir.Object, done func()) {
	b := f.Builder
	l := b.Load(f.leader, f.row)
	b.If(b.Eq(l, b.U32(folded)), func() { b.Store(f.leader, f.row, f.row) })
	x := b.LoadVec(rows, f.row, 4)
	op := b.And(b.Elem(x, 0), b.U32(OpMask))
	n := b.And(b.Load(ops, op), b.U32(3))
	b.If(b.Or(b.Ne(l, f.row), b.Eq(n, b.U32(0))), done)
	all, types := b.Bool(true), []build.Value(nil)
	f.raw = nil
	for k := range uint32(3) {
		has := b.Gt(n, b.U32(k))
		y := b.LoadVec(rows, b.Select(has, b.Elem(x, 1+k), f.row), 4)
		all = b.And(all, b.Or(b.Not(has), b.Eq(b.And(b.Elem(y, 0), b.U32(OpMask)), b.U32(uint32(ir.OpConst)))))
		wide := func(k uint32) build.Value { return b.Cvt(ir.U64, b.Elem(y, k)) }
		f.raw = append(f.raw, b.Or(wide(1), b.Shl(wide(2), b.U32(32))))
		types = append(types, f.typeOf(y))
	}
	b.If(b.Not(all), done)
	in := b.Select(b.Eq(op, b.U32(uint32(ir.OpSelect))), types[1], types[0])
	f.id = b.Or(b.Or(b.Shl(op, b.U32(8)), b.Shl(in, b.U32(4))), f.typeOf(x))
	f.cases(Folds)
}

func (f *folder) typeOf(row build.Value) build.Value {
	return f.And(f.Shr(f.Elem(row, 0), f.U32(TypeShift)), f.U32(TypeMask))
}

// cases finds the one of the row by halves.
func (f *folder) cases(all []Fold) {
	if len(all) > 1 {
		half := len(all) / 2
		f.IfElse(f.Lt(f.id, f.U32(all[half].id())), func() { f.cases(all[:half]) }, func() { f.cases(all[half:]) })
		return
	}
	c := all[0]
	f.If(f.Eq(f.id, f.U32(c.id())), func() {
		var args []build.Value
		for k, t := range c.Args {
			args = append(args, f.typed(t, f.raw[k]))
		}
		var v build.Value
		switch c.Op {
		case ir.OpCvt:
			v = f.Cvt(c.Out, args[0])
		case ir.OpBitcast:
			v = f.Bitcast(c.Out, args[0])
		default:
			v = f.Op(c.Op, args...)
		}
		if c.makesNaN() {
			v = f.CanonNaN(v)
		}
		f.Store(f.value, f.row, f.untyped(v))
		f.Store(f.leader, f.row, f.U32(folded))
		f.Atomic(ir.OpAtomicStore, f.hit, ir.Relaxed, ir.Device, f.program, f.U32(1))
		f.Atomic(ir.OpAtomicStore, f.changed, ir.Relaxed, ir.Device, f.U32(0), f.U32(1))
	})
}

// typed makes a value of raw bits, untyped raw bits of a value.
func (f *folder) typed(t ir.Type, raw build.Value) build.Value {
	switch {
	case t == ir.Bool:
		return f.Ne(raw, f.U64(0))
	case t == ir.U64:
		return raw
	case t.Bits() == 64:
		return f.Bitcast(t, raw)
	case t == ir.U32:
		return f.Cvt(t, raw)
	}
	return f.Bitcast(t, f.Cvt(ir.U32, raw))
}

func (f *folder) untyped(v build.Value) build.Value {
	switch t := f.Type(v); {
	case t == ir.Bool:
		return f.Select(v, f.U64(1), f.U64(0))
	case t == ir.U64:
		return v
	case t.Bits() == 64:
		return f.Bitcast(ir.U64, v)
	case t == ir.U32:
		return f.Cvt(ir.U64, v)
	default:
		return f.Cvt(ir.U64, f.Bitcast(ir.U32, v))
	}
}

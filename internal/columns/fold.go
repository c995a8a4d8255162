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
	Field   bool // its immediate is a field of bits
}

// id is what a row of constants is told by: the type of its second operand stands for a select, that of its first for
// all else.
func (f Fold) id() uint32 { return uint32(f.Op)<<8 | uint32(f.In)<<4 | uint32(f.Out) }

// Folds lists what is computed: exact ops of the table without an immediate but a field of bits, for all types.
var Folds = func() (all []Fold) {
	for _, op := range ir.Ops() {
		in := op.Info()
		if in.Attr&(ir.Pure|ir.Convergent|ir.Approximate) != ir.Pure || exact.Of(op) == nil ||
			in.Args == 0 || in.List || in.Imm != ir.ImmNone && in.Imm != ir.ImmField {
			continue
		}
		at := max(in.Typed, 1) - 1
		for t := ir.Bool; t <= ir.BF16; t++ {
			if !in.In[at].Set.Has(t) {
				continue
			}
			f := Fold{Op: op, In: t, Field: in.Imm == ir.ImmField}
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

// Eval computes it by the op table, with an immediate. Of what an op makes, all NaNs are one; moves keep their bits.
func (f Fold) Eval(imm uint32, args [3]uint64) uint64 {
	v := exact.Eval(f.Op, f.In, f.Out, imm, args[0], args[1], args[2])
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
	ops, rows, objects, data ir.Object
	idle, object             build.Value // of the program: ids that are zero, first object
	row, id, imm             build.Value
	raw                      []build.Value // operands
	hit, bits, gone          *build.Var    // it is computed: to this; or it does nothing
}

// foldProgram is the kernel that folds: a program a warp, 32 rows at a time and until none of these is computed any more,
// and a case for each op and type, which executes that op.
func foldProgram(group uint32) (*ir.Program, error) {
	b := build.New("Fold", build.Workgroup(group))
	f := &folder{Builder: b}
	heads := b.Buffer("heads", ir.U32, ir.RO)
	f.ops, f.rows = b.Buffer("ops", ir.U32, ir.RO), b.Buffer("rows", ir.U32, ir.RW)
	tag := b.Buffer("tag", ir.U32, ir.RW)
	f.objects, f.data = b.Buffer("objects", ir.U32, ir.RO), b.Buffer("data", ir.U32, ir.RO)
	me := b.Add(b.Mul(b.Group(0), b.U32(group/32)), b.Warp())
	b.If(b.Ge(me, b.Div(b.Len(heads), b.U32(HeadWords))), func() { b.Return() })
	head := b.Mul(me, b.U32(HeadWords))
	first := b.Load(heads, head)
	end := b.Add(first, b.Load(heads, b.Add(head, b.U32(1))))
	f.idle, f.object = b.Load(heads, b.Add(head, b.U32(5))), b.Load(heads, b.Add(head, b.U32(6)))
	b.For(first, end, b.U32(32), func(at build.Value, _ build.Label) {
		f.row = b.Add(at, b.Lane())
		known := b.Var(b.Ge(f.row, end))
		b.Loop(nil, func(l build.Label, _ []build.Value) {
			f.hit, f.gone, f.bits = b.Var(b.Bool(false)), b.Var(b.Bool(false)), b.Var(b.U64(0))
			b.If(b.Not(known.Get()), f.one)
			b.WarpBarrier() // constants are read
			b.If(f.hit.Get(), func() {
				known.Set(b.Bool(true))
				head := b.Or(b.And(b.Load(f.rows, b.Mul(f.row, b.U32(4))), b.U32(TypeMask<<TypeShift)), b.U32(uint32(ir.OpConst)))
				low, high := b.Cvt(ir.U32, f.bits.Get()), b.Cvt(ir.U32, b.Shr(f.bits.Get(), b.U32(32)))
				head = b.Select(f.gone.Get(), b.U32(0), head)
				b.StoreVec(f.rows, f.row, b.Vec(head, low, high, b.U32(None)))
				b.Store(tag, f.row, b.Or(me, b.U32(Body)))
			})
			b.WarpBarrier() // and written
			b.If(b.Not(b.Op(ir.OpAny, f.hit.Get())), func() { b.Break(l) })
		})
	})
	return b.Program()
}

// one computes a row, if it is known.
func (f *folder) one() {
	b := f.Builder
	x := b.LoadVec(f.rows, f.row, 4)
	op := b.And(b.Elem(x, 0), b.U32(OpMask))
	w := b.Load(f.ops, op)
	f.imm = b.And(b.Shr(b.Elem(x, 0), b.U32(ImmShift)), b.U32(ImmMask))
	is := func(o ir.Op) build.Value { return b.Eq(op, b.U32(uint32(o))) }
	id := b.Select(is(ir.OpLocal), b.Shl(b.U32(1), f.imm), b.Select(is(ir.OpWarp), b.U32(idleWarp), b.Select(is(ir.OpLane), b.U32(idleLane), b.U32(0))))
	b.If(b.Ne(b.And(f.idle, id), b.U32(0)), func() { f.hit.Set(b.Bool(true)) })
	indexed := b.Ne(b.And(w, b.U32(Indexed)), b.U32(0))
	b.If(b.Or(indexed, is(ir.OpLen)), func() {
		o := b.LoadVec(f.objects, b.Add(f.object, f.imm), 4)
		b.IfElse(indexed, func() { f.access(x, o, w, is(ir.OpLoad)) }, func() {
			b.If(b.Ne(b.And(b.Elem(o, 0), b.U32(objectFixed)), b.U32(0)), func() { f.known(f.wide(o, 2)) })
		})
	})
	b.If(b.And(b.Ne(b.And(w, b.U32(3)), b.U32(0)), b.Not(indexed)), func() { f.pure(x, op, b.And(w, b.U32(3))) })
}

func (f *folder) known(bits build.Value) {
	f.bits.Set(bits)
	f.hit.Set(f.Bool(true))
}

// wide is two words of a row.
func (f *folder) wide(row build.Value, k uint32) build.Value {
	return f.Or(f.Cvt(ir.U64, f.Elem(row, k)), f.Shl(f.Cvt(ir.U64, f.Elem(row, k+1)), f.U32(32)))
}

func (f *folder) isConst(row build.Value) build.Value {
	return f.Eq(f.And(f.Elem(row, 0), f.U32(OpMask)), f.U32(uint32(ir.OpConst)))
}

// access decides an access with a constant index: outside its object it does nothing, and loads zero; of a table it loads
// what is there.
func (f *folder) access(x, o, w, load build.Value) {
	b := f.Builder
	y := b.LoadVec(f.rows, b.Elem(x, 1), 4)
	b.If(f.isConst(y), func() {
		i, length, t := f.wide(y, 1), f.wide(o, 2), f.typeOf(y)
		is := func(t2 ir.Type) build.Value { return b.Eq(t, b.U32(uint32(t2))) }
		negative := b.And(b.Or(is(ir.I32), is(ir.I64)), b.Ne(b.And(b.Shr(i, b.Select(is(ir.I32), b.U32(31), b.U32(63))), b.U64(1)), b.U64(0)))
		lanes := b.Cvt(ir.U64, b.Shr(w, b.U32(LanesShift)))
		behind := b.And(b.Ne(length, b.U64(ir.RestLen)), b.Or(b.Ge(i, length), b.Ge(b.Mul(i, lanes), length)))
		b.IfElse(b.Or(negative, behind), func() {
			f.gone.Set(b.Eq(f.typeOf(x), b.U32(0)))
			f.hit.Set(b.Lt(f.typeOf(x), b.U32(16)))
		}, func() {
			b.If(b.And(load, b.Ne(b.And(b.Elem(o, 0), b.U32(objectTable)), b.U32(0))), func() {
				at := b.Mul(b.Add(b.Elem(o, 1), b.Cvt(ir.U32, i)), b.U32(2))
				f.known(b.Or(b.Cvt(ir.U64, b.Load(f.data, at)), b.Shl(b.Cvt(ir.U64, b.Load(f.data, b.Add(at, b.U32(1)))), b.U32(32))))
			})
		})
	})
}

// pure computes a row of n operands, if they are constants.
func (f *folder) pure(x, op, n build.Value) {
	b := f.Builder
	all, types := b.Bool(true), []build.Value(nil)
	f.raw = nil
	for k := range uint32(3) {
		has := b.Gt(n, b.U32(k))
		y := b.LoadVec(f.rows, b.Select(has, b.Elem(x, 1+k), f.row), 4)
		all = b.And(all, b.Or(b.Not(has), f.isConst(y)))
		f.raw, types = append(f.raw, f.wide(y, 1)), append(types, f.typeOf(y))
	}
	b.If(all, func() {
		in := b.Select(b.Eq(op, b.U32(uint32(ir.OpSelect))), types[1], types[0])
		f.id = b.Or(b.Or(b.Shl(op, b.U32(8)), b.Shl(in, b.U32(4))), f.typeOf(x))
		f.cases(Folds)
	})
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
		if c.Field {
			f.known(f.field(c))
			return
		}
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
		f.known(f.untyped(v))
	})
}

// field takes a field of bits, or puts one in. The op has its place and length in the program, so it cannot be executed.
func (f *folder) field(c Fold) build.Value {
	place, one := f.And(f.imm, f.U32(0xFF)), f.U64(1)
	long := f.Shr(f.imm, f.U32(8))
	field := f.Sub(f.Shl(one, long), one)
	if c.Op == ir.OpBfi {
		field = f.Shl(field, place)
		return f.Or(f.And(f.raw[0], f.Not(field)), f.And(f.Shl(f.raw[1], place), field))
	}
	v := f.And(f.Shr(f.raw[0], place), field)
	if c.In.IsSigned() {
		top := f.Shl(one, f.Sub(long, f.U32(1)))
		v = f.And(f.Sub(f.Xor(v, top), top), f.U64(c.In.Mask()))
	}
	return v
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

// chain makes one kernel of several whose warps go through the same programs. Parameters of one name are one.
func chain(name string, group uint32, parts ...*ir.Program) (*ir.Program, error) {
	params := map[string]ir.Param{}
	for _, p := range parts {
		for _, q := range p.Params() {
			q.Access |= params[q.Name].Access
			q.Align = max(q.Align, params[q.Name].Align)
			params[q.Name] = q
		}
	}
	b := build.New(name, build.Workgroup(group))
	objects, scalars := map[string]ir.Object{}, map[string]build.Value{}
	for i, p := range parts {
		if i > 0 {
			b.WarpBarrier()
		}
		var in build.Inlining
		for _, q := range p.Params() {
			q = params[q.Name]
			_, known := objects[q.Name]
			switch {
			case !q.IsBuffer():
				scalars[q.Name] = b.Scalar(q.Name, q.Type)
				in.Scalars = append(in.Scalars, scalars[q.Name])
				continue
			case !known:
				objects[q.Name] = b.Buffer(q.Name, q.Type, q.Access)
				b.SetAlign(objects[q.Name], 1<<q.Align)
			}
			in.Objects = append(in.Objects, objects[q.Name])
		}
		for _, o := range p.Objects()[len(in.Objects):] {
			if !o.Table() {
				in.Objects = append(in.Objects, b.LocalArray(o.Name(), o.Type(), int(o.Array.Len)))
			}
		}
		b.Inline(p, in)
	}
	return b.Program()
}

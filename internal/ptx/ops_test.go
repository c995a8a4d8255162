package ptx_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// classes are targets of which each brings something that the ones before lack.
var classes = []ptx.Target{{SM: 70}, {SM: 75}, {SM: 80}, {SM: 89}, {SM: 90}, {SM: 120}}

var valueTypes = []ir.Type{ir.Bool, ir.I32, ir.U32, ir.I64, ir.U64, ir.F32, ir.F64, ir.F16, ir.BF16}

// sample is a program with one row of interest: the last one of op.
type sample struct {
	name string
	op   ir.Op
	p    *ir.Program
}

// sampleOf builds a program around what make emits, and stores the value it returns, if any.
func sampleOf(name string, op ir.Op, group int, make func(b *build.Builder) (build.Value, bool)) sample {
	b := build.New("k", build.Workgroup(uint32(group)))
	if v, ok := make(b); ok {
		b.Store(b.Buffer("out", b.Type(v), ir.WO), b.Local(0), v)
	}
	return sample{name, op, sealed(b)}
}

// operands are scalar parameters of the given types.
func operands(b *build.Builder, types ...ir.Type) []build.Value {
	var vals []build.Value
	for i, t := range types {
		vals = append(vals, b.Scalar(fmt.Sprintf("v%d", i), t))
	}
	return vals
}

// pureSamples has every op that computes on values, on every type that it takes.
func pureSamples() (list []sample) {
	for _, op := range ir.Ops() {
		info := op.Info()
		switch {
		case info.Attr&ir.Pure == 0 || info.Attr&ir.Expanded != 0 || info.Args == 0 || info.Level > 0 && info.Attr&ir.Convergent != 0:
			continue
		case op == ir.OpCvt || op == ir.OpBitcast:
			list = append(list, conversionSamples(op)...)
			continue
		case op == ir.OpElem:
			continue
		}
		lead := max(1, info.Typed) - 1
		for _, t := range valueTypes {
			if !info.In[lead].Set.Has(t) {
				continue
			}
			in := make([]ir.Type, info.Args)
			for i := range in {
				switch {
				case i == lead, info.In[i].Same != 0:
					in[i] = t
				default:
					in[i] = info.In[i].Set.One()
				}
			}
			imm := uint32(0)
			if info.Imm == ir.ImmField {
				imm = build.Field(5, 9)
			}
			list = append(list, sampleOf(fmt.Sprintf("%s.%s", op, t), op, 32, func(b *build.Builder) (build.Value, bool) {
				return b.OpImm(op, imm, operands(b, in...)...), true
			}))
		}
	}
	return list
}

func conversionSamples(op ir.Op) (list []sample) {
	for _, to := range valueTypes {
		for _, from := range valueTypes {
			legal, make := ir.CanConvert(to, from), (*build.Builder).Cvt
			if op == ir.OpBitcast {
				legal, make = ir.CanBitcast(to, from), (*build.Builder).Bitcast
			}
			if legal {
				list = append(list, sampleOf(fmt.Sprintf("%s.%s.%s", op, to, from), op, 32, func(b *build.Builder) (build.Value, bool) {
					return make(b, to, operands(b, from)[0]), true
				}))
			}
		}
	}
	return list
}

// constantSamples has ops of which a constant operand changes the form.
func constantSamples() (list []sample) {
	for _, op := range []ir.Op{ir.OpDiv, ir.OpRem} {
		// Other constants do not come here: expand multiplies by their reciprocals.
		for _, v := range []uint64{0, 1, 8, 0xFFFF_FFFF} {
			for _, t := range []ir.Type{ir.I32, ir.U32} {
				if t == ir.I32 && v == 8 || t == ir.U32 && v == 0xFFFF_FFFF {
					continue
				}
				list = append(list, sampleOf(fmt.Sprintf("%s.%s by %#x", op, t, v), op, 32, func(b *build.Builder) (build.Value, bool) {
					return b.Op(op, operands(b, t)[0], b.Const(t, v)), true
				}))
			}
		}
	}
	for _, n := range []uint32{5, 37} {
		list = append(list, sampleOf(fmt.Sprintf("rotl.u64 by %d", n), ir.OpRotl, 32, func(b *build.Builder) (build.Value, bool) {
			return b.Op(ir.OpRotl, operands(b, ir.U64)[0], b.U32(n)), true
		}))
	}
	return list
}

// memorySamples has plain accesses: each element type, each kind of object, vectors, indices, hints.
func memorySamples() (list []sample) {
	elems := append([]ir.Type{ir.I8, ir.U8, ir.I16, ir.U16}, valueTypes...)
	add := func(name string, op ir.Op, make func(b *build.Builder) (build.Value, bool)) {
		list = append(list, sampleOf(name, op, 64, make))
	}
	for _, t := range elems {
		add(fmt.Sprintf("load buf<%s> ro", t), ir.OpLoad, func(b *build.Builder) (build.Value, bool) {
			return b.Load(b.Buffer("x", t, ir.RO), operands(b, ir.U32)[0]), true
		})
		add(fmt.Sprintf("store buf<%s>", t), ir.OpStore, func(b *build.Builder) (build.Value, bool) {
			v := operands(b, ir.U32, t)
			b.Store(b.Buffer("x", t, ir.WO), v[0], v[1])
			return 0, false
		})
	}
	objects := map[string]func(b *build.Builder) ir.Object{
		"buf<f32> rw":     func(b *build.Builder) ir.Object { return b.Buffer("x", ir.F32, ir.RW) },
		"shared f32[100]": func(b *build.Builder) ir.Object { return b.SharedArray("x", ir.F32, 100) },
		"shared f32[5000]": func(b *build.Builder) ir.Object {
			b.SharedArray("y", ir.F32, 10000)
			return b.SharedArray("x", ir.F32, 5000)
		},
		"shared f32[?]": func(b *build.Builder) ir.Object { return b.SharedRest("x", ir.F32) },
		"local f32[30]": func(b *build.Builder) ir.Object { return b.LocalArray("x", ir.F32, 30) },
	}
	for _, what := range []string{"buf<f32> rw", "shared f32[100]", "shared f32[5000]", "shared f32[?]", "local f32[30]"} {
		for _, t := range []ir.Type{ir.I32, ir.U32, ir.I64, ir.U64} {
			add(fmt.Sprintf("load %s, index %s", what, t), ir.OpLoad, func(b *build.Builder) (build.Value, bool) {
				return b.Load(objects[what](b), operands(b, t)[0]), true
			})
		}
		add(fmt.Sprintf("load %s, index 3", what), ir.OpLoad, func(b *build.Builder) (build.Value, bool) {
			return b.Load(objects[what](b), b.U32(3)), true
		})
		add(fmt.Sprintf("store.v2 %s", what), ir.OpStoreV2, func(b *build.Builder) (build.Value, bool) {
			v := operands(b, ir.U32, ir.F32, ir.F32)
			o := objects[what](b)
			if strings.HasPrefix(what, "buf") {
				b.SetAlign(o, 8)
			}
			b.StoreVec(o, v[0], b.Vec(v[1], v[2]))
			return 0, false
		})
	}
	add("load buf<f32> ro max 2^32-1, index i32", ir.OpLoad, func(b *build.Builder) (build.Value, bool) {
		o := b.Buffer("x", ir.F32, ir.RO)
		b.SetMaxLen(o, 1<<32-1)
		return b.Load(o, operands(b, ir.I32)[0]), true
	})
	for _, h := range []ir.Hint{ir.Stream, ir.Keep, ir.L2} {
		add("load buf<f32> ro, "+h.String(), ir.OpLoad, func(b *build.Builder) (build.Value, bool) {
			v := b.Load(b.Buffer("x", ir.F32, ir.RO), operands(b, ir.U32)[0])
			b.Hint(h)
			return v, true
		})
		add("store buf<f32>, "+h.String(), ir.OpStore, func(b *build.Builder) (build.Value, bool) {
			v := operands(b, ir.U32, ir.F32)
			b.Store(b.Buffer("x", ir.F32, ir.WO), v[0], v[1])
			b.Hint(h)
			return 0, false
		})
	}
	for _, t := range []ir.Type{ir.U8, ir.F16, ir.F32} {
		add(fmt.Sprintf("load.v4 buf<%s> ro", t), ir.OpLoadV4, func(b *build.Builder) (build.Value, bool) {
			o := b.Buffer("x", t, ir.RO)
			b.SetAlign(o, 4*t.Size())
			return b.Elem(b.LoadVec(o, operands(b, ir.U32)[0], 4), 3), true
		})
	}
	add("load.v2 buf<i64> rw", ir.OpLoadV2, func(b *build.Builder) (build.Value, bool) {
		o := b.Buffer("x", ir.I64, ir.RW)
		b.SetAlign(o, 16)
		v := b.LoadVec(o, operands(b, ir.U64)[0], 2)
		return b.Add(b.Elem(v, 0), b.Elem(v, 1)), true
	})
	add("store.v4 buf<bool>", ir.OpStoreV4, func(b *build.Builder) (build.Value, bool) {
		o := b.Buffer("x", ir.Bool, ir.WO)
		b.SetAlign(o, 4)
		v := operands(b, ir.U32, ir.Bool, ir.Bool)
		b.StoreVec(o, v[0], b.Vec(v[1], v[2], b.Bool(true), v[1]))
		return 0, false
	})
	for i, t := range []ir.Type{ir.U32, ir.F64, ir.BF16, ir.U8} {
		for bytes := max(4, t.Size()); bytes <= 16; bytes *= 2 {
			op := ir.OpCopyAsync4 + ir.Op(bytes>>3)
			add(fmt.Sprintf("%s.%s", op, t), op, func(b *build.Builder) (build.Value, bool) {
				v := operands(b, []ir.Type{ir.U32, ir.I64, ir.I32, ir.U64}[i], ir.U32)
				b.CopyAsync(b.SharedArray("s", t, 64), v[1], b.Buffer("x", t, ir.RO), v[0], bytes)
				b.CopyCommit()
				b.CopyWait(0)
				return 0, false
			})
		}
	}
	for _, op := range []ir.Op{ir.OpCopyCommit, ir.OpCopyWait} {
		add(op.String(), op, func(b *build.Builder) (build.Value, bool) {
			b.CopyCommit()
			b.CopyWait(3)
			return 0, false
		})
	}
	add("pause", ir.OpPause, func(b *build.Builder) (build.Value, bool) {
		b.Op(ir.OpPause, operands(b, ir.U32)[0])
		return 0, false
	})
	add("pause constant", ir.OpPause, func(b *build.Builder) (build.Value, bool) {
		b.Op(ir.OpPause, b.U32(100))
		return 0, false
	})
	add("prefetch", ir.OpPrefetch, func(b *build.Builder) (build.Value, bool) {
		b.Prefetch(b.Buffer("x", ir.F32, ir.RO), operands(b, ir.U32)[0])
		return 0, false
	})
	return list
}

// atomicSamples has each atomic on each element type, used and unused, and each order and scope once.
func atomicSamples() (list []sample) {
	add := func(op ir.Op, t ir.Type, o ir.Order, sc ir.Scope, inShared, used bool) {
		name := fmt.Sprintf("%s.%s.%s.%s", op, o, sc, t)
		if inShared {
			name += " shared"
		}
		if !used {
			name += " unused"
		}
		list = append(list, sampleOf(name, op, 64, func(b *build.Builder) (build.Value, bool) {
			vals := operands(b, []ir.Type{ir.U32, t, t}[:op.Info().Args]...)
			var obj ir.Object
			if inShared {
				obj = b.SharedArray("x", t, 64)
			} else {
				obj = b.Buffer("x", t, ir.RW)
			}
			v := b.Atomic(op, obj, o, sc, vals[0], vals[1:]...)
			return v, used && op != ir.OpAtomicStore
		}))
	}
	for _, t := range []ir.Type{ir.U32, ir.F64} {
		list = append(list, sampleOf(fmt.Sprintf("load_stale.%s", t), ir.OpLoadStale, 64, func(b *build.Builder) (build.Value, bool) {
			return b.LoadStale(b.Buffer("x", t, ir.RW), operands(b, ir.U32)[0]), true
		}))
	}
	for op := ir.OpAtomicLoad; op <= ir.OpAtomicCas; op++ {
		for _, t := range valueTypes {
			if op.Info().Elems.Has(t) {
				add(op, t, ir.Relaxed, ir.Device, false, true)
				if op > ir.OpAtomicStore {
					add(op, t, ir.Relaxed, ir.Device, false, false)
				}
			}
		}
	}
	for _, op := range []ir.Op{ir.OpAtomicLoad, ir.OpAtomicStore, ir.OpAtomicAdd} {
		for o := ir.Relaxed; o <= ir.SeqCst; o++ {
			if op.Info().Orders>>o&1 != 0 {
				add(op, ir.U32, o, ir.System, false, true)
				add(op, ir.U32, o, ir.Group, true, false)
			}
		}
	}
	return list
}

// groupSamples has barriers, votes and subgroup ops, in groups of whole warps and with a short one.
func groupSamples() (list []sample) {
	for _, op := range ir.Ops() {
		info := op.Info()
		if info.Attr&ir.Convergent == 0 {
			continue
		}
		types := []ir.Type{ir.None}
		if info.Args > 0 {
			types = nil
			for _, t := range valueTypes {
				if info.In[0].Set.Has(t) {
					types = append(types, t)
				}
			}
		}
		for _, t := range types {
			for _, size := range []int{20, 64, 80} {
				if size != 64 && t != ir.None && t != ir.Bool && t != ir.U32 && t != ir.F64 {
					continue
				}
				name := fmt.Sprintf("%s.%s in a group of %d", op, t, size)
				if t == ir.None {
					name = fmt.Sprintf("%s in a group of %d", op, size)
				}
				list = append(list, sampleOf(name, op, size, func(b *build.Builder) (build.Value, bool) {
					in := []ir.Type{t, ir.U32}[:info.Args]
					imm := uint32(0)
					if info.Imm == ir.ImmCode {
						imm = 8
					}
					v := b.OpImm(op, imm, operands(b, in...)...)
					return v, info.Result.Kind != ir.ResultNone
				}))
			}
		}
	}
	for _, sc := range []ir.Scope{ir.Group, ir.Device, ir.System} {
		for _, o := range []ir.Order{ir.AcqRel, ir.SeqCst} {
			list = append(list, sampleOf(fmt.Sprintf("fence.%s.%s", o, sc), ir.OpFence, 64, func(b *build.Builder) (build.Value, bool) {
				b.Fence(o, sc)
				return 0, false
			}))
		}
	}
	for _, n := range []uint32{0, 5, 32} {
		for op := ir.OpShuffle; op <= ir.OpShuffleDown; op++ {
			list = append(list, sampleOf(fmt.Sprintf("%s.f32 by %d", op, n), op, 64, func(b *build.Builder) (build.Value, bool) {
				return b.Op(op, operands(b, ir.F32)[0], b.U32(n)), true
			}))
		}
	}
	return list
}

// productSamples has every product of matrices.
func productSamples() (list []sample) {
	for f := matrix.F16; f <= matrix.B1; f++ {
		op := f.Op()
		list = append(list, sampleOf(op.String(), op, 64, func(b *build.Builder) (build.Value, bool) {
			var in []build.Value
			for i, o := range op.Info().In {
				var parts []build.Value
				for k := range o.Type.Lanes() {
					parts = append(parts, b.Scalar(fmt.Sprintf("%c%d", 'a'+i, k), o.Type.Elem()))
				}
				if len(parts) > 1 {
					parts[0] = b.Vec(parts...)
				}
				in = append(in, parts[0])
			}
			return b.Elem(b.Op(op, in...), 1), true
		}))
	}
	return list
}

var sampleSets = []struct {
	file string
	list func() []sample
}{
	{"values", pureSamples},
	{"constants", constantSamples},
	{"memory", memorySamples},
	{"atomics", atomicSamples},
	{"groups", groupSamples},
	{"products", productSamples},
}

// instructions returns the lines that stand for the sample's row.
func (s sample) instructions(t testing.TB, target ptx.Target) string {
	m, err := emit(s.p, target)
	if err != nil {
		return "\t" + err.Error()[strings.LastIndex(err.Error(), s.op.String()):] + "\n"
	}
	row := ir.NoRow
	for r := range ir.Row(s.p.Rows()) {
		if s.p.Op(r) == s.op {
			row = r
		}
	}
	lines := strings.Split(m.Text, "\n")
	var b strings.Builder
	for _, l := range m.Kernels[0].Lines {
		if l.Row == row {
			b.WriteString(lines[l.Line-1] + "\n")
		}
	}
	return b.String()
}

// TestSelectOfEveryOp holds the instructions of each op on each type to golden files, once where all targets agree.
func TestSelectOfEveryOp(t *testing.T) {
	for _, set := range sampleSets {
		t.Run(set.file, func(t *testing.T) {
			var b strings.Builder
			classes := classes
			if set.file == "products" { // older ones make them of other instructions, which conformance cases show
				classes = classes[2:]
			}
			for _, s := range set.list() {
				fmt.Fprintf(&b, "%s\n", s.name)
				var texts []string
				for _, target := range classes {
					texts = append(texts, s.instructions(t, target))
				}
				for i := 0; i < len(classes); {
					j := i + 1
					for j < len(classes) && texts[j] == texts[i] {
						j++
					}
					if j-i < len(classes) {
						fmt.Fprintf(&b, "from %s\n", classes[i])
					}
					b.WriteString(texts[i])
					i = j
				}
			}
			golden(t, "testdata/ops/"+set.file+".txt", b.String())
		})
	}
}

// TestSelectIsSampledForEveryOp: an op without a golden would change unseen.
func TestSelectIsSampledForEveryOp(t *testing.T) {
	sampled := make(map[ir.Op]bool)
	for _, set := range sampleSets {
		for _, s := range set.list() {
			for r := range ir.Row(s.p.Rows()) {
				sampled[s.p.Op(r)] = true
			}
		}
	}
	for _, op := range ir.Ops() {
		in := op.Info()
		// Builtins and control stand in whole kernels; recipes are gone before.
		if !sampled[op] && in.Attr&ir.Expanded == 0 && in.Args > 0 && in.Owns == 0 && in.Attr&ir.Traps == 0 {
			t.Errorf("no sample of %s", op)
		}
	}
}

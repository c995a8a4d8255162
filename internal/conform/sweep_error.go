package conform

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// Error sweeps run an op on many f32 values in launches of up to sweepThreads invocations that take
// sweepEach values each, and gather one number. Between two values lie stride−1 others; stride 1 is all
// 2³² of them.
const (
	sweepInvocations = 256 // invocations of a group
	sweepThreads     = 1 << 18
	sweepEach        = 64
)

// ErrorF32 returns the greatest error of the accurate function op on every stride-th f32, in
// units of the last place of the result, against the same function on f64, and an argument where it occurs. A
// NaN, or a zero of the wrong sign, counts as an infinite error. An infinity counts as the number after
// the greatest.
func ErrorF32(ctx context.Context, d Device, op ir.Op, stride uint32) (ulps float64, at float32, err error) {
	p := sweepOver(func(b *build.Builder, bits build.Value) build.Value {
		x := b.Bitcast(ir.F32, bits)
		e := b.Cvt(ir.F32, ulpsBetween(b, b.Op(op, x), b.Op(op, b.Cvt(ir.F64, x))))
		high := b.Shl(b.Cvt(ir.U64, b.Bitcast(ir.U32, e)), b.U32(32))
		return b.Or(high, b.Cvt(ir.U64, bits))
	}, ir.OpMax, ir.OpReduceMax, ir.OpAtomicMax)
	max, err := sweepAll(ctx, d, p, stride)
	return float64(math.Float32frombits(uint32(max >> 32))), math.Float32frombits(uint32(max)), err
}

// ulpsBetween writes |got − want| in units of the last place of an f32 as large as want.
func ulpsBetween(b *build.Builder, got, want build.Value) build.Value {
	inf := b.F64(math.Inf(1))
	after := b.F64(0x1p128)
	clamp := func(v build.Value) build.Value {
		return b.Select(b.Lt(after, b.Abs(v)), b.Op(ir.OpCopysign, after, v), v)
	}
	g, w := b.Cvt(ir.F64, got), want
	gNaN, wNaN := b.Ne(g, g), b.Ne(w, w)
	zeros := b.And(b.Eq(g, b.F64(0)), b.Eq(w, b.F64(0)))
	sign := func(v build.Value) build.Value { return b.Shr(b.Bitcast(ir.U64, v), b.U32(63)) }
	wrongZero := b.And(zeros, b.Ne(sign(b.CanonNaN(g)), sign(b.CanonNaN(w))))
	g, w = clamp(g), clamp(w)
	// The unit is 2^(e−23), e being the exponent of want, or that of the smallest normal.
	exp := b.And(b.Shr(b.Bitcast(ir.U64, b.CanonNaN(w)), b.U32(52)), b.U64(0x7FF))
	exp = b.Sub(b.Min(b.Max(exp, b.U64(1023-126)), b.U64(1023+127)), b.U64(23))
	unit := b.Bitcast(ir.F64, b.Shl(exp, b.U32(52)))
	e := b.Div(b.Abs(b.Sub(g, w)), unit)
	e = b.Select(b.Or(b.Op(ir.OpXor, gNaN, wNaN), wrongZero), inf, e)
	return b.Select(b.And(gNaN, wNaN), b.F64(0), e)
}

// sweepOver builds the program that gathers value(bits) over the arguments of one launch:
// bits = (base + thread + k·threads)·stride.
func sweepOver(value func(b *build.Builder, bits build.Value) build.Value, join, reduce, atomic ir.Op) *ir.Program {
	b := build.New("sweep", build.Workgroup(sweepInvocations))
	base, stride := b.Scalar("base", ir.U32), b.Scalar("stride", ir.U32)
	out := b.Buffer("out", ir.U64, ir.RW)
	i := b.Var(b.Add(base, b.Global(0)))
	sum := b.Var(b.U64(0))
	threads := b.Mul(b.Groups(0), b.U32(sweepInvocations))
	b.For(b.U32(0), b.U32(sweepEach), b.U32(1), func(build.Value, build.Label) {
		sum.Set(b.Op(join, sum.Get(), value(b, b.Mul(i.Get(), stride))))
		i.Set(b.Add(i.Get(), threads))
	})
	all := b.Op(reduce, sum.Get())
	b.If(b.Op(ir.OpElect), func() {
		b.Atomic(atomic, out, ir.Relaxed, ir.Device, b.U32(0), all)
	})
	return must(b.Program())
}

// sweepAll launches p until every stride-th value was an argument. stride is a power of two.
func sweepAll(ctx context.Context, d Device, p *ir.Program, stride uint32) (uint64, error) {
	if stride == 0 || stride&(stride-1) != 0 {
		return 0, fmt.Errorf("a stride of %d is no power of two", stride)
	}
	gathered := make([]byte, 8)
	total := uint64(1<<32) / uint64(stride)
	for base := uint64(0); base < total; base += sweepThreads * sweepEach {
		// A launch that goes beyond the last value starts anew at the first, which would count twice.
		threads := min(sweepThreads, (total-base)/sweepEach)
		if threads < sweepInvocations {
			return 0, fmt.Errorf("a stride of %d leaves fewer than %d values", stride, sweepInvocations*sweepEach)
		}
		l := Launch{Grid: [3]uint32{uint32(threads / sweepInvocations), 1, 1}, Args: []Arg{{Bits: base}, {Bits: uint64(stride)}, {Data: gathered}}}
		got, err := d.Run(ctx, p, l)
		if err != nil {
			return 0, err
		}
		gathered = got.Buffers[2]
	}
	return binary.LittleEndian.Uint64(gathered), nil
}

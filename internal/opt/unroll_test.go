package opt_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// counting is a loop whose counter goes from one number to another and indexes two buffers, one by vectors.
type counting struct {
	typ      ir.Type
	op       ir.Op // the loop goes on while first op bound, or bound op first
	down     bool
	step     uint64
	constant bool // bounds are constants of the program
}

func (c counting) String() string {
	return fmt.Sprintf("%s %s, step %d, down %t, constant %t", c.typ, c.op, c.step, c.down, c.constant)
}

// program counts from the first argument to the second. It sums up and stores what it sees.
func (c counting) program(t *testing.T, from, to uint64) *ir.Program {
	b := build.New("counting", build.Workgroup(1))
	x, z := b.Buffer("x", ir.U32, ir.RO), b.Buffer("z", ir.U32, ir.RO)
	w, y := b.Buffer("w", ir.U32, ir.RW), b.Buffer("y", ir.U32, ir.RW)
	first, last := b.Const(c.typ, from), b.Const(c.typ, to)
	if !c.constant {
		first, last = b.Scalar("from", c.typ), b.Scalar("to", c.typ)
	}
	sum := b.Loop([]build.Value{first, b.U32(0)}, func(l build.Label, a []build.Value) {
		k, s := a[0], a[1]
		lo, hi, step := k, last, c.step
		if c.down {
			lo, hi, step = last, k, -c.step&c.typ.Mask()
		}
		b.If(b.Not(b.Op(c.op, lo, hi)), func() { b.Break(l, s) })
		v := b.LoadVec(z, k, 2)
		s = b.Add(b.Mul(s, b.U32(3)), b.Xor(b.Load(x, k), b.Elem(v, 1)))
		s = b.Add(s, b.Load(x, b.Add(k, b.Const(c.typ, 1))))
		b.Store(w, k, s)
		b.Continue(l, b.Add(k, b.Const(c.typ, step)), s)
	})
	b.Store(y, b.U32(0), sum[0])
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// rounds is how often the loop goes round, -1 for more than 40.
func (c counting) rounds(from, to uint64) int {
	for n := range 41 {
		lo, hi, step := from, to, c.step
		if c.down {
			lo, hi, step = to, from, -c.step
		}
		if exact.Eval(c.op, c.typ, ir.Bool, 0, lo, hi, 0) == 0 {
			return n
		}
		from = (from + step) & c.typ.Mask()
	}
	return -1
}

// TestUnrollKeepsTheMeaningOfLoops counts near the least and the largest number, across zero, and past the ends of
// the buffers; with races and accesses that claim to be in bounds reported.
func TestUnrollKeepsTheMeaningOfLoops(t *testing.T) {
	before := conform.Interp(interp.Options{})
	after := optimising{Options: opt.Options{Passes: compile.Choice{Level: compile.O2}}, detect: interp.Races}
	words := func(n int) conform.Arg {
		data := make([]byte, 4*n)
		for i := range data {
			data[i] = byte(i*i + 7*i + 3)
		}
		return conform.Arg{Data: data}
	}
	loops := 0
	types := []ir.Type{ir.I32}
	if long.Enabled() {
		types = []ir.Type{ir.U32, ir.I32, ir.U64, ir.I64}
	}
	for _, typ := range types {
		for _, c := range []counting{
			{typ, ir.OpLt, false, 1, false}, {typ, ir.OpLe, false, 1, false}, {typ, ir.OpLt, true, 1, false}, {typ, ir.OpLe, true, 1, false},
			{typ, ir.OpLt, false, 3, false}, {typ, ir.OpLe, true, 3, false}, {typ, ir.OpLt, false, 1, true}, {typ, ir.OpLe, true, 3, true},
		} {
			top, half := typ.Mask(), typ.Mask()>>1
			places := []uint64{0, 1, 9, 17, 30, half - 1, half, half + 1, half + 8, top - 8, top}
			for _, from := range places {
				for _, to := range places {
					if c.rounds(from, to) < 0 {
						continue
					}
					loops++
					p := c.program(t, from, to)
					l := conform.Launch{Grid: [3]uint32{1, 1, 1}, Args: []conform.Arg{words(13 + 9*(loops%3)), words(50), words(13 + 7*(loops%2)), words(1)}}
					if !c.constant {
						l.Args = append(l.Args, conform.Arg{Bits: from}, conform.Arg{Bits: to})
					}
					want, err := before.Run(context.Background(), p, l)
					if err != nil {
						t.Fatal(err)
					}
					got, err := after.Run(context.Background(), p, l)
					if err != nil {
						t.Fatalf("%s from %#x to %#x: %v", c, from, to, err)
					}
					for i := range want.Buffers {
						if !bytes.Equal(got.Buffers[i], want.Buffers[i]) {
							t.Fatalf("%s from %#x to %#x: buffer %d: got %x, want %x", c, from, to, i, got.Buffers[i], want.Buffers[i])
						}
					}
				}
			}
		}
	}
	if loops < 200*len(types) {
		t.Errorf("%d loops of %d types end soon", loops, len(types))
	}
}

// A round is as long as it is once the elements of tables are constants, and what is computed of them.
func TestUnrollCountsNoElementsOfTables(t *testing.T) {
	for _, constant := range []bool{true, false} {
		b := build.New("permuted", build.Workgroup(1))
		x, y := b.Buffer("x", ir.U32, ir.RO), b.Buffer("y", ir.U32, ir.WO)
		places := make([]uint64, 64)
		for i := range places {
			places[i] = uint64(i * 37 % 64)
		}
		at := b.Table("at", ir.U8, places)
		b.Loop([]build.Value{b.U32(0)}, func(l build.Label, a []build.Value) {
			k := a[0]
			b.If(b.Op(ir.OpLe, b.U32(64), k), func() { b.Break(l) })
			from := k
			if !constant {
				from = b.Load(x, k)
			}
			place := b.Load(at, from)
			row, column := b.Op(ir.OpShr, place, b.U32(3)), b.And(place, b.U32(7))
			to := b.Add(b.Mul(column, b.U32(8)), b.Xor(row, b.U32(5)))
			b.Store(y, to, b.Mul(b.Load(x, k), b.U32(3)))
			b.Continue(l, b.Add(k, b.U32(1)))
		})
		p, err := b.Program()
		if err != nil {
			t.Fatal(err)
		}
		p, _, err = opt.Run(p, opt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		loops := 0
		for r := range ir.Row(p.Rows()) {
			if p.Op(r) == ir.OpLoop {
				loops++
			}
		}
		if (loops == 0) != constant {
			t.Errorf("table at the counter %t: %d loops are left", constant, loops)
		}
	}
}

// A small array whose every index depends on counters becomes values, however long the loops are that takes. One that may be read
// anywhere would stay an array, and so its loops stay short.
func TestUnrollMakesValuesOfArraysThatCountersIndex(t *testing.T) {
	for _, anywhere := range []bool{false, true} {
		b := build.New("blocks", build.Workgroup(1))
		x, v := b.Buffer("x", ir.U32, ir.RW), b.LocalArray("v", ir.U32, 8)
		rounds := func(body func(k build.Value)) {
			b.Loop([]build.Value{b.U32(0)}, func(l build.Label, a []build.Value) {
				b.If(b.Op(ir.OpLe, b.U32(8), a[0]), func() { b.Break(l) })
				body(a[0])
				b.Continue(l, b.Add(a[0], b.U32(1)))
			})
		}
		rounds(func(k build.Value) {
			sum := b.Load(x, k)
			for range 99 {
				sum = b.Mul(b.Add(sum, k), sum)
			}
			b.Store(v, b.And(b.Add(k, b.U32(3)), b.U32(7)), sum)
		})
		rounds(func(k build.Value) { b.Store(x, k, b.Load(v, k)) })
		if anywhere {
			b.Store(x, b.U32(9), b.Load(v, b.And(b.Load(x, b.U32(0)), b.U32(7))))
		}
		p, err := b.Program()
		if err != nil {
			t.Fatal(err)
		}
		p, _, err = opt.Run(p, opt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		left := 0 // loops and accesses of the array
		for r := range ir.Row(p.Rows()) {
			if in := p.Op(r).Info(); p.Op(r) == ir.OpLoop || in.Imm == ir.ImmObject && in.Args > 0 && p.Objects()[p.X(r)].Local() {
				left++
			}
		}
		if (left == 0) == anywhere {
			t.Errorf("an index that may be any %t: %d loops and accesses of the array are left", anywhere, left)
		}
	}
}

package device_test

import (
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/egraph/device"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// TestKnownBitsHold evaluates ops on values that have the known bits of their operands, and looks for a bit that is another one
// than the device says. It counts how many are known, so that an op of which nothing is ever known is noticed.
func TestKnownBitsHold(t *testing.T) {
	dev := open(t, "cpu")
	const n = 64
	for _, op := range []ir.Op{ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNot, ir.OpSelect, ir.OpMin, ir.OpMax, ir.OpAdd, ir.OpSub, ir.OpNeg, ir.OpShl,
		ir.OpShr, ir.OpMul, ir.OpDiv, ir.OpRem, ir.OpPopc, ir.OpClz, ir.OpCtz, ir.OpCvt, ir.OpBitcast} {
		known := 0
		for _, typ := range []ir.Type{ir.U32, ir.I32, ir.U64, ir.I64} {
			of := [3]ir.Type{typ, typ, typ}
			switch op {
			case ir.OpSelect:
				of[0] = ir.Bool
			case ir.OpShl, ir.OpShr:
				of[1] = ir.U32
			case ir.OpBitcast:
				of[0] = typ.Unsigned()
			}
			froms := []ir.Type{of[0]}
			if op == ir.OpCvt {
				froms = []ir.Type{ir.U32, ir.I32, ir.U64, ir.I64}
			}
			for _, of[0] = range froms {
				p, err := device.Transfer(op, typ, of)
				if err != nil {
					t.Fatal(op, typ, err)
				}
				if p != nil {
					known += holds(t, dev, p, op, typ, of, n)
				}
			}
		}
		if known < n {
			t.Errorf("%v: %d bits are known", op, known)
		}
	}
}

func holds(t *testing.T, dev vyre.Device, p *ir.Program, op ir.Op, typ ir.Type, of [3]ir.Type, n int) (known int) {
	r := rand.New(rand.NewPCG(uint64(op), uint64(typ)))
	zeros, ones := make([]uint64, 3*n), make([]uint64, 3*n)
	for i := range zeros {
		m := of[i%3].Mask()
		bits := []uint64{r.Uint64() | r.Uint64()>>1, r.Uint64(), ^uint64(0), ^uint64(0) << r.IntN(40), 0}[r.IntN(5)] & m // that are known
		v := r.Uint64() >> r.IntN(64)
		zeros[i], ones[i] = bits&^v, bits&v
	}
	to := [2][]uint64{make([]uint64, n), make([]uint64, n)}
	k, err := dev.Compile(t.Context(), p, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	columns := [][]uint64{zeros, ones, to[0], to[1]}
	var args []driver.Arg
	for _, data := range columns {
		b, err := dev.Alloc(int64(8*len(data)), driver.AllocOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		args = append(args, driver.All(b))
	}
	s := dev.NewSequence("transfer")
	defer s.Close()
	for i, data := range columns {
		s.Upload(args[i].(driver.Range), vyre.Bytes(data), driver.Always)
	}
	s.Launch(k, driver.Grid{uint32(n / 64), 1, 1}, args...)
	for i, data := range to {
		s.Read(args[2+i].(driver.Range), vyre.Bytes(data))
	}
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for range 200 {
			var a [3]uint64
			for c := range a {
				a[c] = (r.Uint64()>>(r.IntN(2)*r.IntN(64))&^zeros[3*i+c] | ones[3*i+c]) & of[c].Mask()
			}
			if v := exact.Eval(op, of[0], typ, 0, a[0], a[1], a[2]) & typ.Mask(); v&to[0][i] != 0 || v&to[1][i] != to[1][i] {
				t.Fatalf("%v.%v of %v: %#x is %#x; its zeros are said to be %#x and its ones %#x", op, typ, of, a, v, to[0][i], to[1][i])
			}
		}
		for v := to[0][i] | to[1][i]; v != 0; v &= v - 1 {
			known++
		}
	}
	return known
}

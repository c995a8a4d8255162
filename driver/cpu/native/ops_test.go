package native_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/conform"
	"github.com/govyre/vyre/driver/cpu/native"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
)

// computedByGo are the ops, with the type of their operand, that have no rule: right, and slow.
var computedByGo = strings.Fields(`
fast_cos.f32 fast_exp2.f32 fast_log2.f32 fast_sin.f32 fast_tanh.f32
`)

// spelled is how computedByGo names a case.
func spelled(o conform.OpCase) string {
	name, _, _ := strings.Cut(o.Name(), "#")
	return name
}

// draw makes a value: any bits, or few of them, or nearly all.
func draw(rng *rand.Rand, t ir.Type) uint64 {
	v := rng.Uint64()
	switch rng.IntN(6) {
	case 0:
		v >>= rng.UintN(64)
	case 1:
		v = -(v >> rng.UintN(64))
	case 2:
		v = 1<<rng.UintN(64) - uint64(rng.UintN(3))
	case 3:
		v = uint64(rng.UintN(70))
	}
	if t.IsFloat() && rng.IntN(2) == 0 { // near numbers that are integers
		v = exact.Eval(ir.OpCvt, ir.I64, t, 0, uint64(int64(v)>>rng.UintN(64)), 0, 0) + uint64(rng.IntN(3)-1)
	}
	return v & t.Mask()
}

// ruled reports whether machine code computes the op, where it is left after the passes.
func ruled(t *testing.T, p *ir.Program, op ir.Op) bool {
	q, _, err := opt.Run(p, opt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for r := range ir.Row(q.Rows()) {
		if q.Op(r) == op && !native.Ruled(q, r) {
			return false
		}
	}
	return true
}

// Every op gives what its function in the op table gives, on random values, in whole and short vectors and under masks; and
// it is known which ops Go computes. Edge values are the conformance suite's.
func TestEveryOp(t *testing.T) {
	d := open(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var missing []string
	for _, op := range ir.Ops() {
		for _, o := range conform.OpCases(op) {
			const group, n = 13, 13 * 41
			rows, chosen := make([][3]uint64, n), make([]bool, n)
			for i := range rows {
				chosen[i] = rng.IntN(4) > 0
				for k, t := range o.Operands() {
					rows[i][k] = draw(rng, t)
				}
			}
			c := o.Chosen(group, rows, chosen)
			if !ruled(t, c.Program, op) {
				missing = append(missing, spelled(o))
			}
			if err := conform.Try(context.Background(), conform.On(d), &c); err != nil {
				t.Errorf("%s: %v", &c, err)
			}
		}
	}
	slices.Sort(missing)
	if missing = slices.Compact(missing); !slices.Equal(missing, computedByGo) {
		t.Errorf("Go computes\n%s\nand the list in this file is\n%s", strings.Join(missing, "\n"), strings.Join(computedByGo, "\n"))
	}
	if d.Stats().Get(driver.InterpLaunches) > 0 {
		t.Error("the interpreter ran some")
	}
}

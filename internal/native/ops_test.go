package native_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
)

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

// chosen is a case of an op in so many groups of a whole vector and a short one, with random operands, on most of them.
func chosen(rng *rand.Rand, o *conform.OpCase, groups int) conform.Case {
	const group = 13
	rows, runs := make([][3]uint64, group*groups), make([]bool, group*groups)
	for i := range rows {
		runs[i] = rng.IntN(4) > 0
		for k, t := range o.Operands() {
			rows[i][k] = draw(rng, t)
		}
	}
	return o.Chosen(group, rows, runs)
}

// byGo lists the ops that Go computes in what the passes make of a program.
func byGo(t *testing.T, p *ir.Program, target string) (ops []ir.Op) {
	q, _, err := opt.Run(p, opt.Options{Passes: compile.Choice{}.ForCPU()})
	if err != nil {
		t.Fatal(err)
	}
	for r := range ir.Row(q.Rows()) {
		if native.ByGo(q, r, target) {
			ops = append(ops, q.Op(r))
		}
	}
	return ops
}

// Every op gives what its function in the op table gives, on random values, in whole and short vectors and under masks; and
// Go computes none of them. Edge values are the conformance suite's.
func TestEveryOp(t *testing.T) {
	for _, target := range native.HostTargets() {
		t.Run(target, func(t *testing.T) { testEveryOp(t, target) })
	}
}

func testEveryOp(t *testing.T, target string) {
	d := open(t, target)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, op := range ir.Ops() {
		for _, o := range conform.OpCases(op) {
			c := chosen(rng, &o, 41)
			if ops := byGo(t, c.Program, target); len(ops) > 0 {
				t.Errorf("%s: Go computes %v", &c, ops)
			}
			if err := conform.Try(context.Background(), conform.On(d), &c); err != nil {
				t.Errorf("%s: %v", &c, err)
			}
		}
	}
	if d.Stats().Get(metric.InterpLaunches) > 0 {
		t.Error("the interpreter ran some")
	}
}

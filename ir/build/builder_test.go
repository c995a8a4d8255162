package build_test

import (
	"strings"
	"testing"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/verify"
)

func saxpy() *build.Builder {
	b := build.New("saxpy", build.Workgroup(256))
	a, x, y := b.Scalar("a", ir.F32), b.Buffer("x", ir.F32, ir.RO), b.Buffer("y", ir.F32, ir.RW)
	i := b.Global(0)
	b.If(b.Ge(i, b.Len(y)), func() { b.Return() })
	b.Store(y, i, b.Add(b.Mul(a, b.Load(x, i)), b.Load(y, i)))
	return b
}

func TestBuilderSealsSaxpy(t *testing.T) {
	p, err := saxpy().Program()
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Rows(); got != 13 {
		t.Errorf("saxpy has %d rows, want 13", got)
	}
	if got := p.Op(ir.Row(p.Rows() - 1)); got != ir.OpReturn {
		t.Errorf("saxpy ends with %s", got)
	}
}

// merges counts arguments of loops and results of structured ops.
func merges(p *ir.Program) (args, res int) {
	for r := range ir.Row(p.Rows()) {
		switch {
		case p.Op(r) == ir.OpArg && p.Region(r) != 0:
			args++
		case p.Op(r) == ir.OpRes:
			res++
		}
	}
	return args, res
}

func TestVariableBecomesArgumentsAndResultsOnlyWhereItChanges(t *testing.T) {
	b := build.New("vars")
	x := b.Buffer("x", ir.U32, ir.RO)
	out := b.Buffer("out", ir.U32, ir.WO)
	sum, same := b.Var(b.Len(x)), b.Var(b.Local(0))
	b.For(b.U32(0), b.Len(x), b.U32(1), func(i build.Value, l build.Label) {
		b.If(b.Eq(i, b.U32(9)), func() { b.Break(l) })
		b.If(b.Eq(i, b.U32(5)), func() { b.Continue(l) })
		sum.Set(b.Add(sum.Get(), b.Mul(b.Load(x, i), same.Get())))
	})
	b.Store(out, b.U32(0), b.Add(sum.Get(), same.Get()))
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	// The counter and sum are carried by the loop; sum leaves the inner block (for the
	// early continue) and the loop. same needs nothing.
	if args, res := merges(p); args != 2 || res != 2 {
		t.Errorf("got %d arguments and %d results, want 2 and 2", args, res)
	}
}

// A nil piece is an empty one, whatever would run it.
func TestNilPiecesAreEmpty(t *testing.T) {
	made := func(empty bool) *ir.Program {
		b := build.New("pieces", build.Workgroup(32))
		o := b.Buffer("o", ir.U32, ir.RW)
		var piece func()
		var chosen func() []build.Value
		var block func(build.Label)
		var counted func(build.Value, build.Label)
		if empty {
			piece, chosen = func() {}, func() []build.Value { return nil }
			block, counted = func(build.Label) {}, func(build.Value, build.Label) {}
		}
		c := b.Eq(b.Lane(), b.U32(1))
		b.If(c, piece)
		b.IfElse(c, piece, piece)
		b.Choose(c, chosen, chosen)
		b.Block(block)
		b.For(b.U32(0), b.U32(3), b.U32(1), counted)
		b.Unreached(piece)
		b.Store(o, b.Lane(), b.U32(1))
		p, err := b.Program()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if got, want := made(false), made(true); got.Digest() != want.Digest() {
		t.Errorf("nil pieces make\n%s\nempty ones\n%s", text.Of(got), text.Of(want))
	}
	b := build.New("loop", build.Workgroup(32))
	if b.Loop(nil, nil); b.Dead() == false {
		t.Error("what follows a loop that nothing leaves can be reached")
	}
}

func TestSealingTwiceGivesTheSameProgram(t *testing.T) {
	p, err := saxpy().Program()
	if err != nil {
		t.Fatal(err)
	}
	q, err := verify.Seal(p.Edit())
	if err != nil {
		t.Fatal(err)
	}
	if p.Digest() != q.Digest() {
		t.Error("the digest changed")
	}
}

func TestBuilderReportsMisuseAtTheCallersLine(t *testing.T) {
	b := build.New("bad")
	b.Add(b.U32(1), b.F32(1))
	b.Continue(build.Label{})
	_, err := b.Program()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"builder_test.go:", "VY102", "VY008"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q:\n%v", want, err)
		}
	}
}

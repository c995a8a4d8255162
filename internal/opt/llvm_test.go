package opt_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// TestPeepholesThatLLVMMissed counts the patterns of package mine's list that O3 makes as short as their results.
func TestPeepholesThatLLVMMissed(t *testing.T) {
	text, err := os.ReadFile("../mine/testdata/llvm.rules")
	if err != nil {
		t.Fatal(err)
	}
	list, err := rules.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	short, longer := 0, ""
	for _, r := range list {
		at := r.At(ir.U32)
		for typ := ir.I32; at == nil; typ++ {
			at = r.At(typ)
		}
		if left, right := opsAtO3(t, at, at.Left), opsAtO3(t, at, at.Right); left <= right {
			short++
		} else {
			longer += fmt.Sprintf(" %s %d not %d;", r.Name, left, right)
		}
	}
	if t.Logf("%d of %d;%s", short, len(list), strings.TrimSuffix(longer, ";")); short < 22 {
		t.Errorf("%d are as short, 22 are wanted", short)
	}
}

// opsAtO3 is how many ops a side of a rule has after the passes.
func opsAtO3(t *testing.T, r *rules.Rule, side *rules.Term) int {
	b := build.New("k", build.Workgroup(1))
	vars := make([]build.Value, len(r.Vars))
	for i, v := range r.Vars {
		name := string(rune('a' + i))
		switch {
		case v.Const:
			vars[i] = b.Const(v.Type, 77)
		case v.Type == ir.Bool:
			vars[i] = b.Ne(b.Scalar(name, ir.U32), b.U32(0))
		default:
			vars[i] = b.Scalar(name, v.Type)
		}
	}
	var value func(p *rules.Term) build.Value
	value = func(p *rules.Term) build.Value {
		switch p.Kind {
		case rules.Literal:
			return b.Const(p.Type, p.Bits)
		case rules.Value, rules.Constant:
			return vars[p.Var]
		}
		args := make([]build.Value, len(p.Args))
		for i, a := range p.Args {
			args[i] = value(a)
		}
		return b.Op(p.Op, args...)
	}
	v := value(side)
	if side.Type == ir.Bool {
		v = b.Select(v, b.U32(1), b.U32(0))
	}
	b.Store(b.Buffer("out", b.Type(v), ir.WO), b.U32(0), v)
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	if p, _, err = opt.Run(p, opt.Options{Passes: compile.Choice{Level: compile.O3}}); err != nil {
		t.Fatal(err)
	}
	rows, constants := coneOfStore(p)
	return rows - constants
}

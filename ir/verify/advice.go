package verify

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/dataflow"
	"github.com/govyre/vyre/ir/internal/finding"
	"github.com/govyre/vyre/ir/internal/inner"
)

// advice collects warnings about a sealed program.
type advice struct {
	finding.Report
	p      *ir.Program
	flow   dataflow.Flow
	visits int
}

func newAdvice(p *ir.Program) *advice {
	return &advice{Report: finding.Report{Code: p.Code(inner.Key{})}, p: p, flow: dataflow.NewFlow(p.Code(inner.Key{}))}
}

// rows looks at constants and stores, a row at a time.
func (a *advice) rows() {
	c := a.Code
	uni := a.p.Uniformity()
	for r, op := range c.Op {
		a.visits++
		in := op.Info()
		for i, v := range [3]ir.Row{c.A[r], c.B[r], c.C[r]} {
			if i >= in.Args || c.Op[v] != ir.OpConst {
				continue
			}
			t := c.Type[r]
			switch n := c.Pool[c.X[v]]; {
			case in.In[i].Role == ir.RoleDivisor && t.IsInt() && n == 0:
				a.Add("VY601", ir.Row(r), in.Name)
			case in.In[i].Role == ir.RoleShift && n >= uint64(t.Bits()):
				a.Add("VY607", ir.Row(r), in.Name, n, t.Bits())
			}
		}
		// Where all invocations of the level at which the index is equal come by, they write one cell.
		if in.Attr&(ir.Writes|ir.Atomic) == ir.Writes && in.Imm == ir.ImmObject {
			index, value := uni.Value[c.A[r]], uni.Value[c.B[r]]
			if obj := a.p.Objects()[c.X[r]]; !obj.Local() && uni.Control[r] <= index && index < value {
				a.Add("VY604", ir.Row(r), in.Name, value, obj.Name(), index)
			}
		}
	}
}

// loops finds loops that nothing leaves.
func (a *advice) loops() {
	c := a.Code
	// An exit leaves every enclosing op from some row on. leaves is the least such row
	// among the exits inside an op, by its first region; exits inside are met first when going backwards.
	leaves := make([]int64, len(c.Regions))
	for i := range leaves {
		leaves[i] = int64(c.Rows())
	}
	for r := c.Rows() - 1; r >= 0; r-- {
		a.visits++
		op := c.Op[r]
		from := int64(c.Rows())
		switch {
		case op == ir.OpBreak:
			from = int64(c.X[r])
		case op == ir.OpContinue:
			from = int64(c.X[r]) + 1
		case op == ir.OpReturn:
			from = 0
		case op.Info().Owns > 0:
			from = leaves[c.X[r]]
			if op.Info().Attr&ir.Repeats != 0 && from > int64(r) {
				a.Add("VY602", ir.Row(r), a.Label(ir.Row(r)))
			}
		}
		x := a.flow.Owner(c.Region[r])
		leaves[x] = min(leaves[x], from)
	}
}

// unused finds parameters and arrays that no row names.
func (a *advice) unused() {
	c := a.Code
	objects := make([]bool, len(a.p.Objects()))
	values := make([]bool, c.Rows())
	for r, op := range c.Op {
		a.visits++
		if op.Info().Imm == ir.ImmObject {
			objects[c.X[r]] = true
		}
		for _, v := range [3]ir.Row{c.A[r], c.B[r], c.C[r]} {
			if v != ir.NoRow {
				values[v] = true
			}
		}
		for _, v := range c.List(ir.Row(r)) {
			values[v] = true
		}
	}
	for o, used := range objects {
		if !used {
			obj := a.p.Objects()[o]
			a.Add("VY606", ir.NoRow, kindName(obj)+" @"+obj.Name()).Pos = obj.Pos()
		}
	}
	for r := range ir.Row(c.Rows()) {
		if c.Op[r] != ir.OpArg || c.Region[r] != 0 {
			break
		}
		if !values[r] {
			a.Add("VY606", r, "parameter "+a.Value(r))
		}
	}
}

package verify

import (
	"strings"

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
	reach  constancy // once something asked for it
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
			case in.In[i].Role == ir.RoleDivisor && t.IsInt() && n == 0 && a.reach.reached(c, ir.Row(r), &a.visits):
				a.Add("VY601", ir.Row(r), a.Op(ir.Row(r)))
			case in.In[i].Role == ir.RoleShift && n >= uint64(t.Bits()) && a.reach.reached(c, ir.Row(r), &a.visits):
				a.Add("VY607", ir.Row(r), a.Op(ir.Row(r)), n, t.Bits())
			}
		}
		// Where all invocations of the level at which the index is equal come by, they write one cell.
		if in.Attr&(ir.Writes|ir.Atomic) == ir.Writes && in.Imm == ir.ImmObject {
			index, value := uni.Value[c.A[r]], uni.Value[c.B[r]]
			if obj := a.p.Objects()[c.X[r]]; !obj.Local() && uni.Control[r] <= index && index < value {
				differs := value.String()
				if a.Go() {
					differs = among(value)
				}
				a.Add("VY604", ir.Row(r), a.Op(ir.Row(r)), differs, obj.Name(), index)
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

// unused finds parameters and arrays that no row names. Fields of records and elements of arrays may be there for others: what
// they are parts of is unused if all of them are.
func (a *advice) unused() {
	c := a.Code
	objects := make([]bool, len(a.p.Objects()))
	values := make([]bool, c.Rows())
	for r, op := range c.Op {
		a.visits++
		if op.Info().Imm == ir.ImmObject {
			objects[c.X[r]] = true
		}
		if op.Info().Imm == ir.ImmCopy {
			dst, src := ir.CopyObjects(c.X[r])
			objects[dst], objects[src] = true, true
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
	var ws wholes
	for o, used := range objects {
		obj := a.p.Objects()[o]
		what, name := kindName(obj), obj.Name()
		if obj.Param != nil {
			name = obj.Param.Name
			if a.Go() {
				what = "parameter"
			}
		}
		ws.part(whole{what: what + " ", name: name, row: ir.NoRow, pos: obj.Pos(), used: used})
	}
	for r := range ir.Row(c.Rows()) {
		if c.Op[r] != ir.OpArg || c.Region[r] != 0 {
			break
		}
		ws.part(whole{what: "parameter ", name: strings.TrimPrefix(a.Value(r), "%"), row: r, pos: c.Debug.Pos(r), used: values[r]})
	}
	for _, u := range ws.list {
		if u.used {
			continue
		}
		name := a.Object(u.name)
		if u.row != ir.NoRow && !a.Go() {
			name = "%" + u.name
		}
		a.Add("VY606", u.row, u.what+name).Pos = u.pos
	}
}

// whole is a parameter or an array, with all that became of it.
type whole struct {
	what, name string
	row        ir.Row
	pos        ir.Pos
	used       bool // some part is
}

// wholes collects parts, by the name of what they are parts of.
type wholes struct {
	list  []whole
	index map[string]int
}

func (ws *wholes) part(p whole) {
	if k := strings.IndexAny(p.name, ".["); k > 0 {
		p.name = p.name[:k]
	}
	k, known := ws.index[p.what+p.name]
	if !known {
		if ws.index == nil {
			ws.index = make(map[string]int)
		}
		ws.index[p.what+p.name] = len(ws.list)
		ws.list = append(ws.list, p)
		return
	}
	ws.list[k].used = ws.list[k].used || p.used
}

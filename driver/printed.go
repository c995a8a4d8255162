package driver

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/govyre/vyre/ir"
)

// Printed is a text that an invocation has printed, or the values that it has traced.
type Printed struct {
	Step   int    // launch that made it, in recorded order
	Global uint64 // linear id of the invocation in the grid
	Pos    ir.Pos // of the call
	Text   string
}

func (p Printed) String() string {
	return fmt.Sprintf("%v: invocation %d: %s", p.Pos, p.Global, p.Text)
}

// Print turns the traces of launches of the program p into what they print: in order of launches, then of invocations,
// for each of them in the order in which it came to them. A text of which a part found no room is left out.
func Print(p *ir.Program, traces []Trace) []Printed {
	rows := make(map[uint32]ir.Row)
	for r := range ir.Row(p.Rows()) {
		if p.Op(r) == ir.OpTrace {
			rows[p.X(r)] = r
		}
	}
	traces = slices.Clone(traces)
	slices.SortStableFunc(traces, func(a, b Trace) int {
		if a.Step != b.Step {
			return a.Step - b.Step
		}
		return cmp.Compare(a.Global, b.Global)
	})
	var out []Printed
	for i := 0; i < len(traces); i++ {
		t := &traces[i]
		r, known := rows[t.Tag]
		if !known {
			continue
		}
		line := Printed{Step: t.Step, Global: t.Global, Pos: p.Pos(r)}
		k, parts, format, text := ir.PrintfPart(p.Message(r))
		if !text {
			line.Text = fmt.Sprintf("%s %v", p.Message(r), values(p, r, t))
			out = append(out, line)
			continue
		}
		vals := values(p, r, t)
		whole := k == 0
		for n := 1; n < parts && whole; n++ {
			if i+1 == len(traces) || traces[i+1].Tag != t.Tag+uint32(n) || traces[i+1].Global != t.Global || traces[i+1].Step != t.Step {
				whole = false
				break
			}
			i++
			vals = append(vals, values(p, rows[traces[i].Tag], &traces[i])...)
		}
		if whole {
			line.Text = fmt.Sprintf(format, vals...)
			out = append(out, line)
		}
	}
	return out
}

// values are those of a record, as Go values of the types that row r traces.
func values(p *ir.Program, r ir.Row, t *Trace) []any {
	var vals []any
	for i, v := range p.List(r)[:min(len(p.List(r)), t.Count)] {
		switch bits := t.Values[i]; p.Type(ir.Row(v)) {
		case ir.Bool:
			vals = append(vals, bits&1 != 0)
		case ir.I32:
			vals = append(vals, int32(bits))
		case ir.I64:
			vals = append(vals, int64(bits))
		case ir.F32:
			vals = append(vals, math.Float32frombits(uint32(bits)))
		case ir.F64:
			vals = append(vals, math.Float64frombits(bits))
		default:
			vals = append(vals, bits)
		}
	}
	return vals
}

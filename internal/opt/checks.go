package opt

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/ir"
)

// BoundsChecks returns the accesses of p that keep a bounds check, each place of the source once and in its order, with what is
// missing for a proof. It asks after the last run of bounds: later passes make checks cheaper, for several accesses or
// rounds of a loop together, and prove none. The error is that of Run.
func BoundsChecks(p *ir.Program) ([]Note, error) {
	runs, err := compile.Choice{}.Runs()
	if err != nil {
		return nil, err
	}
	last := -1
	for i, r := range runs {
		if r.Pass == "bounds" {
			last = i
		}
	}
	out, _, err := Run(p, Options{runs: runs[:last+1]})
	if err != nil {
		return nil, err
	}
	var kept []Note
	asked := askedChecks(p)
	told := make(map[checkedAccess]bool) // a round written out, or a load with its store
	w := open(out)
	w.ranges(func(g *ranges, r ir.Row) {
		in := w.info(r)
		if in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0 || w.Flags[r].InBounds() {
			return
		}
		at := checkedAccess{w.Debug.Pos(r).String(), w.objs[w.X[r]].Name()}
		if !told[at] {
			told[at] = true
			kept = append(kept, Note{w.Debug.Pos(r), g.missing(r), asked[at]})
		}
	})
	slices.SortStableFunc(kept, func(a, b Note) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return kept, nil
}

// checkedAccess is an access as the source has it: where, and of what.
type checkedAccess struct{ at, of string }

// askedChecks are the accesses that may be out of bounds on purpose. The passes merge them with others.
func askedChecks(p *ir.Program) map[checkedAccess]bool {
	asked := make(map[checkedAccess]bool)
	for r := range ir.Row(p.Rows()) {
		if p.Flags(r).Checked() && p.Op(r) != ir.OpTrace {
			asked[checkedAccess{p.Pos(r).String(), p.Objects()[p.X(r)].Name()}] = true
		}
	}
	return asked
}

// missing says why an access is checked.
func (g *ranges) missing(r ir.Row) string {
	w := g.w
	i, o := w.A(r), w.X[r]
	name := w.objs[o].Name()
	has := fmt.Sprintf("nothing known there says that it is less than len(%s)", name)
	if n := w.minLen(o); n > 0 {
		has = fmt.Sprintf("%s has %d elements", name, n)
	}
	at := g.at(i)
	switch t := w.Type[i]; {
	case !g.notNegative(i):
		return fmt.Sprintf("the index of %s is checked, because it may be negative", name)
	case at.Lo == at.Hi:
		return fmt.Sprintf("the index %d of %s is checked, because %s", at.Hi, name, has)
	case at.Hi < largest(t):
		return fmt.Sprintf("the index of %s is checked, because it may be as large as %d, and %s", name, at.Hi, has)
	default:
		return fmt.Sprintf("the index of %s is checked, because it may be any number, and %s", name, has)
	}
}

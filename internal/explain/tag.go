package explain

import (
	"fmt"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/verify"
)

// origin numbers what the front end made: the rows of its program, then the parameters, then
// the arrays.
type origin int

// origins is what is known of each.
type origins struct {
	pos []ir.Pos // in the source
}

// tag returns p with the origin in place of each position, and with a name, unique
// already, for each value that the text of a program shows one for.
func tag(p *ir.Program) (*ir.Program, *origins, error) {
	c := p.Edit()
	o := &origins{}
	c.Debug.Positions, c.Debug.PosOf = nil, make([]uint32, c.Rows())
	next := func(pos ir.Pos) ir.Pos {
		o.pos = append(o.pos, pos)
		return ir.Pos{File: "origin", Line: len(o.pos)}
	}
	for r := range c.Rows() {
		c.Debug.Positions = append(c.Debug.Positions, next(p.Pos(ir.Row(r))))
		c.Debug.PosOf[r] = uint32(len(c.Debug.Positions))
	}
	for i := range c.Params {
		c.Params[i].Pos = next(c.Params[i].Pos)
	}
	for i := range c.Arrays {
		c.Arrays[i].Pos = next(c.Arrays[i].Pos)
	}
	c.Debug.Names = names(p)
	tagged, err := verify.Seal(c)
	if err != nil {
		return nil, nil, fmt.Errorf("BUG: explain: kernel %s with positions replaced: %w", p.Name(), err)
	}
	return tagged, o, nil
}

// at returns the origin that a position of a tagged program stands for.
func (o *origins) at(pos ir.Pos) (origin, bool) {
	return origin(pos.Line - 1), pos.Line > 0 && pos.Line <= len(o.pos)
}

// names returns a name for each row that the text of p shows one for: the printed one, which
// is unique, and where that is a number, a name with the number in it.
func names(p *ir.Program) map[ir.Row]string {
	printed := text.Printer{}.List(p).Names
	taken := make(map[string]bool, len(printed))
	for _, s := range printed {
		taken[s] = true
	}
	named := make(map[ir.Row]string)
	for r, s := range printed {
		if s == "" {
			continue
		}
		if strings.Trim(s, "0123456789") == "" {
			prefix := labels[p.Op(ir.Row(r))]
			if prefix == "" {
				prefix = "v"
			}
			for s = prefix + s; taken[s]; {
				s = prefix + "." + s
			}
		}
		named[ir.Row(r)] = s
	}
	return named
}

// labels are what labels without a name are called.
var labels = map[ir.Op]string{ir.OpLoop: "loop", ir.OpBlock: "block"}

// restore puts the positions back into findings about a tagged program.
func (o *origins) restore(ds ir.Diags) ir.Diags {
	back := func(pos ir.Pos) ir.Pos {
		if id, ok := o.at(pos); ok {
			return o.pos[id]
		}
		return pos
	}
	list := make(ir.Diags, len(ds))
	for i, d := range ds {
		d.Pos = back(d.Pos)
		notes := make([]ir.Note, len(d.Related))
		for k, n := range d.Related {
			n.Pos = back(n.Pos)
			notes[k] = n
		}
		d.Related = notes
		list[i] = d
	}
	return list
}

// where says in words where an origin stands in the source, and through which calls.
func (o *origins) where(id origin) string {
	pos := o.pos[id]
	if pos.Line == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(pos.String())
	for c := pos.Call; c != nil; c = c.Call {
		b.WriteString(" ← " + c.String())
	}
	return b.String()
}

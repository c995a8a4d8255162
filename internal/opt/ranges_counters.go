package opt

import "github.com/govyre/vyre/ir"

// limit is what a condition says about an argument of a loop.
type limit struct {
	arg ir.Row
	i   interval
}

// limited takes note of what a condition has said about v, an argument of a loop in its first round.
func (g *ranges) limited(v ir.Row, i interval) {
	if g.nest != ir.NoRow && g.round == 0 && g.w.Op[v] == ir.OpArg && g.w.Region[v] != 0 {
		g.limits = append(g.limits, limit{v, i})
	}
}

// foreseen adds to what a continue brings to argument arg in the first round, which is value v, what it will bring when
// the counter that arg may be has come to its limit: then the next round shows that no more comes. It is a guess,
// and rounds go on until they bring nothing new whatever was guessed; what was too much the last round takes back.
func (g *ranges) foreseen(arg, v ir.Row, i interval) interval {
	w := g.w
	if g.round != 0 || g.nest == ir.NoRow || w.Op[v] != ir.OpAdd || w.A(v) != arg {
		return i
	}
	step, ok := w.bits(w.B(v))
	if !ok {
		return i
	}
	n := widthOf(w.Type[arg])
	for k := len(g.limits) - 1; k >= 0 && k >= len(g.limits)-maxLimits; k-- {
		w.visits++
		if g.limits[k].arg != arg {
			continue
		}
		now, most := g.of(arg), g.limits[k].i
		switch {
		case w.Type[arg].IsSigned() && n.sign(step) > 0:
			most = n.signed(now.slo, most.shi)
		case w.Type[arg].IsSigned():
			most = n.signed(most.slo, now.shi)
		case n.sign(step) > 0:
			most = n.unsigned(now.lo, most.hi)
		default:
			most = n.unsigned(most.lo, now.hi)
		}
		return n.join(i, n.add(most, n.exact(step)))
	}
	return i
}

// maxLimits bounds how many conditions are looked at for one.
const maxLimits = 8

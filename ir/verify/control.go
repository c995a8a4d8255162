package verify

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/dataflow"
	"github.com/govyre/vyre/ir/internal/limits"
)

// control finds the uniformity of the program and checks that convergent ops are reached
// by all invocations of their level, or by none.
func (k *checker) control() {
	k.firsts()
	u := dataflow.NewAnalysis(k.Code, k.objs)
	k.uni = u.Solve()
	k.visits += u.Visits
	for r, op := range k.Code.Op {
		if in := op.Info(); in.Attr&ir.Convergent != 0 && k.uni.Control[r] > in.Level {
			k.diverged(u, ir.Row(r), in)
		}
	}
	k.wholeWarps()
	k.waits()
}

// wholeWarps reports the first matrix product, if warps may be short.
func (k *checker) wholeWarps() {
	size := k.Code.Workgroup
	n := size[0] * size[1] * size[2]
	for r, op := range k.Code.Op {
		if n%32 != 0 && op.Info().In[0].Type != 0 {
			k.Add("VY705", ir.Row(r), k.Op(ir.Row(r)), n)
			return
		}
	}
}

// firsts checks for how many different numbers of first groups there are barriers: each has counters of its own, for
// which a launch has room.
func (k *checker) firsts() {
	if n := len(k.Code.FirstGroups()); n > limits.FirstGroups {
		k.Add("VY502", ir.NoRow, "different numbers of workgroups that "+k.firstBarrier()+" waits for", n, limits.FirstGroups)
	}
}

// firstBarrier names the barrier of first groups as the source does.
func (k *checker) firstBarrier() string {
	for r, op := range k.Code.Op {
		if op == ir.OpBarrierFirst {
			return k.Op(ir.Row(r))
		}
	}
	return ir.OpBarrierFirst.String()
}

// diverged reports a convergent op under control that is not uniform enough, with the
// row where control rose and the value that it hangs on.
func (k *checker) diverged(u *dataflow.Analysis, r ir.Row, in *ir.Info) {
	why := u.WhyControl[u.Of[r]]
	d := k.Add(k.divergence(u, r, in, why), r, k.Op(r))
	// An exit was taken by some invocations because of a branch around it, or of another
	// exit in front of it.
	for range limits.Nesting {
		if k.Code.Op[why] == ir.OpIf {
			break
		}
		if k.Go() {
			k.Note(d, why, "some invocations %s here", k.leaves(why))
		} else {
			k.Note(d, why, "some invocations leave here: %s", k.leaves(why))
		}
		next := u.WhyControl[u.Of[why]]
		if next == why {
			return
		}
		why = next
	}
	if k.Code.Op[why] != ir.OpIf {
		return
	}
	cond := k.Code.A[why]
	name := k.Value(cond)
	if k.Go() && k.Code.Debug.Names[cond] == "" {
		name = "the condition"
	}
	k.Note(d, why, "control splits here on %s, which differs between %s", name, among(u.Value[cond]))
	if root, how := k.root(u, cond); root != cond {
		k.Note(d, root, "%s differs because of %s", name, how)
	}
}

// divergence is the code for a convergent op in row r where control rose because of row why.
func (k *checker) divergence(u *dataflow.Analysis, r ir.Row, in *ir.Info, why ir.Row) string {
	c := k.Code
	switch op := c.Op[why]; {
	case op == ir.OpReturn:
		return "VY404"
	case op == ir.OpBreak || op == ir.OpContinue:
		// It counts as leaving a loop if that loop holds row r.
		target := ir.Row(c.X[why])
		for x := u.Inner[c.Region[why]]; x != 0; x = u.Inner[c.Region[c.Regions[x].Op]] {
			loop := c.Regions[x]
			left := loop.Op > target || loop.Op == target && op == ir.OpBreak
			if left && r > loop.Op && r < loop.End {
				return "VY405"
			}
		}
	}
	return [...]string{ir.LevelGrid: "VY402", ir.LevelFirst: "VY406", ir.LevelGroup: "VY401", ir.LevelWarp: "VY403"}[in.Level]
}

// leaves describes an exit. In Go it is what invocations do.
func (k *checker) leaves(e ir.Row) string {
	c := k.Code
	op := c.Op[e]
	switch {
	case op == ir.OpReturn:
		return "return"
	case !k.Go():
		return fmt.Sprintf("%s of %s", op, k.Label(ir.Row(c.X[e])))
	case op == ir.OpContinue:
		return "go on with the next round"
	case c.Op[c.X[e]] == ir.OpLoop:
		return "leave the loop"
	}
	return "skip what follows" // by break, continue, or the return of a helper
}

// among names what a value of a level differs between.
func among(l ir.Level) string {
	switch l {
	case ir.LevelFirst:
		return "the first workgroups and others"
	case ir.LevelGroup:
		return "workgroups"
	case ir.LevelWarp:
		return "warps"
	}
	return "invocations"
}

// root follows the reasons of a value's level to where it comes from.
func (k *checker) root(u *dataflow.Analysis, v ir.Row) (ir.Row, string) {
	c := k.Code
	for range c.Rows() {
		w := u.WhyValue[v]
		if w == v {
			break
		}
		if c.Op[w].Info().Attr&ir.Terminator != 0 {
			return w, "where invocations leave: " + k.leaves(w)
		}
		v = w
	}
	if c.Op[v].Info().Imm == ir.ImmObject {
		return v, fmt.Sprintf("%s of %s", k.Op(v), k.Object(k.objs[c.X[v]].Name()))
	}
	return v, k.Op(v)
}

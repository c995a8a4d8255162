package ir

import "fmt"

// control finds the uniformity of the program and checks that convergent ops are reached
// by all invocations of their level, or by none.
func (k *checker) control() {
	u := newUniformity(k.c, k.objs)
	k.uni = u.solve()
	k.visits += u.visits
	for r, op := range k.c.Op {
		if in := &table[op]; in.Attr&Convergent != 0 && k.uni.Control[r] > in.Level {
			k.diverged(u, Row(r), in)
		}
	}
}

// diverged reports a convergent op under control that is not uniform enough, with the
// row where control rose and the value that it hangs on.
func (k *checker) diverged(u *uniformity, r Row, in *Info) {
	why := u.whyControl[u.of[r]]
	d := k.add(k.divergence(u, r, in, why), r, in.Name)
	// An exit was taken by some invocations because of a branch around it, or of another
	// exit in front of it.
	for range maxNesting {
		if k.c.Op[why] == OpIf {
			break
		}
		k.note(d, why, "some invocations leave here: %s", k.leaves(why))
		next := u.whyControl[u.of[why]]
		if next == why {
			return
		}
		why = next
	}
	if k.c.Op[why] != OpIf {
		return
	}
	cond := k.c.A[why]
	k.note(d, why, "control splits here on %s, which differs between %s", k.value(cond), among(u.value[cond]))
	if root, how := k.root(u, cond); root != cond {
		k.note(d, root, "%s differs because of %s", k.value(cond), how)
	}
}

// divergence is the code for a convergent op in row r where control rose because of row why.
func (k *checker) divergence(u *uniformity, r Row, in *Info, why Row) string {
	c := k.c
	switch op := c.Op[why]; {
	case op == OpReturn:
		return "VY404"
	case op == OpBreak || op == OpContinue:
		// It counts as leaving a loop if that loop holds row r.
		target := Row(c.X[why])
		for x := u.inner[c.Region[why]]; x != 0; x = u.inner[c.Region[c.Regions[x].Op]] {
			loop := c.Regions[x]
			left := loop.Op > target || loop.Op == target && op == OpBreak
			if left && r > loop.Op && r < loop.End {
				return "VY405"
			}
		}
	}
	return [...]string{LevelGrid: "VY402", LevelGroup: "VY401", LevelWarp: "VY403"}[in.Level]
}

// leaves describes an exit.
func (k *checker) leaves(e Row) string {
	c := k.c
	if op := c.Op[e]; op != OpReturn {
		return fmt.Sprintf("%s of %s", op, k.label(Row(c.X[e])))
	}
	return "return"
}

// among names what a value of a level differs between.
func among(l Level) string {
	switch l {
	case LevelGroup:
		return "workgroups"
	case LevelWarp:
		return "warps"
	}
	return "invocations"
}

// root follows the reasons of a value's level to where it comes from.
func (k *checker) root(u *uniformity, v Row) (Row, string) {
	c := k.c
	for range c.Rows() {
		w := u.whyValue[v]
		if w == v {
			break
		}
		if table[c.Op[w]].Attr&Terminator != 0 {
			return w, "where invocations leave: " + k.leaves(w)
		}
		v = w
	}
	in := &table[c.Op[v]]
	if in.Imm == ImmObject {
		return v, fmt.Sprintf("%s of @%s", in.Name, k.objs[c.X[v]].Name())
	}
	return v, in.Name
}

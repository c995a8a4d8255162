package ptx

import "github.com/govyre/vyre/ir"

// lanes is the stage that finds indices which are consecutive over the lanes of a warp: the number of the lane and
// something that all lanes of the warp have in common, modulo 2³². With such an index the records of a warp lie one
// after the other, and select lets its lanes store them for each other (select_warp.go).
//
// What is found holds for any lanes, whenever they execute the access: only values count that an invocation has one of, for
// good. A value in a loop does if it is made of what stands outside. What the verifier calls equal for a warp is so only
// where control comes there as a warp.
//
// In a group whose first axis is whole warps, each warp is a part of one line of it. One walk, O(rows).
func (f *function) lanes() {
	if f.size[0]%warpSize != 0 || !f.hasRecords() {
		return
	}
	p, u := f.p, f.p.Uniformity()
	f.looped = inLoops(p)
	f.inLanes = make([]bool, p.Rows())
	common := make([]bool, p.Rows()) // the same in all lanes of a warp
	for i := range p.Rows() {
		f.visits++
		r := ir.Row(i)
		in := p.Op(r).Info()
		looped := f.looped[p.Region(r)]
		if in.Result.Kind == ir.ResultNone {
			continue
		}
		common[r] = !looped && u.Control[r] <= ir.LevelWarp && u.Value[r] <= ir.LevelWarp || f.commonOp(r, common)
		f.inLanes[r] = f.consecutive(r, common)
	}
}

// inLoops tells of each region whether it may be executed several times. O(rows).
func inLoops(p *ir.Program) []bool {
	looped := make([]bool, len(p.Regions()))
	for r := range ir.Row(p.Rows()) {
		in := p.Op(r).Info()
		for k := range uint32(in.Owns) {
			looped[p.X(r)+k] = looped[p.Region(r)] || in.Attr&ir.Repeats != 0
		}
	}
	return looped
}

const warpSize = 32

// hasRecords reports whether a buffer has records that the lanes of a warp may store for each other.
func (f *function) hasRecords() bool {
	params := f.p.Params()
	for i := range params {
		if l := params[i].Record; l != nil && chunksOf(l) > 0 {
			return true
		}
	}
	return false
}

// commonOp reports whether row r computes what is the same in all lanes of a warp, wherever it stands.
func (f *function) commonOp(r ir.Row, common []bool) bool {
	p := f.p
	in := p.Op(r).Info()
	switch p.Op(r) {
	case ir.OpConst, ir.OpGroup, ir.OpGroups, ir.OpWarp, ir.OpLen:
		return true
	case ir.OpLocal, ir.OpGlobal:
		return p.X(r) > 0
	case ir.OpArg:
		return p.Region(r) == 0
	case ir.OpRes, ir.OpLane, ir.OpElect, ir.OpClock, ir.OpTimer:
		return false
	}
	if in.Attr&ir.Pure == 0 || in.Attr&ir.Convergent != 0 || in.Owns > 0 || in.List {
		return false
	}
	for _, v := range [...]ir.Row{p.A(r), p.B(r), p.C(r)} {
		if v != ir.NoRow && !common[v] {
			return false
		}
	}
	return true
}

// consecutive reports whether row r is the number of the lane and something common, modulo 2³².
func (f *function) consecutive(r ir.Row, common []bool) bool {
	p := f.p
	a, b := p.A(r), p.B(r)
	switch p.Op(r) {
	case ir.OpLane:
		return true
	case ir.OpLocal, ir.OpGlobal:
		return p.X(r) == 0
	case ir.OpAdd:
		return f.inLanes[a] && common[b] || common[a] && f.inLanes[b]
	case ir.OpSub:
		return f.inLanes[a] && common[b]
	case ir.OpCvt:
		return p.Type(r).IsInt() && p.Type(a).IsInt() && f.inLanes[a]
	}
	return false
}

// chunksOf is how many stores of 16 bytes a record takes that the lanes of a warp may do for each other; 0 for other
// records. Their number is odd, so that what the lanes store at a time is of every lane one chunk; at 7, the words of a
// record are 28 registers and as many shuffles.
func chunksOf(l *ir.Record) int {
	if n := l.Stride / chunkBytes; l.Stride%chunkBytes == 0 && n%2 == 1 && n >= 3 && n <= 7 {
		return n
	}
	return 0
}

// chunkBytes is the widest access.
const chunkBytes = 16

package columns

import "github.com/govyre/vyre/gpu"

// A program that is checked is the columns of its ir.Code as they are, with its own numbers: {op | type<<16, flags, X,
// Args} and {A, B, C, region} a row, {op, first, end, 0} a region, and an object's words: see validate.go.
const (
	// CheckWords are those of a program: first row, rows, and so of regions, constants, lists, objects, scalar parameters.
	CheckWords = 12
	// RuleWords are those of an op: counts, types and sets, bits, known flags, three operands, element types.
	RuleWords = 8
	openWords = 8 // of an open region
	stopWords = 4 // of a program: rows that count, the row from which on lists are too long together, whether it is a tree

	nothing    = ^uint32(0)
	mostOp     = 1<<10 - 1
	mostNested = 256
	mostList   = 4096
	mostListed = 1 << 22

	// Words of an open region.
	ofRegion = 0
	ofEnd    = 1
	ofLast   = 2 // row so far, or nothing
	ofArgs   = 3
	ofBits   = 4
	ofRes    = 5
	ofOp     = 6 // what ended last, while results may come; or nothing

	began = 1 // arguments are over
	ended = 2 // the last row is a terminator
	stuck = 4 // the last row cannot complete

	// Bits of an op.
	isConst       = 1 << 0
	isArg         = 1 << 1
	isRes         = 1 << 2
	isUnreachable = 1 << 3
	isYield       = 1 << 4
	isBreak       = 1 << 5
	isContinue    = 1 << 6
	isLoop        = 1 << 7
	isBitcast     = 1 << 8
	isEnd         = 1 << 9
	repeats       = 1 << 10
	reads         = 1 << 11
	writes        = 1 << 12

	// Bits of an object above its type and kinds.
	objectRights  = 1 << 16 // it is a parameter with
	objectWrites  = 1 << 17
	objectReads   = 1 << 18
	objectField   = 1 << 19
	objectLong    = 1 << 20 // its length is 64 bits
	objectShared  = 1 << 21
	objectTable   = 1 << 22
	objectAligned = 1 << 23 // to 1 << the second word
	objectFixed   = 1 << 24 // its length is the one in the last two words

	// What column X holds, and how the type of a result is found: as in package ir, with which a test compares them.
	immNone, immPool, immAxis, immObject, immIndex, immLabel, immField, immLane = 0, 1, 2, 3, 5, 6, 8, 9

	resultNone, resultFixed, resultSame, resultUnsigned, resultWide, resultElem, resultStated, resultLen, resultVec, resultLane = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9

	roleCond, roleIndex, roleCount, roleShift, roleArm = 1, 2, 3, 4, 6
)

// program is a program that is checked.
type program struct {
	p, n, base, regionsOf, regionBase uint32
	about, rules                      []uint32
	head, links, regions              [][4]uint32
	faulty, found                     []uint32
	first                             []uint64
}

func checked(p uint32, about, rules []uint32, head, links, regions [][4]uint32, faulty, found []uint32, first []uint64) program {
	at := p * CheckWords
	return program{p, about[at+1], about[at], about[at+3], about[at+2], about, rules, head, links, regions, faulty, found, first}
}

// find notes a finding: at the front is how many there are, then each has the program, the row and the code.
func (c program) find(code, r uint32) {
	at := 4 + 4*gpu.AtomicAdd(&c.found[0], 1)
	gpu.AtomicMin(&c.first[c.p], uint64(r)<<32|uint64(code))
	if at < uint32(len(c.found))&^3 {
		c.found[at], c.found[at+1], c.found[at+2] = c.p, r, code
	}
}

// fault is find for a row of a region, which is at fault.
func (c program) fault(code, r, region uint32) {
	c.find(code, r)
	gpu.AtomicStore(&c.faulty[c.regionBase+region], 1)
}

func (c program) size(k uint32) uint32     { return c.about[c.p*CheckWords+2*k+1] }
func (c program) begin(k uint32) uint32    { return c.about[c.p*CheckWords+2*k] }
func (c program) op(r uint32) uint32       { return c.head[c.base+r][0] & 0xFFFF }
func (c program) kind(r uint32) uint32     { return c.head[c.base+r][0] >> 16 }
func (c program) x(r uint32) uint32        { return c.head[c.base+r][2] }
func (c program) rule(r, k uint32) uint32  { return c.rules[c.op(r)*RuleWords+k] }
func (c program) is(r, bits uint32) bool   { return c.rule(r, 2)&bits != 0 }
func (c program) args(r uint32) uint32     { return c.rule(r, 0) & 3 }
func (c program) lists(r uint32) bool      { return c.rule(r, 0)>>2&1 != 0 }
func (c program) counts(r uint32) uint32   { return c.rule(r, 0) >> 3 & 255 }
func (c program) owns(r uint32) uint32     { return c.rule(r, 0) >> 11 & 3 }
func (c program) result(r uint32) uint32   { return c.rule(r, 0) >> 13 & 15 }
func (c program) from(r uint32) uint32     { return c.rule(r, 0) >> 17 & 3 }
func (c program) imm(r uint32) uint32      { return c.rule(r, 0) >> 19 & 15 }
func (c program) region(r uint32) uint32   { return c.links[c.base+r][3] }
func (c program) end(region uint32) uint32 { return c.regions[c.regionBase+region][2] }

// Tree walks through the rows of a program with a stack of open regions, and finds what cannot be asked of a row alone:
// that regions are a tree, what may be where, how many arguments and results there are. An invocation has a program.
//
//vyre:kernel workgroup=256
func Tree(t gpu.Thread, about, rules []uint32, head, links, regions [][4]uint32, extra, open, args, results, left, faulty, stop, found []uint32, first []uint64) {
	p := t.Group().X*t.GroupSize().X + t.LocalIndex() // and not in the groups that have Passes
	if p >= uint32(len(about))/CheckWords {
		return
	}
	c := checked(p, about, rules, head, links, regions, faulty, found, first)
	if !c.shape() {
		return
	}
	stop[p*stopWords+1] = c.n
	s := stack{open, args, results, left, extra, c.regionBase}
	s.push(0, 0, c)
	depth, listed, code, at := uint32(1), uint32(0), uint32(0), uint32(0)
	for r := uint32(0); r < c.n && code == 0; r++ { // with one way out, so that lanes meet again
		for s.get(depth, ofEnd) == r {
			depth = s.pop(depth, c)
		}
		at = r
		if c.region(r) != s.get(depth, ofRegion) {
			code = 3
		} else {
			stop[p*stopWords] = r + 1
			s.row(r, depth, c)
			if list := c.head[c.base+r][3]; c.lists(r) && list < c.size(3) && extra[c.begin(3)+list] <= c.size(3)-list-1 {
				if listed = min(listed+extra[c.begin(3)+list], mostListed+1); listed > mostListed {
					stop[p*stopWords+1] = min(stop[p*stopWords+1], r)
				}
			}
			if c.owns(r) != 0 {
				if code = c.enters(r, s.get(depth, ofEnd), depth); code == 0 {
					s.push(depth, c.x(r), c)
					depth++
				}
			}
		}
	}
	for code == 0 && depth > 0 {
		depth = s.pop(depth, c)
	}
	for i := uint32(1); i < c.regionsOf && code == 0; i++ {
		op := regions[c.regionBase+i][0]
		if op >= c.n || i < c.x(op) || i >= c.x(op)+c.owns(op) {
			code, at = 3, nothing
		}
	}
	if code != 0 {
		c.find(code, at)
	} else {
		stop[p*stopWords+2] = 1
	}
}

// shape checks what needs no walk.
func (c program) shape() bool {
	if c.n == 0 || c.regionsOf == 0 {
		c.find(1, nothing)
		return false
	}
	sound := true
	if g := c.regions[c.regionBase]; g[0] != nothing || g[1] != 0 || g[2] != c.n {
		c.find(3, nothing)
		sound = false
	}
	for r := uint32(0); r < c.n; r++ {
		if c.op(r) > mostOp || c.rule(r, 0)>>23 == 0 {
			c.find(14, r)
			sound = false
		}
	}
	return sound
}

// enters is what is wrong with the regions of a row, 0 if nothing.
func (c program) enters(r, end, depth uint32) uint32 {
	x, owns := c.x(r), c.owns(r)
	if x == 0 || x >= c.regionsOf || owns > c.regionsOf-x {
		return 2
	}
	next := r + 1
	for i := x; i < x+owns; i++ {
		g := c.regions[c.regionBase+i]
		switch {
		case g[0] != r || g[1] != next:
			return 3
		case g[2] <= next:
			return 1
		case g[2] > end:
			return 3
		}
		next = g[2]
	}
	if depth > mostNested {
		return 502
	}
	return 0
}

// stack is the regions that a walk is in, and what it finds about each.
type stack struct {
	open, args, results, left, extra []uint32
	base                             uint32
}

func (s stack) at(depth, k uint32) uint32  { return (s.base+depth-1)*openWords + k }
func (s stack) get(depth, k uint32) uint32 { return s.open[s.at(depth, k)] }

// push opens a region in a depth.
func (s stack) push(depth, region uint32, c program) {
	at := s.at(depth+1, 0)
	s.open[at+ofRegion], s.open[at+ofEnd], s.open[at+ofLast], s.open[at+ofArgs] = region, c.end(region), nothing, 0
	s.open[at+ofBits], s.open[at+ofRes], s.open[at+ofOp] = 0, 0, nothing
}

// pop closes the innermost region: its second arm opens, or its op is complete. It returns the depth.
func (s stack) pop(depth uint32, c program) uint32 {
	region, last := s.get(depth, ofRegion), s.get(depth, ofEnd)-1
	if s.get(depth, ofBits)&ended == 0 {
		c.fault(4, last, region)
	}
	s.begun(last, depth, c)
	s.args[s.base+region] = s.get(depth, ofArgs)
	if region == 0 {
		return depth - 1
	}
	op := c.regions[s.base+region][0]
	if next := region + 1; next < c.x(op)+c.owns(op) {
		s.push(depth-1, next, c)
		return depth
	}
	at := s.at(depth-1, 0)
	s.open[at+ofOp], s.open[at+ofRes] = op, 0
	s.open[at+ofBits] |= stuck
	if s.left[s.base+c.x(op)] != 0 {
		s.open[at+ofBits] &^= stuck
	}
	return depth - 1
}

// begun notes that the arguments of the innermost region are over.
func (s stack) begun(r, depth uint32, c program) {
	at := s.at(depth, 0)
	if s.open[at+ofBits]&began == 0 && s.open[at+ofRegion] == 0 && s.open[at+ofArgs] != c.size(5) {
		c.fault(7, r, 0)
	}
	s.open[at+ofBits] |= began
}

// row checks that a row may be where it is, and what it leaves.
func (s stack) row(r, depth uint32, c program) {
	at := s.at(depth, 0)
	s.place(r, depth, c)
	s.open[at+ofLast] = r
	s.open[at+ofBits] &^= ended
	if c.is(r, isEnd) {
		s.open[at+ofBits] |= ended
	}
	if !c.is(r, isConst) {
		s.open[at+ofBits] &^= stuck
	}
	region := s.open[at+ofRegion]
	if c.imm(r) == immLabel {
		to := c.x(r)
		switch {
		case to >= r || c.owns(to) != 1 || r >= c.end(c.x(to)) || c.is(r, isContinue) && !c.is(to, repeats):
			c.fault(8, r, region)
		case c.is(r, isBreak):
			s.left[s.base+c.x(to)] = 1
		}
	}
	if c.is(r, isYield) {
		if owner := c.regions[s.base+region][0]; owner != nothing && c.owns(owner) == 2 {
			s.left[s.base+c.x(owner)] = 1
		} else {
			c.fault(9, r, region)
		}
	}
}

func (s stack) place(r, depth uint32, c program) {
	at := s.at(depth, 0)
	region, bits := s.open[at+ofRegion], s.open[at+ofBits]
	switch {
	case bits&ended != 0:
		c.fault(4, r, region)
		return
	case c.is(r, isConst):
		s.open[at+ofOp] = nothing
		return
	case c.is(r, isArg):
		n, last := s.open[at+ofArgs], s.open[at+ofLast]
		takes := region == 0 || c.is(c.regions[s.base+region][0], repeats)
		if !takes || bits&began != 0 || c.x(r) != n || region == 0 && n >= c.size(5) || region != 0 && last != nothing && !c.is(last, isArg) {
			c.fault(7, r, region)
		}
		s.open[at+ofArgs] = n + 1
		return
	}
	s.begun(r, depth, c)
	op := s.open[at+ofOp]
	if c.is(r, isRes) && bits&stuck == 0 {
		if op == nothing || c.x(r) != s.open[at+ofRes] {
			c.fault(7, r, region)
		}
		if op != nothing {
			s.open[at+ofRes]++
			s.results[s.base+c.x(op)] = s.open[at+ofRes]
		}
		return
	}
	if (bits&stuck != 0) != c.is(r, isUnreachable) {
		c.fault(12, r, region)
	}
	s.open[at+ofOp] = nothing
}

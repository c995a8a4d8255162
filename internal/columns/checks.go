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
	heads, rules                      []uint32
	head, links, regions              [][4]uint32
	faulty, found                     []uint32
	first                             []uint64
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

func (c program) size(k uint32) uint32     { return c.heads[c.p*CheckWords+2*k+1] }
func (c program) begin(k uint32) uint32    { return c.heads[c.p*CheckWords+2*k] }
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
func Tree(t gpu.Thread, heads, rules []uint32, head, links, regions [][4]uint32, extra, open, args, results, left, faulty, stop, found []uint32, first []uint64) {
	p := t.Global().X
	if p >= uint32(len(heads))/CheckWords {
		return
	}
	c := program{p, heads[p*CheckWords+1], heads[p*CheckWords], heads[p*CheckWords+3], heads[p*CheckWords+2], heads, rules, head, links, regions, faulty, found, first}
	if !c.shape() {
		return
	}
	stop[p*stopWords+1] = c.n
	s := stack{open, args, results, left, extra, c.regionBase}
	s.push(0, 0, c)
	depth, listed := uint32(1), uint32(0)
	for r := uint32(0); r < c.n; r++ {
		for s.get(depth, ofEnd) == r {
			depth = s.pop(depth, c)
		}
		if c.region(r) != s.get(depth, ofRegion) {
			c.find(3, r)
			return
		}
		stop[p*stopWords] = r + 1
		s.row(r, depth, c)
		if at := c.head[c.base+r][3]; c.lists(r) && at < c.size(3) && extra[c.begin(3)+at] <= c.size(3)-at-1 {
			if listed = min(listed+extra[c.begin(3)+at], mostListed+1); listed > mostListed {
				stop[p*stopWords+1] = min(stop[p*stopWords+1], r)
			}
		}
		if c.owns(r) == 0 {
			continue
		}
		if code := c.enters(r, s.get(depth, ofEnd), depth); code != 0 {
			c.find(code, r)
			return
		}
		s.push(depth, c.x(r), c)
		depth++
	}
	for depth > 0 {
		depth = s.pop(depth, c)
	}
	for i := uint32(1); i < c.regionsOf; i++ {
		op := regions[c.regionBase+i][0]
		if op >= c.n || i < c.x(op) || i >= c.x(op)+c.owns(op) {
			c.find(3, nothing)
			return
		}
	}
	stop[p*stopWords+2] = 1
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

// Rows checks what can be asked of a row when it is known which rows count: its flags, operands, lists and numbers.
//
//vyre:kernel workgroup=256
func Rows(t gpu.Thread, chunk, heads, rules []uint32, head, links, regions [][4]uint32, extra, args, results, faulty, stop, found []uint32, first []uint64) {
	at := t.Global().X
	if at >= uint32(len(head)) {
		return
	}
	p := chunk[at/32]
	r := at - heads[p*CheckWords]
	if r >= stop[p*stopWords] {
		return
	}
	c := program{p, heads[p*CheckWords+1], heads[p*CheckWords], heads[p*CheckWords+3], heads[p*CheckWords+2], heads, rules, head, links, regions, faulty, found, first}
	region, kind := c.region(r), c.kind(r)
	if head[at][1]&^c.rule(r, 3) != 0 {
		c.fault(13, r, region)
	}
	if c.result(r) == resultNone && kind != 0 {
		c.fault(11, r, region)
	}
	if c.is(r, isArg|isRes) {
		if code := carried(kind); code != 0 {
			c.fault(code, r, region)
		}
	}
	c.three(r, region)
	c.list(r, region, stop[p*stopWords+1], extra)
	if c.imm(r) == immPool && c.x(r) >= c.size(2) || c.imm(r) == immObject && c.x(r) >= c.size(4) {
		c.fault(2, r, region)
	}
	if stop[p*stopWords+2] != 0 {
		c.passes(r, region, extra, args, results)
	}
}

// carried is what is wrong with the type of an argument or result.
func carried(kind uint32) uint32 {
	if kind == 0 {
		return 11
	}
	if vector(kind) && usable(kind) {
		return 111
	}
	return valued(kind)
}

// valued is what is wrong with the type of a value.
func valued(kind uint32) uint32 {
	switch {
	case usable(kind):
		return 0
	case kind > 0 && kind < 14:
		return 110
	case vector(kind) && value(kind&63):
		return 111
	}
	return 103
}

// three checks number, range and dominance of the operands in A, B and C.
func (c program) three(r, region uint32) {
	y := c.links[c.base+r]
	given, order := uint32(0), true
	for k := uint32(0); k < 3; k++ {
		if y[k] != nothing {
			order = order && given == k
			given++
		}
	}
	if given != c.args(r) || !order {
		c.fault(6, r, region)
	}
	for k := uint32(0); k < 3; k++ {
		if y[k] != nothing {
			c.operand(r, region, y[k])
		}
	}
}

// operand checks that a value is one, and defined where it is used. A constant may be used everywhere.
func (c program) operand(r, region, v uint32) {
	switch {
	case v >= c.n:
		c.fault(2, r, region)
	case c.result(v) == resultNone:
		c.fault(11, r, region)
	case !c.is(v, isConst) && (v >= r || r >= c.end(c.region(v))):
		c.fault(5, r, region)
	}
}

// list checks the operands in a row's list.
func (c program) list(r, region, longest uint32, extra []uint32) {
	at, counts, all := c.head[c.base+r][3], c.counts(r), c.size(3)
	if at == nothing {
		if counts != 0 && counts&1 == 0 {
			c.fault(6, r, region)
		}
		return
	}
	base := c.begin(3) + at
	switch {
	case !c.lists(r):
		c.fault(6, r, region)
		return
	case at >= all || extra[base] > all-at-1:
		c.fault(2, r, region)
		return
	case extra[base] > mostList || r >= longest:
		c.fault(502, r, region)
		return
	}
	n := extra[base]
	if counts != 0 && (n > 7 || counts>>n&1 == 0) {
		c.fault(6, r, region)
	}
	for k := uint32(1); k <= n; k++ {
		c.operand(r, region, extra[base+k])
	}
}

// passes checks that what a row passes agrees with what is taken: by arguments or results.
func (c program) passes(r, region uint32, extra, args, results []uint32) {
	to, taken, at, around := c.x(r), uint32(0), uint32(0), false
	switch {
	case c.is(r, isLoop):
		to, around = r, true
	case c.is(r, isBreak|isContinue):
		around = to < r && c.owns(to) == 1 && (c.is(r, isBreak) || c.is(to, repeats)) && r < c.end(c.x(to))
	case c.is(r, isYield):
		to = c.regions[c.regionBase+region][0]
		around = to != nothing && c.owns(to) == 2
	}
	if !around {
		return
	}
	if x := c.x(to); c.is(r, isLoop|isContinue) {
		taken, at = args[c.regionBase+x], c.regions[c.regionBase+x][1]
	} else {
		taken, at = results[c.regionBase+x], c.end(x+c.owns(to)-1)
	}
	list, all, n := c.head[c.base+r][3], c.size(3), uint32(0)
	base := c.begin(3) + list
	if list != nothing {
		if list >= all || extra[base] > mostList || extra[base] > all-list-1 {
			return
		}
		n = extra[base]
	}
	if n != taken {
		c.fault(10, r, region)
		return
	}
	for k := uint32(0); k < n; k++ {
		v := extra[base+1+k]
		if v >= c.n {
			continue
		}
		if have, want := c.kind(v), c.kind(at+k); have != want && value(have) && value(want) {
			c.fault(10, r, region)
		}
	}
}

// What types are: see ir.Type.
func vector(t uint32) bool  { return t&^63 != 0 }
func value(t uint32) bool   { return t >= 1 && t <= 9 }
func integer(t uint32) bool { return t >= 2 && t <= 5 }
func signed(t uint32) bool  { return t == 2 || t == 4 || t == 10 || t == 12 }

func lanes(t uint32) uint32 {
	switch t &^ 63 {
	case 64:
		return 2
	case 128:
		return 4
	}
	return 1
}

// bytes is those of one lane.
func bytes(t uint32) uint32 {
	if t &= 63; t < 14 {
		return uint32(uint64(0x22112284884410)>>(4*t)) & 15
	}
	return 0
}

func usable(t uint32) bool {
	return value(t&63) && (t < 64 || t < 192 && lanes(t)*bytes(t) <= 16)
}

// width is the bits of a lane.
func width(t uint32) uint32 {
	if t == 1 {
		return 1
	}
	return 8 * bytes(t)
}

// loaded is the type of a value that is loaded.
func loaded(t uint32) uint32 {
	switch t {
	case 10, 12:
		return 2
	case 11, 13:
		return 3
	}
	return t
}

func unsigned(t uint32) uint32 {
	switch t {
	case 2, 6:
		return 3
	case 4, 7:
		return 5
	case 10:
		return 11
	case 12:
		return 13
	}
	return t
}

// valid reports whether a type is that of an element, or a vector of values that fits 16 bytes.
func valid(t uint32) bool {
	e := t & 63
	return e != 0 && e < 14 && (t < 64 || value(e) && t < 192 && lanes(t)*bytes(t) <= 16)
}

// typed is a row whose types are checked: what the operands in A, B and C are, and the object that it names.
type typed struct {
	in          program
	r, a, b, c0 uint32
	object      [4]uint32
}

func (c typed) operandKind(k uint32) uint32 {
	switch k {
	case 0:
		return c.a
	case 1:
		return c.b
	}
	return c.c0
}

// Types checks the types and the access of each row in regions without a fault, if the program is a tree.
//
//vyre:kernel workgroup=256
func Types(t gpu.Thread, chunk, heads, rules, converts []uint32, head, links, regions [][4]uint32, extra []uint32, pool [][2]uint32, objects [][4]uint32, scalars, faulty, stop, found []uint32, first []uint64) {
	at := t.Global().X
	if at >= uint32(len(head)) {
		return
	}
	p := chunk[at/32]
	r := at - heads[p*CheckWords]
	if r >= stop[p*stopWords] || stop[p*stopWords+2] == 0 || faulty[heads[p*CheckWords+2]+links[at][3]] != 0 {
		return
	}
	c := typed{r: r}
	c.in = program{p, heads[p*CheckWords+1], heads[p*CheckWords], heads[p*CheckWords+3], heads[p*CheckWords+2], heads, rules, head, links, regions, faulty, found, first}
	n, y := c.in.args(r), links[at]
	if n > 0 {
		c.a = c.in.kind(y[0])
	}
	if n > 1 {
		c.b = c.in.kind(y[1])
	}
	if n > 2 {
		c.c0 = c.in.kind(y[2])
	}
	wrong := uint32(0)
	if c.in.imm(r) == immObject {
		c.object = objects[c.in.begin(4)+c.in.x(r)]
		wrong = c.access(y[0], pool)
	}
	for k := uint32(0); k < n; k++ {
		if code := c.misfit(k); code != 0 {
			c.in.find(code, r)
			wrong++
		}
	}
	wrong += c.listed(extra) + c.immediate()
	if orders := c.in.rule(r, 1) >> 16 & 255; orders != 0 {
		wrong += c.order(orders)
	}
	if c.in.result(r) == resultNone || wrong != 0 {
		return
	}
	code := valued(c.in.kind(r))
	if c.in.kind(r) == 0 {
		code = 11
	}
	if code == 0 {
		code = c.stated(y[0], extra, converts, pool, scalars)
	}
	if code != 0 {
		c.in.find(code, r)
	}
}

// note is find, and counts 1 if there is anything.
func (c typed) note(code uint32) uint32 {
	if code == 0 {
		return 0
	}
	c.in.find(code, c.r)
	return 1
}

// access checks that the row may touch its object in the way it does.
func (c typed) access(index uint32, pool [][2]uint32) uint32 {
	w, elem, what := c.object[0], c.object[0]&255, c.in.rule(c.r, 1)
	on, vec, code := what>>24, what>>8&255, uint32(0)
	if on != 0 && on&(w>>8&255) == 0 {
		code = 209
	} else if c.in.is(c.r, writes) && w&objectTable != 0 {
		code = 211
	}
	wrong := c.note(code)
	code = 0
	if w&objectRights != 0 {
		if c.in.is(c.r, writes) && w&objectWrites == 0 {
			code = 202
		} else if c.in.is(c.r, reads) && w&objectReads == 0 {
			code = 203
		}
	}
	wrong += c.note(code)
	if elems := c.in.rule(c.r, 7); elems != 0 && (elem >= 32 || elems>>elem&1 == 0) {
		wrong += c.note(301)
	}
	if vec != 0 && valid(elem) && (w&objectField != 0 || !valid(loaded(elem)|vec) || w&objectAligned != 0 && 1<<c.object[1] < bytes(elem)*lanes(vec)) {
		wrong += c.note(111)
	}
	if c.in.args(c.r) > 0 && c.outside(index, lanes(vec), pool) {
		wrong += c.note(206)
	}
	return wrong
}

// outside reports whether an index is a constant that no launch has an element for.
func (c typed) outside(index, wide uint32, pool [][2]uint32) bool {
	t := c.in.kind(index)
	if !c.in.is(index, isConst) || c.in.x(index) >= c.in.size(2) || !integer(t) {
		return false
	}
	word := pool[c.in.begin(2)+c.in.x(index)]
	v, most := uint64(word[0])|uint64(word[1])<<32, uint64(c.object[2])|uint64(c.object[3])<<32
	if signed(t) && v>>(width(t)-1)&1 != 0 {
		return true
	}
	return most != ^uint64(0) && (v >= most || v*uint64(wide) >= most)
}

// misfit is what is wrong with the type of an operand.
func (c typed) misfit(k uint32) uint32 {
	t, rule := c.operandKind(k), c.in.rule(c.r, 4+k)
	set, same, role := rule&0xFFFF, rule>>16&3, rule>>20&15
	if !usable(t) {
		return 0
	}
	switch {
	case same != 0:
		other := c.operandKind(same - 1)
		if t == other || !usable(other) {
			return 0
		}
		if role == roleArm {
			return 106
		}
		return 102
	case rule>>18&1 != 0:
		elem := uint32(0)
		if c.in.imm(c.r) == immObject {
			elem = loaded(c.object[0]&255) | c.in.rule(c.r, 1)>>8&255
		}
		if t == elem || !usable(elem) {
			return 0
		}
		return 204
	case set == 0:
		if vector(t) {
			return 0
		}
		return 111
	case t < 16 && set>>t&1 != 0:
		return 0
	case role == roleIndex:
		return 205
	case vector(t):
		return 111
	case role == roleCond:
		return 107
	case role == roleCount || role == roleShift:
		return 108
	}
	return 101
}

// items is where the row's list begins, and its length.
func (c typed) items(extra []uint32) (base, n uint32) {
	at := c.in.head[c.in.base+c.r][3]
	if at == nothing {
		return 0, 0
	}
	base = c.in.begin(3) + at
	return base + 1, extra[base]
}

// listed checks the operands in a list: scalars everywhere, of one type in a vector.
func (c typed) listed(extra []uint32) uint32 {
	base, n := c.items(extra)
	if n == 0 {
		return 0
	}
	wrong, one := uint32(0), c.in.kind(extra[base])
	for k := uint32(0); k < n; k++ {
		t := c.in.kind(extra[base+k])
		switch {
		case !usable(t):
		case vector(t):
			wrong += c.note(111)
		case c.in.result(c.r) == resultVec && t != one:
			return wrong + c.note(102)
		}
	}
	if c.in.result(c.r) == resultVec && usable(one) && n*bytes(one) > 16 {
		wrong += c.note(111)
	}
	return wrong
}

// immediate checks column X where it is a plain number.
func (c typed) immediate() uint32 {
	x, wrong := c.in.x(c.r), false
	switch c.in.imm(c.r) {
	case immNone:
		wrong = x != 0
	case immAxis:
		wrong = x > 2
	case immField:
		wrong = integer(c.a) && (x>>8 == 0 || x&255+x>>8 > width(c.a))
	case immLane:
		wrong = vector(c.a) && x >= lanes(c.a)
	}
	if wrong {
		return c.note(109)
	}
	return 0
}

// order checks order and scope of what is atomic, or a fence.
func (c typed) order(orders uint32) (wrong uint32) {
	flags := c.in.head[c.in.base+c.r][1]
	if orders>>(flags&7)&1 == 0 {
		wrong = c.note(302)
	}
	shared := c.in.imm(c.r) == immObject && c.object[0]&objectShared != 0
	if scope := flags >> 3 & 3; shared && scope != 0 || scope > 2 {
		wrong += c.note(303)
	}
	return wrong
}

// stated is what is wrong with the type that the row states.
func (c typed) stated(a uint32, extra, converts []uint32, pool [][2]uint32, scalars []uint32) uint32 {
	have, want := c.in.kind(c.r), uint32(0)
	switch c.in.result(c.r) {
	case resultStated:
		return c.alone(have, converts, pool, scalars)
	case resultLen:
		if (have == 5) != (c.object[0]&objectLong != 0) || have != 3 && have != 5 {
			return 208
		}
		return 0
	case resultElem:
		want = loaded(c.object[0]&255) | c.in.rule(c.r, 1)>>8&255
	case resultVec:
		base, n := c.items(extra)
		want = c.in.kind(extra[base]) | 64
		if n == 4 {
			want = c.in.kind(extra[base]) | 128
		}
	case resultFixed:
		want = c.in.rule(c.r, 1) & 255
	default:
		if c.in.from(c.r) < c.in.args(c.r) {
			want = c.derived(c.operandKind(c.in.from(c.r)))
		}
	}
	if have != want && usable(want) {
		return 103
	}
	return 0
}

// derived is the type of a result that comes from an operand's.
func (c typed) derived(t uint32) uint32 {
	switch c.in.result(c.r) {
	case resultUnsigned:
		return unsigned(t)
	case resultWide:
		switch t {
		case 2:
			return 4
		case 3:
			return 5
		}
		return 0
	case resultLane:
		return t & 63
	}
	return t
}

// alone checks the ops whose type is in the column only.
func (c typed) alone(t uint32, converts []uint32, pool [][2]uint32, scalars []uint32) uint32 {
	switch {
	case vector(t):
		return 111
	case c.in.imm(c.r) == immPool:
		if word := pool[c.in.begin(2)+c.in.x(c.r)]; (uint64(word[0])|uint64(word[1])<<32)>>(width(t)-1)>>1 != 0 {
			return 112
		}
	case c.in.args(c.r) == 1:
		to := t
		if c.in.is(c.r, isBitcast) {
			to += 16
		}
		if usable(c.a) && (c.a >= 16 || converts[to]>>c.a&1 == 0) {
			if c.in.is(c.r, isBitcast) {
				return 105
			}
			return 104
		}
	case c.in.imm(c.r) == immIndex && c.in.is(c.r, isArg) && c.in.region(c.r) == 0 && c.in.x(c.r) < c.in.size(5):
		if want := loaded(scalars[c.in.begin(5)+c.in.x(c.r)]); t != want && usable(want) {
			return 103
		}
	}
	return 0
}

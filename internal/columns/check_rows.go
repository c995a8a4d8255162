package columns

import "github.com/govyre/vyre/gpu"

// Types, as in ir.Type.
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

// Rows checks what can be asked of a row when it is known which rows count: its flags, operands, lists and numbers.
//
//vyre:kernel workgroup=256
func Rows(t gpu.Thread, which, about, rules []uint32, head, links, regions [][4]uint32, extra, args, results, faulty, stop, found []uint32, first []uint64) {
	at := t.Global().X
	if at >= uint32(len(head)) {
		return
	}
	p := which[at/32]
	r := at - about[p*CheckWords]
	if r >= stop[p*stopWords] {
		return
	}
	c := checked(p, about, rules, head, links, regions, faulty, found, first)
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

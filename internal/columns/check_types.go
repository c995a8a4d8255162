package columns

import "github.com/govyre/vyre/gpu"

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

// Types checks the types and the access of each row in regions without a fault, if the program is a tree.
//
//vyre:kernel workgroup=256
func Types(t gpu.Thread, which, about, rules, converts []uint32, head, links, regions [][4]uint32, extra []uint32, pool [][2]uint32, named [][4]uint32, scalars, faulty, stop, found []uint32, first []uint64) {
	at := t.Global().X
	if at >= uint32(len(head)) {
		return
	}
	p := which[at/32]
	r := at - about[p*CheckWords]
	if r >= stop[p*stopWords] || stop[p*stopWords+2] == 0 || faulty[about[p*CheckWords+2]+links[at][3]] != 0 {
		return
	}
	c := typed{r: r}
	c.in = checked(p, about, rules, head, links, regions, faulty, found, first)
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
		c.object = named[c.in.begin(4)+c.in.x(r)]
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

package sass

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Launch is what the invocations find.
type Launch struct {
	Constants []byte            // bank 0, from the launch's own words on
	Literals  []byte            // bank 2, which the assembler made
	Tables    []byte            // bank 3, of the whole module
	Symbols   map[string]uint64 // addresses of variables in Memory
	Memory    []Segment         // of the address space
	Shared    int               // bytes of shared memory of a group
	SharedAt  int               // where they begin
	Grid      [3]uint32         // groups
	Group     [3]uint32         // invocations of a group
	Schedule  uint64            // another number has lanes, warps and groups take turns otherwise
}

// Segment is memory at an address. Whatever lies outside of all segments cannot be reached.
type Segment struct {
	At   uint64
	Data []byte
}

// UnknownError is an instruction that the package does not know.
type UnknownError struct{ Text string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("sass: %q is not known; see the package's comment for what is", e.Text)
}

// thread is an invocation: a lane of a warp.
type thread struct {
	w     *warp
	l     *Launch
	lane  int
	id    [3]uint32 // in the group
	r     [uniform]uint32
	p     [8]bool
	waits [barriers]uint32 // lanes that it waits for, or has to, at BSYNC
	local []byte
	pc    int // after an instruction that branches
	done  bool
	voted uint32 // what the last BAR.RED gave
	err   error
}

// machine is a launch under way.
type machine struct {
	code   *Code
	l      *Launch
	groups []*group
	rng    *rand.Rand
}

// most is how many instructions a warp may take for each invocation of the launch, before it counts as one that does not end.
const most = 1 << 20

// Run runs all invocations to their end. All groups are there at once: they may wait for each other.
func (c *Code) Run(l Launch) error {
	for i := range c.insts {
		if in := &c.insts[i]; in.do == nil && in.all == nil {
			return &UnknownError{in.text}
		}
	}
	m := &machine{code: c, l: &l, rng: rand.New(rand.NewPCG(l.Schedule, 0x73617373))}
	for z := range l.Grid[2] {
		for y := range l.Grid[1] {
			for x := range l.Grid[0] {
				m.groups = append(m.groups, m.newGroup([3]uint32{x, y, z}))
			}
		}
	}
	return m.run()
}

// has reports whether the instruction's name has a part.
func (in *inst) has(mod string) bool { return slices.Contains(in.mods, mod) }

// split returns the results of an instruction, at most one register and some predicates behind it, and its operands.
// Of a comparison both results are predicates.
func (in *inst) split() (dst operand, flags, src []operand) {
	dst, src = in.args[0], in.args[1:]
	if dst.kind == predicate {
		return dst, src[:1], src[1:]
	}
	n := 0
	for n < len(src) && src[n].kind == predicate {
		n++
	}
	return dst, src[:n], src[n:]
}

// word is the operand's 32 bits, without its sign.
func (t *thread) word(o operand) uint32 {
	switch o.kind {
	case register:
		return t.reg(o.n)
	case immediate:
		return o.bits
	case constant:
		return uint32(t.bank(o, 4))
	case symbol:
		at, ok := t.l.Symbols[o.name]
		if !ok {
			t.err = fmt.Errorf("there is no variable %s", o.name)
		}
		return uint32(at >> o.bits)
	}
	t.err = fmt.Errorf("an operand is no word")
	return 0
}

// value is the operand's 32 bits.
func (t *thread) value(o operand) uint32 {
	v := t.word(o)
	if o.invert {
		v = ^v
	}
	if o.minus {
		v = -v
	}
	return v
}

// pair is an operand of 64 bits: two registers, or an immediate that zeros are put before.
func (t *thread) pair(o operand) uint64 {
	var v uint64
	switch o.kind {
	case register:
		v = uint64(t.reg(o.n))
		if o.n%uniform != zero {
			v |= uint64(t.reg(o.n+1)) << 32
		}
	case constant:
		v = t.bank(o, 8)
	default:
		v = uint64(t.word(o))
	}
	if o.invert {
		v = ^v
	}
	if o.minus {
		v = -v
	}
	return v
}

func (t *thread) reg(n int) uint32 {
	switch {
	case n%uniform == zero:
		return 0
	case n >= uniform:
		return t.w.r[n-uniform]
	}
	return t.r[n]
}

func (t *thread) setReg(n int, v uint32) {
	switch {
	case n%uniform == zero:
	case n >= uniform:
		t.w.r[n-uniform] = v
	default:
		t.r[n] = v
	}
}

func (t *thread) set(o operand, v uint32) { t.setReg(o.n, v) }

func (t *thread) setPair(o operand, v uint64) {
	if o.n%uniform != zero {
		t.setReg(o.n, uint32(v))
		t.setReg(o.n+1, uint32(v>>32))
	}
}

func (t *thread) flag(o operand) bool {
	v := true
	switch {
	case o.n%uniform == holds:
	case o.n >= uniform:
		v = t.w.p[o.n-uniform]
	default:
		v = t.p[o.n]
	}
	return v != o.invert
}

func (t *thread) setFlag(o operand, v bool) {
	switch {
	case o.n%uniform == holds:
	case o.n >= uniform:
		t.w.p[o.n-uniform] = v
	default:
		t.p[o.n] = v
	}
}

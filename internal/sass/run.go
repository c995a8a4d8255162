package sass

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Launch is what the invocations find.
type Launch struct {
	Constants []byte    // bank 0, from the launch's own words on
	Literals  []byte    // bank 2, which the assembler made
	Memory    []Segment // of the address space
	Groups    int       // along x
	Group     int       // invocations of a group, along x
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

// thread is an invocation.
type thread struct {
	code  *Code
	l     *Launch
	r     [2 * uniform]uint32
	p     [2 * uniform]bool
	local []byte
	pc    int
	done  bool
	err   error

	tid, ctaid int
}

// most is how many instructions an invocation may take, before it counts as one that does not end.
const most = 1 << 20

// Run runs all invocations to their end.
func (c *Code) Run(l Launch) error {
	for i := range c.insts {
		if in := &c.insts[i]; in.do == nil {
			return &UnknownError{in.text}
		}
	}
	for k := range l.Groups * l.Group {
		t := &thread{code: c, l: &l, tid: k % l.Group, ctaid: k / l.Group}
		if err := t.run(); err != nil {
			return fmt.Errorf("invocation %d: %w", k, err)
		}
	}
	return nil
}

func (t *thread) run() (err error) {
	var in *inst
	defer func() {
		if r := recover(); r != nil { // it has fewer operands than its name lets expect
			err = &UnknownError{in.text}
		}
	}()
	for range most {
		if t.pc >= len(t.code.insts) {
			return fmt.Errorf("sass: it runs past its last instruction")
		}
		in = &t.code.insts[t.pc]
		t.pc++
		if in.guard.kind == predicate && !t.flag(in.guard) {
			continue
		}
		in.do(t, in)
		if t.err != nil {
			return fmt.Errorf("sass: %s: %w", in.text, t.err)
		}
		if t.done {
			return nil
		}
	}
	return fmt.Errorf("sass: it takes more than %d instructions", most)
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
	if n%uniform == zero {
		return 0
	}
	return t.r[n]
}

func (t *thread) set(o operand, v uint32) {
	if o.n%uniform != zero {
		t.r[o.n] = v
	}
}

func (t *thread) setPair(o operand, v uint64) {
	if o.n%uniform != zero {
		t.r[o.n], t.r[o.n+1] = uint32(v), uint32(v>>32)
	}
}

func (t *thread) flag(o operand) bool {
	return (o.n%uniform == holds || t.p[o.n]) != o.invert
}

func (t *thread) setFlag(o operand, v bool) {
	if o.n%uniform != holds {
		t.p[o.n] = v
	}
}

// bank reads a constant.
func (t *thread) bank(o operand, size int) uint64 {
	at := int(int32(o.bits))
	if o.n >= 0 {
		at += int(int32(t.reg(o.n)))
	}
	if o.literal {
		return t.read(t.l.Literals, at, size)
	}
	return t.read(t.l.Constants, at, size)
}

func (t *thread) read(from []byte, at, size int) uint64 {
	if at < 0 || at+size > len(from) {
		t.err = fmt.Errorf("it reads %d bytes at %#x of %#x", size, at, len(from))
		return 0
	}
	var b [8]byte
	copy(b[:], from[at:at+size])
	return binary.LittleEndian.Uint64(b[:])
}

// place returns the memory that an address names, from there on.
func (t *thread) place(o operand, space string, size int) []byte {
	at := uint64(int64(int32(o.bits)))
	switch {
	case o.n >= 0 && (o.wide || space == "G" && o.second < 0 && !o.word): // sm_75 does not say that it is wide
		at += t.pair(operand{kind: register, n: o.n})
	case o.n >= 0:
		at += uint64(t.reg(o.n))
	}
	if o.second >= 0 {
		if o.wide || space == "G" && o.n < 0 {
			at += t.pair(operand{kind: register, n: o.second})
		} else {
			at += uint64(t.reg(o.second))
		}
	}
	if space == "L" {
		if t.local == nil {
			t.local = make([]byte, localBytes)
		}
		if at = uint64(uint32(at)); at+uint64(size) <= localBytes {
			return t.local[at:]
		}
		t.err = fmt.Errorf("local memory has no %d bytes at %#x", size, at)
		return nil
	}
	for _, s := range t.l.Memory {
		if at >= s.At && at+uint64(size) <= s.At+uint64(len(s.Data)) {
			return s.Data[at-s.At:]
		}
	}
	t.err = fmt.Errorf("no segment has %d bytes at %#x", size, at)
	return nil
}

// localBytes is how much local memory an invocation has.
const localBytes = 1 << 12

// StackEnd is what the word at 0x28 of bank 0 has to be: where an invocation's stack begins, which grows down.
const StackEnd = localBytes

package sass

import (
	"encoding/binary"
	"fmt"
)

// bank reads a constant.
func (t *thread) bank(o operand, size int) uint64 {
	at := int(int32(o.bits))
	if o.n >= 0 {
		at += int(int32(t.reg(o.n)))
	}
	switch o.bank {
	case 2:
		return t.read(t.l.Literals, at, size)
	case 3:
		return t.read(t.l.Tables, at, size)
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

// address is what an operand names.
func (t *thread) address(o operand, space string) uint64 {
	at := uint64(int64(int32(o.bits)))
	switch {
	case o.n >= 0 && (o.wide || space == "G" && o.second < 0 && !o.word): // sm_75 does not say that it is wide
		at += t.pair(operand{kind: register, n: o.n})
	case o.n >= 0:
		at += uint64(t.reg(o.n)) << o.shift
	}
	if o.second >= 0 {
		if space == "G" {
			at += t.pair(operand{kind: register, n: o.second})
		} else {
			at += uint64(t.reg(o.second))
		}
	}
	if space != "G" {
		at = uint64(uint32(at))
	}
	return at
}

// place returns the memory that an address names, from there on.
func (t *thread) place(o operand, space string, size int) []byte {
	return t.memory(t.address(o, space), space, size)
}

// memory is what lies at an address.
func (t *thread) memory(at uint64, space string, size int) []byte {
	if at%uint64(size) != 0 {
		t.err = fmt.Errorf("%#x is no place for %d bytes", at, size)
		return nil
	}
	if space != "G" {
		of := t.local
		if space == "S" {
			of = t.w.group.shared
			at -= uint64(t.l.SharedAt) // before it there is nothing either
		} else if of == nil {
			of = make([]byte, localBytes)
			fill(of)
			t.local = of
		}
		if n := uint64(len(of)); at <= n && uint64(size) <= n-at {
			return of[at:]
		}
		t.err = fmt.Errorf("memory %s has no %d bytes at %#x", space, size, at)
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

// copyToShared is an asynchronous copy that arrives at once. Zeros fill what the source does not have: all if the predicate does not
// hold, and else as many bytes at the end as the last bits of the address say.
func copyToShared(t *thread, in *inst) {
	size, _ := in.width()
	to, at, has := t.place(in.args[0], "S", size), t.address(in.args[1], "G"), size
	switch {
	case len(in.args) > 2 && !t.flag(in.args[2]):
		has = 0
	case in.has("ZFILL"):
		has -= int(at % uint64(size))
		at -= uint64(size - has)
	}
	var from []byte
	if has > 0 && t.err == nil {
		if at%uint64(size) != 0 {
			t.err = fmt.Errorf("%#x is no place for %d bytes", at, size)
			return
		}
		for i := range has { // the others need not be there
			from = append(from, t.memoryByte(at+uint64(i)))
		}
	}
	if t.err == nil {
		clear(to[copy(to[:size], from):size])
	}
}

func (t *thread) memoryByte(at uint64) byte {
	if b := t.memory(at, "G", 1); b != nil {
		return b[0]
	}
	return 0
}

// localBytes is how much local memory an invocation has.
const localBytes = 1 << 14

// StackEnd is what the word at 0x28 of bank 0 has to be: where an invocation's stack begins, which grows down.
const StackEnd = localBytes

// arbitrary is what stands where nothing was written: no number that a program is likely to want.
func arbitrary(at int) uint32 { return uint32(at)*0x9E37_79B1 ^ 0xB5297A4D }

// fill gives memory arbitrary contents.
func fill(b []byte) {
	for i := range b {
		b[i] = byte(arbitrary(i) >> 13)
	}
}

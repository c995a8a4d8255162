package sass

import (
	"encoding/binary"
	"slices"
)

// spaces are the kinds of memory that instructions go to.
var spaces = map[string]string{"RED": "G", "REDG": "G", "ATOMG": "G", "ATOMS": "S"}

// update is RED, ATOMG or ATOMS: a word of memory is combined with an operand, and what was there is the result if there is
// a register for it.
func update(t *thread, in *inst) {
	at := slices.IndexFunc(in.args, func(o operand) bool { return o.kind == address })
	src := in.args[at+1:]
	var dst []operand
	for _, o := range in.args[:at] {
		if o.kind == register {
			dst = append(dst, o)
		}
	}
	size := 4
	if in.has("64") || in.has("S64") {
		size = 8
	}
	for _, o := range in.args[:at] {
		if o.kind == predicate && o.n != holds {
			t.err = &UnknownError{in.text}
			return
		}
	}
	to := t.place(in.args[at], spaces[in.op], size)
	if t.err != nil {
		return
	}
	read := func(o operand) uint64 {
		if size == 8 {
			return t.pair(o)
		}
		return uint64(t.value(o))
	}
	old := t.read(to, 0, size)
	x := uint64(1)
	if !in.has("INC") {
		x = read(src[0])
	}
	v, result := combined(in, old, x, size), old
	switch {
	case in.has("CAS"), in.has("CAST"):
		v = old
		if old == x {
			v = read(src[1])
		}
		if in.has("CAST") { // whether it was exchanged
			result = uint64(b2u(old == x))
		}
	case in.has("EXCH"):
		v = x
	}
	if size == 8 {
		binary.LittleEndian.PutUint64(to, v)
	} else {
		binary.LittleEndian.PutUint32(to, uint32(v))
	}
	for _, o := range dst {
		t.arrive(o, result, size, false)
	}
	if in.has("INC") != in.has("POPC") || in.has("INC") && dst[0].n%uniform != zero { // else it counts up to an operand
		t.err = &UnknownError{in.text}
	}
	t.only(in, "E", "32", "POPC", "INC", "STRONG", "GPU", "CTA", "SYS", "SM", "64", "S32", "S64", "U32", "SPIN",
		"ADD", "MIN", "MAX", "AND", "OR", "XOR", "CAS", "CAST", "EXCH")
}

// combined is what an update makes of a word.
func combined(in *inst, old, x uint64, size int) uint64 {
	signed := in.has("S32") || in.has("S64")
	less := old < x
	switch {
	case signed && size == 4:
		less = int32(old) < int32(x)
	case signed:
		less = int64(old) < int64(x)
	}
	switch {
	case in.has("ADD"), in.has("INC"): // POPC.INC adds how many lanes there are
		return old + x
	case in.has("AND"):
		return old & x
	case in.has("OR"):
		return old | x
	case in.has("XOR"):
		return old ^ x
	case in.has("MIN") == less:
		return old
	}
	return x
}

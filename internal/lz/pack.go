package lz

import (
	"encoding/binary"
	"math/bits"
)

// The alphabets. Each has codes of its own.
const (
	counts   = iota // of literals
	literals        // bytes
	copies          // lengths of copies
	backward        // distances
	alphabets
)

var sizes = [alphabets]int{numbers, 256, numbers, distances}

// step is some bytes as they are, and then, unless it is the last step, n bytes again that are d bytes back.
// A copy may overlap itself.
type step struct {
	literals []byte
	n, d     int
}

// MaxBytes is how much Pack takes.
const MaxBytes = maxNumber

// Pack returns bytes from which Unpack makes the same again. It panics if there are more than MaxBytes.
func Pack(in []byte) []byte {
	if len(in) > MaxBytes {
		panic("BUG: lz: too many bytes to pack")
	}
	steps := parse(in)
	var count [alphabets][]int
	for a := range count {
		count[a] = make([]int, sizes[a])
	}
	walk(steps, func(alphabet int, symbol, _, _ uint) { count[alphabet][symbol]++ })

	w := writer{out: binary.AppendUvarint(nil, uint64(len(in)))}
	var code [alphabets][]uint
	var length [alphabets][]uint8
	for a := range count {
		length[a] = lengths(count[a])
		code[a] = codes(length[a])
		w.writeLengths(length[a])
	}
	walk(steps, func(alphabet int, symbol, value, extra uint) {
		w.write(code[alphabet][symbol], uint(length[alphabet][symbol]))
		w.write(value&(1<<extra-1), extra)
	})
	return w.bytes()
}

// walk calls f with the symbols of steps, each with the number whose low bits follow it.
func walk(steps []step, f func(alphabet int, symbol, value, extra uint)) {
	number := func(alphabet int, v uint) {
		symbol, extra := symbolOf(v)
		f(alphabet, symbol, v, extra)
	}
	last := 0
	for _, s := range steps {
		number(counts, uint(len(s.literals)))
		for _, b := range s.literals {
			f(literals, uint(b), 0, 0)
		}
		if s.n == 0 {
			continue // the last
		}
		number(copies, uint(s.n))
		symbol, value, extra := distanceOf(s.d, last)
		f(backward, symbol, value, extra)
		last = s.d
	}
}

const (
	hashed   = 4   // bytes that a copy begins with; shorter ones are found only at the last distance
	tries    = 100 // earlier places looked at for the best copy
	enough   = 200 // bytes of a copy that is taken without a look at the next place
	hashBits = 17
)

// finder knows the earlier places of all bytes before one.
type finder struct {
	in    []byte
	first []int32 // of a hash: the latest place, counted from 1
	next  []int32 // of a place: an earlier one of its hash
	last  int     // distance
}

// parse chooses copies step by step, and puts one off by a byte if the next place has a better one.
func parse(in []byte) (steps []step) {
	f := finder{in: in, first: make([]int32, 1<<hashBits), next: make([]int32, len(in))}
	from := 0 // of the literals
	for i := 0; i < len(in); {
		n, d, gain := f.best(i)
		f.enter(i)
		for n > 0 && n < enough {
			n2, d2, gain2 := f.best(i + 1)
			if gain2 <= gain+6 {
				break
			}
			i, n, d, gain = i+1, n2, d2, gain2
			f.enter(i)
		}
		if n == 0 {
			i++
			continue
		}
		steps = append(steps, step{in[from:i], n, d})
		for j := i + 1; j < i+n; j++ {
			f.enter(j)
		}
		i += n
		from, f.last = i, d
	}
	if from < len(in) {
		steps = append(steps, step{literals: in[from:]})
	}
	return steps
}

func (f *finder) hash(i int) uint32 {
	return binary.LittleEndian.Uint32(f.in[i:]) * 2654435761 >> (32 - hashBits)
}

func (f *finder) enter(i int) {
	if i+hashed <= len(f.in) {
		h := f.hash(i)
		f.next[i], f.first[h] = f.first[h], int32(i+1)
	}
}

// best is the copy for place i that saves most: gain is about how many bits. n is 0 if none does.
func (f *finder) best(i int) (n, d, gain int) {
	if i+hashed > len(f.in) {
		return 0, 0, 0
	}
	gain = 8
	if f.last > 0 && f.last <= i {
		if m := f.equal(i-f.last, i); 8*m-4 > gain {
			n, d, gain = m, f.last, 8*m-4
		}
	}
	at := f.first[f.hash(i)]
	for range tries {
		if at == 0 {
			break
		}
		from := int(at - 1)
		at = f.next[from]
		if n > 0 && (i+n == len(f.in) || f.in[from+n] != f.in[i+n]) {
			continue // not longer
		}
		m := f.equal(from, i)
		if g := 8*m - 6 - bits.Len(uint(i-from)); m >= hashed && g > gain {
			n, d, gain = m, i-from, g
		}
	}
	return n, d, gain
}

// equal counts the bytes that two places have in common.
func (f *finder) equal(from, i int) (n int) {
	for i+n < len(f.in) && f.in[from+n] == f.in[i+n] {
		n++
	}
	return n
}

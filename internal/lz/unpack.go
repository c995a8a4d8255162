package lz

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var errEnd = errors.New("packed bytes do not end where they should")

// Unpack is the inverse of Pack, for an output of at most most bytes. The input may be anything: at worst it takes as much
// memory as most.
func Unpack(in []byte, most int) ([]byte, error) {
	size, n := binary.Uvarint(in)
	if n <= 0 {
		return nil, errShort
	}
	if size > uint64(min(most, MaxBytes)) {
		return nil, fmt.Errorf("packed bytes are %d, and %d are allowed", size, min(most, MaxBytes))
	}
	u := unpacker{reader: newReader(in[n:]), out: make([]byte, size)}
	for a := range u.tables {
		of, err := u.readLengths(sizes[a])
		if err != nil {
			return nil, err
		}
		if u.tables[a], err = table(of); err != nil {
			return nil, err
		}
	}
	for u.n < len(u.out) {
		if err := u.step(); err != nil {
			return nil, err
		}
	}
	if u.left < 0 || u.left >= 8 || u.read(uint(u.left)) != 0 {
		return nil, errEnd
	}
	return u.out, nil
}

// unpacker has the output from its start.
type unpacker struct {
	*reader
	tables [alphabets]*[1 << maxBits]entry
	out    []byte
	n      int  // bytes of it that are there
	last   uint // distance
}

// step adds the literals and the copy of a step. Every step reads bits, and a step without any is an error: so work
// is at most in proportion to the input and the output.
func (u *unpacker) step() error {
	n, err := u.number(counts)
	if err != nil {
		return err
	}
	if n > uint(len(u.out)-u.n) {
		return errEnd
	}
	for range n {
		b, err := u.symbol(literals)
		if err != nil {
			return err
		}
		u.out[u.n] = byte(b)
		u.n++
	}
	if u.n == len(u.out) {
		return u.over()
	}
	if n, err = u.number(copies); err != nil {
		return err
	}
	d, err := u.distance()
	if err != nil {
		return err
	}
	if d == 0 || d > uint(u.n) || n > uint(len(u.out)-u.n) {
		return fmt.Errorf("packed bytes copy %d from %d back, with %d of %d there", n, d, u.n, len(u.out))
	}
	u.copy(int(n), int(d))
	return u.over()
}

// copy adds n bytes from d back. What it adds may be a part of them.
func (u *unpacker) copy(n, d int) {
	from := u.n - d
	for end := u.n + n; u.n < end; {
		u.n += copy(u.out[u.n:end], u.out[from:u.n])
	}
}

func (u *unpacker) symbol(alphabet int) (uint, error) {
	e := u.tables[alphabet][u.peek(maxBits)]
	if e == 0 {
		return 0, errCodes
	}
	u.skip(uint(e & 15))
	return uint(e >> 4), nil
}

func (u *unpacker) number(alphabet int) (uint, error) {
	s, err := u.symbol(alphabet)
	if err != nil {
		return 0, err
	}
	v, extra := numberOf(s)
	return v + u.read(extra), nil
}

func (u *unpacker) distance() (uint, error) {
	s, err := u.symbol(backward)
	switch {
	case err != nil:
		return 0, err
	case s == again:
		return u.last, nil
	case s < bytesBack:
		v, extra := numberOf(s - words)
		u.last = 4 * (v + u.read(extra))
	default:
		v, extra := numberOf(s - bytesBack)
		u.last = v + u.read(extra)
	}
	return u.last, nil
}

package packed

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Packed bytes are a row of steps: uvarint n, n bytes as they are, then, unless the input
// ends, uvarint m and uvarint d: m+minMatch bytes that stood d bytes back before. A copy may
// overlap itself. This is the scheme of Ziv and Lempel (1977) without an entropy coder.
const (
	minMatch = 4  // a shorter copy costs as much as its bytes
	tries    = 32 // earlier places looked at for the longest copy
)

// maxBytes bounds what unpack returns; the wire form allows no more.
const maxBytes = 72 << 20

func pack(in []byte) []byte {
	var out []byte
	last := make(map[uint32]int) // place after the latest occurrence of four bytes
	before := make([]int, len(in))
	enter := func(i int) {
		if i+minMatch <= len(in) {
			key := binary.LittleEndian.Uint32(in[i:])
			before[i], last[key] = last[key], i+1
		}
	}
	literals := 0 // where those not yet written start
	for i := 0; i < len(in); {
		length, distance := 0, 0
		if i+minMatch <= len(in) {
			at := last[binary.LittleEndian.Uint32(in[i:])]
			for range tries {
				if at == 0 {
					break
				}
				n := 0
				for i+n < len(in) && in[at-1+n] == in[i+n] {
					n++
				}
				if n > length {
					length, distance = n, i-(at-1)
				}
				at = before[at-1]
			}
		}
		if length < minMatch {
			enter(i)
			i++
			continue
		}
		out = binary.AppendUvarint(out, uint64(i-literals))
		out = append(out, in[literals:i]...)
		out = binary.AppendUvarint(out, uint64(length-minMatch))
		out = binary.AppendUvarint(out, uint64(distance))
		for end := i + length; i < end; i++ {
			enter(i)
		}
		literals = i
	}
	out = binary.AppendUvarint(out, uint64(len(in)-literals))
	return append(out, in[literals:]...)
}

var errShort = errors.New("ends in the middle of a step")

// unpack is the inverse of pack. The input may be anything.
func unpack(in []byte) ([]byte, error) {
	var out []byte
	number := func() (uint64, error) {
		v, n := binary.Uvarint(in)
		if n <= 0 {
			return 0, errShort
		}
		in = in[n:]
		return v, nil
	}
	for {
		n, err := number()
		if err != nil {
			return nil, err
		}
		if n > uint64(len(in)) {
			return nil, errShort
		}
		out = append(out, in[:n]...)
		in = in[n:]
		if len(in) == 0 {
			return out, nil
		}
		m, err := number()
		if err != nil {
			return nil, err
		}
		d, err := number()
		if err != nil {
			return nil, err
		}
		if d == 0 || d > uint64(len(out)) {
			return nil, fmt.Errorf("a copy from %d bytes back, with %d bytes there", d, len(out))
		}
		if m > maxBytes || uint64(len(out))+m+minMatch > maxBytes {
			return nil, fmt.Errorf("unpacks to more than %d bytes", maxBytes)
		}
		for range m + minMatch {
			out = append(out, out[uint64(len(out))-d])
		}
	}
}

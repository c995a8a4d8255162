package lz

import "errors"

// writer appends bits, the highest first.
type writer struct {
	out  []byte
	bits uint64 // that are not yet in out, at the low end
	n    uint
}

func (w *writer) write(v, n uint) {
	w.bits, w.n = w.bits<<n|uint64(v), w.n+n
	for w.n >= 8 {
		w.n -= 8
		w.out = append(w.out, byte(w.bits>>w.n))
	}
}

// bytes are all, with zeros to the end of the last byte.
func (w *writer) bytes() []byte {
	if w.n > 0 {
		w.write(0, 8-w.n)
	}
	return w.out
}

// reader takes bits as writer has put them. After the last there are zeros, and left is negative.
type reader struct {
	in   []byte
	at   int    // in it: an index, so that reading does not write pointers
	bits uint64 // the next, at the high end
	n    uint   // of them
	left int    // bits that are not read
}

func newReader(in []byte) *reader { return &reader{in: in, left: 8 * len(in)} }

// peek is the next n bits, of at most 32.
func (r *reader) peek(n uint) uint {
	for r.n < 32 {
		if r.at < len(r.in) {
			r.bits |= uint64(r.in[r.at]) << (56 - r.n)
			r.at++
		}
		r.n += 8
	}
	return uint(r.bits >> (64 - n))
}

func (r *reader) skip(n uint) {
	r.bits <<= n
	r.n -= n
	r.left -= int(n)
}

func (r *reader) read(n uint) uint {
	v := r.peek(n)
	r.skip(n)
	return v
}

var errShort = errors.New("packed bytes end too early")

// over reports that more was read than there is.
func (r *reader) over() error {
	if r.left < 0 {
		return errShort
	}
	return nil
}

// writeLengths writes 4 bits for each length, and after 0 how many zeros follow it.
func (w *writer) writeLengths(of []uint8) {
	for i := 0; i < len(of); i++ {
		w.write(uint(of[i]), 4)
		if of[i] > 0 {
			continue
		}
		zeros := 0
		for zeros < 63 && i+1 < len(of) && of[i+1] == 0 {
			zeros, i = zeros+1, i+1
		}
		w.write(uint(zeros), 6)
	}
}

func (r *reader) readLengths(n int) ([]uint8, error) {
	of := make([]uint8, n)
	for i := 0; i < n; i++ {
		if of[i] = uint8(r.read(4)); of[i] == 0 {
			i += int(r.read(6))
		} else if of[i] > maxBits {
			return nil, errCodes
		}
	}
	return of, r.over()
}

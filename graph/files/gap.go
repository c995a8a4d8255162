package files

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/govyre/vyre/graph"
)

func eofIsFine(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// gap reads the GAP benchmark's rows: whether the graph is directed (a byte), arcs and nodes (8 bytes each), offsets (8 bytes
// each, one more than nodes), targets (4 bytes each, or pairs with a weight), and for directed graphs both again for the arcs
// the other way round.
func (r *reader) gap(weighted bool) (parsed, error) {
	p := parsed{nodes: -1}
	var head [17]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		return p, r.short(err, "a header of 17 bytes")
	}
	m, n := int64(binary.LittleEndian.Uint64(head[1:])), int64(binary.LittleEndian.Uint64(head[9:]))
	switch {
	case head[0] > 1:
		return p, r.badGAP(0, fmt.Sprintf("byte %d", head[0]), "0 or 1, for directed")
	case m < 0 || m > graph.MaxArcs:
		return p, r.badGAP(1, fmt.Sprintf("%d arcs", m), fmt.Sprintf("from 0 to %d", uint64(graph.MaxArcs)))
	case n < 0 || n > graph.MaxNodes:
		return p, r.badGAP(9, fmt.Sprintf("%d nodes", n), fmt.Sprintf("from 0 to %d", uint64(graph.MaxNodes)))
	}
	p.nodes = n
	a, err := r.gapRows(n, m, weighted && !r.o.NoWeights, weighted)
	if err != nil {
		return p, err
	}
	p.arcs, p.count, p.held = []arcs{a}, m, a.bytes()
	if head[0] == 1 {
		back, err := r.gapRows(n, m, false, weighted)
		if err != nil {
			return p, err
		}
		if sumOf(back.to, back.from) != sumOf(a.from, a.to) {
			return p, r.badGAP(r.in.n, "the arcs of the second half", "those of the first the other way round")
		}
	}
	var more [1]byte
	if k, _ := r.in.Read(more[:]); k > 0 {
		return p, r.badGAP(r.in.n-1, "more bytes", "the end of the file")
	}
	return p, nil
}

func (r *reader) badGAP(at int64, got, want string) error {
	return &graph.ParseError{File: r.name, Offset: at, Got: fmt.Sprintf("%s at %d", got, at), Want: want}
}

func (r *reader) short(err error, want string) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return &graph.ParseError{File: r.name, Offset: r.in.n, Got: fmt.Sprintf("the file ends after %d bytes", r.in.n), Want: want}
	}
	return err
}

// gapRows reads offsets and targets. Arrays grow with what was read.
func (r *reader) gapRows(n, m int64, keep, weighted bool) (a arcs, err error) {
	var last int64
	degrees := make([]uint32, 0, min(n, chunkBytes))
	err = r.words(8*(n+1), 8, "offsets", func(i int64, b []byte) error {
		v := int64(binary.LittleEndian.Uint64(b))
		if i == 0 && v != 0 || v < last || v > m || i == n && v != m {
			return r.badGAP(17+8*i, fmt.Sprintf("offset %d of row %d", v, i), fmt.Sprintf("offsets start at 0, never fall, and end at %d; this is after %d", m, last))
		}
		if i > 0 {
			if v-last > math.MaxUint32 {
				return r.badGAP(17+8*i, fmt.Sprintf("%d arcs of row %d", v-last, i-1), fmt.Sprintf("at most %d", uint32(math.MaxUint32)))
			}
			degrees = append(degrees, uint32(v-last))
		}
		last = v
		return nil
	})
	if err != nil {
		return a, err
	}
	size := int64(4)
	if weighted {
		size = 8
	}
	row, left := uint32(0), uint32(0)
	if n > 0 {
		left = degrees[0]
	}
	err = r.words(size*m, size, "targets", func(i int64, b []byte) error {
		for left == 0 {
			row++
			left = degrees[row]
		}
		left--
		v := int32(binary.LittleEndian.Uint32(b))
		if v < 0 || int64(v) >= n {
			return r.badGAP(r.in.n, fmt.Sprintf("arc %d of row %d: target %d", i, row, v), fmt.Sprintf("n = %d", n))
		}
		a.from, a.to = append(a.from, row), append(a.to, uint32(v))
		if keep {
			w := int32(binary.LittleEndian.Uint32(b[4:]))
			if w < 0 {
				return r.badGAP(r.in.n, fmt.Sprintf("weight %d", w), "weights are not negative; --no-weights leaves weights out")
			}
			a.weights = append(a.weights, uint32(w))
		}
		return nil
	})
	return a, err
}

// words reads an array of so many bytes in portions.
func (r *reader) words(total, size int64, what string, each func(i int64, b []byte) error) error {
	buf := make([]byte, min(total, 64<<10))
	for done := int64(0); done < total; {
		b := buf[:min(total-done, int64(len(buf)))]
		if _, err := io.ReadFull(r.in, b); err != nil {
			return r.short(err, fmt.Sprintf("%d bytes of %s, of which %d are there", total, what, done))
		}
		for at := int64(0); at < int64(len(b)); at += size {
			if err := each((done+at)/size, b[at:at+size]); err != nil {
				return err
			}
		}
		done += int64(len(b))
		if 8*(done/size) > r.o.MaxMemory {
			return r.tooLarge(8*(done/size), what)
		}
		r.tell("reading", done/size)
	}
	return nil
}

// sumOf is a sum over arcs in any order, which tells apart what differs by accident.
func sumOf(from, to []uint32) (s [2]uint64) {
	for i, u := range from {
		x := uint64(u)<<32 | uint64(to[i])
		for k := range s {
			z := x*0x9E3779B97F4A7C15 + uint64(k)*0xBF58476D1CE4E5B9
			z ^= z >> 29
			z *= 0x94D049BB133111EB
			s[k] += z ^ z>>32
		}
	}
	return s
}

const mostGAP = math.MaxInt32 // nodes and weights that GAP can have

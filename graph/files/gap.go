package files

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/govyre/vyre/graph"
)

// gapReader reads the rows of the GAP benchmark.
type gapReader struct{ *reader }

// parse reads all: whether the graph is directed (a byte), arcs and nodes (8 bytes each), offsets (8 bytes
// each, one more than nodes), targets (4 bytes each, or pairs with a weight), and for directed graphs both again for the arcs
// the other way round.
func (r gapReader) parse(weighted bool) (parsed, error) {
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
	p.nodes, p.count = n, m
	var ahead, back [2]uint64
	err := r.gapRows(n, m, weighted, func(at int64, u, v, weight uint32) error {
		sumOf(&ahead, u, v)
		return r.keep(&p, at, u, v, weight, weighted && !r.o.NoWeights)
	})
	if err != nil {
		return p, err
	}
	if head[0] == 1 {
		err := r.gapRows(n, m, weighted, func(_ int64, u, v, _ uint32) error {
			sumOf(&back, v, u)
			return nil
		})
		if err != nil {
			return p, err
		}
		if ahead != back {
			return p, r.badGAP(r.in.n, "the arcs of the second half", "those of the first the other way round")
		}
	}
	var more [1]byte
	if k, err := io.ReadFull(r.in, more[:]); k > 0 {
		return p, r.badGAP(r.in.n-1, "more bytes", "the end of the file")
	} else if err != io.EOF { // that of a checksum, or of the file
		return p, err
	}
	return p, nil
}

func (r gapReader) badGAP(at int64, got, want string) error {
	return &graph.ParseError{File: r.name, Offset: at, Got: fmt.Sprintf("%s at %d", got, at), Want: want}
}

func (r gapReader) short(err error, want string) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return &graph.ParseError{File: r.name, Offset: r.in.n, Got: fmt.Sprintf("the file ends after %d bytes", r.in.n), Want: want}
	}
	return err
}

// pieceOfArcs is how many arcs are held in one piece: what was read is never copied to make room for more.
const pieceOfArcs = 64 << 10

// keep appends an arc of rows, which is at that byte.
func (r gapReader) keep(p *parsed, at int64, u, v, weight uint32, weighted bool) error {
	last := len(p.arcs) - 1
	if last < 0 || len(p.arcs[last].from) == pieceOfArcs {
		a := arcs{from: make([]uint32, 0, pieceOfArcs), to: make([]uint32, 0, pieceOfArcs)}
		if weighted {
			a.weights = make([]uint32, 0, pieceOfArcs)
		}
		if err := r.hold(a.bytes(), "targets"); err != nil {
			return err
		}
		p.arcs = append(p.arcs, a)
		last++
	}
	a := &p.arcs[last]
	a.from, a.to = append(a.from, u), append(a.to, v)
	if weighted {
		if int32(weight) < 0 {
			return r.badGAP(at, fmt.Sprintf("weight %d", int32(weight)), "weights are not negative; --no-weights leaves weights out")
		}
		a.weights = append(a.weights, weight)
	}
	return nil
}

// degrees are how many arcs rows have, in pieces that come with what was read.
type degrees [][]uint32

func (d *degrees) add(r *reader, n uint32) error {
	if last := len(*d) - 1; last >= 0 && len((*d)[last]) < pieceOfArcs {
		(*d)[last] = append((*d)[last], n)
		return nil
	}
	*d = append(*d, append(make([]uint32, 0, pieceOfArcs), n))
	return r.hold(4*pieceOfArcs, "offsets")
}

func (d degrees) at(row uint32) uint32 { return d[row/pieceOfArcs][row%pieceOfArcs] }

// gapRows reads offsets and targets, and passes arcs on.
func (r gapReader) gapRows(n, m int64, weighted bool, each func(at int64, u, v, weight uint32) error) error {
	var last int64
	var rows degrees
	err := r.words(8*(n+1), 8, "offsets", func(i, at int64, b []byte) error {
		v := int64(binary.LittleEndian.Uint64(b))
		if i == 0 && v != 0 || v < last || v > m || i == n && v != m {
			return r.badGAP(at, fmt.Sprintf("offset %d of row %d", v, i), fmt.Sprintf("offsets start at 0, never fall, and end at %d; this is after %d", m, last))
		}
		if i > 0 {
			if v-last > math.MaxUint32 {
				return r.badGAP(at, fmt.Sprintf("%d arcs of row %d", v-last, i-1), fmt.Sprintf("at most %d", uint32(math.MaxUint32)))
			}
			if err := rows.add(r.reader, uint32(v-last)); err != nil {
				return err
			}
		}
		last = v
		return nil
	})
	defer func() { r.release(4 * pieceOfArcs * int64(len(rows))) }()
	if err != nil {
		return err
	}
	size := int64(4)
	if weighted {
		size = 8
	}
	row, left := uint32(0), uint32(0)
	if n > 0 {
		left = rows.at(0)
	}
	return r.words(size*m, size, "targets", func(i, at int64, b []byte) error {
		for left == 0 {
			row++
			left = rows.at(row)
		}
		left--
		v, weight := int32(binary.LittleEndian.Uint32(b)), uint32(1)
		if v < 0 || int64(v) >= n {
			return r.badGAP(at, fmt.Sprintf("arc %d of row %d: target %d", i, row, v), fmt.Sprintf("n = %d", n))
		}
		if weighted {
			weight = binary.LittleEndian.Uint32(b[4:])
		}
		return each(at, row, uint32(v), weight)
	})
}

// words reads an array of so many bytes in portions, and passes each word on with its number and where it is.
func (r gapReader) words(total, size int64, what string, each func(i, at int64, b []byte) error) error {
	start := r.in.n
	buf := make([]byte, min(total, 64<<10))
	for done := int64(0); done < total; {
		b := buf[:min(total-done, int64(len(buf)))]
		if _, err := io.ReadFull(r.in, b); err != nil {
			return r.short(err, fmt.Sprintf("%d bytes of %s, of which %d are there", total, what, done))
		}
		for at := int64(0); at < int64(len(b)); at += size {
			if err := each((done+at)/size, start+done+at, b[at:at+size]); err != nil {
				return err
			}
		}
		done += int64(len(b))
		r.tell("reading", done/size)
	}
	return nil
}

// sumOf adds an arc to sums over arcs in any order, which tell apart what differs by accident.
func sumOf(s *[2]uint64, from, to uint32) {
	x := uint64(from)<<32 | uint64(to)
	for k := range s {
		z := x*0x9E3779B97F4A7C15 + uint64(k)*0xBF58476D1CE4E5B9
		z ^= z >> 29
		z *= 0x94D049BB133111EB
		s[k] += z ^ z>>32
	}
}

const mostGAP = math.MaxInt32 // nodes and weights that GAP can have

package wire

import (
	"encoding/binary"
	"math"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/limits"
)

// Positions of rows have much in common: an inlined function has the chain of its calls in each of its rows. So they are
// links, each with the number of the one around it, all as varints (those with a sign in zigzag):
//
//	number of links
//	for each, counted from 1: how far back the link of the call is, as far as there is one, or its own number for none;
//	    the number of the file, from 0, and if it is new, the length of its name and the name; the line, as the
//	    difference from that of the link before; the column
//	for each row, parameter and array: the link as the difference from that of the one before; 0 is none
//
// Links are in the order in which rows, parameters and arrays use them first, a call before what it calls, and no two are
// equal.

// link is a place, and the number of the link of the call that it was inlined at, 0 for none.
type link struct {
	file, line, col int
	call            int
}

// maxCalls is how many calls are around a position at most: whoever prints one walks them all.
const maxCalls = 1000

// linkWriter collects links.
type linkWriter struct {
	bytes []byte
	links map[link]int
	files map[string]int
	line  int // of the last
	used  []byte
	last  int // in used
}

// number returns that of a position, which it adds if it is new.
func (w *linkWriter) number(pos ir.Pos) (int, error) {
	if unknown(pos) {
		return 0, nil
	}
	var chain []*ir.Pos // from the inside
	for p := &pos; p != nil; p = p.Call {
		if len(chain) > maxCalls {
			return 0, wireError("VW007", "drop positions: Edit, clear Debug, Seal", "a position inside more than %d calls", maxCalls)
		}
		chain = append(chain, p)
	}
	n := 0
	for i := len(chain) - 1; i >= 0; i-- {
		n = w.add(chain[i], n)
	}
	return n, nil
}

func (w *linkWriter) add(p *ir.Pos, call int) int {
	file, known := w.files[p.File]
	if !known {
		file = len(w.files)
	}
	l := link{file, clampInt32(p.Line), clampInt32(p.Col), call}
	if n := w.links[l]; n > 0 {
		return n
	}
	n := len(w.links) + 1
	w.links[l] = n
	w.bytes = binary.AppendUvarint(w.bytes, uint64(n-call))
	w.bytes = binary.AppendUvarint(w.bytes, uint64(file))
	if !known {
		w.files[p.File] = file
		w.bytes = binary.AppendUvarint(w.bytes, uint64(len(p.File)))
		w.bytes = append(w.bytes, p.File...)
	}
	w.bytes = binary.AppendVarint(w.bytes, int64(l.line-w.line))
	w.bytes = binary.AppendUvarint(w.bytes, uint64(l.col))
	w.line = l.line
	return n
}

func (w *linkWriter) use(n int) {
	w.used = binary.AppendVarint(w.used, int64(n-w.last))
	w.last = n
}

// positionSection returns the positions, nil if there are none.
func positionSection(c *ir.Code) ([]byte, error) {
	d := &c.Debug
	w := linkWriter{links: map[link]int{}, files: map[string]int{}}
	numbers := make([]int, len(d.Positions)) // 1 + that of a position, once used
	for r := range c.Rows() {
		n := 0
		if r < len(d.PosOf) && d.PosOf[r] > 0 {
			k := d.PosOf[r] - 1
			if numbers[k] == 0 {
				number, err := w.number(d.Positions[k])
				if err != nil {
					return nil, err
				}
				numbers[k] = number + 1
			}
			n = numbers[k] - 1
		}
		w.use(n)
	}
	for i := range len(c.Params) + len(c.Arrays) {
		pos := positionOf(c, i)
		n, err := w.number(*pos)
		if err != nil {
			return nil, err
		}
		w.use(n)
	}
	if len(w.links) == 0 {
		return nil, nil
	}
	return append(append(binary.AppendUvarint(nil, uint64(len(w.links))), w.bytes...), w.used...), nil
}

// positionOf is that of a parameter or, behind those, of an array.
func positionOf(c *ir.Code, i int) *ir.Pos {
	if i < len(c.Params) {
		return &c.Params[i].Pos
	}
	return &c.Arrays[i-len(c.Params)].Pos
}

// unknown reports whether a position would be written as the zero Pos.
func unknown(pos ir.Pos) bool {
	return pos.File == "" && pos.Line <= 0 && pos.Col <= 0 && pos.Call == nil
}

func clampInt32(n int) int { return min(max(n, 0), math.MaxInt32) }

// linkReader reads links.
type linkReader struct {
	bytes []byte
	links []link   // from 1
	at    []ir.Pos // of them
	calls []int    // around each
	files []string
	known map[string]bool
	met   int // of links, by those that use them
	last  int // used
}

// readPositions reads the positions into c, none of them if something is wrong.
func readPositions(c *ir.Code, b []byte) error {
	r := linkReader{bytes: b, known: map[string]bool{}}
	if err := r.readLinks(); err != nil {
		return err
	}
	var positions []ir.Pos
	of, index := make([]uint32, c.Rows()), make([]uint32, len(r.links))
	for row := range of {
		n, err := r.use()
		if err != nil {
			return err
		}
		if n > 0 && index[n] == 0 {
			positions = append(positions, r.at[n])
			index[n] = uint32(len(positions))
		}
		of[row] = index[n]
	}
	others := make([]ir.Pos, len(c.Params)+len(c.Arrays))
	for i := range others {
		n, err := r.use()
		if err != nil {
			return err
		}
		others[i] = r.at[n]
	}
	if len(r.bytes) > 0 || r.met != len(r.links)-1 {
		return errSide
	}
	c.Debug.Positions, c.Debug.PosOf = positions, of
	for i, pos := range others {
		*positionOf(c, i) = pos
	}
	return nil
}

// take reads a number.
func (r *linkReader) take(most uint64) (v uint64, err error) {
	v, r.bytes, err = takeUvarint(r.bytes, most)
	return v, err
}

// takeSigned reads a number that is added to one before it. The sum is from 0 to most.
func (r *linkReader) takeSigned(before, most int) (int, error) {
	u, err := r.take(2 * math.MaxInt32)
	v := before + int(u>>1)
	if u&1 != 0 {
		v = before - 1 - int(u>>1)
	}
	if err != nil || v < 0 || v > most {
		return 0, errSide
	}
	return v, nil
}

// readLinks reads the links: each takes four bytes at least.
func (r *linkReader) readLinks() error {
	n, err := r.take(uint64(len(r.bytes)) / 4)
	if err != nil || n == 0 {
		return errSide
	}
	r.links, r.at, r.calls = make([]link, n+1), make([]ir.Pos, n+1), make([]int, n+1)
	seen := make(map[link]bool, n)
	for i := 1; i <= int(n); i++ {
		l, err := r.readLink(i)
		if err != nil || seen[l] {
			return errSide
		}
		seen[l] = true
		r.links[i] = l
		r.at[i] = ir.Pos{File: r.files[l.file], Line: l.line, Col: l.col}
		if l.call > 0 {
			r.at[i].Call = &r.at[l.call]
			if r.calls[i] = r.calls[l.call] + 1; r.calls[i] > maxCalls {
				return errSide
			}
		}
	}
	return nil
}

func (r *linkReader) readLink(i int) (l link, err error) {
	back, err := r.take(uint64(i))
	if err != nil || back == 0 {
		return l, errSide
	}
	file, err := r.take(uint64(len(r.files)))
	if err != nil {
		return l, err
	}
	if int(file) == len(r.files) {
		if err := r.readFile(); err != nil {
			return l, err
		}
	}
	l = link{file: int(file), call: i - int(back)}
	if l.line, err = r.takeSigned(r.links[i-1].line, math.MaxInt32); err != nil {
		return l, err
	}
	col, err := r.take(math.MaxInt32)
	l.col = int(col)
	return l, err
}

// readFile reads the name of a file that no link before has.
func (r *linkReader) readFile() error {
	n, err := r.take(min(limits.Side, uint64(len(r.bytes))))
	if err != nil || n > uint64(len(r.bytes)) {
		return errSide
	}
	name := string(r.bytes[:n])
	if r.known[name] {
		return errSide
	}
	r.known[name] = true
	r.files, r.bytes = append(r.files, name), r.bytes[n:]
	return nil
}

// use reads which link a row, a parameter or an array has. Links that were not met before are those of the calls around it,
// from the outside.
func (r *linkReader) use() (int, error) {
	n, err := r.takeSigned(r.last, len(r.links)-1)
	if err != nil {
		return 0, err
	}
	r.last = n
	if n > 0 && r.links[n].call == 0 && unknown(r.at[n]) {
		return 0, errSide
	}
	for first := r.met + 1; r.met < n; r.met++ {
		if next := r.met + 1; next > first && r.links[next].call != r.met {
			return 0, errSide
		}
	}
	return n, nil
}

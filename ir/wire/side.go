package wire

import (
	"encoding/binary"
	"errors"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/columns"
	"github.com/govyre/vyre/ir/internal/limits"
)

// A side table maps keys (mostly rows) to strings:
//
//	u32 number of strings, u32 number of pairs, the strings' lengths u32 each, the
//	strings, zeros up to a multiple of four, pairs of u32 key and u32 string
//
// Keys ascend, and strings are in the order of their pairs: names and messages have a string of their own for each pair.
// Positions have a form of their own (positions.go).
type sideTable struct {
	id    uint32
	bytes []byte
}

// errSide says that a side table is not the one spelling of its content.
var errSide = errors.New("not in its one spelling")

// sideTables writes the side tables that are not empty.
func sideTables(c *ir.Code) ([]sideTable, error) {
	names := nameTableOf(c)
	for _, n := range names.lengths {
		if n > limits.Name {
			return nil, wireError("VW007", "shorten it", "a name of %d bytes, at most %d", n, limits.Name)
		}
	}
	var tables []sideTable
	total := 0
	positions, err := positionSection(c)
	if err != nil {
		return nil, err
	}
	for _, s := range []sideTable{
		{secNames, names.section()},
		{secPositions, positions},
		{secMessages, messageSection(c)},
	} {
		if len(s.bytes) > 0 {
			tables = append(tables, s)
			total += len(s.bytes)
		}
	}
	if total > limits.Side {
		return nil, wireError("VW007", "drop positions or names: Edit, clear Debug, Seal", "side tables of %d bytes, at most %d", total, limits.Side)
	}
	return tables, nil
}

// sideWriter collects one side table.
type sideWriter struct {
	lengths []uint32
	bytes   []byte
	pairs   []uint32
}

// add maps key to a new string, which add appends; an empty one is as good as none.
func (w *sideWriter) add(key uint32, s string) {
	if s == "" {
		return
	}
	w.pairs = append(w.pairs, key, uint32(len(w.lengths)))
	w.lengths = append(w.lengths, uint32(len(s)))
	w.bytes = append(w.bytes, s...)
}

// section returns the table, nil if it is empty.
func (w *sideWriter) section() []byte {
	if len(w.pairs) == 0 {
		return nil
	}
	pad := -len(w.bytes) & 3
	b := make([]byte, 0, 8+4*len(w.lengths)+len(w.bytes)+pad+4*len(w.pairs))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(w.lengths)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(w.pairs)/2))
	b = columns.AppendWords(b, w.lengths)
	b = append(b, w.bytes...)
	b = append(b, make([]byte, pad)...)
	return columns.AppendWords(b, w.pairs)
}

// byRow brings a map into row order without sorting.
func byRow(m map[ir.Row]string, rows int) []string {
	if len(m) == 0 {
		return nil
	}
	s := make([]string, rows)
	for r, v := range m {
		if int(r) < rows {
			s[r] = v
		}
	}
	return s
}

func nameTableOf(c *ir.Code) (w sideWriter) {
	for r, s := range byRow(c.Debug.Names, c.Rows()) {
		w.add(uint32(r), s)
	}
	for i := range c.Params {
		w.add(keyParam+uint32(i), c.Params[i].Name)
	}
	for i := range c.Arrays {
		w.add(keyArray+uint32(i), c.Arrays[i].Name)
	}
	w.add(keyProgram, c.Name)
	return w
}

func messageSection(c *ir.Code) []byte {
	var w sideWriter
	for r, s := range byRow(c.Debug.Messages, c.Rows()) {
		w.add(uint32(r), s)
	}
	return w.section()
}

// takeUvarint reads a varint in its shortest form.
func takeUvarint(b []byte, most uint64) (v uint64, rest []byte, err error) {
	v, n := binary.Uvarint(b)
	if n <= 0 || v > most || n > 1 && b[n-1] == 0 {
		return 0, nil, errSide
	}
	return v, b[n:], nil
}

// sideReader reads one side table; each call of next gives a pair.
type sideReader struct {
	lengths []byte
	bytes   []byte
	pairs   []byte
	at      int // end of the strings met so far
	strings uint32
}

// readSide checks the frame of a side table: all of it is bounded by b.
func readSide(b []byte) (*sideReader, error) {
	if len(b) < 8 {
		return nil, errSide
	}
	le := binary.LittleEndian
	nStrings, nPairs := uint64(le.Uint32(b)), uint64(le.Uint32(b[4:]))
	rest := uint64(len(b) - 8)
	if nPairs == 0 || nStrings > nPairs || 4*nStrings+8*nPairs > rest {
		return nil, errSide
	}
	r := &sideReader{lengths: b[8 : 8+4*nStrings], pairs: b[uint64(len(b))-8*nPairs:]}
	text := b[8+4*nStrings : uint64(len(b))-8*nPairs]
	sum := uint64(0)
	for i := range nStrings {
		sum += uint64(le.Uint32(r.lengths[4*i:]))
	}
	if sum > uint64(len(text)) || uint64(len(text)) != (sum+3)&^3 {
		return nil, errSide
	}
	for _, c := range text[sum:] {
		if c != 0 {
			return nil, errSide
		}
	}
	r.bytes = text[:sum]
	return r, nil
}

// next returns the next pair. fresh is the string if no pair before used it, else nil.
func (r *sideReader) next() (key, index uint32, fresh []byte, err error) {
	le := binary.LittleEndian
	key, index = le.Uint32(r.pairs), le.Uint32(r.pairs[4:])
	r.pairs = r.pairs[8:]
	if len(r.pairs) > 0 && le.Uint32(r.pairs) <= key || index > r.strings {
		return 0, 0, nil, errSide
	}
	if index == r.strings {
		if 4*int(index) == len(r.lengths) {
			return 0, 0, nil, errSide
		}
		n := int(le.Uint32(r.lengths[4*index:]))
		if n == 0 {
			return 0, 0, nil, errSide
		}
		fresh = r.bytes[r.at : r.at+n]
		r.at += n
		r.strings++
	}
	return key, index, fresh, nil
}

// done reports whether all pairs and all strings were met.
func (r *sideReader) more() bool { return len(r.pairs) > 0 }

func (r *sideReader) complete() bool { return 4*int(r.strings) == len(r.lengths) }

// readStrings reads a table in which each pair has a string of its own.
func readStrings(b []byte, most int, set func(key uint32, s string) bool) error {
	r, err := readSide(b)
	if err != nil {
		return err
	}
	for r.more() {
		key, _, s, err := r.next()
		if err != nil {
			return err
		}
		if s == nil || len(s) > most || !set(key, string(s)) {
			return errSide
		}
	}
	if !r.complete() {
		return errSide
	}
	return nil
}

// readNames reads the names into c, none of them if something is wrong.
func readNames(c *ir.Code, b []byte) error {
	names := map[ir.Row]string{}
	params, arrays := make([]string, len(c.Params)), make([]string, len(c.Arrays))
	kernel := ""
	err := readStrings(b, limits.Name, func(key uint32, s string) bool {
		i := int(key &^ keyProgram)
		switch {
		case int(key) < c.Rows():
			names[ir.Row(key)] = s
		case key&keyProgram == keyParam && i < len(params):
			params[i] = s
		case key&keyProgram == keyArray && i < len(arrays):
			arrays[i] = s
		case key == keyProgram:
			kernel = s
		default:
			return false
		}
		return true
	})
	if err != nil {
		return err
	}
	c.Debug.Names, c.Name = names, kernel
	for i, s := range params {
		c.Params[i].Name = s
	}
	for i, s := range arrays {
		c.Arrays[i].Name = s
	}
	return nil
}

func readMessages(c *ir.Code, b []byte) error {
	messages := map[ir.Row]string{}
	err := readStrings(b, limits.Side, func(key uint32, s string) bool {
		messages[ir.Row(key)] = s
		return int(key) < c.Rows()
	})
	if err == nil {
		c.Debug.Messages = messages
	}
	return err
}

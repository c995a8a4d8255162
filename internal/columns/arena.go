package columns

import (
	"fmt"

	"github.com/govyre/vyre/ir"
)

// maxRows bounds the rows of an arena, so that a row and twice a row have places below Body, and bytes fit an int64
// well.
const maxRows = 1 << 27

// LimitError says that a program does not fit an arena. Nothing of it was added.
type LimitError struct {
	Program string
	Row     ir.Row // NoRow: all of it
	What    string
	N, Most uint64
}

func (e *LimitError) Error() string {
	at := ""
	if e.Row != ir.NoRow {
		at = fmt.Sprintf(", row %d", e.Row)
	}
	return fmt.Sprintf("program %s%s: %s is %d, at most %d fits an arena", e.Program, at, e.What, e.N, e.Most)
}

// Arena is the columns of programs, each from a multiple of 32 rows on. The zero value is empty.
type Arena struct {
	Heads []uint32    // HeadWords a program
	Chunk []uint32    // by 32 rows: the number of the program
	Rows  [][4]uint32 // see kernels.go
	Tag   []uint32
	More  []uint32

	Objects [][4]uint32 // see objectWords; of a table the second word is where it begins
	Data    []uint32    // tables: two words an element

	programs []*ir.Program
	ends     []uint32 // by row of a program: what ends before it
	size     uint64   // of maxRows, for tests
}

// Reset empties the arena, and keeps its memory.
func (a *Arena) Reset() {
	a.Heads, a.Chunk, a.Rows, a.Tag, a.More = a.Heads[:0], a.Chunk[:0], a.Rows[:0], a.Tag[:0], a.More[:0]
	a.Objects, a.Data = a.Objects[:0], a.Data[:0]
	clear(a.programs)
	a.programs = a.programs[:0]
}

// Len is the number of programs.
func (a *Arena) Len() int { return len(a.Heads) / HeadWords }

// Add copies the columns of a program.
//
// Errors: a *LimitError.
func (a *Arena) Add(p *ir.Program) error {
	first, list, most := uint32(len(a.Rows)), uint32(len(a.More)), uint64(maxRows)
	if a.size > 0 {
		most = a.size
	}
	n := uint32(p.Rows())
	if all := uint64(first) + uint64(n) + 31; all > most {
		return &LimitError{p.Name(), ir.NoRow, "the arena's rows with it", all &^ 31, most}
	}
	a.ends = append(a.ends[:0], make([]uint32, n+1)...)
	body := uint32(Body | len(a.programs))
	visible := uint32(0)
	for r := range ir.Row(n) {
		x, tag, err := a.row(p, r, first, body)
		if err != nil {
			a.Rows, a.Tag, a.More = a.Rows[:first], a.Tag[:first], a.More[:list]
			return err
		}
		if w := Ops[x[0]&OpMask]; w&Writes != 0 && p.Op(r).Info().Attr&ir.Writes != 0 && !p.Objects()[p.X(r)].Local() {
			visible |= 1 << min(p.X(r), 31)
		}
		if p.Op(r).Info().Imm == ir.ImmCopy {
			dst, _ := ir.CopyObjects(p.X(r))
			visible |= 1 << min(dst, 31)
		}
		a.Rows, a.Tag = append(a.Rows, x), append(a.Tag, tag)
	}
	for len(a.Rows)%32 != 0 {
		a.Rows, a.Tag = append(a.Rows, [4]uint32{}), append(a.Tag, 0)
	}
	for len(a.Chunk) < len(a.Rows)/32 {
		a.Chunk = append(a.Chunk, body&^Body)
	}
	a.Heads = append(a.Heads, first, n, list, uint32(len(a.More))-list, visible, idle(p), uint32(len(a.Objects)), 1)
	for _, o := range p.Objects() {
		w := objectWords(o)
		if o.Table() {
			w[1] = uint32(len(a.Data) / 2)
			for i := range o.Array.Len {
				v := o.Array.Loaded(i)
				a.Data = append(a.Data, uint32(v), uint32(v>>32))
			}
		}
		a.Objects = append(a.Objects, w)
	}
	a.programs = append(a.programs, p)
	return nil
}

// Ask says of which programs the columns come back; without it, of all. The heads of the others come back alone.
func (a *Arena) Ask(programs ...int) error {
	for _, p := range programs {
		if p < 0 || p >= a.Len() {
			return fmt.Errorf("program %d is asked for, of %d", p, a.Len())
		}
	}
	for k := 7; k < len(a.Heads); k += HeadWords {
		a.Heads[k] = 0
	}
	for _, p := range programs {
		a.Heads[p*HeadWords+7] = 1
	}
	return nil
}

// asked is the rows and words of lists that may come back.
func (a *Arena) asked() (rows, words int) {
	for i := 0; i < len(a.Heads); i += HeadWords {
		if a.Heads[i+7] != 0 {
			rows, words = rows+int(a.Heads[i+1]+31)&^31, words+int(a.Heads[i+3])
		}
	}
	return rows, words
}

// idle has a bit for each id that is zero in all of a workgroup: those along the axes, the warp and the lane.
func idle(p *ir.Program) (set uint32) {
	size := uint32(1)
	for axis, n := range p.Workgroup() {
		size *= n
		if n == 1 {
			set |= 1 << axis
		}
	}
	if size <= 32 {
		set |= idleWarp
	}
	if size == 1 {
		set |= idleLane
	}
	return set
}

const idleWarp, idleLane = 1 << 3, 1 << 4

// row encodes a row.
func (a *Arena) row(p *ir.Program, r ir.Row, first, body uint32) (x [4]uint32, tag uint32, err error) {
	op, in := p.Op(r), p.Op(r).Info()
	w, t, imm := Ops[op], p.Type(r), p.X(r)
	id := func(v ir.Row) uint32 {
		if v == ir.NoRow {
			return None
		}
		return first + uint32(v)
	}
	tag = body
	if g := p.Region(r); g != 0 && op != ir.OpConst {
		owner := p.Regions()[g].Op
		tag = 2*id(owner) + g - p.X(owner)
	}
	switch in.Imm {
	case ir.ImmAxis, ir.ImmObject, ir.ImmIndex, ir.ImmField, ir.ImmLane:
		if imm > ImmMask {
			return x, 0, &LimitError{p.Name(), r, "its immediate", uint64(imm), ImmMask}
		}
	default: // the program has it
		imm = 0
	}
	x = [4]uint32{uint32(op) | uint32(t&15|t>>6<<4)<<TypeShift | imm<<ImmShift, id(p.A(r)), id(p.B(r)), id(p.C(r))}
	if in.Attr&(ir.Barrier|ir.Fence) != 0 || in.Attr&ir.Atomic != 0 && p.Flags(r).Order() != ir.Relaxed {
		x[0] |= Orders
	}
	switch {
	case w&Constant != 0:
		bits := p.Const(r)
		x[1], x[2] = uint32(bits), uint32(bits>>32)
	case w&Loads != 0:
		x[2], x[3] = uint32(p.Flags(r)&^ir.InBounds), 0
	case w&List != 0:
		if list := p.List(r); len(list) > 0 {
			x[2] = uint32(len(a.More))
			a.More = append(a.More, uint32(len(list)))
			for _, v := range list {
				a.More = append(a.More, first+v)
			}
		}
	}
	switch {
	case w&Owns != 0:
		end := p.Regions()[p.X(r)+uint32(in.Owns)-1].End
		a.ends[end] = uint32(r)
		x[3] = id(end)
	case w&Result != 0:
		x[3] = first + a.ends[uint32(r)-p.X(r)]
	case w&Argument != 0 && tag != body:
		x[3] = tag >> 1
	case w&(Break|Continue) != 0:
		x[3] = id(ir.Row(p.X(r)))
	}
	return x, tag, nil
}

// objectWords is what the checks need of an object.
func objectWords(o ir.ObjectInfo) (w [4]uint32) {
	length := uint64(ir.RestLen)
	w[0] = uint32(o.Type()) | uint32(o.Kind())<<8
	if p := o.Param; p != nil {
		length = o.MaxLen()
		if p.Access <= ir.RW {
			w[0] |= objectRights
		}
		if p.Access.Writes() {
			w[0] |= objectWrites
		}
		if p.Access.Reads() {
			w[0] |= objectReads
		}
		if p.Align <= 12 {
			w[0], w[1] = w[0]|objectAligned, uint32(p.Align)
		}
	} else if length = o.Array.Len; length != ir.RestLen && length > 0 {
		w[0] |= objectFixed
	}
	for bit, have := range map[uint32]bool{objectField: o.Field != nil, objectLong: o.LenType() == ir.U64, objectShared: o.Shared(), objectTable: o.Table()} {
		if have {
			w[0] |= bit
		}
	}
	w[2], w[3] = uint32(length), uint32(length>>32)
	return w
}

// Ops has a word for each op: see kernels.go.
var Ops = func() (words [OpMask + 1]uint32) {
	for _, op := range ir.Ops() {
		in := op.Info()
		w := uint32(in.Args)
		for _, b := range []struct {
			bit  uint32
			have bool
		}{
			{Merges, in.Attr&ir.Pure != 0 && in.Spread != ir.SpreadMerge && !in.List || in.Spread == ir.SpreadLoad},
			{Commutes, in.Attr&ir.Commutative != 0},
			{Convergent, in.Attr&ir.Convergent != 0},
			{Loads, in.Spread == ir.SpreadLoad},
			{List, in.List},
			{Owns, in.Owns > 0},
			{Repeats, in.Attr&ir.Repeats != 0},
			{Argument, op == ir.OpArg},
			{Result, op == ir.OpRes},
			{Root, in.Attr&(ir.Writes|ir.Barrier|ir.Fence|ir.Atomic|ir.Traps|ir.Repeats) != 0 || op == ir.OpReturn ||
				in.Result.Kind == ir.ResultNone && in.Attr&(ir.Terminator|ir.Structured) == 0},
			{Writes, in.Imm == ir.ImmObject && in.Attr&(ir.Writes|ir.Atomic) != 0},
			{Ends, in.Attr&ir.Terminator != 0},
			{Break, op == ir.OpBreak},
			{Continue, op == ir.OpContinue},
			{Constant, op == ir.OpConst},
			{Indexed, in.Imm == ir.ImmObject && in.Args > 0},
		} {
			if b.have {
				w |= b.bit
			}
		}
		words[op] = w | uint32(in.Vec.Lanes())<<LanesShift
	}
	return words
}()

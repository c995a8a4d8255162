package dataflow

import (
	"github.com/govyre/vyre/ir"
)

// Flow is the control flow of a program, seen as basic blocks: a basic block is a run of rows of
// one region that ends with a structured op or a terminator, so all of it is reached
// together. Basic blocks are numbered in program order.
type Flow struct {
	Code  *ir.Code
	Of    []uint32 // by row: its basic block
	last  []ir.Row // by basic block: the row that ends it
	Next  []uint32 // by basic block that a structured op ends: the basic block after that op
	first []uint32 // by region: its first basic block
}

func NewFlow(c *ir.Code) Flow {
	n := c.Rows()
	f := Flow{Code: c, Of: make([]uint32, n), first: make([]uint32, len(c.Regions))}
	count := 0
	for _, op := range c.Op {
		if op.Info().Attr&(ir.Structured|ir.Terminator) != 0 {
			count++
		}
	}
	f.last, f.Next = make([]ir.Row, count), make([]uint32, count)
	// Backwards, the basic block that rows of a region fall into is the last one begun.
	for r := n - 1; r >= 0; r-- {
		reg := c.Region[r]
		if c.Op[r].Info().Attr&(ir.Structured|ir.Terminator) != 0 {
			count--
			f.last[count] = ir.Row(r)
			f.Next[count] = f.first[reg]
			f.first[reg] = uint32(count)
		}
		f.Of[r] = f.first[reg]
	}
	return f
}

// Owner returns the first region of the op that region reg belongs to, which stands for
// that op; 0 for the body.
func (f *Flow) Owner(reg uint32) uint32 {
	if reg == 0 {
		return 0
	}
	return f.Code.X[f.Code.Regions[reg].Op]
}

// after returns the row after the regions of structured row r.
func (f *Flow) after(r ir.Row) ir.Row {
	c := f.Code
	return c.Regions[c.X[r]+uint32(c.Op[r].Info().Owns)-1].End
}

// noBlock stands for a successor that does not exist.
const noBlock = 0xFFFF_FFFF

// successors returns where control can go from the end of basic block s.
func (f *Flow) successors(s uint32) [2]uint32 {
	c := f.Code
	r := f.last[s]
	switch op := c.Op[r]; {
	case op.Info().Owns == 2:
		return [2]uint32{f.first[c.X[r]], f.first[c.X[r]+1]}
	case op.Info().Owns == 1:
		return [2]uint32{f.first[c.X[r]], noBlock}
	case op == ir.OpYield:
		return [2]uint32{f.Next[f.Of[c.Regions[c.Region[r]].Op]], noBlock}
	case op == ir.OpBreak:
		return [2]uint32{f.Next[f.Of[c.X[r]]], noBlock}
	case op == ir.OpContinue:
		return [2]uint32{f.first[c.X[c.X[r]]], noBlock}
	}
	return [2]uint32{noBlock, noBlock}
}

package columns

import (
	"errors"
	"fmt"
	"slices"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/verify"
)

// Program makes a sealed program of what came of program i: the host's columns of it, with the constants first, and
// flags, positions and all that the passes do not touch from the program that it was.
//
// Errors: those of sealing; that the program was not asked for.
func (a *Arena) Program(res *Output, i int) (*ir.Program, error) {
	p, head := a.programs[i], res.Heads[i*HeadWords:]
	if head[7] == 0 {
		return nil, fmt.Errorf("program %s has no columns here: it was not asked for", p.Name())
	}
	first, n := head[0], head[1]
	rows, tag, from := res.Rows[first:first+n], res.Tag[first:first+n], res.From[first:first+n]
	c := p.Edit()
	was := *c
	c.Grow(int(n))
	c.Extra, c.Pool, c.Regions = nil, nil, []ir.Region{{Op: ir.NoRow}}
	c.Debug = ir.Debug{Positions: was.Debug.Positions, Names: map[ir.Row]string{}, Messages: map[ir.Row]string{}}

	at, order := make([]ir.Row, n), make([]uint32, 0, n) // new by old, old by new
	for pass := range 3 {
		for r := range n {
			if part(rows[r]) == pass {
				at[r] = ir.Row(len(order))
				order = append(order, r)
			}
		}
	}
	id := func(v uint32) ir.Row { return at[v-first] }
	for to, r := range order {
		x, old := rows[r], ir.Row(from[r])
		w := Ops[x[0]&OpMask]
		t := ir.Type(x[0] >> TypeShift & TypeMask)
		row := struct {
			operands  [3]ir.Row
			region, x uint32
			flags     ir.Flags
			args      uint32
		}{[3]ir.Row{ir.NoRow, ir.NoRow, ir.NoRow}, 0, was.X[old], was.Flags[old], ir.NoArgs}
		for k := range w & 3 {
			row.operands[k] = id(x[1+k])
		}
		if tag[r] < Body {
			row.region = c.X[id(tag[r]>>1)] + tag[r]&1
		}
		switch {
		case w&Constant != 0:
			row.x, row.flags = uint32(len(c.Pool)), 0
			c.Pool = append(c.Pool, uint64(x[1])|uint64(x[2])<<32)
		case w&(Argument|Result) != 0:
			row.x = x[0] >> ImmShift & ImmMask
		case w&(Break|Continue) != 0:
			row.x = uint32(id(x[3]))
		case w&Owns != 0:
			row.x = uint32(len(c.Regions))
			for range was.Op[old].Info().Owns {
				c.Regions = append(c.Regions, ir.Region{Op: ir.Row(to), First: ir.Row(to) + 1})
			}
		}
		if w&List != 0 && x[2] != None {
			row.args = uint32(len(c.Extra))
			list := res.More[x[2] : x[2]+1+res.More[x[2]]]
			c.Extra = append(c.Extra, list[0])
			for _, v := range list[1:] {
				c.Extra = append(c.Extra, uint32(id(v)))
			}
		}
		if g := row.region; w&Ends != 0 {
			c.Regions[g].End = ir.Row(to) + 1
			if int(g)+1 < len(c.Regions) && c.Regions[g+1].Op == c.Regions[g].Op {
				c.Regions[g+1].First = ir.Row(to) + 1
			}
		}
		c.Op, c.Type, c.Flags = append(c.Op, ir.Op(x[0]&OpMask)), append(c.Type, t&15|t>>4<<6), append(c.Flags, row.flags)
		c.Region, c.X, c.Args = append(c.Region, row.region), append(c.X, row.x), append(c.Args, row.args)
		c.A, c.B, c.C = append(c.A, row.operands[0]), append(c.B, row.operands[1]), append(c.C, row.operands[2])
		if was.Debug.PosOf != nil {
			c.Debug.PosOf = append(c.Debug.PosOf, was.Debug.PosOf[old])
		}
		if s, ok := was.Debug.Names[old]; ok {
			c.Debug.Names[ir.Row(to)] = s
		}
		if s, ok := was.Debug.Messages[old]; ok {
			c.Debug.Messages[ir.Row(to)] = s
		}
	}
	dropArrays(c)
	return seal(c)
}

// dropArrays takes away the arrays that no row names.
func dropArrays(c *ir.Code) {
	all, arrays := c.Objects(), c.Arrays
	to := make([]uint32, len(all))
	for r, op := range c.Op {
		switch op.Info().Imm {
		case ir.ImmObject:
			to[c.X[r]] = 1
		case ir.ImmCopy:
			dst, _ := ir.CopyObjects(c.X[r])
			to[dst] = 1
		}
	}
	c.Arrays = nil
	for o, named := range to {
		if i := o - len(all) + len(arrays); i < 0 {
			to[o] = uint32(o)
		} else if named != 0 {
			to[o] = uint32(len(all) - len(arrays) + len(c.Arrays))
			c.Arrays = append(c.Arrays, arrays[i])
		}
	}
	for r, op := range c.Op {
		switch op.Info().Imm {
		case ir.ImmObject:
			c.X[r] = to[c.X[r]]
		case ir.ImmCopy:
			dst, src := ir.CopyObjects(c.X[r])
			c.X[r] = ir.MakeCopy(ir.Object(to[dst]), src)
		}
	}
}

// seal seals a program. An access that folding has put out of bounds, which sealing refuses, is carried out first: what
// it loads is zero.
func seal(c *ir.Code) (*ir.Program, error) {
	for {
		p, err := verify.Seal(c)
		var found ir.Diags
		if err == nil || !errors.As(err, &found) {
			return p, err
		}
		for _, d := range found {
			if d.Code != "VY206" {
				return nil, err
			}
			r := d.Row
			t, list := c.Type[r], []uint32(nil)
			switch {
			case t.IsVector():
				zero := constants(c)
				addZero(c, zero)
				c.Type[zero] = t.Elem()
				r++
				list = []uint32{uint32(t.Lanes())}
				for range t.Lanes() {
					list = append(list, uint32(zero))
				}
			case t == ir.None:
				t = ir.Bool // its result has no use
			}
			c.Op[r], c.Type[r], c.Flags[r], c.X[r], c.Args[r] = ir.OpConst, t, 0, uint32(len(c.Pool)), ir.NoArgs
			c.A[r], c.B[r], c.C[r] = ir.NoRow, ir.NoRow, ir.NoRow
			if list != nil {
				c.Op[r], c.X[r], c.Args[r] = ir.OpVec, 0, uint32(len(c.Extra))
				c.Extra = append(c.Extra, list...)
				break // the others have other numbers now
			}
			c.Pool = append(c.Pool, 0)
		}
	}
}

// constants is the row behind the arguments.
func constants(c *ir.Code) (r ir.Row) {
	for c.Op[r] == ir.OpArg {
		r++
	}
	return r
}

// addZero puts a zero before a row of the body.
func addZero(c *ir.Code, at ir.Row) {
	moved := func(v *ir.Row) {
		if *v >= at && *v != ir.NoRow {
			*v++
		}
	}
	for r, op := range c.Op {
		moved(&c.A[r])
		moved(&c.B[r])
		moved(&c.C[r])
		if op.Info().Imm == ir.ImmLabel && ir.Row(c.X[r]) >= at {
			c.X[r]++
		}
		list := c.List(ir.Row(r))
		for k := range list {
			moved((*ir.Row)(&list[k]))
		}
	}
	for g := range c.Regions {
		moved(&c.Regions[g].Op)
		moved(&c.Regions[g].End)
		if g > 0 {
			moved(&c.Regions[g].First)
		}
	}
	k := int(at)
	c.Op, c.Type, c.Flags = slices.Insert(c.Op, k, ir.OpConst), slices.Insert(c.Type, k, ir.Bool), slices.Insert(c.Flags, k, 0)
	c.Region, c.X = slices.Insert(c.Region, k, 0), slices.Insert(c.X, k, uint32(len(c.Pool)))
	c.Args = slices.Insert(c.Args, k, ir.NoArgs)
	c.A, c.B, c.C = slices.Insert(c.A, k, ir.NoRow), slices.Insert(c.B, k, ir.NoRow), slices.Insert(c.C, k, ir.NoRow)
	c.Pool = append(c.Pool, 0)
	if c.Debug.PosOf != nil {
		c.Debug.PosOf = slices.Insert(c.Debug.PosOf, k, 0)
	}
	for _, texts := range []*map[ir.Row]string{&c.Debug.Names, &c.Debug.Messages} {
		was := *texts
		*texts = make(map[ir.Row]string, len(was))
		for r, s := range was {
			moved(&r)
			(*texts)[r] = s
		}
	}
}

// part is the part of a program that a row belongs to: 0 for arguments of the body, 1 for constants, 2 for the rest.
func part(x [4]uint32) int {
	switch w := Ops[x[0]&OpMask]; {
	case w&Argument != 0 && x[3] == None:
		return 0
	case w&Constant != 0:
		return 1
	}
	return 2
}

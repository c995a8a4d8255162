package build

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/verify"
)

// Program seals what was built. The error, if any, is a Diags: misuse of the builder
// first, else what the verifier found.
func (b *Builder) Program() (*ir.Program, error) {
	if len(b.diags) > 0 {
		return nil, b.diags
	}
	return verify.Seal(b.Code())
}

// Code returns what was built as unsealed code. The builder must not be used afterwards.
func (b *Builder) Code() *ir.Code {
	if !b.dead {
		b.emit(ir.OpReturn, ir.None, 0)
		b.dead = true
	}
	b.feed()
	l := linear{b: b, newRow: make([]ir.Row, len(b.op))}
	return l.code()
}

// linear brings the builder's values into program order.
type linear struct {
	b       *Builder
	c       *ir.Code
	newRow  []ir.Row
	regions []uint32 // open regions
}

func (l *linear) code() *ir.Code {
	b := l.b
	l.c = &ir.Code{Name: b.name, Workgroup: b.workgroup, Params: b.params, Arrays: b.arrays, Pool: b.pool}
	l.c.Grow(len(b.op) + len(b.scopes))
	l.c.Debug.Positions = b.positions
	for i := range l.newRow {
		l.newRow[i] = ir.NoRow
	}
	l.c.Regions = []ir.Region{{Op: ir.NoRow}}
	l.regions = []uint32{0}
	for _, v := range b.scalars {
		l.emit(v)
	}
	for v, op := range b.op {
		if op == ir.OpConst {
			l.emit(Value(v))
		}
	}
	for _, e := range b.order {
		switch e.kind {
		case eventRow:
			l.emit(e.value)
		case eventOpen:
			l.openRegion(e.scope)
			sc := &b.scopes[e.scope]
			for _, v := range sc.args {
				l.emit(v)
			}
			for i, m := range sc.headMerges {
				v := b.merges[m].value
				b.x[v] = uint32(len(sc.args) + i)
				l.emit(v)
			}
		case eventElse:
			l.closeRegion()
			l.openRegion(e.scope)
		case eventClose:
			l.closeRegion()
			sc := &b.scopes[e.scope]
			for _, v := range sc.results {
				l.emit(v)
			}
			for i, m := range sc.endMerges {
				v := b.merges[m].value
				b.x[v] = uint32(len(sc.results) + i)
				l.emit(v)
			}
		}
	}
	l.c.Regions[0].End = ir.Row(l.c.Rows())
	l.operands()
	l.lists()
	l.objects()
	l.debug()
	return l.c
}

func (l *linear) emit(v Value) {
	b, c := l.b, l.c
	l.newRow[v] = ir.Row(len(c.Op))
	c.Op = append(c.Op, b.op[v])
	c.Type = append(c.Type, b.typ[v])
	c.Flags = append(c.Flags, b.flags[v])
	c.Region = append(c.Region, l.regions[len(l.regions)-1])
	c.A, c.B, c.C = append(c.A, ir.Row(b.a[v])), append(c.B, ir.Row(b.b[v])), append(c.C, ir.Row(b.c[v]))
	c.X = append(c.X, b.x[v])
	c.Args = append(c.Args, ir.NoArgs)
	c.Debug.PosOf = append(c.Debug.PosOf, b.pos[v])
	if b.op[v].Info().Attr&ir.Structured != 0 {
		at := len(c.Op) - 1
		c.X[at] = uint32(len(c.Regions))
		for range b.op[v].Info().Owns {
			c.Regions = append(c.Regions, ir.Region{Op: ir.Row(at)})
		}
	}
}

// openRegion opens the next region of a scope's op.
func (l *linear) openRegion(s uint32) {
	reg := l.c.X[l.newRow[l.b.scopes[s].op]]
	if l.c.Regions[reg].End != 0 { // the second arm
		reg++
	}
	l.c.Regions[reg].First = ir.Row(len(l.c.Op))
	l.regions = append(l.regions, reg)
}

func (l *linear) closeRegion() {
	last := len(l.regions) - 1
	l.c.Regions[l.regions[last]].End = ir.Row(len(l.c.Op))
	l.regions = l.regions[:last]
}

// row translates a value.
func (l *linear) row(v Value) ir.Row {
	if v == noValue {
		return ir.NoRow
	}
	return l.newRow[v]
}

func (l *linear) operands() {
	for v, at := range l.newRow {
		if at == ir.NoRow {
			continue
		}
		c := l.c
		c.A[at], c.B[at], c.C[at] = l.row(Value(c.A[at])), l.row(Value(c.B[at])), l.row(Value(c.C[at]))
		if l.b.op[v].Info().Imm == ir.ImmLabel {
			c.X[at] = uint32(l.newRow[c.X[at]])
		}
	}
}

// lists writes operand lists: the explicit values, then those of the merges.
func (l *linear) lists() {
	b, c := l.b, l.c
	more := make(map[Value][]Value) // values that merges add to a row's list
	for i := range b.scopes {
		sc := &b.scopes[i]
		for _, m := range sc.headMerges {
			feeds := b.merges[m].feeds
			more[sc.op] = append(more[sc.op], feeds[0])
			for k, e := range sc.conts {
				more[e.exit] = append(more[e.exit], feeds[1+k])
			}
		}
		for _, m := range sc.endMerges {
			for k, e := range sc.exits {
				more[e.exit] = append(more[e.exit], b.merges[m].feeds[k])
			}
		}
	}
	for v, at := range l.newRow {
		if at == ir.NoRow {
			continue
		}
		extra := more[Value(v)]
		if b.args[v] == ir.NoArgs && len(extra) == 0 {
			continue
		}
		start := len(c.Extra)
		c.Extra = append(c.Extra, 0)
		if s := b.args[v]; s != ir.NoArgs {
			for _, o := range b.extra[s+1 : s+1+b.extra[s]] {
				c.Extra = append(c.Extra, uint32(l.newRow[o]))
			}
		}
		for _, o := range extra {
			c.Extra = append(c.Extra, uint32(l.newRow[o]))
		}
		c.Extra[start] = uint32(len(c.Extra) - start - 1)
		c.Args[at] = uint32(start)
	}
}

// objects gives objects their numbers: buffers in order, then arrays.
func (l *linear) objects() {
	b, c := l.b, l.c
	bufs := uint32(c.Buffers())
	var number []uint32
	var nbuf uint32
	for _, o := range b.objs {
		if o.array {
			number = append(number, bufs+uint32(o.index))
		} else {
			number = append(number, nbuf)
			nbuf++
		}
	}
	for r, op := range c.Op {
		switch op.Info().Imm {
		case ir.ImmObject:
			c.X[r] = number[c.X[r]]
		case ir.ImmCopy:
			dst, src := ir.CopyObjects(c.X[r])
			c.X[r] = ir.MakeCopy(ir.Object(number[dst]), ir.Object(number[src]))
		}
	}
}

func (l *linear) debug() {
	move := func(m map[Value]string) map[ir.Row]string {
		if len(m) == 0 {
			return nil
		}
		out := make(map[ir.Row]string, len(m))
		for v, s := range m {
			if at := l.newRow[v]; at != ir.NoRow {
				out[at] = s
			}
		}
		return out
	}
	l.c.Debug.Names, l.c.Debug.Messages = move(l.b.names), move(l.b.messages)
}

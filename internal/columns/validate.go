package columns

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/govyre/vyre/ir"
)

// Finding is a row of a program, and what is wrong with it: the number of the code that ir/verify has for it.
type Finding struct {
	Program int
	Row     ir.Row // NoRow: all of it
	Code    string
}

// Codes is the columns of programs that are checked, sealed or not. The zero value is empty.
type Codes struct {
	heads, chunk, extra, pool, scalars []uint32
	head, links, regions, objects      [][4]uint32
}

// Len is the number of programs.
func (a *Codes) Len() int { return len(a.heads) / CheckWords }

// Reset empties it, and keeps its memory.
func (a *Codes) Reset() {
	a.heads, a.chunk, a.extra, a.pool, a.scalars = a.heads[:0], a.chunk[:0], a.extra[:0], a.pool[:0], a.scalars[:0]
	a.head, a.links, a.regions, a.objects = a.head[:0], a.links[:0], a.regions[:0], a.objects[:0]
}

// Checkable reports whether the device knows the rules of all rows. It does not know those of asynchronous copies.
func Checkable(c *ir.Code) bool {
	return !slices.ContainsFunc(c.Op, copies)
}

func copies(op ir.Op) bool { return op >= ir.OpCopyAsync4 && op <= ir.OpCopyWait }

// Add copies the columns of a program that is Checkable, whatever is in them.
//
// Errors: a *LimitError, also if the columns have not as many entries as there are rows.
func (a *Codes) Add(c *ir.Code) error {
	n := c.Rows()
	if all := uint64(len(a.head)+n+31) &^ 31; all > maxRows || uint64(len(a.extra)+len(c.Extra)) > maxRows {
		return &LimitError{c.Name, ir.NoRow, "the rows with it", all, maxRows}
	}
	if !Checkable(c) {
		return &LimitError{c.Name, ir.NoRow, "whether it copies asynchronously", 1, 0}
	}
	for _, have := range []int{len(c.Type), len(c.Flags), len(c.Region), len(c.A), len(c.B), len(c.C), len(c.X), len(c.Args)} {
		if have != n {
			return &LimitError{c.Name, ir.NoRow, "a column", uint64(have), uint64(n)}
		}
	}
	objects := c.Objects()
	at := [...]int{len(a.head), n, len(a.regions), len(c.Regions), len(a.pool) / 2, len(c.Pool), len(a.extra), len(c.Extra), len(a.objects), c.Buffers() + len(c.Arrays), len(a.scalars), 0}
	for r := range n {
		a.head = append(a.head, [4]uint32{uint32(c.Op[r]) | uint32(c.Type[r])<<16, uint32(c.Flags[r]), c.X[r], c.Args[r]})
		a.links = append(a.links, [4]uint32{uint32(c.A[r]), uint32(c.B[r]), uint32(c.C[r]), c.Region[r]})
	}
	for len(a.head)%32 != 0 {
		a.head, a.links = append(a.head, [4]uint32{}), append(a.links, [4]uint32{})
	}
	for len(a.chunk) < len(a.head)/32 {
		a.chunk = append(a.chunk, uint32(a.Len()))
	}
	for _, g := range c.Regions {
		a.regions = append(a.regions, [4]uint32{uint32(g.Op), uint32(g.First), uint32(g.End)})
	}
	for _, v := range c.Pool {
		a.pool = append(a.pool, uint32(v), uint32(v>>32))
	}
	a.extra = append(a.extra, c.Extra...)
	for _, o := range objects {
		a.objects = append(a.objects, objectWords(o))
	}
	for i := range c.Params {
		if q := &c.Params[i]; !q.IsBuffer() {
			a.scalars = append(a.scalars, uint32(q.Type))
		}
	}
	at[11] = len(a.scalars) - at[10]
	for _, v := range at {
		a.heads = append(a.heads, uint32(v))
	}
	return nil
}

// rules has the words of each op, and behind them which types convert to each, and which bits do.
var rules = func() []uint32 {
	w := make([]uint32, (OpMask+1)*RuleWords)
	for _, op := range ir.Ops() {
		in := op.Info()
		r := w[int(op)*RuleWords:][:RuleWords]
		r[0] = uint32(in.Args) | uint32(in.Counts)<<3 | uint32(in.Owns)<<11 | uint32(in.Result.Kind)<<13 | uint32(in.Result.From)<<17 | uint32(in.Imm)<<19 | 1<<23
		r[1] = uint32(in.Result.Type) | uint32(in.Vec)<<8 | uint32(in.Orders)<<16 | uint32(in.On)<<24
		r[3], r[7] = uint32(flagsOf(op)), uint32(in.Elems)
		if in.List {
			r[0] |= 1 << 2
		}
		for bit, have := range map[uint32]bool{isConst: op == ir.OpConst, isArg: op == ir.OpArg, isRes: op == ir.OpRes, isUnreachable: op == ir.OpUnreachable,
			isYield: op == ir.OpYield, isBreak: op == ir.OpBreak, isContinue: op == ir.OpContinue, isLoop: op == ir.OpLoop, isBitcast: op == ir.OpBitcast,
			isEnd: in.Attr&ir.Terminator != 0, repeats: in.Attr&ir.Repeats != 0, reads: in.Attr&ir.Reads != 0, writes: in.Attr&ir.Writes != 0} {
			if have {
				r[2] |= bit
			}
		}
		for k, o := range in.In {
			r[4+k] = uint32(o.Set) | uint32(o.Same)<<16 | uint32(o.Role)<<20
			if o.Elem {
				r[4+k] |= 1 << 18
			}
		}
	}
	for to := range ir.Type(16) {
		var v uint32
		for from := range ir.Type(16) {
			if ir.CanConvert(to, from) {
				v |= 1 << from
			}
		}
		w = append(w, v)
	}
	for to := range ir.Type(16) {
		var v uint32
		for from := range ir.Type(16) {
			if ir.CanBitcast(to, from) {
				v |= 1 << from
			}
		}
		w = append(w, v)
	}
	return w
}()

// flagsOf are the flags that an op knows.
func flagsOf(op ir.Op) (m ir.Flags) {
	in := op.Info()
	if in.Orders != 0 {
		m |= ir.MakeFlags(7, 3)
	}
	if in.Attr&ir.Hinted != 0 {
		m |= ir.Flags(0).WithHint(3) | ir.Checked
	}
	if in.Attr&(ir.Hinted|ir.Atomic) != 0 {
		m |= ir.InBounds
	}
	if op == ir.OpTrace {
		m |= ir.Checked
	}
	if in.Attr&ir.Repeats != 0 {
		m |= ir.Flags(0).WithUnroll(255)
	}
	return m
}

// Verdict is what came of a check: of structure and types, as sealing has them. That convergent ops are reached together,
// and declarations, are for the host.
type Verdict struct {
	First []Finding // of each program that has any: in its first row, of the smallest code
	All   []Finding // sorted by program, row and code; as many as were asked for, at most
	Count uint32    // of all there are
}

func (v *Verdict) clear() { v.First, v.All, v.Count = v.First[:0], v.All[:0], 0 }

// take reads a verdict: two words a program, and the findings.
func (v *Verdict) take(first, found []uint32) {
	for p := range len(first) / 2 {
		if code, row := first[2*p], first[2*p+1]; code != None {
			v.First = append(v.First, finding(p, row, code))
		}
	}
	v.Count = found[0]
	for k := 1; k <= min(int(v.Count), len(found)/4-1); k++ {
		v.All = append(v.All, finding(int(found[4*k]), found[4*k+1], found[4*k+2]))
	}
	slices.SortFunc(v.All, Finding.compare)
}

// Differs says where findings, sorted, are others than the verdict's; "" if nowhere. Where there are too many to be read,
// the first of each program and their number are compared.
func (v *Verdict) Differs(want []Finding) string {
	have := v.All
	if first := slices.CompactFunc(slices.Clone(want), func(a, b Finding) bool { return a.Program == b.Program }); !slices.Equal(v.First, first) || int(v.Count) > len(v.All) {
		if int(v.Count) != len(want) {
			return fmt.Sprintf("the device finds %d, the host %d", v.Count, len(want))
		}
		have, want = v.First, first
	}
	for k := range max(len(want), len(have)) {
		if k == len(have) || k < len(want) && have[k] != want[k] {
			return fmt.Sprintf("the host finds %v, the device not", want[k])
		}
		if k == len(want) {
			return fmt.Sprintf("the device finds %v, the host not", have[k])
		}
	}
	return ""
}

func finding(p int, row, code uint32) Finding {
	return Finding{p, ir.Row(row), fmt.Sprintf("VY%03d", code)}
}

func (f Finding) compare(g Finding) int {
	return cmp.Or(cmp.Compare(f.Program, g.Program), cmp.Compare(f.Row, g.Row), cmp.Compare(f.Code, g.Code))
}

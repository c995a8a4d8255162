package mine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// Options say which terms a bank has.
type Options struct {
	Ops       []ir.Op
	Type      ir.Type  // of ?x, ?y, ?z, of constants and of literals
	Vars      int      // values of that type
	Bools     int      // values ?c and ?d
	Constants int      // #a and #b
	Literals  []string // as the table writes them: 0, 1, ones, top, width
	Condition string   // of the constants, as "pow2 #a"
	Size      int      // ops of the largest terms
	Terms     int      // that there is room for; 0: 65,536
	Partly    bool     // ops of no value are left out, and terms without room

	also [][]uint64 // inputs: of each variable
}

const (
	inputs    = 64      // of a term
	roomTerms = 1 << 16 // by default
	spare     = 256     // room for a pattern that is looked up
	mostTerms = 1 << 24 // 64 columns of them have 32-bit indices
	chunk     = 1 << 18 // candidates of a launch
)

// Full says that terms were left out, because the bank had no room for more.
type Full struct{ Terms, Size int }

func (e *Full) Error() string {
	return fmt.Sprintf("more than %d terms differ, at %d ops; fix: choose fewer ops, a smaller size, or room for more terms", e.Terms, e.Size)
}

// term is a leaf, or an op of representatives.
type term struct {
	op       ir.Op // 0 for a leaf
	kids     [3]uint32
	typ      ir.Type
	word     string // of a leaf
	bits     uint64 // of a literal
	size     int
	constant bool
}

// head is an op at types.
type head struct {
	op  ir.Op // 0 for a leaf itself
	in  []ir.Type
	out ir.Type
}

func (h head) commutes() bool { return h.op != 0 && h.op.Info().Attr&ir.Commutative != 0 }

// span is a range of terms.
type span struct{ first, n uint32 }

// Bank is terms of which no two have equal values, evaluated on a device. It is for one goroutine.
type Bank struct {
	o       Options
	terms   []term
	heads   []head
	levels  []map[ir.Type]span // by size
	samples [][]uint64         // by leaf that is a variable: its raw bits for each input
	dev     *memory
	byFirst map[uint32]uint32 // the representative by its number among candidates
	again   []again
	tried   uint32
	last    uint32 // the representative of the last candidate
	spent   time.Duration
}

// again is a candidate with the values of an earlier term.
type again struct {
	term
	as uint32
}

// Open enumerates terms on a device. The bank has memory of the device until Close.
func Open(ctx context.Context, dev driver.Device, o Options) (*Bank, error) {
	b := &Bank{o: o, byFirst: make(map[uint32]uint32)}
	if err := b.prepare(); err != nil {
		return nil, err
	}
	var err error
	if b.dev, err = allocate(dev, b.o.Terms+spare, b.word()); err != nil {
		return nil, err
	}
	err = b.enumerate(ctx)
	if full := (*Full)(nil); o.Partly && errors.As(err, &full) {
		err = nil
	}
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// Term is a term of a bank.
type Term struct {
	Op   ir.Op    // 0 for a leaf
	Kids []uint32 // the operands' numbers, smaller than its own
	Type ir.Type
	Word string // of a leaf
	Bits uint64 // of a literal
}

// All are the terms in their order, by number.
func (b *Bank) All() iter.Seq2[uint32, Term] {
	return func(yield func(uint32, Term) bool) {
		for i := range b.terms {
			t := &b.terms[i]
			if !yield(uint32(i), Term{t.op, t.kids[:t.args()], t.typ, t.word, t.bits}) {
				return
			}
		}
	}
}

// Close gives the memory back.
func (b *Bank) Close() error { return b.dev.close() }

// Terms is how many terms differ, and Tried how many candidates were evaluated.
func (b *Bank) Terms() int { return len(b.terms) }

// Tried is how many candidates were evaluated.
func (b *Bank) Tried() int { return int(b.tried) }

// Spent is how long the device evaluated candidates and looked for equal ones.
func (b *Bank) Spent() time.Duration { return b.spent }

// Digest is of all terms, in their order. It is the same on every device.
func (b *Bank) Digest() uint64 {
	h := fnv.New64a()
	for _, t := range b.terms {
		fmt.Fprintf(h, "%v%v%s%v ", t.op, t.typ, t.word, t.kids)
	}
	return h.Sum64()
}

// word is the type of the values as they are stored.
func (b *Bank) word() ir.Type {
	if b.o.Type.Bits() == 64 {
		return ir.U64
	}
	return ir.U32
}

var valueNames, constantNames, boolNames = []string{"?x", "?y", "?z", "?w"}, []string{"#a", "#b"}, []string{"?c", "?d"}

// prepare checks the options, and makes leaves and heads.
func (b *Bank) prepare() error {
	o := &b.o
	if o.Terms = cmp.Or(o.Terms, roomTerms); o.Terms < 1 || o.Terms > mostTerms {
		return fmt.Errorf("room for %d terms; fix: choose from 1 to %d", o.Terms, mostTerms)
	}
	if t := o.Type; t != ir.Bool && !t.IsInt() && !t.IsFloat() || t.IsInt() && t.Bits() < 32 {
		return fmt.Errorf("terms of type %v; fix: choose bool, i32, u32, i64, u64, f32 or f64", t)
	}
	for _, k := range []struct {
		what string
		n    int
		most int
	}{{"values", o.Vars, len(valueNames)}, {"bools", o.Bools, len(boolNames)}, {"constants", o.Constants, len(constantNames)}, {"ops of a term", o.Size, 8}} {
		if k.n < 0 || k.n > k.most {
			return fmt.Errorf("%d %s; fix: choose at most %d", k.n, k.what, k.most)
		}
	}
	if o.Vars+o.Bools == 0 || o.Size == 0 || len(o.Ops) == 0 {
		return errors.New("no terms without ops, without values or of no ops; fix: choose some")
	}
	if o.Type == ir.Bool && o.Bools > 0 {
		return errors.New("values and bools are of one type; fix: choose one of them")
	}
	for i, op := range o.Ops {
		in := op.Info()
		if in == nil || exact.Of(op) == nil || in.Attr&ir.Pure == 0 || in.Attr&ir.Approximate != 0 || in.Imm != ir.ImmNone || in.Args == 0 ||
			in.Result.Kind == ir.ResultStated {
			return fmt.Errorf("a rule cannot have op %v; fix: choose ops whose results their operands decide", op)
		}
		if slices.Contains(o.Ops[:i], op) {
			return fmt.Errorf("op %v is there twice; fix: name it once", op)
		}
	}
	return b.leaves()
}

// leaves are the variables, with their samples, and the literals.
func (b *Bank) leaves() error {
	o := &b.o
	for _, k := range []struct {
		names []string
		n     int
		typ   ir.Type
	}{{valueNames, o.Vars, o.Type}, {boolNames, o.Bools, ir.Bool}, {constantNames, o.Constants, o.Type}} {
		for _, name := range k.names[:k.n] {
			b.terms = append(b.terms, term{typ: k.typ, word: name, constant: name[0] == '#'})
		}
	}
	var err error
	if b.samples, err = b.sample(); err != nil {
		return err
	}
	words := slices.Clone(o.Literals)
	if compares(o.Ops) {
		words = append(words, "false", "true")
	}
	for _, word := range words {
		t := term{typ: o.Type, word: word, constant: true}
		if word == "true" || word == "false" {
			t.typ = ir.Bool
		}
		if t.bits, err = literal(word, t.typ); err != nil {
			return err
		}
		if !slices.ContainsFunc(b.terms, func(u term) bool { return u.literal() && u.bits == t.bits && u.typ == t.typ }) {
			b.terms = append(b.terms, t)
		}
	}
	if len(b.terms) > o.Terms {
		return &Full{o.Terms, 0}
	}
	slices.SortStableFunc(b.terms, func(s, t term) int { return cmp.Compare(s.typ, t.typ) })
	return b.typeHeads()
}

func (t *term) literal() bool { return t.op == 0 && t.word[0] != '?' && t.word[0] != '#' }

// literal is the value of a word of the table.
func literal(word string, t ir.Type) (uint64, error) {
	list, err := rules.Parse("literal any (eq ?x " + word + ") => true")
	if err == nil && list[0].At(t) != nil {
		if l := list[0].At(t).Left.Args[1]; l.Kind == rules.Literal {
			return l.Bits, nil
		}
	}
	return 0, fmt.Errorf("%q is not a literal of type %v; fix: choose a number, true, false, ones, top or width", word, t)
}

// typeHeads are the ops at the types that terms can have, by the types of their results.
func (b *Bank) typeHeads() error {
	have := make(map[ir.Type]bool)
	for _, t := range b.terms {
		have[t.typ] = true
	}
	for more := true; more; {
		more = false
		b.heads = b.heads[:0]
		for _, op := range b.o.Ops {
			for _, h := range typings(op, b.o.Type) {
				if !slices.ContainsFunc(h.in, func(t ir.Type) bool { return !have[t] }) && h.out.Bits() <= b.word().Bits() {
					b.heads = append(b.heads, h)
					if !have[h.out] {
						have[h.out], more = true, true
					}
				}
			}
		}
	}
	for _, op := range b.o.Ops {
		if !b.o.Partly && !slices.ContainsFunc(b.heads, func(h head) bool { return h.op == op }) {
			return fmt.Errorf("op %v has no operands among these values; fix: choose another type, or bools", op)
		}
	}
	slices.SortStableFunc(b.heads, func(g, h head) int {
		return cmp.Or(cmp.Compare(g.out, h.out), cmp.Compare(opCost(g.op, g.out, g.in[0]), opCost(h.op, h.out, h.in[0])))
	})
	return nil
}

// typings are the heads of an op for operands of type t, bools, and counts of type u32.
func typings(op ir.Op, t ir.Type) (list []head) {
	in := op.Info()
	carried := []ir.Type{t, ir.Bool, ir.U32}
	slices.Sort(carried)
	for _, c := range slices.Compact(carried) {
		h := head{op: op}
		fits := true
		for i := range in.Args {
			at := in.In[i].Set.One()
			if at == ir.None {
				at = c
			}
			fits = fits && (in.In[i].Set == 0 || in.In[i].Set.Has(at))
			h.in = append(h.in, at)
		}
		h.out = in.ResultType(h.in...)
		if fits && (h.out == t || h.out == ir.Bool || h.out == ir.U32) && !slices.ContainsFunc(list, func(g head) bool { return slices.Equal(g.in, h.in) }) {
			list = append(list, h)
		}
	}
	return list
}

// opCost is the optimiser's cost of an op.
func opCost(op ir.Op, out, in ir.Type) uint64 { return opt.OpCost(op, out, in) }

// text is a term with the bank's names.
func (b *Bank) text(t *term) string {
	var w strings.Builder
	b.write(&w, t, func(word string) string { return word })
	return w.String()
}

// enumerate fills the bank, smallest terms first. Of terms of one size, those of cheaper heads are first.
func (b *Bank) enumerate(ctx context.Context) error {
	leaves := b.terms
	b.terms = nil
	b.levels = make([]map[ir.Type]span, b.o.Size+1)
	for i := range b.levels {
		b.levels[i] = make(map[ir.Type]span)
	}
	if err := b.dev.leaves(ctx, b.values(leaves)); err != nil {
		return err
	}
	// A leaf that is equal to another, as ones is to -1, stays: nothing is made of it twice, since its slot is the other's.
	b.terms = leaves
	for i, t := range leaves {
		s := b.levels[0][t.typ]
		if s.n == 0 {
			s.first = uint32(i)
		}
		s.n++
		b.levels[0][t.typ] = s
	}
	for _, t := range []ir.Type{ir.Bool, ir.I32, ir.U32, ir.I64, ir.U64, ir.F32, ir.F64} {
		if s, ok := b.levels[0][t]; ok {
			if err := b.claim(ctx, head{in: []ir.Type{t}, out: t}, []span{s}, 0); err != nil {
				return err
			}
		}
	}
	for size := 1; size <= b.o.Size; size++ {
		for _, h := range b.heads {
			before := uint32(len(b.terms))
			for _, spans := range b.spans(h, size-1) {
				if err := b.claim(ctx, h, spans, size); err != nil {
					return err
				}
			}
			s := b.levels[size][h.out]
			if s.n == 0 {
				s.first = before
			}
			s.n += uint32(len(b.terms)) - before
			b.levels[size][h.out] = s
		}
	}
	return nil
}

// spans are the ranges of operands of a head that have so many ops together.
func (b *Bank) spans(h head, ops int) (list [][]span) {
	var choose func(of []span, left int)
	choose = func(of []span, left int) {
		i := len(of)
		if i == len(h.in) {
			if left == 0 && !(h.commutes() && of[0].first > of[1].first) {
				list = append(list, slices.Clone(of))
			}
			return
		}
		for n := 0; n <= left; n++ {
			if s := b.levels[n][h.in[i]]; s.n > 0 {
				choose(append(of, s), left-n)
			}
		}
	}
	choose(nil, ops)
	return list
}

// claim evaluates all terms of a head with operands from ranges, and keeps those that are new.
func (b *Bank) claim(ctx context.Context, h head, spans []span, size int) error {
	all := uint64(1)
	for _, s := range spans {
		if all *= uint64(s.n); all > 1<<32-1-uint64(b.tried) {
			return fmt.Errorf("2³² candidates, at %d ops; fix: choose fewer ops or a smaller size", size)
		}
	}
	ranks := make([]uint32, chunk)
	for at := uint32(0); at < uint32(all); at += chunk {
		ranks = ranks[:min(chunk, uint32(all)-at)]
		took, err := b.dev.claim(ctx, h, spans, at, b.tried, ranks)
		if err != nil {
			return err
		}
		b.spent += took
		first := len(b.terms)
		var fresh []uint32
		for i, rank := range ranks {
			number := b.tried + uint32(i)
			if rank == none {
				continue
			}
			t := h.at(spans, at+uint32(i))
			t.size = size
			if rank != number {
				b.last = b.byFirst[rank]
				if size > 0 {
					b.again = append(b.again, again{b.constant(t), b.last})
				}
				continue
			}
			if size == 0 {
				b.byFirst[number] = spans[0].first + uint32(i)
				continue
			}
			if len(b.terms) == b.o.Terms {
				return &Full{b.o.Terms, size}
			}
			b.last = uint32(len(b.terms))
			b.byFirst[number] = b.last
			b.terms = append(b.terms, b.constant(t))
			fresh = append(fresh, at+uint32(i))
		}
		b.tried += uint32(len(ranks))
		if len(fresh) > 0 {
			if err := b.dev.keep(ctx, h, spans, fresh, uint32(first)); err != nil {
				return err
			}
		}
	}
	return nil
}

// at is the term with a number among those of a head over ranges.
func (h head) at(spans []span, i uint32) term {
	t := term{op: h.op, typ: h.out}
	for k := len(spans) - 1; k >= 0; k-- {
		t.kids[k] = spans[k].first + i%spans[k].n
		i /= spans[k].n
	}
	return t
}

// constant notes whether a term is of constants alone.
func (b *Bank) constant(t term) term {
	t.constant = true
	for _, k := range t.kids[:t.args()] {
		t.constant = t.constant && b.terms[k].constant
	}
	return t
}

func (t *term) args() int {
	if t.op == 0 {
		return 0
	}
	return t.op.Info().Args
}

// write writes a term with names for its variables.
func (b *Bank) write(w *strings.Builder, t *term, name func(string) string) {
	if t.op == 0 {
		w.WriteString(name(t.word))
		return
	}
	w.WriteString("(" + t.op.Info().Name)
	for _, k := range t.kids[:t.args()] {
		w.WriteByte(' ')
		b.write(w, &b.terms[k], name)
	}
	w.WriteByte(')')
}

// cost is that of the ops of a term, common ones once. Terms of constants are computed.
func (b *Bank) cost(t *term) uint64 {
	var seen []uint32
	var sum func(t *term) uint64
	sum = func(t *term) uint64 {
		if t.constant || t.op == 0 {
			return 0
		}
		n := opCost(t.op, t.typ, b.terms[t.kids[max(t.op.Info().Typed, 1)-1]].typ)
		for _, k := range t.kids[:t.args()] {
			if !slices.Contains(seen, k) {
				seen = append(seen, k)
				n += sum(&b.terms[k])
			}
		}
		return n
	}
	return sum(t)
}

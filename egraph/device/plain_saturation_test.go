package device_test

import (
	"cmp"
	"math"
	"slices"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/internal/testing/egraphs"
	"github.com/govyre/vyre/ir"
)

// plainly saturates a graph the slow way: each round looks at every row of every class for every match of every rule,
// and then makes all right sides. It shares nothing with the device, and only rows, unions and Rebuild with the host.
type plainly struct {
	egraphs.Plain
	clash bool
}

// eval is an op of constants, whose NaNs are one.
func eval(h egraph.HeadInfo, types []ir.Type, bits []uint64) (uint64, bool) {
	in := h.Op.Info()
	if in == nil || in.Args == 0 || in.Args != len(bits) || in.Attr&ir.Pure == 0 || exact.Of(h.Op) == nil {
		return 0, false
	}
	var arg [3]uint64
	copy(arg[:], bits)
	from := ir.None
	if in.Typed > 0 {
		from = types[in.Typed-1]
	}
	v := exact.Eval(h.Op, from, h.Type, h.X, arg[0], arg[1], arg[2])
	if h.Type == ir.F32 && math.IsNaN(float64(math.Float32frombits(uint32(v)))) {
		v = 0x7FC00000
	}
	return v, true
}

// fold makes constants of ops of constants, until there are no more.
func (p *plainly) fold() {
	for again := true; again; {
		again = false
		p.Look()
		for row, class := range p.Columns.Class {
			var bits []uint64
			var types []ir.Type
			for _, k := range p.Kids(uint32(row)) {
				if v, ok := p.Constant(k); ok {
					bits, types = append(bits, v), append(types, p.Type(k))
				}
			}
			h := p.Op(uint32(row))
			if len(bits) == 0 || len(bits) != int(p.Columns.Len[row]) {
				continue
			}
			v, ok := eval(h, types, bits)
			if have, known := p.Constant(p.Find(class)); !ok || known && have == v {
				continue
			}
			if err := p.Union(class, p.Const(h.Type, v), "folded"); err != nil {
				panic(err)
			}
			again = true
		}
		if err := p.Rebuild(); err != nil {
			panic(err)
		}
		p.Look()
		for _, rows := range p.Of {
			constants := 0
			for _, row := range rows {
				if p.Op(row).Op == ir.OpConst {
					constants++
				}
			}
			if constants > 1 {
				p.clash = true
				return
			}
		}
	}
}

// make returns the class of a term of a right side, and its bits if it is computed.
func (p *plainly) make(t *rules.Term, bind []egraph.Class) (egraph.Class, uint64, bool) {
	switch t.Kind {
	case rules.Value:
		return bind[t.Var], 0, false
	case rules.Constant:
		bits, _ := p.Constant(bind[t.Var])
		return bind[t.Var], bits, true
	case rules.Literal:
		return p.Const(t.Type, t.Bits), t.Bits, true
	}
	var kids []egraph.Class
	var bits []uint64
	var types []ir.Type
	for _, a := range t.Args {
		k, v, ok := p.make(a, bind)
		kids, types = append(kids, k), append(types, a.Type)
		if ok {
			bits = append(bits, v)
		}
	}
	h := egraph.HeadInfo{Op: t.Op, Type: t.Type}
	if v, ok := eval(h, types, bits); ok {
		return p.Const(t.Type, v), v, true
	}
	return p.Add(p.Head(h), kids...), 0, false
}

// round applies all matches of all rules.
func (p *plainly) round(list []*rules.Rule) {
	type pair struct {
		class egraph.Class
		right *rules.Term
		bind  []egraph.Class
	}
	var found []pair
	for _, r := range list {
		for t := ir.Bool; t <= ir.BF16; t++ {
			at := r.At(t)
			if at == nil {
				continue
			}
			search := func(left, right *rules.Term) {
				p.Matches(at, left, func(class egraph.Class, bind []egraph.Class) {
					if p.Holds(at, bind) {
						found = append(found, pair{class, right, bind})
					}
				})
			}
			search(at.Left, at.Right)
			if at.Both {
				search(at.Right, at.Left)
			}
		}
	}
	for _, f := range found {
		c, _, _ := p.make(f.right, f.bind)
		if err := p.Union(f.class, c, "rule"); err != nil {
			panic(err)
		}
	}
	if err := p.Rebuild(); err != nil {
		panic(err)
	}
	p.fold()
}

// run saturates as OpenSaturation says, and returns live rows and classes after each round.
func (p *plainly) run(list []*rules.Rule, limits egraph.Limits) (log [][2]int, stopped string) {
	p.fold()
	for {
		if p.clash {
			return log, ""
		}
		now := [2]int{p.Rows(), p.Classes()}
		n := len(log)
		log = append(log, now)
		switch {
		case n > 0 && now == log[n-1] && p.closed(list):
			return log, ""
		case now[0] >= limits.Rows:
			return log, "limit of rows"
		case n >= limits.Rounds:
			return log, "limit of rounds"
		}
		p.round(list)
	}
}

// closed reports whether a round changes nothing.
func (p *plainly) closed(list []*rules.Rule) bool {
	rows, classes, digest := p.Rows(), p.Classes(), len(p.Columns.Class)
	p.round(list)
	return rows == p.Rows() && classes == p.Classes() && digest == len(p.Columns.Class)
}

// extract returns the cheapest term of a class, by the order that OpenSaturation says.
func (p *plainly) extract(s *device.Saturation, price func(h egraph.HeadInfo, kids int) uint64,
	class egraph.Class) string {
	const never = math.MaxUint64 / 8
	cost := map[egraph.Class]uint64{}
	of := func(c egraph.Class) uint64 {
		if v, ok := cost[c]; ok {
			return v
		}
		return never
	}
	total := func(row uint32) uint64 {
		sum := price(p.Op(row), int(p.Columns.Len[row]))
		for _, k := range p.Kids(row) {
			sum = min(sum+of(k), never)
		}
		return sum
	}
	for again := true; again; {
		again = false
		for c, rows := range p.Of {
			for _, row := range rows {
				if v := total(row); v < of(c) {
					cost[c], again = v, true
				}
			}
		}
	}
	chosen := map[egraph.Class]uint32{}
	var compare func(a, b egraph.Class) int
	oriented := func(row uint32) []egraph.Class {
		kids := slices.Clone(p.Kids(row))
		if len(kids) == 2 && p.Op(row).Commutative && compare(kids[1], kids[0]) < 0 {
			kids[0], kids[1] = kids[1], kids[0]
		}
		return kids
	}
	key := func(row uint32) [2]uint64 {
		var types [3]ir.Type
		for i, k := range p.Kids(row) {
			types[i] = p.Type(k)
		}
		return s.Order(p.Op(row), types, int(p.Columns.Len[row]))
	}
	rows := func(x, y uint32) int {
		a, b := key(x), key(y)
		if d := slices.Compare(a[:], b[:]); d != 0 {
			return d
		}
		return slices.CompareFunc(oriented(x), oriented(y), compare)
	}
	compare = func(a, b egraph.Class) int {
		if a == b {
			return 0
		}
		if d := cmp.Compare(of(a), of(b)); d != 0 {
			return d
		}
		return rows(chosen[a], chosen[b])
	}
	classes := make([]egraph.Class, 0, len(p.Of))
	for c := range p.Of {
		classes = append(classes, c)
	}
	slices.SortFunc(classes, func(a, b egraph.Class) int { return cmp.Compare(of(a), of(b)) })
	for _, c := range classes {
		first := true
		for _, row := range p.Of[c] {
			if of(c) < never && total(row) == of(c) && (first || rows(row, chosen[c]) < 0) {
				chosen[c], first = row, false
			}
		}
	}
	to, made := egraph.New(), map[egraph.Class]egraph.Class{}
	var build func(c egraph.Class) egraph.Class
	build = func(c egraph.Class) egraph.Class {
		if was, ok := made[c]; ok {
			return was
		}
		var kids []egraph.Class
		for _, k := range oriented(chosen[c]) {
			kids = append(kids, build(k))
		}
		made[c] = to.Add(to.Head(p.Op(chosen[c])), kids...)
		return made[c]
	}
	return to.Term(build(p.Find(class))).String()
}

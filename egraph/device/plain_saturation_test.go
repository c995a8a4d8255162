package device_test

import (
	"cmp"
	"math"
	"slices"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/rules"
)

// plainly saturates a graph the slow way: each round looks at every row of every class for every match of every rule,
// and then makes all right sides. It shares nothing with the device, and only rows, unions and Rebuild with the host.
type plainly struct {
	g     *egraph.Graph
	c     egraph.Columns
	of    map[egraph.Class][]uint32 // live rows by root
	clash bool
}

func (p *plainly) kids(row uint32) []egraph.Class { return p.c.Kids[p.c.First[row]:][:p.c.Len[row]] }

// look reads the rows anew.
func (p *plainly) look() {
	p.c, p.of = p.g.Columns(), map[egraph.Class][]uint32{}
	for row, class := range p.c.Class {
		if p.c.Dead[row/64]>>(row%64)&1 == 0 {
			root := p.g.Find(class)
			p.of[root] = append(p.of[root], uint32(row))
		}
	}
}

// constant is that of a class.
func (p *plainly) constant(class egraph.Class) (bits uint64, ok bool) {
	for _, row := range p.of[class] {
		if h := p.g.Info(p.c.Head[row]); h.Op == ir.OpConst {
			return h.Bits, true
		}
	}
	return 0, false
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
		p.look()
		for row, class := range p.c.Class {
			var bits []uint64
			var types []ir.Type
			for _, k := range p.kids(uint32(row)) {
				if v, ok := p.constant(k); ok {
					bits, types = append(bits, v), append(types, p.g.Type(k))
				}
			}
			h := p.g.Info(p.c.Head[row])
			if len(bits) == 0 || len(bits) != int(p.c.Len[row]) {
				continue
			}
			v, ok := eval(h, types, bits)
			if have, known := p.constant(p.g.Find(class)); !ok || known && have == v {
				continue
			}
			if err := p.g.Union(class, p.g.Const(h.Type, v), "folded"); err != nil {
				panic(err)
			}
			again = true
		}
		if err := p.g.Rebuild(); err != nil {
			panic(err)
		}
		p.look()
		for _, rows := range p.of {
			constants := 0
			for _, row := range rows {
				if p.g.Info(p.c.Head[row]).Op == ir.OpConst {
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

// match calls do for each way in which a class matches a term.
func (p *plainly) match(t *rules.Term, class egraph.Class, bind []egraph.Class, do func([]egraph.Class)) {
	bits, known := p.constant(class)
	switch t.Kind {
	case rules.Literal:
		if known && bits == t.Bits && p.g.Type(class) == t.Type {
			do(bind)
		}
	case rules.Value, rules.Constant:
		if !known && t.Kind == rules.Constant || p.g.Type(class) != t.Type {
			return
		}
		if was := bind[t.Var]; was == egraph.None || was == class {
			bind = slices.Clone(bind)
			bind[t.Var] = class
			do(bind)
		}
	default:
		for _, row := range p.of[class] {
			if h := p.g.Info(p.c.Head[row]); h.Op != t.Op || h.Type != t.Type {
				continue
			}
			kids := p.kids(row)
			p.matchAll(t.Args, kids, bind, do)
			if len(kids) == 2 && t.Op.Info().Attr&ir.Commutative != 0 {
				p.matchAll(t.Args, []egraph.Class{kids[1], kids[0]}, bind, do)
			}
		}
	}
}

func (p *plainly) matchAll(args []*rules.Term, kids []egraph.Class, bind []egraph.Class, do func([]egraph.Class)) {
	if len(args) == 0 {
		do(bind)
		return
	}
	p.match(args[0], kids[0], bind, func(bind []egraph.Class) { p.matchAll(args[1:], kids[1:], bind, do) })
}

// make returns the class of a term of a right side, and its bits if it is computed.
func (p *plainly) make(t *rules.Term, bind []egraph.Class) (egraph.Class, uint64, bool) {
	switch t.Kind {
	case rules.Value:
		return bind[t.Var], 0, false
	case rules.Constant:
		bits, _ := p.constant(bind[t.Var])
		return bind[t.Var], bits, true
	case rules.Literal:
		return p.g.Const(t.Type, t.Bits), t.Bits, true
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
		return p.g.Const(t.Type, v), v, true
	}
	return p.g.Add(p.g.Head(h), kids...), 0, false
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
				for class := range p.of {
					p.match(left, class, slices.Repeat([]egraph.Class{egraph.None}, len(at.Vars)), func(bind []egraph.Class) {
						var c []uint64
						for _, v := range at.Of {
							bits, _ := p.constant(bind[v])
							c = append(c, bits)
						}
						if at.Holds(c...) {
							found = append(found, pair{class, right, bind})
						}
					})
				}
			}
			search(at.Left, at.Right)
			if at.Both {
				search(at.Right, at.Left)
			}
		}
	}
	for _, f := range found {
		c, _, _ := p.make(f.right, f.bind)
		if err := p.g.Union(f.class, c, "rule"); err != nil {
			panic(err)
		}
	}
	if err := p.g.Rebuild(); err != nil {
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
		now := [2]int{p.g.Rows(), p.g.Classes()}
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
	rows, classes, digest := p.g.Rows(), p.g.Classes(), len(p.c.Class)
	p.round(list)
	return rows == p.g.Rows() && classes == p.g.Classes() && digest == len(p.c.Class)
}

// extract returns the cheapest term of a class, by the order that OpenSaturation says.
func (p *plainly) extract(s *device.Saturation, price func(h egraph.HeadInfo, kids int) uint64, class egraph.Class) string {
	const never = math.MaxUint64 / 8
	cost := map[egraph.Class]uint64{}
	of := func(c egraph.Class) uint64 {
		if v, ok := cost[c]; ok {
			return v
		}
		return never
	}
	total := func(row uint32) uint64 {
		sum := price(p.g.Info(p.c.Head[row]), int(p.c.Len[row]))
		for _, k := range p.kids(row) {
			sum = min(sum+of(k), never)
		}
		return sum
	}
	for again := true; again; {
		again = false
		for c, rows := range p.of {
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
		kids := slices.Clone(p.kids(row))
		if len(kids) == 2 && p.g.Info(p.c.Head[row]).Commutative && compare(kids[1], kids[0]) < 0 {
			kids[0], kids[1] = kids[1], kids[0]
		}
		return kids
	}
	key := func(row uint32) [2]uint64 {
		var types [3]ir.Type
		for i, k := range p.kids(row) {
			types[i] = p.g.Type(k)
		}
		return s.Order(p.g.Info(p.c.Head[row]), types, int(p.c.Len[row]))
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
	classes := make([]egraph.Class, 0, len(p.of))
	for c := range p.of {
		classes = append(classes, c)
	}
	slices.SortFunc(classes, func(a, b egraph.Class) int { return cmp.Compare(of(a), of(b)) })
	for _, c := range classes {
		first := true
		for _, row := range p.of[c] {
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
		made[c] = to.Add(to.Head(p.g.Info(p.c.Head[chosen[c]])), kids...)
		return made[c]
	}
	return to.Term(build(p.g.Find(class))).String()
}

package interp

import "github.com/govyre/vyre/ir"

// Two stores of one value are a benign race only if they store it whoever comes first. That is known of a value that is
// computed from constants, arguments, ids and memory that nobody writes. Of any other it depends on the launch: where it
// has no race, and the program looks at nothing that order decides (what an atomic found, a stale load, a clock), what it
// loads is the same in every order. Else the values were equal by chance, and the race is one.

// byChance reports whether the values of a pair of stores might have differed, if what they depend on did.
func (d *detector) byChance(row, other ir.Row) bool { return !d.settled(row) || !d.settled(other) }

// maxSettled bounds the rows that a value is followed to.
const maxSettled = 64

// settled reports whether the value that a store writes is the same in every order of the invocations.
func (d *detector) settled(store ir.Row) bool {
	if is, ok := d.settles[store]; ok {
		return is
	}
	if d.settles == nil {
		d.settles = make(map[ir.Row]bool)
	}
	left := maxSettled
	is := d.fixed(d.x.k.p.B(store), &left)
	d.settles[store] = is
	return is
}

// fixed reports whether v is the same in every order, as far as the rows left allow to look.
func (d *detector) fixed(v ir.Row, left *int) bool {
	p := d.x.k.p
	in := p.Op(v).Info()
	if *left--; *left < 0 {
		return false
	}
	switch {
	case p.Op(v) == ir.OpConst, p.Op(v) == ir.OpArg && p.Region(v) == 0, p.Op(v) == ir.OpLen:
		return true
	case in.Imm == ir.ImmObject:
		if in.Attr&(ir.Writes|ir.Atomic) != 0 || !d.x.k.objs[p.X(v)].ReadOnly() {
			return false
		}
	case in.Attr&ir.Pure == 0, in.Attr&ir.Convergent != 0, in.Owns > 0, p.Op(v) == ir.OpArg, p.Op(v) == ir.OpRes:
		return false // results of branches and loops depend on conditions, too
	}
	for _, u := range [...]ir.Row{p.A(v), p.B(v), p.C(v)} {
		if u != ir.NoRow && !d.fixed(u, left) {
			return false
		}
	}
	for _, u := range p.List(v) {
		if !d.fixed(ir.Row(u), left) {
			return false
		}
	}
	return true
}

// orderDecides reports whether the program looks at something that depends on the order of invocations, races aside.
func (d *detector) orderDecides() bool {
	p := d.x.k.p
	decided := func(v ir.Row) bool {
		return v != ir.NoRow && (p.Op(v).Info().Attr&ir.Atomic != 0 || p.Op(v) == ir.OpLoadStale || p.Op(v) == ir.OpClock || p.Op(v) == ir.OpTimer)
	}
	for i := range p.Rows() {
		r := ir.Row(i)
		if decided(p.A(r)) || decided(p.B(r)) || decided(p.C(r)) {
			return true
		}
		for _, v := range p.List(r) {
			if decided(ir.Row(v)) {
				return true
			}
		}
	}
	return false
}

// settle makes races of the benign ones whose values were equal by chance.
func (d *detector) settle() {
	byID := d.reports.byID
	var doubtful []*Report
	chance := false
	for _, r := range byID {
		chance = chance || r.Kind == Race
		if r.Kind == BenignRace && d.byChance(r.Row, r.OtherRow) {
			doubtful = append(doubtful, r)
		}
	}
	if len(doubtful) == 0 || !chance && !d.orderDecides() {
		return
	}
	for _, r := range doubtful {
		delete(byID, reportKey{BenignRace, r.Row, r.OtherRow})
		key := reportKey{Race, r.Row, r.OtherRow}
		if race := byID[key]; race != nil {
			race.Count += r.Count
			continue
		}
		r.Kind = Race
		byID[key] = r
	}
}

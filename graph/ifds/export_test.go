package ifds

import "testing"

// Ordered asks for summaries, too.
func Ordered(o Options) Options {
	o.ordered = true
	return o
}

// InPortions asks for short ones.
func InPortions(o Options, portion uint32) Options {
	o.portion = portion
	return o
}

// CheckSummaries looks whether two solutions have the same ones, each in an order that explains them.
func CheckSummaries(t *testing.T, got, want *Solution) {
	t.Helper()
	checkOrder(t, got)
	checkOrder(t, want)
	in := map[summary]bool{}
	for _, of := range want.summaries {
		in[of] = true
	}
	for _, of := range got.summaries {
		if !in[of] {
			t.Errorf("no summary leads from %d to %d", of.entry, of.exit)
		}
	}
	if len(got.summaries) != len(want.summaries) {
		t.Errorf("%d summaries, want %d", len(got.summaries), len(want.summaries))
	}
}

// checkOrder looks whether each summary follows from those before it: along arcs inside its procedure and past calls that these
// are for.
func checkOrder(t *testing.T, s *Solution) {
	t.Helper()
	known := map[summary]bool{}
	for k, of := range s.summaries {
		reached, work := map[uint32]bool{of.entry: true}, []uint32{of.entry}
		visit := func(v uint32) {
			if !reached[v] {
				reached[v] = true
				work = append(work, v)
			}
		}
		for ; len(work) > 0; work = work[1:] {
			u := work[0]
			targets := s.x.Row(u)
			for i, v := range targets {
				switch s.x.way(u, v, i) {
				case inner:
					visit(v)
				case calls:
					at := s.x.sites[s.x.site(u, i)]
					for _, r := range s.x.returns[at.from:at.to] {
						if known[summary{v, r.from}] {
							visit(r.to)
						}
					}
				}
			}
		}
		if !reached[of.exit] {
			t.Fatalf("summary %d of %d, from %d to %d, does not follow from those before it", k, len(s.summaries), of.entry, of.exit)
		}
		if known[of] {
			t.Fatalf("summary %d, from %d to %d, is there twice", k, of.entry, of.exit)
		}
		known[of] = true
	}
}

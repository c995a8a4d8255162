package main

import (
	"context"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/graph/session"
)

// together is programs that are looked at as one, and which procedures each of them reaches.
type together struct {
	names   []string // paths of main packages
	reaches [][]bool // of each program, by procedure; what belongs to no call is in all of them
}

// programs tells the programs apart that a graph is made of. Fewer than two are nil.
func (f *flow) programs() *together {
	t := &together{}
	var roots [][]*ssa.Function
	for _, root := range f.p.roots {
		if root.Pkg == nil || root.Pkg.Pkg.Name() != "main" {
			return nil // packages that somebody else calls
		}
		i := slices.Index(t.names, root.Pkg.Pkg.Path())
		if i < 0 {
			i = len(t.names)
			t.names, roots = append(t.names, root.Pkg.Pkg.Path()), append(roots, nil)
		}
		roots[i] = append(roots[i], root)
	}
	if len(t.names) < 2 {
		return nil
	}
	for _, list := range roots {
		t.reaches = append(t.reaches, f.reachedFrom(list))
	}
	return t
}

// reachedFrom finds the procedures that are called, by whatever way, where some functions run.
func (f *flow) reachedFrom(roots []*ssa.Function) []bool {
	reached := make([]bool, len(f.procs))
	reached[shared] = true
	seen := make(map[*copied]bool)
	var queue []*copied
	reach := func(c *copied) {
		if c != nil && !seen[c] {
			seen[c] = true
			queue = append(queue, c)
		}
	}
	for _, root := range roots {
		reach(f.calls.originals[root])
	}
	for len(queue) > 0 {
		last := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if q := f.of[last]; q != nil {
			reached[q.id] = true
		}
		for _, c := range last.backs {
			reach(c)
		}
		for _, calls := range []map[ssa.CallInstruction][]*copied{last.sites, last.hands} {
			for _, list := range calls {
				for _, c := range list {
					reach(c)
				}
			}
		}
	}
	return reached
}

// taintSearch is session.Taint or ifds.Taint.
type taintSearch func(session.TaintQuery) (*session.Tainted, error)

// ofOne keeps the findings that one of several programs makes alone. Where the path of a finding is all in one of them, that
// is so; of others each program is asked again, as if what the others alone have ended all values.
func (e *emitted) ofOne(ctx context.Context, t *together, q session.TaintQuery, found []session.Finding, search taintSearch) (kept []session.Finding, err error) {
	var rest []session.Finding
	for _, f := range found {
		if t.has(e, f.Path) {
			kept = append(kept, f)
		} else {
			rest = append(rest, f)
		}
	}
	for _, reached := range t.reaches {
		if len(rest) == 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		is := func(v uint32) bool { return reached[e.nodes[v].proc] }
		one, labels := e.within(q, rest, is)
		if len(one.Sources) == 0 || len(one.Sinks) == 0 {
			continue
		}
		got, err := search(one)
		if err != nil {
			return nil, err
		}
		for _, f := range got.Findings {
			f.Label = labels[f.Label]
			same := func(g session.Finding) bool { return g.Sink == f.Sink && g.Label == f.Label }
			if i := slices.IndexFunc(rest, same); i >= 0 {
				rest = slices.Delete(rest, i, i+1)
				kept = append(kept, f)
			}
		}
	}
	return kept, nil
}

// has reports whether all of a path is in one program.
func (t *together) has(e *emitted, path []session.Step) bool {
	return path != nil && slices.ContainsFunc(t.reaches, func(reached []bool) bool {
		return !slices.ContainsFunc(path, func(s session.Step) bool { return !reached[e.nodes[s.Node].proc] })
	})
}

// within is a question about findings, of nodes for which a condition holds: values end at all others. Labels are those that its
// sources had.
func (e *emitted) within(q session.TaintQuery, about []session.Finding, is func(uint32) bool) (one session.TaintQuery, labels []int) {
	one = q
	one.Sources, one.Sinks = nil, nil
	sinks, from := make(map[uint32]bool), make(map[int]bool)
	for _, f := range about {
		if is(f.Sink) && !sinks[f.Sink] {
			sinks[f.Sink] = true
			one.Sinks = append(one.Sinks, f.Sink)
		}
		if is(f.Sink) && !from[f.Label] {
			from[f.Label] = true
			s := q.Sources[f.Label]
			if s.Nodes = slices.DeleteFunc(slices.Clone(s.Nodes), func(v uint32) bool { return !is(v) }); len(s.Nodes) > 0 {
				one.Sources, labels = append(one.Sources, s), append(labels, f.Label)
			}
		}
	}
	if len(one.Sources) == 0 || len(one.Sinks) == 0 {
		return one, labels
	}
	var outside []uint32
	for v := range uint32(len(e.nodes)) {
		if !is(v) {
			outside = append(outside, v)
		}
	}
	if outside != nil {
		one.Sanitizers = append(slices.Clone(q.Sanitizers), session.Sanitizer{Nodes: outside})
	}
	return one, labels
}

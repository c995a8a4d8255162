package main

import (
	"context"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// typeSets are sets of what variables hold, each one once: most variables hold what others hold as well.
type typeSets struct {
	list  [][]int32 // sorted; set 0 is empty
	ids   map[string]int32
	joins map[[2]int32]int32
	bytes []byte
}

func newTypeSets() *typeSets {
	return &typeSets{list: make([][]int32, 1), ids: make(map[string]int32), joins: make(map[[2]int32]int32)}
}

// set returns the number of a set. It keeps the slice.
func (s *typeSets) set(of []int32) int32 {
	if len(of) == 0 {
		return 0
	}
	s.bytes = s.bytes[:0]
	for _, n := range of {
		s.bytes = append(s.bytes, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	id, ok := s.ids[string(s.bytes)]
	if !ok {
		id = int32(len(s.list))
		s.ids[string(s.bytes)] = id
		s.list = append(s.list, of)
	}
	return id
}

// join returns the union of two sets.
func (s *typeSets) join(a, b int32) int32 {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	case a > b:
		a, b = b, a
	}
	id, ok := s.joins[[2]int32{a, b}]
	if !ok {
		x, y := s.list[a], s.list[b]
		all := make([]int32, 0, len(x)+len(y))
		for len(x) > 0 && len(y) > 0 {
			switch {
			case x[0] < y[0]:
				all, x = append(all, x[0]), x[1:]
			case x[0] > y[0]:
				all, y = append(all, y[0]), y[1:]
			default:
				all, x, y = append(all, x[0]), x[1:], y[1:]
			}
		}
		id = s.set(append(append(all, x...), y...))
		s.joins[[2]int32{a, b}] = id
	}
	return id
}

// eachLook is how many nodes are passed between two looks at the context.
const eachLook = 1 << 10

// passOn takes what each variable holds to all that it goes to: variables that go to each other hold the same (components of
// Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on Computing 1972).
func (v *variableTypes) passOn(ctx context.Context) error {
	n := len(v.holds)
	offsets := make([]int32, n+1)
	for _, from := range v.from {
		offsets[from+1]++
	}
	for i := range n {
		offsets[i+1] += offsets[i]
	}
	targets, next := make([]int32, len(v.to)), slices.Clone(offsets[:n])
	for i, from := range v.from {
		targets[next[from]] = v.to[i]
		next[from]++
	}
	v.from, v.to = nil, nil
	component, count := components(offsets, targets)
	// Components are numbered from the last on, so that each comes before those from which it is reached.
	members := make([]int32, n)
	first := make([]int32, count+1)
	for _, c := range component {
		first[c+1]++
	}
	for c := range count {
		first[c+1] += first[c]
	}
	at := slices.Clone(first[:count])
	for node, c := range component {
		members[at[c]] = int32(node)
		at[c]++
	}
	v.sets, v.set = newTypeSets(), make([]int32, count)
	for c := count - 1; c >= 0; c-- {
		if c%eachLook == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		own := []int32{}
		for _, node := range members[first[c]:first[c+1]] {
			if v.holds[node] != none {
				own = append(own, v.holds[node])
			}
		}
		slices.Sort(own)
		set := v.sets.join(v.set[c], v.sets.set(slices.Compact(own)))
		v.set[c] = set
		if set == 0 {
			continue
		}
		for _, node := range members[first[c]:first[c+1]] {
			for _, to := range targets[offsets[node]:offsets[node+1]] {
				if d := component[to]; d != c {
					v.set[d] = v.sets.join(v.set[d], set)
				}
			}
		}
	}
	v.component = component // holds stays, so that what is asked about and was not seen is a node that has none
	return nil
}

// components numbers strongly connected components: one that another leads to has the smaller number.
func components(offsets, targets []int32) (of []int32, count int32) {
	n := len(offsets) - 1
	of = make([]int32, n)
	low, next := make([]int32, n), slices.Clone(offsets[:n])
	var path, open []int32
	clock := int32(0)
	for root := range n {
		if low[root] != 0 {
			continue
		}
		path = append(path, int32(root))
		for len(path) > 0 {
			at := path[len(path)-1]
			if low[at] == 0 { // it was not seen before; of is when it was, until its component is known
				clock++
				low[at], of[at] = clock, clock
				open = append(open, at)
			}
			if next[at] < offsets[at+1] {
				to := targets[next[at]]
				next[at]++
				if low[to] == 0 {
					path = append(path, to)
				} else if low[to] > 0 {
					low[at] = min(low[at], of[to])
				}
				continue
			}
			path = path[:len(path)-1]
			if low[at] == of[at] {
				for {
					last := open[len(open)-1]
					open = open[:len(open)-1]
					low[last], of[last] = -1, count
					if last == at {
						break
					}
				}
				count++
			}
			if len(path) > 0 && low[at] > 0 {
				up := path[len(path)-1]
				low[up] = min(low[up], low[at])
			}
		}
	}
	return of, count
}

// calleeSet is what decides which functions calls may call.
type calleeSet struct{ set, fit int32 }

// callees finds what all calls may call that do not say themselves which function it is.
func (v *variableTypes) callees(ctx context.Context, p *program) (callees, error) {
	may, lists := make(callees), make(map[calleeSet][]*ssa.Function)
	var made []calleeSet
	of := make(map[ssa.CallInstruction]calleeSet)
	for f := range p.names.Functions() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if isTemplate(f) {
			continue
		}
		for call := range callsIn(f) {
			c := call.Common()
			if c.StaticCallee() != nil {
				continue
			}
			node := v.of(c.Value).node
			if node == none || int(node) >= len(v.component) {
				continue
			}
			fit := v.fits.of(c)
			key := calleeSet{v.set[v.component[node]], fit.id}
			if _, ok := lists[key]; !ok {
				lists[key] = v.called(key.set, fit, c, p.ssa)
				made = append(made, key)
			}
			if len(lists[key]) > 0 {
				of[call] = key
			}
		}
	}
	order := orderOf(p, lists)
	for _, key := range made {
		slices.SortFunc(lists[key], func(a, b *ssa.Function) int { return order[a] - order[b] })
	}
	for call, key := range of {
		may[call] = lists[key]
	}
	return may, nil
}

// called are the functions of a set that fit a call.
func (v *variableTypes) called(set int32, fit *candidate, c *ssa.CallCommon, prog *ssa.Program) (list []*ssa.Function) {
	add := func(f *ssa.Function) {
		if f != nil && fit.has[f] && !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	for _, n := range v.sets.list[set] {
		h := v.held[n]
		switch {
		case h.f != nil && !c.IsInvoke():
			add(h.f)
		case h.f == nil && c.IsInvoke():
			if types.IsInterface(h.t) { // see callers
				continue
			}
			if m := prog.MethodSets.MethodSet(h.t).Lookup(c.Method.Pkg(), c.Method.Name()); m != nil {
				add(prog.MethodValue(m))
			}
		}
	}
	return list
}

// typesOf are the types that a variable of an interface may hold.
func (v *variableTypes) typesOf(value ssa.Value) (list []types.Type) {
	for _, h := range v.heldBy(v.of(value).node) {
		if h.f == nil {
			list = append(list, h.t)
		}
	}
	return list
}

// heldBy is what a node may hold.
func (v *variableTypes) heldBy(node int32) (list []held) {
	if node == none || int(node) >= len(v.component) {
		return nil
	}
	for _, n := range v.sets.list[v.set[v.component[node]]] {
		list = append(list, v.held[n])
	}
	return list
}

// element and field are what elements of slices of a type, and a field of all values of a type, may hold.
func (v *variableTypes) element(t types.Type) []held {
	return v.heldBy(v.shared(placeElement, t, 0, t).node)
}

func (v *variableTypes) field(of types.Type, k int) []held {
	return v.heldBy(v.shared(placeField, of, k, of.Underlying().(*types.Struct).Field(k).Type()).node)
}

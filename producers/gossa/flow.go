package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// flow is where values of a program go: procedures, the objects of their values, and the arcs between these.
type flow struct {
	p     *program
	calls *calls
	rules *rules // nil if every function is what its body says
	heap  *heap

	procs           []*proc // procedure 0 is what belongs to no call
	of              map[*copied]*proc
	globals         map[*ssa.Global]int32
	sites           []site
	numbers         uint32  // of calls
	places          []place // that rules name
	unseen          map[string]int
	supposed        map[int32]string // what calls of functions do of which nothing is known, with their names
	supposedChecked map[int32]check  // values that a function of unknown content has looked at
	checker         *checker         // where there are rules
	instead         bool             // the heap is flat, and was not to be

	panicking         map[*copied]bool // see findPanics
	sinksOfInterfaces []interfaceRule  // see interfaceSinks
	sourcesOfMethods  []interfaceRule  // see sourceParameters
	sourcesOfFields   map[*ssa.Function][]*rule
	ownRequests       map[any]bool // see findMade
}

// proc is a function, or a copy of it.
type proc struct {
	id       int32
	name     string
	of       *copied
	values   []ssa.Value // whose objects are first, first + 1, …
	first    int32
	body     int32     // the first object that its body made
	nodes    []special // that stand for no value
	params   []int32
	free     []int32
	results  []int32
	panics   int32   // what its panics and those of what it calls have, or none
	recovers int32   // what it recovers when it is deferred, or none
	callers  []int32 // sites
	calls    []int32
}

// special is an object that stands for what a call does that is not followed, or for what a procedure returns.
type special struct {
	object int32
	name   string
	at     ssa.Instruction
}

// site is a call of one procedure by another. Dynamic calls are several, with the same number.
type site struct {
	number         uint32
	caller, callee int32
	args           []int32 // of the parameters; none where nothing is known
	env            int32   // what a closure has captured is a part of it; or none
	result         int32
	panics         int32 // of the caller; or none
	recovers       int32 // of the caller, if the call is deferred; or none
	through        bool  // it is called by a function that is not followed: see model
	mask           uint32
}

// flowOf follows values through all functions that are reached. Where it takes too long to tell fields of values apart, some are
// one for all of their type instead, and in the end all.
func flowOf(ctx context.Context, p *program, c *calls, r *rules, flat bool) (*flow, error) {
	f, err := newFlow(ctx, p, c, r, newHeap(flat))
	for err == nil && f.heap.overshot {
		f, err = newFlow(ctx, p, c, r, f.heap.anew())
	}
	if err == nil && f.heap.steps > f.heap.most {
		if f, err = newFlow(ctx, p, c, r, newHeap(true)); err == nil {
			f.instead = true
		}
	}
	return f, err
}

func newFlow(ctx context.Context, p *program, c *calls, r *rules, h *heap) (*flow, error) {
	f := &flow{p: p, calls: c, rules: r, heap: h, of: make(map[*copied]*proc), globals: make(map[*ssa.Global]int32), unseen: make(map[string]int), supposed: make(map[int32]string), supposedChecked: make(map[int32]check)}
	if r != nil {
		f.checker = newChecker(p, r)
		f.heap.hides, f.heap.calls = f.hides(c), f.isCalled
	}
	f.procs = append(f.procs, &proc{name: "variables"})
	for name, of := range c.byName {
		if !f.followed(of.f) {
			continue
		}
		f.procs = append(f.procs, &proc{name: name, of: of, panics: none, recovers: none})
	}
	slices.SortFunc(f.procs[1:], func(a, b *proc) int { return strings.Compare(a.name, b.name) })
	for i, q := range f.procs {
		q.id = int32(i)
		if i > 0 {
			f.of[q.of] = q
		}
	}
	f.findPanics()
	n, sites := 0, 0
	for _, q := range f.procs[1:] { // of what they need at least
		n += size(q.of.f)
		for _, called := range q.of.sites {
			sites += len(called)
		}
	}
	f.heap.objects, f.sites = make([]object, 0, n), make([]site, 0, sites)
	var values []ssa.Value
	for _, q := range f.procs[1:] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		values = f.face(q, values[:0])
	}
	if r != nil {
		f.sourcesOfMethods = f.interfaceRules(func(r *rule) bool { return r.param })
		f.sourcesOfFields = f.fieldRules()
		f.ownRequests, f.checker.asked = f.findMade()
	}
	b := body{flow: f, at: make(map[ssa.Value]int32), refined: make(map[refinement]int32), responses: make(map[ssa.Value]*response)}
	for _, q := range f.procs[1:] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q.body = int32(len(f.heap.objects))
		b.make(q)
	}
	if !h.flat {
		return f, f.spread(ctx)
	}
	return f, nil
}

// followed reports whether a function is what its body says.
func (f *flow) followed(of *ssa.Function) bool {
	return of.Blocks != nil && (f.rules == nil || !f.rules.opaque(f.p, of))
}

// face makes the objects of a procedure that its callers need, and those of its values. It returns the values, in memory that is
// used again.
func (f *flow) face(q *proc, values []ssa.Value) []ssa.Value {
	q.first = int32(len(f.heap.objects))
	add := func(v ssa.Value) int32 {
		values = append(values, v)
		return f.heap.object(q.id)
	}
	for _, v := range q.of.f.Params {
		q.params = append(q.params, add(v))
	}
	for _, v := range q.of.f.FreeVars {
		q.free = append(q.free, add(v))
	}
	for _, b := range q.of.f.Blocks {
		for _, i := range b.Instrs {
			if v, is := i.(ssa.Value); is {
				add(v)
			}
		}
	}
	q.values = slices.Clone(values)
	for i := range q.of.f.Signature.Results().Len() {
		r := f.heap.object(q.id)
		q.results = append(q.results, r)
		q.nodes = append(q.nodes, special{object: r, name: "result" + ordinal(i, q.of.f.Signature.Results().Len())})
	}
	if f.panicking[q.of] {
		q.panics = f.heap.object(q.id)
		q.nodes = append(q.nodes, special{object: q.panics, name: "what panics"})
		if recovers(q.of.f) {
			q.recovers = f.heap.object(q.id)
			q.nodes = append(q.nodes, special{object: q.recovers, name: "what is recovered"})
		}
	}
	return values
}

// spread binds what calls pass to what procedures get, until nothing changes: a procedure needs of its arguments the parts
// that it, or what it calls, names.
func (f *flow) spread(ctx context.Context) error {
	h := f.heap
	h.spread = true
	clear(h.changed)
	queued := make([]bool, len(f.procs))
	var queue []int32
	everywhere := false
	push := func(q int32) {
		if !queued[q] {
			queued[q] = true
			queue = append(queue, q)
		}
	}
	for _, q := range f.calleesFirst() {
		push(q)
	}
	h.begin()
	for len(queue) > 0 && h.steps <= h.most {
		if err := ctx.Err(); err != nil {
			return err
		}
		q := queue[0]
		queue = queue[1:]
		queued[q] = false
		for _, list := range [][]int32{f.procs[q].callers, f.procs[q].calls} {
			for _, s := range list {
				h.steps++
				f.bind(&f.sites[s], nil)
				for h.climb() {
					f.bind(&f.sites[s], nil)
				}
			}
		}
		for _, c := range sortedKeys(h.changed) {
			if c != shared {
				push(c)
			}
		}
		everywhere = everywhere || h.changed[shared]
		clear(h.changed)
		if len(queue) == 0 && everywhere { // any procedure may have a part of what is shared
			everywhere = false
			for _, q := range f.procs[1:] {
				push(q.id)
			}
		}
	}
	h.spread = false
	return nil
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	list := make([]K, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	slices.SortFunc(list, cmp.Compare)
	return list
}

// calleesFirst lists procedures so that most come after those that they call.
func (f *flow) calleesFirst() (order []int32) {
	seen := make([]bool, len(f.procs))
	type visit struct {
		q    int32
		next int
	}
	for root := range f.procs {
		if seen[root] {
			continue
		}
		seen[root] = true
		stack := []visit{{int32(root), 0}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			calls := f.procs[top.q].calls
			if top.next == len(calls) {
				order = append(order, top.q)
				stack = stack[:len(stack)-1]
				continue
			}
			to := f.sites[calls[top.next]].callee
			top.next++
			if !seen[to] {
				seen[to] = true
				stack = append(stack, visit{to, 0})
			}
		}
	}
	return order
}

// bound is a pair of an object of a procedure and one of its caller, as a call makes them the same.
type bound struct {
	formal, actual int32
	way            way
}

// way is where what is in a pair goes.
type way uint8

const (
	inward  way = 1 << iota // from the caller into the procedure
	outward                 // back
	both    = inward | outward
)

// bind makes sure that a call's arguments have the parts that the procedure names. each, if there is one, gets the pairs.
func (f *flow) bind(s *site, each func(bound)) {
	q := f.procs[s.callee]
	b := binder{h: f.heap, at: make(map[int32]int32), each: each}
	for i, a := range s.args {
		if i < len(q.params) && a != none {
			way := inward
			if f.heap.flat && !isScalar(q.of.f.Params[i].Type()) {
				way = both
			}
			b.pair(q.params[i], a, way)
		}
	}
	if s.env != none {
		for i, v := range q.free {
			way := inward
			if f.heap.flat && !isScalar(q.of.f.FreeVars[i].Type()) {
				way = both
			}
			b.pair(v, f.heap.part(s.env, f.heap.captured(q.of.f, i)), way)
		}
	}
	if s.result != none {
		for j, r := range q.results {
			to := s.result
			if len(q.results) > 1 && !s.through {
				to = f.heap.part(s.result, f.heap.component(j))
			}
			b.pair(r, to, outward)
		}
	}
	if s.panics != none && q.panics != none {
		b.pair(q.panics, s.panics, outward)
	}
	if s.recovers != none && q.recovers != none {
		b.pair(q.recovers, s.recovers, inward)
	}
}

type binder struct {
	h    *heap
	at   map[int32]int32 // which object of the caller one of the procedure is
	seen map[bound]bool
	each func(bound)
}

// pair binds two objects and their parts. What a pointer refers to is one object, so it goes both ways.
func (b *binder) pair(formal, actual int32, w way) {
	h := b.h
	if b.each == nil && h.isSpent() { // it will be asked again
		return
	}
	h.steps++
	formal, actual = h.find(formal), h.find(actual)
	if h.flat {
		b.each(bound{formal, actual, w})
		return
	}
	if w == both {
		if h.objects[formal].proc == shared {
			h.unify(formal, actual)
			return
		}
		if old, ok := b.at[formal]; ok {
			h.unify(old, actual)
			return
		}
		b.at[formal] = actual
	} else if h.objects[formal].parts != 0 { // which may lead in a circle
		pair := bound{formal, actual, w}
		if b.seen[pair] {
			return
		}
		if b.seen == nil {
			b.seen = make(map[bound]bool)
		}
		b.seen[pair] = true
	}
	if flags := h.objects[formal].flags; flags != 0 {
		h.mark(actual, flags)
	}
	if b.each != nil {
		b.each(bound{formal, actual, w})
	} else if h.objects[formal].links != 0 { // a copy of it is somewhere, so parts matter that only the caller names
		h.partsFor(formal, h.keysOf(actual))
	}
	// Where nothing changes any more, all these parts are there.
	keys := h.keysOf(formal)
	formals, actuals := h.partsFor(formal, keys), h.partsFor(actual, keys)
	for i, k := range keys {
		f, a := h.find(formals[i]), actuals[i]
		if a == none || f == h.find(formal) && h.find(a) == h.find(actual) {
			continue
		}
		if k == pointee {
			b.pair(f, a, both)
		} else {
			b.pair(f, a, w)
		}
	}
}

package main

import (
	"context"
	"iter"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"
)

// copied is a function, or a copy of it for functions that it gets.
type copied struct {
	f     *ssa.Function
	bound []*known                          // of its parameters; nil where nothing is known
	free  []*known                          // of its free variables
	level int                               // copies that call each other, up to here; 0 for what is no copy
	sites map[ssa.CallInstruction][]*copied // what calls may call, in the order of callees
	hands map[ssa.CallInstruction][]*copied // what calls hand over, in the order of handed
	backs []*copied                         // what may be called outside once it has run; see callbacks

	making []*ssa.MakeClosure // closures of which it is being found out what they capture
}

// copyName is the name of a copy: that of the function, with what the copy got.
func (c *calls) copyName(of *copied) string {
	got, captured := c.given(parameterNames(of.f), of.bound), c.given(freeNames(of.f), of.free)
	if got != "" && captured != "" {
		got += ", "
	}
	if got+captured != "" {
		return c.name(of.f) + "{" + got + captured + "}"
	}
	return c.name(of.f)
}

// name is what the graph calls a function: another one of the same name, such as a second init, gets a ' behind it.
func (c *calls) name(f *ssa.Function) string {
	name, ok := c.names[f]
	if !ok {
		name = c.p.names.Of(f)
		c.same[name]++
		name += strings.Repeat("'", c.same[name]-1)
		c.names[f] = name
	}
	return name
}

// limits bound copies.
type limits struct {
	levels int
	more   float64 // instructions of copies, as a part of all
}

// calls is all functions that are reached, with their copies.
type calls struct {
	p            *program
	all          []*copied // in the order in which they were found
	byName       map[string]*copied
	originals    map[*ssa.Function]*copied // what is no copy
	first        map[*ssa.Function]*copied // the first of a function that was found, which may be a copy
	names        map[*ssa.Function]string
	same         map[string]int // how many functions have a name
	may          callees
	limits       limits
	room         int // instructions that copies may still have
	instructions int // of what is no copy
	ofCopies     int
	left         int // calls that would have got a copy, but for the limits
	unseen       []unseen
	copies       int
	back         *callbacks // where bodies of some functions are not read
}

// unseen is a call that has no arc, or a function that has none from it.
type unseen struct {
	why string
	in  *ssa.Function
	at  ssa.CallInstruction // nil if it is the function
}

// copies follows calls from the roots on, and makes copies on the way. What it makes does not depend on chance: calls are
// looked at in the order of the source, breadth first.
func copies(ctx context.Context, p *program, may callees, l limits) (*calls, error) {
	c := &calls{p: p, byName: make(map[string]*copied), originals: make(map[*ssa.Function]*copied), first: make(map[*ssa.Function]*copied),
		names: make(map[*ssa.Function]string), same: make(map[string]int), may: may, limits: l}
	if p.light {
		c.back = p.variables.outside.callbacks()
	}
	if l.levels > 0 {
		n, err := withoutCopies(ctx, p.roots, may)
		if err != nil {
			return nil, err
		}
		c.room = int(l.more * float64(n))
	}
	return c, c.follow(ctx, p.roots)
}

// withoutCopies is how many instructions the functions have that are reached without any copy: what copies may add is a part of
// that.
func withoutCopies(ctx context.Context, roots []*ssa.Function, may callees) (n int, err error) {
	seen := make(map[*ssa.Function]bool)
	var queue []*ssa.Function
	reach := func(f *ssa.Function) {
		if !seen[f] {
			seen[f] = true
			queue = append(queue, f)
		}
	}
	for _, f := range roots {
		reach(f)
	}
	for len(queue) > 0 {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		from := copied{f: queue[len(queue)-1]}
		queue = queue[:len(queue)-1]
		n += size(from.f)
		for call := range callsIn(from.f) {
			if k := from.callee(call.Common()); k != nil {
				reach(k.f)
				continue
			}
			for _, f := range may[call] {
				reach(f)
			}
		}
	}
	return n, nil
}

func (c *calls) follow(ctx context.Context, roots []*ssa.Function) error {
	for _, f := range roots {
		c.plain(f)
	}
	for k := 0; k < len(c.all); k++ { // grows
		if err := ctx.Err(); err != nil {
			return err
		}
		from := c.all[k]
		if from.f.Blocks == nil {
			c.unseen = append(c.unseen, unseen{why: "has no source in Go", in: from.f})
		}
		for call := range callsIn(from.f) {
			c.call(from, call)
		}
		if c.back != nil && !c.p.isLight(names.Package(from.f)) {
			for _, f := range c.back.of(from.f) {
				from.backs = append(from.backs, c.plain(f))
			}
		}
	}
	return nil
}

// callsIn are the calls of a function, but for those of what the language has.
func callsIn(f *ssa.Function) iter.Seq[ssa.CallInstruction] {
	return func(yield func(ssa.CallInstruction) bool) {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				call, is := i.(ssa.CallInstruction)
				if !is {
					continue
				}
				if _, is := call.Common().Value.(*ssa.Builtin); !is && !yield(call) {
					return
				}
			}
		}
	}
}

// callee is the function that a call calls, if it is known which one that is.
func (c *copied) callee(common *ssa.CallCommon) *known {
	if common.IsInvoke() {
		return nil
	}
	return c.knows(common.Value)
}

// call adds the arcs of a call.
func (c *calls) call(from *copied, call ssa.CallInstruction) {
	common := call.Common()
	for _, h := range c.p.handed[call] {
		if from.hands == nil {
			from.hands = make(map[ssa.CallInstruction][]*copied)
		}
		from.hands[call] = append(from.hands[call], c.plain(h.f))
	}
	if k := from.callee(common); k != nil {
		c.arc(from, k, call)
		return
	}
	list := c.may[call]
	for _, f := range list {
		c.arc(from, &known{f: f}, call)
	}
	if len(list) == 0 && !(c.back != nil && c.back.isUnknown(common)) {
		c.unseen = append(c.unseen, unseen{"nothing is known that it could call", from.f, call})
	}
	if f := common.StaticCallee(); f != nil && isReflectCall(f) {
		c.unseen = append(c.unseen, unseen{"by reflection", from.f, call})
	}
}

func isReflectCall(f *ssa.Function) bool {
	name := f.Name()
	return (name == "Call" || name == "CallSlice") && names.Of(f) == "(reflect.Value)."+name
}

// arc adds an arc to a function, or to its copy for what the call passes.
func (c *calls) arc(from *copied, to *known, call ssa.CallInstruction) {
	common := call.Common()
	if isReflectCall(to.f) {
		c.unseen = append(c.unseen, unseen{why: "calls by reflection", in: from.f})
	}
	args := common.Args
	if common.IsInvoke() {
		args = append([]ssa.Value{nil}, args...) // the receiver
	}
	bound, some := make([]*known, len(to.f.Params)), false
	for i, p := range to.f.Params {
		if i < len(args) && args[i] != nil && isFunction(p.Type()) {
			bound[i] = from.knows(args[i])
			some = some || bound[i] != nil
		}
	}
	for _, k := range to.free {
		some = some || k != nil
	}
	target := c.copy(from, to, bound, some)
	if from.sites == nil {
		from.sites = make(map[ssa.CallInstruction][]*copied)
	}
	if !slices.Contains(from.sites[call], target) {
		from.sites[call] = append(from.sites[call], target)
	}
}

// copy returns a function's copy, or the function itself if there is nothing to copy it for, or no room.
func (c *calls) copy(from *copied, to *known, bound []*known, some bool) *copied {
	if !some || to.f.Blocks == nil {
		return c.plain(to.f)
	}
	made := &copied{f: to.f, bound: bound, free: to.free, level: from.level + 1}
	name := c.copyName(made)
	if old := c.byName[name]; old != nil {
		return old
	}
	n := size(to.f)
	if made.level > c.limits.levels || n > c.room {
		if c.limits.levels > 0 {
			c.left++
		}
		return c.plain(to.f)
	}
	c.room -= n
	c.ofCopies += n
	c.copies++
	c.byName[name] = made
	c.add(made)
	return made
}

// plain returns a function as it is.
func (c *calls) plain(f *ssa.Function) *copied {
	if old := c.originals[f]; old != nil {
		return old
	}
	made := &copied{f: f}
	c.instructions += size(f)
	c.originals[f], c.byName[c.name(f)] = made, made
	c.add(made)
	return made
}

func (c *calls) add(made *copied) {
	c.all = append(c.all, made)
	if c.first[made.f] == nil {
		c.first[made.f] = made
	}
}

// size is how many instructions a function has.
func size(f *ssa.Function) (n int) {
	for _, b := range f.Blocks {
		n += len(b.Instrs)
	}
	return n
}

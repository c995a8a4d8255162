package main

import (
	"go/constant"
	"go/token"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"
)

// fact is what is known of a value on one arm of a condition. Several make others: see closed.
type fact uint64

const (
	isConstant  fact = 1 << iota // it is one of some constants
	isParsed                     // it is a number, a time or the like
	isInside                     // it is a path that does not lead out of its folder
	isRelative                   // it is a path that does not begin at a root
	isJoined                     // behind a folder it does not lead out of that, links included
	startsSlash                  // it begins with /
	noTwoSlash                   // it does not begin with //
	noBackslash                  // it does not begin with /\
	noControls                   // it has no control characters
	hostEmpty                    // as a URL it has no host
	hostListed                   // as a URL its host is one of some
	hostAsked                    // as a URL its host is that of the request
	noSQL                        // it has no character that means something in such a text
	noShell
	noMarkup
	noURL
	noLines
	noQuery
	isAgreed  // a record that is kept under it has a secret that the caller knows
	isChecked // a function of unknown content says that it is valid
	isRuled   // the first of the bits for classes of guard rules, each of which says that a value is harmless to one
	everyFact = ^fact(0)
)

// mostGuarded is how many classes guard rules may have.
const mostGuarded = 40

// ended are the classes that facts end; an isConstant or an isParsed value is harmless to more.
var ended = map[fact][]string{
	isInside:   {"path", "zipslip"},
	hostListed: {"redirect", "ssrf"},
	hostAsked:  {"redirect"},
	noSQL:      {"sql"},
	noShell:    {"command"},
	noMarkup:   {"xss", "template"},
	noURL:      {"redirect", "ssrf"},
	noLines:    {"log", "header", "mail"},
	noQuery:    {"ldap", "xpath", "nosql"},
}

// closed adds what follows from facts.
func (f fact) closed() fact {
	const local = noTwoSlash | noBackslash | noControls
	if f&local == local && f&(startsSlash|hostEmpty) != 0 {
		f |= noURL
	}
	if f&hostListed != 0 {
		f |= noURL
	}
	if f&isRelative != 0 && f&isJoined != 0 {
		f |= isInside
	}
	if f&isConstant != 0 {
		f |= everyFact &^ (isChecked | isAgreed)
	}
	return f
}

// endedBy are the classes that facts end.
func (c *checker) endedBy(what fact) (list []string) {
	for _, class := range c.rules.classes() {
		if c.ends(what, class) {
			list = append(list, class)
		}
	}
	return list
}

// ends reports whether a value of which facts hold is harmless for a class.
func (c *checker) ends(what fact, class string) bool {
	if what&isConstant != 0 || what&isParsed != 0 && class != "log" || what&c.ruled[class] != 0 {
		return true
	}
	for one, classes := range ended {
		if what&one != 0 && slices.Contains(classes, class) {
			return true
		}
	}
	return false
}

// byRule is what rules say of a check that accepts, and whether there are such.
func (g *guards) byRule(f *ssa.Function, c *ssa.CallCommon, said facts) (is bool) {
	for _, r := range g.rules.guards(f, c) {
		is = true
		what := fact(0)
		for _, class := range r.classes {
			what |= g.ruled[class]
		}
		if len(r.classes) == 0 {
			what = isConstant
		}
		for k := range arguments(c) {
			if r.reads(k) && (k > 0 || !c.IsInvoke()) {
				said.add(g.num.of(unwrapped(argument(c, k))), what)
			}
		}
	}
	return is
}

// facts are known about values, by number.
type facts map[int]fact

func (f facts) add(n int, what fact) {
	if what != 0 {
		f[n] |= what
	}
}

func (f facts) addAll(other facts) {
	for n, what := range other {
		f[n] |= what
	}
}

// guards are what conditions of a function say of its values.
type guards struct {
	*checker
	f    *ssa.Function
	num  *numbers
	arms map[[2]int]facts // of each arm, by the blocks at its ends
	in   map[int][]fact   // of each value that something is said of, by block
	by   map[int]string   // which function checked it, if nothing more is known
	phis map[saying]facts // of one condition, what says has found
}

// checker finds guards of functions, and what validators say.
type checker struct {
	p      *program
	rules  *rules
	ruled  map[string]fact // of classes of guard rules
	of     map[*ssa.Function]*guards
	making map[*ssa.Function]bool
	lists  map[*ssa.Global]bool
	asked  map[any]bool // requests that the program has not made; see findMade

	accepted map[validator]fact
	lets     map[validator]bool // see letsThrough
	looks    map[validator]bool // see looksAt

	recovering map[string]bool // names of methods that recover what panics; see mayRecover
}

func newChecker(p *program, r *rules) *checker {
	c := &checker{p: p, rules: r, ruled: make(map[string]fact), of: make(map[*ssa.Function]*guards),
		making: make(map[*ssa.Function]bool), lists: make(map[*ssa.Global]bool), accepted: make(map[validator]fact),
		lets: make(map[validator]bool), looks: make(map[validator]bool)}
	for i, class := range r.guarded() {
		c.ruled[class] = isRuled << i
	}
	return c
}

// guardsOf finds the guards of a function; nil while they are being found.
func (c *checker) guardsOf(f *ssa.Function) *guards {
	if g := c.of[f]; g != nil || c.making[f] {
		return g
	}
	c.making[f] = true
	defer delete(c.making, f)
	g := &guards{checker: c, f: f, num: newNumbers(c.p, f), arms: make(map[[2]int]facts), in: make(map[int][]fact),
		by: make(map[int]string)}
	for _, b := range f.Blocks {
		if len(b.Instrs) == 0 {
			continue
		}
		if cond, is := b.Instrs[len(b.Instrs)-1].(*ssa.If); is && b.Succs[0] != b.Succs[1] {
			for k, truth := range []bool{true, false} {
				if said := g.says(cond.Cond, truth, 0); len(said) > 0 {
					g.arms[[2]int{b.Index, b.Succs[k].Index}] = said
				}
			}
		}
	}
	g.spread()
	c.of[f] = g
	return g
}

// spread finds for each block what holds at its beginning, on whatever way it is come to.
func (g *guards) spread() {
	for _, said := range g.arms {
		for n := range said {
			if g.in[n] == nil {
				g.in[n] = g.must(n)
			}
		}
	}
}

func (g *guards) must(n int) []fact {
	in := make([]fact, len(g.f.Blocks))
	for i := 1; i < len(in); i++ {
		in[i] = everyFact
	}
	for again := true; again; {
		again = false
		for _, b := range g.f.Blocks[1:] {
			all := everyFact
			for _, p := range b.Preds {
				all &= (in[p.Index] | g.arms[[2]int{p.Index, b.Index}][n]).closed()
			}
			if len(b.Preds) == 0 {
				all = 0
			}
			if all != in[b.Index] {
				in[b.Index], again = all, true
			}
		}
	}
	return in
}

// at is what holds of a value in a block.
func (g *guards) at(v ssa.Value, b *ssa.BasicBlock) fact {
	if in := g.in[g.num.of(v)]; in != nil {
		return in[b.Index]
	}
	return 0
}

// onArm is what holds of a value where a block leads to another.
func (g *guards) onArm(v ssa.Value, from, to *ssa.BasicBlock) fact {
	n := g.num.of(v)
	if in := g.in[n]; in != nil {
		return (in[from.Index] | g.arms[[2]int{from.Index, to.Index}][n]).closed()
	}
	return 0
}

// validator is a parameter of a function with a result that says whether it is accepted: a bool, or an error, which is then nil.
type validator struct {
	f             *ssa.Function
	param, result int
	truth         bool // the bool that accepts
}

// accepts is what holds of a parameter where it is accepted.
func (c *checker) accepts(v validator) fact {
	what, ok := c.accepted[v]
	if !ok {
		c.accepted[v] = 0 // where it calls itself
		what = c.onAccepting(v)
		c.accepted[v] = what
	}
	return what
}

// onAccepting looks at all ways on which a value is accepted.
func (c *checker) onAccepting(of validator) fact {
	g := c.guardsOf(of.f)
	if g == nil || of.param >= len(of.f.Params) {
		return 0
	}
	all, some, n := everyFact, false, g.num.of(of.f.Params[of.param])
	for v, b := range g.accepting(of) {
		holds := g.says(v, of.truth, 0)[n]
		if isError(v.Type()) {
			holds = g.noError(v, 0)[n]
		}
		if in := g.in[n]; in != nil {
			holds |= in[b.Index]
		}
		all, some = all&holds.closed(), true
	}
	if !some {
		return 0
	}
	return all
}

// accepting are the results of a function that may accept, and where it returns them.
func (g *guards) accepting(of validator) iter.Seq2[ssa.Value, *ssa.BasicBlock] {
	return func(yield func(ssa.Value, *ssa.BasicBlock) bool) {
		for _, b := range of.f.Blocks {
			r, is := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
			if !is || of.result >= len(r.Results) || b == of.f.Recover && !g.isRecovered(of.f) {
				continue
			}
			if v := returned(r, of.result); !g.refuses(v, of.truth, b) && !yield(v, b) {
				return
			}
		}
	}
}

// returned is a result. Functions that defer calls put it into a variable before these run.
func returned(r *ssa.Return, k int) ssa.Value {
	v := r.Results[k]
	load, is := v.(*ssa.UnOp)
	if !is || load.Op != token.MUL {
		return v
	}
	at, is := load.X.(*ssa.Alloc)
	if !is || slices.ContainsFunc(*at.Referrers(), func(i ssa.Instruction) bool { return !isLoadOrStore(i, at) }) {
		return v
	}
	for _, i := range slices.Backward(r.Block().Instrs) {
		if s, is := i.(*ssa.Store); is && s.Addr == at {
			return s.Val
		}
	}
	return v
}

func isLoadOrStore(i ssa.Instruction, at *ssa.Alloc) bool {
	switch i := i.(type) {
	case *ssa.UnOp, *ssa.DebugRef:
		return true
	case *ssa.Store:
		return i.Addr == at
	}
	return false
}

// isRecovered reports whether a function may return after a panic: something that it defers may call recover.
func (g *guards) isRecovered(f *ssa.Function) bool {
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if d, is := i.(*ssa.Defer); is && g.mayRecover(&d.Call) {
				return true
			}
		}
	}
	return false
}

// mayRecover is about a deferred call. Functions of the standard library do not recover, nor do methods of interfaces but for those of
// which one of the program does.
func (c *checker) mayRecover(of *ssa.CallCommon) bool {
	f := of.StaticCallee()
	switch {
	case f != nil && f.Blocks != nil:
		return recovers(f)
	case f != nil:
		return !c.p.standard[names.Package(f)]
	case !of.IsInvoke():
		_, builtin := of.Value.(*ssa.Builtin)
		return !builtin || of.Value.Name() == "recover"
	}
	if c.recovering == nil {
		c.recovering = make(map[string]bool)
		for f := range c.p.names.Functions() {
			if f.Signature.Recv() != nil && recovers(f) {
				c.recovering[f.Name()] = true
			}
		}
	}
	return c.recovering[of.Method.Name()]
}

// refuses reports whether a result says that a value is not accepted.
func (g *guards) refuses(v ssa.Value, truth bool, b *ssa.BasicBlock) bool {
	if !isError(v.Type()) {
		c, is := v.(*ssa.Const)
		return is && c.Value != nil && c.Value.Kind() == constant.Bool && constant.BoolVal(c.Value) != truth
	}
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return true
	case *ssa.UnOp:
		_, is := v.X.(*ssa.Global)
		return is
	case *ssa.Call:
		if f := v.Call.StaticCallee(); f != nil {
			switch ruleName(f) {
			case "errors.New", "fmt.Errorf":
				return true
			}
		}
	}
	for ; len(b.Preds) == 1; b = b.Preds[0] { // an error that is there
		if cond, is := b.Preds[0].Instrs[len(b.Preds[0].Instrs)-1].(*ssa.If); is {
			there := b.Preds[0].Succs[0] == b
			if c, is := cond.Cond.(*ssa.BinOp); is && c.X == v && isNil(c.Y) && (c.Op == token.NEQ) == there {
				return true
			}
		}
	}
	return false
}

func isNil(v ssa.Value) bool {
	c, is := v.(*ssa.Const)
	return is && c.IsNil()
}

package front

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"

	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// lowering turns one kernel into a program. Helpers are inlined as the walk meets them; a
// frame holds what belongs to the function that is being walked.
type lowering struct {
	src  *source
	b    *build.Builder
	name string
	size [3]uint32
	fr   *frame

	objects  []*object
	free     map[shape][]*object         // local arrays that nobody uses any more
	rest     bool                        // gpu.SharedRest was called
	nested   int                         // branches and loops around the current point
	loops    int                         // loops around it, those of the callers too
	blocks   int                         // labelled blocks around it
	open     []int                       // the loops around it, numbered
	opened   int                         // loops so far
	numbers  map[build.Value]int         // constants that stand for functions
	current  token.Pos                   // of what is being lowered
	inlined  map[*types.Func]int         // how often
	widened  map[build.Value]build.Value // 64-bit integers by the 32-bit value that they equal
	named    map[build.Value]bool
	panics   map[string]bool          // positions of panic
	hint     string                   // name of the variable that the current expression will be
	cache    ir.Hint                  // of the loads and stores of the current call
	checked  bool                     // they may be out of bounds: the call is gpu.At or gpu.Put
	tags     uint32                   // gpu.Trace calls so far
	tables   map[tableField]ir.Object // of package variables that computed values index
	banks    map[*table]*bank         // of those of which there are slices
	shared   map[*turns]*bank         // the arrays of slices that take turns
	makings  map[string]int           // how often a slice was made, by expression and calls around it
	reached  func(token.Pos) bool     // whether the kernel calls what has a position
	filled   map[*types.Var]*node     // package variables that this program fills
	begins   *types.Package           // whose variables are as their initialisers say, but for those
	computed *computedIndices
	retry    bool // one more was found: the kernel is lowered again
	work     int  // operations so far
	depth    int  // of expressions and statements
	stopped  bool // a limit was exceeded; the rest would only add to it
	refused  bool
	spoilt   bool // an expression was refused
}

// frame is one function being inlined; the outermost is the kernel itself.
type frame struct {
	up      *frame
	fn      *types.Func
	of      *function // nil for the kernel
	args    []val
	env     env
	facts   *facts
	vars    map[types.Object]*node
	call    *ir.Pos // where it is called
	locals  []*object
	kept    bool // a function value that was assigned may use them when this function has returned
	results []*node
	returns *build.Label // block to leave; nil for the kernel, and where the one return stands last
	given   []val        // what that one return gave
	targets []target
	regions int                // around its statements
	leaves  bool               // the function returns: what a result refers to is what this round declared
	done    map[ast.Expr][]val // what first has evaluated and nobody has used yet
}

// target is a statement that break or continue can name.
type target struct {
	label string
	jump  string // the label, if it is one for goto alone
	loop  bool
	exit  build.Label
	next  build.Label // of a loop
	block bool        // next is a block to leave, not a loop to continue
	over  *iteration  // of a range over a function: what else a break does
}

// lowerAll compiles a kernel, or every instance of a generic one.
func (s *source) lowerAll(m *marked, names map[string]bool) []*Kernel {
	fn, ok := s.info.Defs[m.decl.Name].(*types.Func)
	if !ok {
		return nil
	}
	complain := func(text string) { s.found.add(finding(m.at, m.decl.Name.Name, badDirective, text)) }
	d := m.directive
	params := fn.Signature().TypeParams()
	switch {
	case params.Len() > 1:
		complain(fmt.Sprintf("a kernel has at most one type parameter, not %d", params.Len()))
		return nil
	case params.Len() == 0 && d.TypeParam != "":
		complain("types given for a function without type parameter")
		return nil
	case params.Len() == 1 && d.TypeParam == "":
		complain(fmt.Sprintf("the directive gives no types for type parameter %s", params.At(0).Obj().Name()))
		return nil
	case params.Len() == 1 && d.TypeParam != params.At(0).Obj().Name():
		complain(fmt.Sprintf("the type parameter is %s, not %s", params.At(0).Obj().Name(), d.TypeParam))
		return nil
	}
	base := d.Name
	if base == "" {
		base = fn.Name()
	}
	if params.Len() == 0 {
		if k := s.lower(m, fn, base, nil, names); k != nil {
			return []*Kernel{k}
		}
		return nil
	}
	var out []*Kernel
	for _, text := range d.Types {
		t := lookupType(fn.Pkg(), text)
		if t == nil {
			complain(fmt.Sprintf("%s is no type that this file knows", text))
			continue
		}
		if hasInvalid(t, nil) {
			complain(fmt.Sprintf("%s depends on a package that the compiler was not given", text))
			continue
		}
		if _, err := types.Instantiate(s.context.Context, fn.Type(), []types.Type{t}, true); err != nil {
			complain(err.Error())
			continue
		}
		suffix := text[strings.LastIndexByte(text, '.')+1:]
		if k := s.lower(m, fn, base+"_"+suffix, env{params.At(0): t}, names); k != nil {
			k.TypeArg = text
			out = append(out, k)
		}
	}
	return out
}

// lookupType finds a type that a directive names: predeclared, of the package, or of one that it imports.
func lookupType(pkg *types.Package, name string) types.Type {
	var o types.Object
	if from, local, ok := strings.Cut(name, "."); ok {
		for _, p := range pkg.Imports() {
			if p.Name() == from {
				o = p.Scope().Lookup(local)
			}
		}
	} else if o = pkg.Scope().Lookup(name); o == nil {
		o = types.Universe.Lookup(name)
	}
	if t, ok := o.(*types.TypeName); ok {
		return t.Type()
	}
	return nil
}

// lower compiles one kernel; nil if anything was found.
func (s *source) lower(m *marked, fn *types.Func, name string, e env, names map[string]bool) *Kernel {
	if names[name] {
		s.found.add(finding(m.at, fn.Name(), badName, fmt.Sprintf("second kernel of the name %s", name), "give one of them another, as name=F in the directive"))
		return nil
	}
	names[name] = true
	computed := newComputed()
	for {
		k, again := s.lowerOnce(m, fn, name, e, computed)
		if !again {
			return k
		}
	}
}

func newComputed() *computedIndices {
	return &computedIndices{records: make(map[recordKey]bool), vars: make(map[any]map[string]bool), turns: make(map[string]*turns)}
}

// newLowering begins a program with groups of some size.
func (s *source) newLowering(of, name string, size [3]uint32, computed *computedIndices) *lowering {
	return &lowering{src: s, name: of, size: size, computed: computed, b: build.New(name, build.Workgroup(size[:]...)),
		numbers: make(map[build.Value]int), widened: make(map[build.Value]build.Value), named: make(map[build.Value]bool), tables: make(map[tableField]ir.Object), banks: make(map[*table]*bank), shared: make(map[*turns]*bank), makings: make(map[string]int), free: make(map[shape][]*object), inlined: make(map[*types.Func]int), panics: make(map[string]bool)}
}

// lowerOnce compiles a kernel, given which arrays are known to be indexed by computed values. If it finds another it
// notes it there and asks for one more try.
func (s *source) lowerOnce(m *marked, fn *types.Func, name string, e env, computed *computedIndices) (k *Kernel, again bool) {
	l := s.newLowering(fn.Name(), name, m.directive.Workgroup, computed)
	l.fr = &frame{fn: fn, env: e, facts: s.factsOf(m.decl), vars: make(map[types.Object]*node)}
	reached := s.reach([]*marked{m})
	l.reached = within(reached)
	if l.foreign(reached) {
		return nil, false
	}
	k = &Kernel{Name: name, Func: fn.Name(), Doc: m.decl.Doc.Text(), Directive: m.directive, Pos: s.pos(m.decl.Name.Pos())}
	l.signature(m, k)
	if m.decl.Body == nil {
		l.refuse(m.decl.Pos(), noUnsafe, "a function without a body")
		return nil, false
	}
	l.block(m.decl.Body.List)
	if l.retry && !l.refused {
		return nil, true
	}
	l.inferAccess()
	if l.spoilt && !l.refused {
		panic("BUG: front: " + name + ": an expression was refused without a finding")
	}
	if l.refused || m.directive.Workgroup[0] == 0 {
		return nil, false
	}
	p, err := l.b.Program()
	if err != nil {
		l.reportVerifier(err, k.Pos)
		return nil, false
	}
	k.Program = p
	if m.directive.Unchecked {
		l.refuseChecks(k)
	}
	return k, false
}

// refuseChecks refuses the accesses of a kernel with checks=none that keep a bounds check. A program that the passes refuse
// is refused again, with the reason, where it is compiled for a device.
func (l *lowering) refuseChecks(k *Kernel) {
	kept, err := opt.BoundsChecks(k.Program)
	if err != nil {
		return
	}
	for _, n := range kept {
		l.src.found.add(finding(n.Pos, k.Name, keptCheck, n.Msg))
	}
}

// signature declares the parameters of the program. One that is refused gets no storage, and its uses say
// nothing more.
func (l *lowering) signature(m *marked, k *Kernel) {
	if !l.admitSignature(m) {
		return
	}
	ps := l.fr.fn.Signature().Params()
	l.fr.vars[ps.At(0)] = &node{typ: ps.At(0).Type()}
	d := declaring{big: slices.Clone(m.directive.Big), long: slices.Clone(m.directive.Long)}
	for i := 1; i < ps.Len(); i++ {
		p := ps.At(i)
		t := l.subst(p.Type())
		l.at(p.Pos())
		if isPointer(t) {
			l.refuse(p.Pos(), noPointer, "a parameter of a kernel that is a pointer")
			continue
		}
		if !l.admit(p.Pos(), t) {
			continue
		}
		if param, init, ok := l.parameter(&d, p, t, i); ok {
			k.Params = append(k.Params, param)
			l.newVar(p, t, !l.fr.facts.assigned[p], init)
		}
	}
	for _, name := range d.big {
		l.src.found.add(finding(m.at, l.name, badDirective, fmt.Sprintf("big=%s names no slice parameter", name)))
		l.refused = true
	}
	for _, name := range d.long {
		l.src.found.add(finding(m.at, l.name, badDirective, fmt.Sprintf("long=%s names no slice parameter of numbers, or one that is big", name)))
		l.refused = true
	}
}

// admitSignature reports whether there are parameters to declare, and refuses what a kernel may not have beside them.
func (l *lowering) admitSignature(m *marked) bool {
	sig := l.fr.fn.Signature()
	ps := sig.Params()
	at := m.decl.Name.Pos()
	bad := func(p token.Pos, what, instead string) { l.refuse(p, badSignature, what, instead) }
	if sig.Recv() != nil {
		bad(at, "a kernel is a method", "make it a function")
	}
	if m.decl.Name.Name == "_" {
		bad(at, "a kernel is called _, and nothing can refer to it", "give it a name")
	}
	if ps.Len() == 0 || !isThread(ps.At(0).Type()) {
		bad(at, "the first parameter is not a gpu.Thread", "write func "+m.decl.Name.Name+"(t gpu.Thread, …)")
		return false
	}
	if sig.Results().Len() > 0 {
		bad(m.decl.Type.Results.Pos(), "a kernel has a result", "write it to a buffer")
	}
	if sig.Variadic() {
		bad(ps.At(ps.Len()-1).Pos(), "a kernel is variadic", "name each parameter")
		return false
	}
	if n := ps.Len() - 1; n > maxParams {
		l.refuse(at, overLimit, fmt.Sprintf("%d parameters exceed the limit of %d", n, maxParams), "pack scalars into a buffer")
		return false
	}
	return true
}

// declaring is how far the parameters of a program are declared.
type declaring struct {
	big, long []string // of the directive, that no parameter has had yet
	taken     int      // parameters of the program
}

// parameter declares parameter i of the kernel, of type t. It reports false for one that it refused.
func (l *lowering) parameter(d *declaring, p *types.Var, t types.Type, i int) (param Param, init val, ok bool) {
	name := p.Name()
	if name == "" || name == "_" {
		name = fmt.Sprintf("p%d", i)
	}
	param = Param{Name: p.Name(), GoType: typeName(t), Type: t, Lanes: 1, First: d.taken}
	d.taken++
	if sl, isSlice := t.Underlying().(*types.Slice); isSlice {
		if e, _ := elementOf(sl.Elem()); e == ir.None && !l.admitRecord(p.Pos(), sl.Elem(), true) {
			return param, init, false
		}
		init = l.sliceParameter(d, &param, name, t, sl.Elem())
		return param, init, true
	}
	if param.Elem = scalarOf(t); param.Elem != ir.None {
		return param, scalar(t, l.b.Scalar(name, param.Elem)), true
	}
	switch n := cells(t); {
	case n > 0 && n <= maxParams:
		init = l.partsOfParam(&param, t, name, "")
		d.taken += len(param.Parts) - 1
		return param, init, true
	case n > maxParams:
		l.refuse(p.Pos(), overLimit, fmt.Sprintf("parameter %s is a %s of %d scalars, more than %d", name, typeName(t), n, maxParams), "pass it as a slice of one element")
	case isFunc(t):
		l.refuse(p.Pos(), badSignature, "parameter "+name+" is a function", "pass a number, and choose by it in an array of functions")
	default:
		l.refuse(p.Pos(), badSignature, fmt.Sprintf("parameter %s is a %s, neither a slice nor a scalar", name, typeName(t)), "leave it out, or pass its length")
	}
	return param, init, false
}

// sliceParameter declares a buffer, as long as the directive allows.
func (l *lowering) sliceParameter(d *declaring, param *Param, name string, t, elem types.Type) val {
	named := func(n string) bool { return n == param.Name }
	isLong := slices.ContainsFunc(d.long, named)
	param.Big = slices.ContainsFunc(d.big, named)
	d.big = slices.DeleteFunc(d.big, named)
	if isLong && !param.Big && scalarOf(elem) != ir.None {
		d.long = slices.DeleteFunc(d.long, named)
	}
	param.Elem, param.Lanes = elementOf(elem)
	param.Buffer = true
	o := l.buffer(name, elem, *param)
	if isLong {
		l.b.SetMaxLen(o.id, math.MaxUint32)
	}
	return val{typ: t, view: &view{obj: o}}
}

// partsOfParam declares a parameter of the program for each scalar of a struct or an array that is passed by value.
// path says where in it t lies.
func (l *lowering) partsOfParam(p *Param, t types.Type, name, path string) val {
	if e := scalarOf(t); e != ir.None {
		p.Parts = append(p.Parts, Part{Path: path, Elem: e})
		return scalar(t, l.b.Scalar(name+path, e))
	}
	if isComplex(t) {
		e := scalarOf(floatOf(t))
		p.Parts = append(p.Parts, Part{path, e, "real"}, Part{path, e, "imag"})
		re := scalar(floatOf(t), l.b.Scalar(name+path+".re", e))
		return complexOf(t, re, scalar(floatOf(t), l.b.Scalar(name+path+".im", e)))
	}
	n, part := partsOf(t)
	s := fieldsOf(t)
	x := val{typ: t, kids: make([]val, n)}
	for i := range x.kids {
		switch {
		case s == nil:
			x.kids[i] = l.partsOfParam(p, part(i), name, path+"["+decimal(int64(i))+"]")
		case s.Field(i).Name() == "_":
			x.kids[i] = l.zeroOf(part(i))
		default:
			x.kids[i] = l.partsOfParam(p, part(i), name, path+"."+s.Field(i).Name())
		}
	}
	return x
}

const maxParams = 128 // spec of the program form: parameters of a kernel

func (l *lowering) buffer(name string, t types.Type, p Param) *object {
	var o *object
	if p.Elem == ir.None {
		o = l.recordBuffer(name, t, p.Big)
	} else {
		o = &object{id: l.b.Buffer(name, p.Elem, ir.RW), name: name, elem: p.Elem, lanes: p.Lanes, buffer: true, wide: p.Big, count: -1}
	}
	if p.Big {
		l.b.SetMaxLen(o.id, 1<<40)
	}
	l.objects = append(l.objects, o)
	return o
}

// at makes p the position of the rows that follow.
func (l *lowering) at(p token.Pos) {
	l.current = p
	pos := l.src.pos(p)
	pos.Call = l.fr.call
	l.b.At(pos)
}

// nameValue gives a value the name of the first variable that held it.
func (l *lowering) nameValue(v build.Value, name string) {
	if name != "" && !l.named[v] {
		l.named[v] = true
		l.b.Name(v, name)
	}
}

// typeOf returns the type of an expression, with type arguments in place. An expression for which go/types
// records none is invalid.
func (l *lowering) typeOf(e ast.Expr) types.Type {
	if t := l.src.info.TypeOf(e); t != nil {
		return l.subst(t)
	}
	return types.Typ[types.Invalid]
}

// reportVerifier passes on what the verifier found. A return by panic that strands a
// barrier, and a limit that inlining exceeded, are told as what they are in Go.
func (l *lowering) reportVerifier(err error, at ir.Pos) {
	var ds ir.Diags
	if !errors.As(err, &ds) {
		l.src.found.add(ir.Diag{Row: ir.NoRow, Kernel: l.name, Msg: err.Error(), Pos: at})
		return
	}
	for _, d := range ds {
		d.Kernel = l.name
		if d.Pos.File == "" {
			d.Pos = at
		}
		if d.Code == "VY502" {
			d = finding(d.Pos, l.name, overLimit, d.Msg, l.whatGrew())
		}
		if d.Code == "VY404" {
			for _, n := range d.Related {
				if l.panics[n.Pos.String()] {
					call, _, _ := strings.Cut(d.Msg, " ")
					v := finding(n.Pos, l.name, panicBarrier, call)
					v.Related = []ir.Note{{Row: d.Row, Pos: d.Pos, Msg: d.Msg}}
					d = v
					break
				}
			}
		}
		l.src.found.add(d)
	}
}

// whatGrew names the helper that is inlined most often.
func (l *lowering) whatGrew() string {
	most := ""
	n := 1
	for fn, calls := range l.inlined {
		if calls > n || calls == n && n > 1 && fn.FullName() < most {
			most, n = fn.FullName(), calls
		}
	}
	if most == "" {
		return "split the kernel"
	}
	return fmt.Sprintf("%s is inlined %d times: call it in a loop, or split the kernel", most, n)
}

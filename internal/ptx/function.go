package ptx

import (
	"fmt"

	"github.com/govyre/vyre/internal/carry"
	"github.com/govyre/vyre/ir"
)

// function is one kernel on its way from a program to text.
type function struct {
	p       *ir.Program
	t       Target
	entry   string
	size    [3]uint32
	version version // lowest that has what the instructions use; zero for any
	layout  Params
	params  []paramDecl
	hidden  struct{ grid, trap, trace, checks symbol }
	parted  int // how many disjunctions were parted from conjunctions
	spilled int // how many predicates are kept as words
	vars    []variable
	tables  []table
	names   []string // by symbol
	objs    []object
	// constants is how many bytes of constant memory the tables may take.
	constants int
	extern    bool // shared arrays lie in the segment that comes with the launch

	static, dynamic, restElem, local int

	regs   [numClasses]uint32 // registers in use by class
	labels uint64
	insts  []inst
	counts registry  // memory of the last one
	sel    *selector // until places are worked out, it has the instructions
	at     ir.Row    // where the stage is, for errors
	lines  []Line    // of the text, once printed

	inLanes []bool // by row: an index that is consecutive over the lanes of a warp; nil if none was looked for
	looped  []bool // by region: it is in a loop
	chains  *carry.Chains

	lists    []reg // registers of vectors
	accesses []access
	copying  []copying

	visits int        // instructions that the stages looked at, for the test of linear work
	trace  func(Step) // nil if none was asked for
	traced string     // listing of the last step
	val    []operand  // by row: where its value is
}

// paramDecl is one parameter as the entry declares it.
type paramDecl struct {
	decl string
	name symbol
}

// variable is an array that the function declares.
type variable struct {
	space space
	name  symbol
	bytes int
}

// object is a buffer or array as the code gets at it.
type object struct {
	ir.ObjectInfo
	space space
	sized ir.Object // the first object of the same length: another field of the same records
	sym   symbol    // of the array, or of the parameter with the buffer's address
	count symbol    // of the parameter with the buffer's element count
	off   uint32    // of a shared array in the extern segment
	base  reg       // address of element 0, once asked for
	lens  map[lenKey]reg
}

// newFunction is one without instructions yet, in a module of so many kernels.
func newFunction(p *ir.Program, t Target, entry string, kernels int) *function {
	return &function{p: p, t: t, entry: entry, size: p.Workgroup(), layout: Layout(p), names: []string{""}, at: ir.NoRow,
		constants: constantMemory / kernels}
}

// symbol makes a name. Prefixes keep names apart from each other and from words of the assembler.
//
//go:noinline
func (f *function) symbol(format string, args ...any) symbol {
	f.names = append(f.names, fmt.Sprintf(format, args...))
	return symbol(len(f.names) - 1)
}

func (f *function) newReg(c class) reg {
	f.regs[c]++
	return makeReg(c, f.regs[c])
}

func (f *function) newLabel() uint64 {
	f.labels++
	return f.labels
}

// vec makes an operand of registers in braces.
func (f *function) vec(x ...reg) operand {
	f.lists = append(f.lists, x...)
	return operand{kind: isVec, reg: reg(len(x)), bits: uint64(len(f.lists) - len(x))}
}

// list returns the registers of a vector.
func (f *function) list(o *operand) []reg { return f.lists[o.bits : o.bits+uint64(o.reg)] }

// access makes an operand of a place in memory that is not yet worked out.
func (f *function) access(a access) operand {
	f.accesses = append(f.accesses, a)
	return operand{kind: isAccess, bits: uint64(len(f.accesses) - 1)}
}

// copyOf returns the parallel copy that in is.
func (f *function) copyOf(in *inst) *copying { return &f.copying[in.src[0].bits] }

// need raises the PTX version to one that has a feature.
func (f *function) need(major, minor int) {
	if v := (version{major, minor}); f.version.less(v) {
		f.version = v
	}
}

// declare lays out parameters, shared and local arrays.
func (f *function) declare() {
	params := f.p.Params()
	objs := f.p.Objects()
	f.objs = make([]object, len(objs))
	next := 0
	for i := range params {
		q := &params[i]
		name := symbolText(q.Name, 200)
		if q.IsBuffer() {
			base, count := f.symbol("p%d_%s", i, name), f.symbol("n%d_%s", i, name)
			for ; next < len(f.objs) && objs[next].Param != nil && objs[next].Index == i; next++ {
				f.objs[next].space, f.objs[next].sym, f.objs[next].count = global, base, count
			}
			f.params = append(f.params,
				paramDecl{fmt.Sprintf(".u64 .ptr .global .align %d", 1<<q.Align), base}, paramDecl{".u64", count})
			continue
		}
		decl := map[ptype]string{tF32: ".f32", tF64: ".f64", tS64: ".u64", tU64: ".u64"}[arith(q.Type)]
		if decl == "" {
			decl = ".b32"
		}
		f.params = append(f.params, paramDecl{decl, f.symbol("p%d_%s", i, name)})
	}
	hide := func(offset int, name string) symbol {
		if offset < 0 {
			return noSymbol
		}
		sym := f.symbol("%s", name)
		f.params = append(f.params, paramDecl{".u64 .ptr .global .align 8", sym})
		return sym
	}
	f.hidden.grid = hide(f.layout.Grid, "vy_grid")
	f.hidden.trap = hide(f.layout.Trap, "vy_trap")
	f.hidden.trace = hide(f.layout.Trace, "vy_trace")
	f.hidden.checks = hide(f.layout.Checks, "vy_checks")
	for i, o := range objs {
		f.objs[i].ObjectInfo = o
		f.objs[i].sized = o.First
		for objs[f.objs[i].sized].Count() != o.Count() {
			f.objs[i].sized++
		}
		f.objs[i].lens = make(map[lenKey]reg)
	}
	f.arrays()
	f.placeTables()
}

// staticShared is the shared memory that code may declare; what needs more gets it with the launch.
const staticShared = 48 << 10

// hiddenCells is the name of the cells after the shared arrays through which voting barriers talk;
// hiddenBytes is their size.
const (
	hiddenCells = "vy_cells"
	hiddenBytes = 32
)

// arrays places shared and local arrays.
func (f *function) arrays() {
	total := int(f.p.SharedBytes())
	f.extern = total > staticShared || f.p.Traits().SharedRest
	at := 0
	for i := range f.objs {
		o := &f.objs[i]
		a := o.Array
		switch {
		case a == nil || o.Table():
			continue
		case !a.Shared:
			o.space, o.sym = local, f.symbol("l%d_%s", o.Index, symbolText(a.Name, 200))
			bytes := int(a.Len) * a.Type.Size()
			f.vars = append(f.vars, variable{local, o.sym, bytes})
			f.local += (bytes + 15) &^ 15
			continue
		}
		o.space = shared
		bytes := 0
		if a.Len == ir.RestLen {
			f.restElem = a.Type.Size()
			at = (total + 15) &^ 15 // after the hidden cells
		} else {
			bytes = int(a.Len) * a.Type.Size()
		}
		o.off = uint32(at)
		at = (at + bytes + 15) &^ 15
		if !f.extern {
			o.off, o.sym = 0, f.symbol("s%d_%s", o.Index, symbolText(a.Name, 200))
			f.vars = append(f.vars, variable{shared, o.sym, bytes})
		}
	}
	switch {
	case !f.extern:
		f.static = total
	case f.restElem > 0:
		f.dynamic = (total + 15) &^ 15
	default:
		f.dynamic = total
	}
	if f.extern {
		sym := f.symbol("%s", externShared)
		for i := range f.objs {
			if f.objs[i].space == shared {
				f.objs[i].sym = sym
			}
		}
	}
}

// kernel describes f to a launch.
func (f *function) kernel() Kernel {
	k := Kernel{Entry: f.entry, Params: f.layout, Program: f.p, Static: f.static, Dynamic: f.dynamic,
		RestElem: f.restElem, Local: f.local, Lines: f.lines}
	for _, t := range f.tables {
		k.Tables += len(t.Table)
	}
	return k
}

func (f *function) collectFiles(files *fileTable) {
	for r := range ir.Row(f.p.Rows()) {
		if pos := f.p.Pos(r); pos.Line > 0 {
			files.add(pos.File)
		}
	}
}

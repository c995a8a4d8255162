package names

import (
	"cmp"
	"fmt"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// Program names the functions of a program, and puts them in order. It is not safe for use by several goroutines.
type Program struct {
	prog    *ssa.Program
	names   map[*ssa.Function]string
	all     map[*ssa.Function]bool // see Functions
	wrapped map[*ssa.Function]use  // of what method values and expressions are; see key
}

// New returns the names of a program, all packages of which are built.
func New(prog *ssa.Program) *Program {
	return &Program{prog: prog, names: make(map[*ssa.Function]string)}
}

// Functions are all that are there, whether or not something leads to them.
func (p *Program) Functions() map[*ssa.Function]bool {
	if p.all == nil {
		p.all = ssautil.AllFunctions(p.prog)
	}
	return p.all
}

// Of is the name of a function, which is made once.
func (p *Program) Of(f *ssa.Function) string {
	name, ok := p.names[f]
	if !ok {
		name = Of(f)
		p.names[f] = name
	}
	return name
}

// Sort orders functions by name, then by where they stand, then by what else they are: it does not depend on how they were
// found.
func (p *Program) Sort(list []*ssa.Function) {
	type keyed struct {
		f             *ssa.Function
		name, at, key string
	}
	keys := make([]keyed, len(list))
	for i, f := range list {
		keys[i] = keyed{f: f, name: p.Of(f), at: p.Position(f)}
	}
	compare := func(a, b keyed) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.at, b.at), strings.Compare(a.key, b.key))
	}
	slices.SortFunc(keys, compare)
	for from := 0; from < len(keys); {
		to := from + 1
		for to < len(keys) && compare(keys[from], keys[to]) == 0 {
			to++
		}
		if to > from+1 { // few are, and keys are long
			for i := from; i < to; i++ {
				keys[i].key = p.key(keys[i].f)
			}
			slices.SortFunc(keys[from:to], compare)
		}
		from = to
	}
	for i, k := range keys {
		list[i] = k.f
	}
}

// use is an operand of a function, counted from its beginning.
type use struct {
	in *ssa.Function
	at int
}

// key tells functions of one name apart that stand in the same place: instances for types of functions, and what method values
// and expressions are, of which each place of the source has its own. Those are told apart by that place.
func (p *Program) key(f *ssa.Function) string {
	if f.Parent() != nil {
		return p.key(f.Parent()) + ordinalWithin(f)
	}
	w := nameWriter{files: p.prog.Fset}
	w.function(f)
	if u, is := p.wrappers()[f]; is {
		fmt.Fprintf(&w, " in %s %s %06d", p.key(u.in), p.Position(u.in), u.at)
	}
	return w.String()
}

// wrappers finds where method values and expressions stand.
func (p *Program) wrappers() map[*ssa.Function]use {
	if p.wrapped != nil {
		return p.wrapped
	}
	p.wrapped = make(map[*ssa.Function]use)
	var operands []*ssa.Value
	for in := range p.Functions() {
		at := 0
		for _, b := range in.Blocks {
			for _, i := range b.Instrs {
				operands = i.Operands(operands[:0])
				for _, o := range operands {
					at++
					f, is := (*o).(*ssa.Function)
					if is && p.wrapped[f].in == nil && (isBound(f) || isThunk(f)) {
						p.wrapped[f] = use{in, at}
					}
				}
			}
		}
	}
	return p.wrapped
}

// Position is where a function stands: the path of its package, the file's name, line and column. It is the same on every
// machine. Functions that the compiler makes stand nowhere.
func (p *Program) Position(f *ssa.Function) string {
	at := p.prog.Fset.Position(f.Pos())
	if !at.IsValid() {
		return ""
	}
	return string(AppendPosition(nil, Package(f), at))
}

// AppendPosition writes a position that is the same on every machine: the path of the package, the file's name, line and column.
func AppendPosition(to []byte, in string, at token.Position) []byte {
	to = append(append(to, in...), '/')
	return AppendLine(append(to, path.Base(strings.ReplaceAll(at.Filename, `\`, "/"))...), at)
}

// AppendLine writes the line and the column of a position behind the name of a file.
func AppendLine(to []byte, at token.Position) []byte {
	to = strconv.AppendInt(append(to, ':'), int64(at.Line), 10)
	return strconv.AppendInt(append(to, ':'), int64(at.Column), 10)
}

// Package is the path of the package that a function was written in.
func Package(f *ssa.Function) string {
	for of := f; of != nil; of = of.Parent() {
		if origin := of.Origin(); origin != nil {
			of = origin
		}
		if of.Pkg != nil {
			return of.Pkg.Pkg.Path()
		}
		if o := of.Object(); o != nil && o.Pkg() != nil {
			return o.Pkg().Path()
		}
	}
	return ""
}

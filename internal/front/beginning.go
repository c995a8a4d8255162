package front

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
)

// maxInits bounds the functions init of a package that may fill tables.
const maxInits = 64

// filling is what is known of functions and variables before main begins.
type filling struct {
	now    map[tableKey]bool // tables that are being computed
	steps  uint64            // for all tables so far
	starts map[*types.Package]func(token.Pos) bool
	inits  map[*types.Package][]*initFunc
	givers map[token.Pos]token.Pos // uses of functions that may hand out references, with their declarations
}

// initFunc is a function init with the variables of its package that it may write to, and those that it names.
type initFunc struct {
	decl           *ast.FuncDecl
	written, named map[*types.Var]bool
}

// starting returns what tells whether a position is in a function that runs before main begins and never after: init, and what only
// such functions of the package name.
func (s *source) starting(p *types.Package) func(token.Pos) bool {
	if s.filling.starts == nil {
		s.filling.starts = s.startsOf()
	}
	if inside := s.filling.starts[p]; inside != nil {
		return inside
	}
	return func(token.Pos) bool { return false }
}

// startsOf is starting for all packages. A function that others may call by another name is left out: an exported one, and a method
// with a name that an interface has.
func (s *source) startsOf() map[*types.Package]func(token.Pos) bool {
	in := make(map[*ast.FuncDecl][]*types.Func) // the functions that one names
	left := make(map[*types.Func]int)           // names of a function elsewhere
	decls := slices.SortedFunc(maps.Values(s.funcs), func(a, b *ast.FuncDecl) int { return cmp.Compare(a.Pos(), b.Pos()) })
	for id, o := range s.info.Uses {
		if fn, ok := o.(*types.Func); ok {
			left[fn.Origin()]++
			i, _ := slices.BinarySearchFunc(decls, id.Pos(), func(d *ast.FuncDecl, p token.Pos) int { return cmp.Compare(d.Pos(), p) })
			if i > 0 && id.Pos() < decls[i-1].End() {
				in[decls[i-1]] = append(in[decls[i-1]], fn.Origin())
			}
		}
	}
	dynamic := make(map[string]bool)
	var todo []*types.Func
	for id, o := range s.info.Defs {
		switch fn, ok := o.(*types.Func); {
		case ok && fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type()):
			dynamic[id.Name] = true
		case ok && isInit(s.funcs[fn]):
			todo = append(todo, fn)
		}
	}
	found := make(map[*types.Package]map[*ast.FuncDecl]bool)
	for len(todo) > 0 {
		fn := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if found[fn.Pkg()] == nil {
			found[fn.Pkg()] = make(map[*ast.FuncDecl]bool)
		}
		found[fn.Pkg()][s.funcs[fn]] = true
		for _, g := range in[s.funcs[fn]] {
			if left[g]--; left[g] == 0 && s.funcs[g] != nil && !g.Exported() && !dynamic[g.Name()] {
				todo = append(todo, g)
			}
		}
	}
	starts := make(map[*types.Package]func(token.Pos) bool)
	for p, decls := range found {
		starts[p] = within(decls)
	}
	return starts
}

// isInit reports whether a declaration is of a function that runs before main.
func isInit(d *ast.FuncDecl) bool {
	return d != nil && d.Recv == nil && d.Name.Name == "init" && d.Body != nil
}

// beginning is what fills package variables: functions init in the order in which they run, and the variables that these write to.
type beginning struct {
	inits  []*ast.FuncDecl
	filled []*types.Var
}

// beginningOf returns what fills v: the functions init that may write to it, those before them that may write to what they read, and
// so on. ok: there are not too many functions init.
func (s *source) beginningOf(v *types.Var) (b beginning, ok bool) {
	all := s.initsIn(v.Pkg())
	if len(all) > maxInits {
		return b, false
	}
	need, filled := map[*types.Var]bool{v: true}, make(map[*types.Var]bool)
	for _, f := range slices.Backward(all) {
		for w := range f.written {
			if need[w] {
				b.inits = append(b.inits, f.decl)
				maps.Copy(need, f.named)
				maps.Copy(filled, f.written)
				break
			}
		}
	}
	slices.Reverse(b.inits)
	b.filled = slices.SortedFunc(maps.Keys(filled), func(a, b *types.Var) int { return cmp.Compare(a.Pos(), b.Pos()) })
	return b, true
}

// initsIn returns the functions init of a package, in the order in which the go command has its files.
func (s *source) initsIn(p *types.Package) []*initFunc {
	if list, ok := s.filling.inits[p]; ok {
		return list
	}
	var list []*initFunc
	for _, f := range s.files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && isInit(d) && s.info.Defs[d.Name] != nil && s.info.Defs[d.Name].Pkg() == p {
				list = append(list, &initFunc{decl: d})
			}
		}
	}
	name := func(f *initFunc) string { return filepath.Base(s.pos(f.decl.Pos()).File) }
	slices.SortStableFunc(list, func(a, b *initFunc) int { return cmp.Compare(name(a), name(b)) })
	if len(list) <= maxInits {
		for _, f := range list {
			f.written, f.named = s.touched(f.decl, p)
		}
	}
	s.filling.inits[p] = list
	return list
}

// touched returns the variables of a package that a function, or what it calls, may write to, and those that it names.
func (s *source) touched(d *ast.FuncDecl, p *types.Package) (written, named map[*types.Var]bool) {
	reached := s.reachFrom([]*ast.FuncDecl{d})
	inside := within(reached)
	written, named = make(map[*types.Var]bool), make(map[*types.Var]bool)
	for e := range reached {
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if v := packageVar(s.info.Uses[id]); v != nil && v.Pkg() == p {
					named[v] = true
				}
			}
			return true
		})
	}
	for v := range named {
		if slices.ContainsFunc(s.globals.uses[v], func(u use) bool { return inside(u.at) }) {
			written[v] = true
		}
	}
	return written, named
}

// called returns the declared functions that a text names.
func (s *source) called(in ast.Node) (list []*ast.FuncDecl) {
	ast.Inspect(in, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if fn, ok := s.info.Uses[id].(*types.Func); ok {
				if d := s.funcs[fn.Origin()]; d != nil {
					list = append(list, d)
				}
			}
		}
		return true
	})
	return list
}

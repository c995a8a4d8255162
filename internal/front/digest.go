package front

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sort"

	"lukechampine.com/blake3"

	"github.com/govyre/vyre/internal/gotext"
)

// Declaration is a declaration at the top of a Go file that a kernel is made of.
type Declaration struct {
	File   string  // as in positions
	Name   string  // of the function, the type, the variable, or one of the constants
	Digest [8]byte // of its tokens: gotext.Split has the same for the same text
}

// declarations finds what package-level names are declared by, in all files that were checked.
func (s *source) declarations() map[types.Object]ast.Node {
	found := make(map[types.Object]ast.Node)
	for _, f := range s.files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				found[s.info.Defs[d.Name]] = d
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					s.declared(found, d, spec)
				}
			}
		}
	}
	delete(found, nil) // of what is declared twice
	return found
}

func (s *source) declared(found map[types.Object]ast.Node, d *ast.GenDecl, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		found[s.info.Defs[spec.Name]] = spec
	case *ast.ValueSpec:
		node := ast.Node(spec)
		if d.Tok == token.CONST {
			node = d // iota and what is left out depend on the others
		}
		for _, name := range spec.Names {
			found[s.info.Defs[name]] = node
		}
	}
}

// made lists the declarations of a kernel: its function, and every function, type, constant and variable that it needs.
// Declarations of libraries are only in the digest of them all. The digest is the same with every version of the compiler in
// which the libraries are the same.
func (s *source) made(m *marked, declared map[types.Object]ast.Node) (list []Declaration, digest [32]byte) {
	h := blake3.New(32, nil)
	add := func(n ast.Node, name string) {
		d, library := s.declaration(n, name)
		h.Write([]byte(name + "\x00"))
		h.Write(d.Digest[:])
		if !library {
			list = append(list, d)
		}
	}
	add(m.decl, m.decl.Name.Name)
	seen := map[ast.Node]bool{m.decl: true}
	queue, vars := []ast.Node{m.decl}, make(map[*types.Var]bool)
	need := func(d ast.Node, name string) {
		if d != nil && !seen[d] {
			seen[d] = true
			queue = append(queue, d)
			add(d, name)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		ast.Inspect(queue[0], func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				o := s.originOf(id)
				need(declared[o], id.Name)
				if v := packageVar(o); v != nil && !vars[v] {
					vars[v] = true
					by, _ := s.beginningOf(v)
					for _, d := range by.inits {
						need(d, d.Name.Name)
					}
				}
			}
			return true
		})
	}
	h.Sum(digest[:0])
	return list, digest
}

// declaration returns the text that a node is declared by, and whether it is of a library.
func (s *source) declaration(n ast.Node, name string) (d Declaration, library bool) {
	file := s.fset.File(n.Pos())
	t := s.texts[file]
	if t.declarations == nil {
		t.declarations = gotext.Split(t.src)
	}
	at := file.Offset(n.Pos())
	i := sort.Search(len(t.declarations), func(i int) bool { return t.declarations[i].End > at })
	if i == len(t.declarations) || t.declarations[i].Start > at {
		panic(fmt.Sprintf("BUG: %s: %s is in no declaration", file.Position(n.Pos()), name))
	}
	return Declaration{file.Name(), name, t.declarations[i].Digest}, t.library
}

// originOf returns what an identifier names; of an instance, the generic function or method.
func (s *source) originOf(id *ast.Ident) types.Object {
	o := s.info.Uses[id]
	if fn, ok := o.(*types.Func); ok {
		return fn.Origin()
	}
	return o
}

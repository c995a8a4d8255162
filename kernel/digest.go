package kernel

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"strings"

	"lukechampine.com/blake3"
)

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

// sourceDigest identifies the source of a kernel: its function, and every function, type, constant and
// variable that it needs, comments and spacing aside. It is the same with every version of the
// compiler, which the digest of the program is not.
func (s *source) sourceDigest(m *marked, declared map[types.Object]ast.Node) (digest [32]byte) {
	h := blake3.New(32, nil)
	for _, c := range m.decl.Doc.List {
		if strings.HasPrefix(c.Text, "//vyre:") {
			fmt.Fprintln(h, strings.Fields(c.Text))
		}
	}
	seen := map[ast.Node]bool{m.decl: true}
	for queue := []ast.Node{m.decl}; len(queue) > 0; queue = queue[1:] {
		ast.Inspect(queue[0], func(n ast.Node) bool {
			if _, comment := n.(*ast.CommentGroup); comment {
				return false
			}
			writeNode(h, n)
			if id, ok := n.(*ast.Ident); ok {
				if d := declared[s.originOf(id)]; d != nil && !seen[d] {
					seen[d] = true
					queue = append(queue, d)
				}
			}
			return true
		})
	}
	h.Sum(digest[:0])
	return digest
}

// originOf returns what an identifier names; of an instance, the generic function or method.
func (s *source) originOf(id *ast.Ident) types.Object {
	o := s.info.Uses[id]
	if fn, ok := o.(*types.Func); ok {
		return fn.Origin()
	}
	return o
}

// writeNode writes what makes a node: its kind, names, literals and operators. nil ends a node.
func writeNode(w io.Writer, n ast.Node) {
	fmt.Fprintf(w, "%T", n)
	switch n := n.(type) {
	case *ast.Ident:
		fmt.Fprint(w, " ", n.Name)
	case *ast.BasicLit:
		fmt.Fprint(w, " ", n.Value)
	case *ast.BinaryExpr:
		fmt.Fprint(w, " ", n.Op)
	case *ast.UnaryExpr:
		fmt.Fprint(w, " ", n.Op)
	case *ast.AssignStmt:
		fmt.Fprint(w, " ", n.Tok)
	case *ast.IncDecStmt:
		fmt.Fprint(w, " ", n.Tok)
	case *ast.BranchStmt:
		fmt.Fprint(w, " ", n.Tok)
	case *ast.RangeStmt:
		fmt.Fprint(w, " ", n.Tok)
	case *ast.GenDecl:
		fmt.Fprint(w, " ", n.Tok)
	case *ast.CallExpr:
		fmt.Fprint(w, " ", n.Ellipsis.IsValid())
	case *ast.SliceExpr:
		// Without its bounds' places x[a:] would be x[:a].
		fmt.Fprint(w, " ", n.Low != nil, n.High != nil, n.Max != nil)
	case *ast.ForStmt:
		fmt.Fprint(w, " ", n.Init != nil, n.Cond != nil, n.Post != nil)
	case *ast.Field:
		fmt.Fprint(w, " ", len(n.Names))
	case *ast.ValueSpec:
		fmt.Fprint(w, " ", len(n.Names), n.Type != nil)
	}
	fmt.Fprintln(w)
}

// Command declare writes the declarations that package front embeds, from the sources of package
// gpu and of the standard library: exported names, types and constants, without bodies.
package main

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/constant"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"github.com/govyre/vyre/internal/atomicfile"
)

// targets says which file holds which declarations; directories are relative to package front.
var targets = []struct {
	file string
	make func(dir string) ([]byte, error)
}{
	{"api/gpu.txt", func(dir string) ([]byte, error) { return fromSource(filepath.Join(dir, "..", "..", "gpu")) }},
	{"api/math.txt", func(string) ([]byte, error) { return fromLibrary("math") }},
	{"api/bits.txt", func(string) ([]byte, error) { return fromLibrary("math/bits") }},
}

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	err := os.MkdirAll(filepath.Join(dir, "api"), 0o755)
	for _, t := range targets {
		var text []byte
		if err == nil {
			text, err = t.make(dir)
		}
		if err == nil {
			err = atomicfile.WriteBytes(context.Background(), filepath.Join(dir, t.file), text)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "declare:", err)
		os.Exit(1)
	}
}

// fromSource reduces the package in dir to its exported declarations.
func fromSource(dir string) ([]byte, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go")) // sorted
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fset := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if out.Len() == 0 {
			fmt.Fprintf(&out, "package %s\n", f.Name.Name)
		}
		for _, d := range f.Decls {
			if !reduce(d) {
				continue
			}
			out.WriteString("\n")
			if err := format.Node(&out, fset, d); err != nil {
				return nil, err
			}
			out.WriteString("\n")
		}
	}
	return format.Source(out.Bytes())
}

// reduce strips a declaration of what users of the package cannot see and says whether
// anything is left.
func reduce(d ast.Decl) bool {
	switch d := d.(type) {
	case *ast.FuncDecl:
		end := d.Type.End()
		d.Doc, d.Body = nil, &ast.BlockStmt{Lbrace: end, Rbrace: end} // a generic function must have a body
		return d.Name.IsExported() && (d.Recv == nil || exportedReceiver(d.Recv))
	case *ast.GenDecl:
		d.Doc = nil
		switch d.Tok {
		case token.CONST:
			for _, s := range d.Specs {
				s := s.(*ast.ValueSpec)
				s.Doc, s.Comment = nil, nil
			}
			return d.Specs[0].(*ast.ValueSpec).Names[0].IsExported()
		case token.TYPE:
			var kept []ast.Spec
			for _, s := range d.Specs {
				s := s.(*ast.TypeSpec)
				s.Doc, s.Comment = nil, nil
				_, constraint := s.Type.(*ast.InterfaceType)
				if st, ok := s.Type.(*ast.StructType); ok {
					hideFields(st)
				}
				if s.Name.IsExported() || constraint {
					kept = append(kept, s)
				}
			}
			d.Specs = kept
			return len(kept) > 0
		}
	}
	return false
}

func exportedReceiver(recv *ast.FieldList) bool {
	t := recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if g, ok := t.(*ast.IndexExpr); ok { // of a generic type
		t = g.X
	}
	id, ok := t.(*ast.Ident)
	return ok && id.IsExported()
}

// hideFields replaces the types of unexported fields, which may come from anywhere.
func hideFields(st *ast.StructType) {
	for _, f := range st.Fields.List {
		f.Doc, f.Comment = nil, nil
		t := f.Type
		if a, ok := t.(*ast.ArrayType); ok && a.Len != nil {
			t = a.Elt
		}
		basic, ok := t.(*ast.Ident)
		if ok && types.Universe.Lookup(basic.Name) != nil {
			continue
		}
		for _, n := range f.Names {
			if !n.IsExported() {
				f.Type = &ast.StructType{Fields: &ast.FieldList{}}
			}
		}
	}
}

// fromLibrary writes down the functions and constants of a package of the standard library.
func fromLibrary(path string) ([]byte, error) {
	pkg, err := importer.ForCompiler(token.NewFileSet(), "source", nil).Import(path)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "package %s\n\n", pkg.Name())
	for _, name := range pkg.Scope().Names() {
		if !token.IsExported(name) {
			continue
		}
		switch o := pkg.Scope().Lookup(name).(type) {
		case *types.Const:
			fmt.Fprintf(&out, "const %s %s= %s\n", name, typeOf(o), literal(o.Val()))
		case *types.Func:
			sig := types.TypeString(o.Type(), types.RelativeTo(pkg))
			fmt.Fprintf(&out, "func %s%s {}\n", name, strings.TrimPrefix(sig, "func"))
		default:
			return nil, fmt.Errorf("%s.%s is neither function nor constant", path, name)
		}
	}
	return format.Source(out.Bytes())
}

func typeOf(o *types.Const) string {
	if b, ok := o.Type().(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		return ""
	}
	return o.Type().String() + " "
}

// literal is a constant expression with exactly the value v.
func literal(v constant.Value) string {
	if v.Kind() != constant.Float {
		return v.ExactString()
	}
	num, den := constant.Num(v), constant.Denom(v)
	if num.Kind() == constant.Unknown {
		return v.ExactString()
	}
	return fmt.Sprintf("%s.0 / %s.0", num.ExactString(), den.ExactString())
}

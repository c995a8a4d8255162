package front

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	gopath "path"
	"slices"
	"strings"

	"github.com/govyre/vyre/internal/gotext"
	"github.com/govyre/vyre/ir"
)

// source is the Go text of one compilation, parsed and type-checked: the kernels'
// package, and the packages with helpers that it imports.
type source struct {
	ctx   context.Context
	over  bool // the context was seen to have ended
	fset  *token.FileSet
	info  *types.Info
	given func(path string) ([]File, error) // sources of an import path; none if it is not available
	libs  func(path string) ([]File, error) // the same of libraries

	files    []*ast.File               // that were checked
	pkgs     map[string]*types.Package // nil while being checked
	funcs    map[*types.Func]*ast.FuncDecl
	globals  globals
	unsafe   bool                 // some file imports unsafe
	imports  map[token.Pos]string // of imports of packages without sources: their paths
	facts    map[*ast.FuncDecl]*facts
	literals map[*ast.FuncLit]*types.Func
	context  *instances

	filling filling

	goErrors []types.Error
	found    findings
	bytes    int // of the files that were parsed
	texts    map[*token.File]*text
}

// text is the text of a file.
type text struct {
	src          []byte
	library      bool                 // it is of another module, or comes with this program
	declarations []gotext.Declaration // nil until somebody asks
}

func newSource(ctx context.Context, given func(string) ([]File, error)) *source {
	return &source{
		ctx: ctx, fset: token.NewFileSet(), given: given, libs: registered,
		info: &types.Info{
			Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
			Uses: make(map[*ast.Ident]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection),
			Instances: make(map[*ast.Ident]types.Instance), Implicits: make(map[ast.Node]types.Object),
		},
		globals: globals{init: make(map[*types.Var]ast.Expr), written: make(map[*types.Var]token.Pos), uses: make(map[*types.Var][]use), tables: make(map[tableKey]*table), texts: make(map[textKey]*table)},
		pkgs:    make(map[string]*types.Package), funcs: make(map[*types.Func]*ast.FuncDecl),
		imports: make(map[token.Pos]string), facts: make(map[*ast.FuncDecl]*facts), literals: make(map[*ast.FuncLit]*types.Func), context: &instances{types.NewContext(), make(map[*types.Named][]instance)},
		texts: make(map[*token.File]*text), filling: filling{now: make(map[tableKey]bool), inits: make(map[*types.Package][]*initFunc)},
	}
}

// ended looks whether the context has ended.
func (s *source) ended() bool {
	s.over = s.over || s.ctx.Err() != nil
	return s.over
}

func (s *source) pos(p token.Pos) ir.Pos {
	at := s.fset.Position(p)
	return ir.Pos{File: at.Filename, Line: at.Line, Col: at.Column}
}

// parse parses files and reports what is no Go. What is too much to read is not parsed.
func (s *source) parse(files []File) []*ast.File {
	var parsed []*ast.File
	for _, f := range files {
		if s.ended() {
			break
		}
		if s.bytes += len(f.Src); s.bytes > maxSource {
			s.found.add(finding(ir.Pos{File: f.Name, Line: 1, Col: 1}, "", overLimit, fmt.Sprintf("more than %d MiB of source", maxSource>>20),
				"keep large data in buffers"))
			return parsed
		}
		p, err := parser.ParseFile(s.fset, f.Name, f.Src, parser.ParseComments|parser.SkipObjectResolution)
		var list scanner.ErrorList
		if errors.As(err, &list) {
			for _, e := range list {
				s.found.add(ir.Diag{Row: ir.NoRow, Msg: e.Msg,
					Pos: ir.Pos{File: e.Pos.Filename, Line: e.Pos.Line, Col: e.Pos.Column}})
			}
			continue
		}
		parsed = append(parsed, p)
		s.texts[s.fset.File(p.FileStart)] = &text{src: f.Src}
	}
	return parsed
}

// ownPath is the path of the package that is compiled.
const ownPath = "kernels"

// check type-checks the files of a package. What Go refuses is kept in goErrors.
func (s *source) check(path string, files []*ast.File) *types.Package {
	cfg := types.Config{
		Importer: s, FakeImportC: true, Context: s.context.Context,
		Sizes: types.SizesFor("gc", "amd64"), // int means 64 bits, whatever machine compiles
		Error: func(err error) {
			var e types.Error
			if errors.As(err, &e) && s.imports[e.Pos] == "" {
				s.goErrors = append(s.goErrors, e)
			}
		},
	}
	for _, f := range files {
		for _, imp := range f.Imports {
			switch p := importPath(imp); {
			case p == "unsafe":
				s.unsafe = true
			case exactPath(p) != "" && path != exactPath(p):
				_, _ = s.Import(exactPath(p)) // which is ours, and may be on its way
			case p != "C" && !s.available(p):
				s.imports[imp.Path.Pos()] = p
			}
		}
	}
	s.files = append(s.files, files...)
	pkg, _ := cfg.Check(path, s.fset, files, s.info)
	s.globals.collect(s, files)
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if fn, ok := s.info.Defs[d.Name].(*types.Func); ok {
					s.funcs[fn] = d
				}
			}
		}
	}
	return pkg
}

func importPath(imp *ast.ImportSpec) string { return strings.Trim(imp.Path.Value, "\"`") }

var errNotGiven = errors.New("its source was not given to the compiler")

// Import resolves an import path for go/types.
func (s *source) Import(path string) (*types.Package, error) {
	if p := known(path); p != nil {
		return p, nil
	}
	if p, ok := s.pkgs[path]; ok {
		if p == nil {
			return nil, errors.New("import cycle")
		}
		return p, nil
	}
	if s.ended() {
		return nil, s.ctx.Err()
	}
	files, isLibrary, err := s.sourceOf(path)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errNotGiven
	}
	s.pkgs[path] = nil
	parsed := s.parse(files)
	for _, f := range parsed {
		s.texts[s.fset.File(f.FileStart)].library = isLibrary
	}
	if n := len(s.found.list); n == 0 {
		if s.bound(parsed); len(s.found.list) > n {
			return nil, errors.New("its declarations exceed a limit")
		}
	}
	p := s.check(path, parsed)
	s.pkgs[path] = p
	return p, nil
}

func (s *source) available(path string) bool {
	if known(path) != nil {
		return true
	}
	if _, ok := s.pkgs[path]; ok {
		return true
	}
	files, _, err := s.sourceOf(path)
	return err != nil || len(files) > 0
}

// sourceOf returns the files of a package, and whether it is a library from elsewhere. What was given comes first.
func (s *source) sourceOf(path string) (files []File, isLibrary bool, err error) {
	if files, err = s.given(path); err != nil || len(files) > 0 {
		return files, false, err
	}
	if files, err = s.libs(path); len(files) == 0 && err == nil {
		files = standard(path)
	}
	return files, true, err
}

// isPart reports whether a name is one of a package of the standard library of which kernels have a part.
func (s *source) isPart(name string) bool {
	of, _, _ := strings.Cut(name, ".")
	for path, p := range s.pkgs {
		if p != nil && gopath.Base(path) == of && !strings.HasPrefix(path, "exact/") && len(standard(path)) > 0 {
			return true
		}
	}
	return false
}

// report turns what Go refused into findings and says whether there are any. When an import
// has no source, text that uses it can be judged only as far as it belongs to a kernel:
// then errors elsewhere are dropped.
func (s *source) report(reached map[*ast.FuncDecl]bool) bool {
	var last *ir.Diag
	advice, inReach, undefined := s.goAdvice(), within(reached), false
	for _, e := range s.goErrors {
		name, isUndefined := strings.CutPrefix(e.Msg, "undefined: ")
		inPart := isUndefined && s.isPart(name)
		if (len(s.imports) > 0 || inPart) && !inReach(e.Pos) {
			last = nil
			continue
		}
		if inPart { // this package has a part of it
			s.found.add(finding(s.pos(e.Pos), "", noStandard, name, cmp.Or(standardAdvice[name], "write it in this package")))
			undefined = true
			continue
		}
		if text, ok := strings.CutPrefix(e.Msg, "\t"); ok { // go/types tells details as further errors
			if last != nil {
				last.Related = append(last.Related, ir.Note{Row: ir.NoRow, Pos: s.pos(e.Pos), Msg: text})
			}
			continue
		}
		s.found.add(ir.Diag{Row: ir.NoRow, Pos: s.pos(e.Pos), Msg: e.Msg, Fix: advice[e.Pos]})
		last = &s.found.list[len(s.found.list)-1]
	}
	return undefined || s.goFindings() > 0
}

// goAdvice says what to write where an index and a len meet, which are of two types in kernels: the mistake of the
// first hour. Go's own words only name the types. The advice is by the position of what Go refused; one walk finds it
// for all, since a text may have as many errors as lines.
func (s *source) goAdvice() map[token.Pos]string {
	refused := make([]token.Pos, len(s.goErrors))
	for i, e := range s.goErrors {
		refused[i] = e.Pos
	}
	slices.Sort(refused)
	advice := make(map[token.Pos]string)
	for _, f := range s.files {
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				return false
			}
			from, _ := slices.BinarySearch(refused, n.Pos())
			to, _ := slices.BinarySearch(refused, n.End())
			if from >= to {
				return false
			}
			if b, ok := n.(*ast.BinaryExpr); ok {
				if text := s.lenAdvice(b); text != "" {
					for _, p := range refused[from:to] {
						advice[p] = text // of the innermost, which comes last
					}
				}
			}
			return true
		})
	}
	return advice
}

// lenAdvice is b with its len converted to the type of the other side, if that is an integer of another type.
func (s *source) lenAdvice(b *ast.BinaryExpr) string {
	other, lenLeft := b.X, s.isLen(b.X)
	if lenLeft {
		other = b.Y
	} else if !s.isLen(b.Y) {
		return ""
	}
	t, ok := s.info.TypeOf(other).(*types.Basic)
	if !ok || t.Info()&types.IsInteger == 0 || t.Info()&types.IsUntyped != 0 || t.Kind() == types.Int {
		return ""
	}
	left, right := types.ExprString(b.X), types.ExprString(b.Y)
	text := &right
	if lenLeft {
		text = &left
	}
	*text = t.Name() + "(" + *text + ")"
	return "write " + left + " " + b.Op.String() + " " + right + "; len is an int, and indices of threads are uint32"
}

func (s *source) isLen(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && s.info.Uses[id] == types.Universe.Lookup("len")
}

// goFindings counts the findings that are Go's: they have no code. With any of them the text is not
// fit to be lowered.
func (s *source) goFindings() (n int) {
	for _, d := range s.found.list {
		if d.Code == "" {
			n++
		}
	}
	return n
}

// within tells of a position whether it lies in one of the declarations.
func within(decls map[*ast.FuncDecl]bool) func(token.Pos) bool {
	sorted := slices.SortedFunc(maps.Keys(decls), func(a, b *ast.FuncDecl) int { return cmp.Compare(a.Pos(), b.Pos()) })
	return func(p token.Pos) bool {
		i, at := slices.BinarySearchFunc(sorted, p, func(d *ast.FuncDecl, p token.Pos) int { return cmp.Compare(d.Pos(), p) })
		return at || i > 0 && p < sorted[i-1].End()
	}
}

// reach returns the declarations that the kernels call, themselves included.
func (s *source) reach(kernels []*marked) map[*ast.FuncDecl]bool {
	var todo []*ast.FuncDecl
	for _, k := range kernels {
		todo = append(todo, k.decl)
	}
	return s.reachFrom(todo)
}

// reachFrom returns the declarations that some call, themselves included.
func (s *source) reachFrom(todo []*ast.FuncDecl) map[*ast.FuncDecl]bool {
	reached := make(map[*ast.FuncDecl]bool)
	for len(todo) > 0 {
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if reached[d] {
			continue
		}
		reached[d] = true
		todo = append(todo, s.called(d)...)
	}
	return reached
}

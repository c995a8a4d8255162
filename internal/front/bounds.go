package front

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
)

// Limits of what a declaration may stand for. Far above any kernel, they are far below what go/types can expand: it
// walks the parts of a type, and the bytes of a constant text, each time it compares or prints them.
const (
	maxSource     = 16 << 20 // bytes of text, those of imported packages included
	maxTypeParts  = 1 << 18  // scalars, fields and elements that a type names, directly or through other declarations
	maxAllParts   = 1 << 20  // of all declarations of a package
	maxTypeNest   = 250      // declared types in each other; what go/types takes grows with the cube of it
	maxConstBytes = 1 << 20  // of a constant text
	maxScopes     = 10_000   // that lie in each other; a name is looked up in all of them
	farAbove      = 1 << 40  // where counting stops
)

// bounds judges the declarations of a package by their text, before the type checker sees them.
type bounds struct {
	types  map[string][]ast.Expr // what is declared under a name, in every scope
	spread map[string]bool       // names that are aliases or generic somewhere: what they stand for is written out at each use
	consts map[string][]ast.Expr
	parts  map[string]int64 // of a type; −1 while it is being counted
	bytes  map[string]int64 // of a constant; likewise
	nest   map[string]int   // how many declared types lie in each other, the type itself included; 0 while it is being counted
}

// bound refuses declarations that would take time and memory out of all proportion to their text: towers of types
// each of which has the one below twice, texts that are doubled again and again.
func (s *source) bound(files []*ast.File) {
	b := &bounds{types: make(map[string][]ast.Expr), spread: make(map[string]bool), consts: make(map[string][]ast.Expr),
		parts: make(map[string]int64), bytes: make(map[string]int64), nest: make(map[string]int)}
	var specs []ast.Spec
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			d, ok := n.(*ast.GenDecl)
			if !ok {
				return true
			}
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					b.types[spec.Name.Name] = append(b.types[spec.Name.Name], spec.Type)
					if spec.Assign.IsValid() || spec.TypeParams != nil {
						b.spread[spec.Name.Name] = true
					}
					specs = append(specs, spec)
				case *ast.ValueSpec:
					if d.Tok != token.CONST {
						continue
					}
					for i, name := range spec.Names {
						if i < len(spec.Values) {
							b.consts[name.Name] = append(b.consts[name.Name], spec.Values[i])
						}
					}
					specs = append(specs, spec)
				}
			}
			return true
		})
	}
	var all int64
	for _, spec := range specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			all = b.declaration(s, spec, all)
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if n := b.bytesOf(name.Name); n > maxConstBytes {
					s.found.add(finding(s.pos(name.Pos()), "", overLimit, fmt.Sprintf("constant %s is a text of %s bytes, more than %d", name.Name, roughly(n), maxConstBytes),
						"pass the text as a []uint8"))
				}
			}
		}
	}
	if len(s.found.list) == 0 {
		s.boundExpressions(files, b)
	}
}

// declaration refuses a declared type that exceeds a limit, alone or with the types before it, which have so many
// parts. It returns the parts of them all.
func (b *bounds) declaration(s *source, spec *ast.TypeSpec, before int64) (all int64) {
	refuse := func(format string, args ...any) {
		s.found.add(finding(s.pos(spec.Pos()), "", overLimit, fmt.Sprintf(format, args...), "keep large data in buffers"))
	}
	parts := b.partsOf(spec.Name.Name)
	switch nest := b.nestOf(spec.Name.Name); {
	case parts > maxTypeParts:
		refuse("type %s stands for %s parts, more than %d", spec.Name.Name, roughly(parts), maxTypeParts)
	case nest > maxTypeNest:
		refuse("type %s holds %d declared types, one in the other, more than %d", spec.Name.Name, nest-1, maxTypeNest)
	case before <= maxAllParts && before+parts > maxAllParts:
		refuse("the types up to %s stand for more than %d parts together", spec.Name.Name, maxAllParts)
	}
	return before + parts
}

// boundExpressions applies the limits to types and texts that are written where they are used.
func (s *source) boundExpressions(files []*ast.File, b *bounds) {
	for _, f := range files {
		var open []ast.Node
		scopes := 0
		isScope := func(n ast.Node) bool {
			switch n.(type) {
			case *ast.IfStmt, *ast.BlockStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.CaseClause, *ast.FuncLit:
				return true
			}
			return false
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				if isScope(open[len(open)-1]) {
					scopes--
				}
				open = open[:len(open)-1]
				return true
			}
			if isScope(n) {
				if scopes == maxScopes {
					s.found.add(finding(s.pos(n.Pos()), "", overLimit, fmt.Sprintf("blocks nested deeper than %d", maxScopes), "write a switch, or a loop over a table"))
					return false
				}
				scopes++
			}
			b.refuse(s, n)
			if _, whole := n.(*ast.BinaryExpr); whole { // its operands are part of it
				return false
			}
			open = append(open, n)
			return true
		})
	}
}

// refuse refuses a type or a text that exceeds a limit where it is written.
func (b *bounds) refuse(s *source, n ast.Node) {
	switch n := n.(type) {
	case *ast.StructType, *ast.IndexExpr, *ast.IndexListExpr:
		if k := b.partsIn(n.(ast.Expr), 0); k > maxTypeParts {
			s.found.add(finding(s.pos(n.Pos()), "", overLimit, fmt.Sprintf("a type of %s parts, more than %d", roughly(k), maxTypeParts),
				"keep large data in buffers"))
		}
	case *ast.BinaryExpr:
		if k := b.text(n, 0); k > maxConstBytes {
			s.found.add(finding(s.pos(n.Pos()), "", overLimit, fmt.Sprintf("a text of %s bytes, more than %d", roughly(k), maxConstBytes),
				"pass the text as a []uint8"))
		}
	}
}

func roughly(n int64) string {
	if n >= farAbove {
		return "2⁴⁰ and more"
	}
	return strconv.FormatInt(n, 10)
}

// named looks a name up in one of the tables: the largest of what it is declared as. A name that is met while it is being
// counted is Go's to refuse, unless scopes declare it more than once: then each of them may double it.
func named(name string, decls map[string][]ast.Expr, known map[string]int64, count func(ast.Expr) int64) int64 {
	exprs, declared := decls[name]
	if !declared {
		return 1
	}
	if n, ok := known[name]; ok && n >= 0 {
		return n
	} else if ok {
		return 1 << min(len(exprs)-1, 40)
	}
	known[name] = -1
	most := int64(0)
	for _, e := range exprs {
		most = max(most, count(e))
	}
	known[name] = most
	return most
}

func (b *bounds) partsOf(name string) int64 {
	return named(name, b.types, b.parts, func(e ast.Expr) int64 { return b.partsIn(e, 0) })
}

func (b *bounds) nestOf(name string) int {
	exprs, declared := b.types[name]
	if n, known := b.nest[name]; known || !declared {
		return n
	}
	b.nest[name] = 0
	inner := 0
	for _, e := range exprs {
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				inner = max(inner, b.nestOf(id.Name))
			}
			return true
		})
	}
	b.nest[name] = inner + 1
	return inner + 1
}

func (b *bounds) bytesOf(name string) int64 {
	if _, ok := b.consts[name]; !ok {
		return 0
	}
	return named(name, b.consts, b.bytes, func(e ast.Expr) int64 { return b.text(e, 0) })
}

// partsIn counts the parts of a type expression. An instance of a generic type has its parts as often as its arguments.
func (b *bounds) partsIn(e ast.Expr, depth int) int64 {
	if depth > maxDepth {
		return farAbove
	}
	in := func(e ast.Expr) int64 { return b.partsIn(e, depth+1) }
	to := func(e ast.Expr) int64 { return b.partsBehind(e, depth+1) }
	list := func(fields *ast.FieldList, part func(ast.Expr) int64) (sum int64) {
		if fields == nil {
			return 0
		}
		for _, f := range fields.List {
			sum = min(farAbove, sum+int64(max(1, len(f.Names)))*part(f.Type))
		}
		return sum
	}
	switch e := e.(type) {
	case *ast.Ident:
		return b.partsOf(e.Name)
	case *ast.ParenExpr:
		return in(e.X)
	case *ast.StarExpr:
		return to(e.X)
	case *ast.ArrayType:
		if e.Len == nil {
			return min(farAbove, 1+to(e.Elt))
		}
		return min(farAbove, 1+in(e.Elt))
	case *ast.MapType:
		return min(farAbove, to(e.Key)+to(e.Value))
	case *ast.ChanType:
		return to(e.Value)
	case *ast.StructType:
		return min(farAbove, 1+list(e.Fields, in))
	case *ast.InterfaceType:
		return min(farAbove, 1+list(e.Methods, in)) // those of embedded interfaces are its own
	case *ast.FuncType:
		return min(farAbove, 1+list(e.Params, to)+list(e.Results, to))
	case *ast.IndexExpr:
		return min(farAbove, in(e.X)*in(e.Index))
	case *ast.IndexListExpr:
		var args int64
		for _, a := range e.Indices {
			args = min(farAbove, args+in(a))
		}
		return min(farAbove, in(e.X)*args)
	case *ast.BinaryExpr: // of a constraint
		return min(farAbove, in(e.X)+in(e.Y))
	}
	return 1
}

// partsBehind counts the parts of a type that another one refers to, by a pointer, a slice, a map, a channel or a function. The
// type checker compares a declared type by its name there, and does not look into it.
func (b *bounds) partsBehind(e ast.Expr, depth int) int64 {
	if id, ok := e.(*ast.Ident); ok && !b.spread[id.Name] {
		return 1
	}
	return b.partsIn(e, depth)
}

// text counts the bytes of a constant text; 0 for all else.
func (b *bounds) text(e ast.Expr, depth int) int64 {
	if depth > maxDepth {
		return 0 // refused as too deep, where it is lowered
	}
	var sum int64
	for { // a + b + c nests to the left
		x, ok := e.(*ast.BinaryExpr)
		if !ok || x.Op != token.ADD {
			break
		}
		sum = min(farAbove, sum+b.text(x.Y, depth+1))
		e = x.X
	}
	return min(farAbove, sum+b.term(e, depth))
}

// term is text for an expression that is no sum.
func (b *bounds) term(e ast.Expr, depth int) int64 {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return int64(len(e.Value))
		}
	case *ast.Ident:
		return b.bytesOf(e.Name)
	case *ast.ParenExpr:
		return b.text(e.X, depth+1)
	case *ast.CallExpr: // a conversion
		if len(e.Args) == 1 {
			return b.text(e.Args[0], depth+1)
		}
	}
	return 0
}

package front

import (
	"fmt"
	"go/ast"
	"strconv"
	"strings"

	"github.com/govyre/vyre/ir"
)

// Directive is what the comment above a kernel states:
//
//	//vyre:kernel workgroup=X[xY[xZ]] [big=p,q] [long=p,q] [types=T:float32|float64] [name=F] [checks=none]
type Directive struct {
	Workgroup [3]uint32
	Big       []string // slices that may hold 2³¹ elements and more
	Long      []string // slices that may hold up to 2³²-1 elements: their lengths and indices stay 32 bits wide
	TypeParam string   // the type parameter that Types instantiates
	Types     []string
	Name      string // of the program; "" takes the function's
	Unchecked bool   // an access whose index is not proven to be in bounds is refused
}

const (
	prefix = "//vyre:"
	marker = prefix + "kernel"

	libraryMarker = prefix + "library"
)

// marked returns the functions of f that carry a directive, with faults of directives reported.
func (s *source) marked(f *ast.File) []*marked {
	above := make(map[*ast.Comment]*ast.FuncDecl)
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc != nil {
			for _, c := range fn.Doc.List {
				above[c] = fn
			}
		}
	}
	var found []*marked
	byDecl := make(map[*ast.FuncDecl]bool)
	for _, g := range f.Comments {
		for _, c := range g.List {
			at, fn := s.pos(c.Pos()), above[c]
			bad := func(r reason, text string) { s.found.add(finding(at, "", r, text)) }
			switch {
			case spaced(c.Text) && fn != nil:
				bad(badDirective, "a comment and no directive: Go wants no space between // and vyre:kernel")
			case !strings.HasPrefix(c.Text, prefix), c.Text == libraryMarker && c.Pos() < f.Package:
			case c.Text == libraryMarker:
				bad(badDirective, "this directive does not stand before the package clause")
			case c.Text != marker && !strings.HasPrefix(c.Text, marker+" "):
				bad(badDirective, fmt.Sprintf("unknown directive %s", strings.Fields(c.Text)[0]))
			case fn == nil:
				bad(badDirective, "this directive does not stand directly above a function")
			case byDecl[fn]:
				bad(badDirective, fmt.Sprintf("second directive of %s", fn.Name.Name))
			default:
				byDecl[fn] = true
				d, fault := parseDirective(c.Text)
				if fault != nil {
					fault.Pos, fault.Kernel = at, fn.Name.Name
					s.found.add(*fault)
				}
				found = append(found, &marked{fn, d, at})
			}
		}
	}
	return found
}

// spaced reports whether a comment would be the directive but for the blanks after its slashes.
func spaced(comment string) bool {
	text := strings.TrimLeft(strings.TrimPrefix(comment, "//"), " \t")
	word, _, _ := strings.Cut(text, " ")
	return word == strings.TrimPrefix(marker, "//") && !strings.HasPrefix(comment, prefix)
}

// parseDirective reads the words after the marker.
func parseDirective(text string) (Directive, *ir.Diag) {
	var d Directive
	fault := func(r reason, format string, args ...any) (Directive, *ir.Diag) {
		f := finding(ir.Pos{}, "", r, fmt.Sprintf(format, args...))
		return d, &f
	}
	seen := make(map[string]bool)
	for _, word := range strings.Fields(text)[1:] {
		key, value, ok := strings.Cut(word, "=")
		if !ok || value == "" {
			return fault(badDirective, "%q in the directive is no key=value", word)
		}
		if seen[key] {
			return fault(badDirective, "the directive states %s twice", key)
		}
		seen[key] = true
		switch key {
		case "workgroup":
			size, msg := parseWorkgroup(value)
			if msg != "" {
				return fault(badGroup, "%s", msg)
			}
			d.Workgroup = size
		case "big":
			d.Big = strings.Split(value, ",")
		case "long":
			d.Long = strings.Split(value, ",")
		case "types":
			param, list, ok := strings.Cut(value, ":")
			if !ok || param == "" || list == "" {
				return fault(badDirective, "types=%s names no type parameter and its types", value)
			}
			d.TypeParam, d.Types = param, strings.Split(list, "|")
		case "name":
			if !isName(value) {
				return fault(badDirective, "name=%s is no identifier", value)
			}
			d.Name = value
		case "checks":
			if value != "none" {
				return fault(badDirective, "checks=%s: the only value of checks is none, which refuses accesses that need a check", value)
			}
			d.Unchecked = true
		default:
			return fault(badDirective, "the directive has no key %q", key)
		}
	}
	if !seen["workgroup"] {
		return fault(badDirective, "the directive states no workgroup")
	}
	return d, nil
}

// parseWorkgroup reads X[xY[xZ]] and says what is wrong with it.
func parseWorkgroup(text string) (size [3]uint32, fault string) {
	size = [3]uint32{1, 1, 1}
	parts := strings.Split(text, "x")
	if len(parts) > 3 {
		return size, fmt.Sprintf("workgroup=%s has %d axes", text, len(parts))
	}
	all := uint64(1)
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 32)
		if err != nil {
			return size, fmt.Sprintf("workgroup=%s: %q is no size", text, p)
		}
		limit := [3]uint64{1024, 1024, 64}[i]
		if n == 0 || n > limit {
			return size, fmt.Sprintf("workgroup=%s: %d invocations along %c, must be 1 to %d", text, n, 'x'+i, limit)
		}
		size[i] = uint32(n)
		all *= n
	}
	if all > 1024 {
		return size, fmt.Sprintf("workgroup=%s has %d invocations, at most 1024", text, all)
	}
	return size, ""
}

func isName(s string) bool {
	for i, r := range s {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

package names

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// TestIdenticalTypesAreSpelledAlike, and others are not.
func TestIdenticalTypesAreSpelledAlike(t *testing.T) {
	const declared = `package p
type (
	T     struct{ A }
	A     = string
	B     = string
	Gen[X any] struct{ x X }
	Ga    = Gen[byte]
	Fn    = func(a int, b ...byte) (err error)
	Read  interface{ Read(p []byte) (n int, err error) }
	Reads = interface{ Read }
)
`
	groups := []string{
		"string | A | B", "uint8 | byte", "int32 | rune", "any | interface{}", "error", "T", "uintptr", "Read",
		"*string | *A", "[]uint8 | []byte", "[4]A | [4]string", "[5]string", "map[A]rune | map[string]int32", "map[rune]A",
		"chan A | chan string", "<-chan A", "chan<- B", "chan (<-chan A)", "chan<- chan A", "chan<- (chan<- A)",
		"func(int, ...uint8) error | Fn", "func(int, []byte) error", "func(x int) (error, int) | func(int) (e error, n int)", "func(int)", "func(int) int",
		"interface{ Read([]uint8) (int, error) } | Reads", "interface{ Read([]byte) (int, error); m() }",
		"struct{ A string } | struct{ A B }", "struct{ A }", "struct{ B }", `struct{ A A "tag" }`, "struct{ A int }", "struct{}",
		"Gen[uint8] | Ga", "Gen[A] | Gen[string]", "Gen[Ga] | Gen[Gen[byte]]",
	}
	var source strings.Builder
	source.WriteString(declared)
	for _, g := range groups {
		for _, text := range strings.Split(g, " | ") {
			source.WriteString("var _ " + text + "\n")
		}
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "p.go", source.String(), 0)
	if err != nil {
		t.Fatal(err)
	}
	info := types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
	if _, err := new(types.Config).Check("p", files, []*ast.File{file}, &info); err != nil {
		t.Fatal(err)
	}
	decls := file.Decls[1:]
	groupOf := make(map[string]string)
	for _, g := range groups {
		for _, text := range strings.Split(g, " | ") {
			w := nameWriter{files: files}
			w.write(info.Types[decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Type].Type)
			decls = decls[1:]
			if old, is := groupOf[w.String()]; is && old != g {
				t.Errorf("%s of %s has the name of %s: %s", text, g, old, w.String())
			} else if !is && text != strings.Split(g, " | ")[0] {
				t.Errorf("%s has another name than the rest of %s: %s", text, g, w.String())
			}
			groupOf[w.String()] = g
		}
	}
}

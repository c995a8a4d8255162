package gotext_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/gotext"
	"github.com/govyre/vyre/internal/testing/long"
)

// nodes are the declarations of a file as Go's own parser finds them, by the position that names each.
func nodes(f *ast.File) (list []ast.Node) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		switch {
		case !ok || g.Tok == token.CONST && len(g.Specs) > 0:
			list = append(list, d)
		case g.Tok != token.IMPORT:
			for _, spec := range g.Specs {
				list = append(list, spec)
			}
		}
	}
	return list
}

// digests are those of the declarations that Go's parser finds in a text, in their order. Each has to be in one of Split's,
// and no two in the same.
func digests(t *testing.T, name string, src []byte) (found [][8]byte, f *ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	all := gotext.Split(src)
	last := -1
	for _, n := range nodes(f) {
		from, to := fset.Position(n.Pos()).Offset, fset.Position(n.End()).Offset
		i := slices.IndexFunc(all, func(d gotext.Declaration) bool { return d.Start <= from && to <= d.End })
		if i < 0 || i == last {
			t.Fatalf("%s: the declaration at %s is in no Declaration of its own", name, fset.Position(n.Pos()))
		}
		last = i
		found = append(found, all[i].Digest)
	}
	return found, f
}

// goFiles are files of this module, and with -long many of Go's own.
func goFiles(t *testing.T) (files []string) {
	t.Helper()
	roots := []string{"../../gpu", "../../prim", "../../examples", "../../ir"}
	if long.Enabled() {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{"go", "net", "runtime", "cmd/go"} {
			roots = append(roots, filepath.Join(strings.TrimSpace(string(root)), "src", dir))
		}
	}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return filepath.SkipDir // files there need not parse
			case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_vyre.go"):
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// The class: whatever an editor or gofmt changes in a file leaves the digests of its declarations as they are.
func TestDigestsOfRealFilesSurviveFormatting(t *testing.T) {
	declarations := 0
	for _, name := range goFiles(t) {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, f := digests(t, name, src)
		declarations += len(want)
		if got, _ := digests(t, name, bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n"))); !slices.Equal(got, want) {
			t.Errorf("%s: other line ends change a digest", name)
		}
		if bytes.Contains(src, []byte("//vyre:")) {
			continue // directives count, and are comments
		}
		for _, mode := range []printer.Mode{printer.RawFormat, printer.UseSpaces | printer.TabIndent} {
			var out bytes.Buffer
			if err := (&printer.Config{Mode: mode, Tabwidth: 3}).Fprint(&out, token.NewFileSet(), f); err != nil {
				t.Fatal(err)
			}
			if got, _ := digests(t, name, out.Bytes()); !slices.Equal(got, want) {
				t.Errorf("%s: printed anew, a digest is another one", name)
			}
		}
	}
	if declarations < 1000 {
		t.Errorf("only %d declarations in all", declarations)
	}
}

func TestDigestsDependOnTokens(t *testing.T) {
	one := func(src string) (first [8]byte) {
		all := gotext.Split([]byte("package k\n\n" + src))
		if len(all) < 2 {
			t.Fatalf("%q has no declaration", src)
		}
		return all[1].Digest
	}
	for _, c := range []struct{ name, a, b string }{
		{"spaces", "func f() { a=-b }", "func f() { a = - b }"},
		{"lines", "func f() { a(); b() }", "func f() {\n\ta()\n\n\tb()\n}"},
		{"comments", "func f() { a() }", "// f does it.\nfunc f( /* nothing */ ) { // so\n\ta()\n}"},
		{"a last comma", "var x = []int{1, 2}", "var x = []int{\n\t1,\n\t2,\n}"},
		{"a group of types", "type a int", "type (\n\ta int\n\tb int\n)"},
		{"a group of variables", "var a = 1", "var (\n\ta = 1\n)"},
		{"spaces in a directive", "//vyre:kernel a=1 b=2\nfunc f() {}", "//vyre:kernel  a=1\tb=2\r\nfunc f() {}"},
		{"carriage returns in a string", "var x = `a\nb`", "var x = `a\r\nb`"},
	} {
		if one(c.a) != one(c.b) {
			t.Errorf("%s: %q and %q differ", c.name, c.a, c.b)
		}
	}
	for _, c := range []struct{ name, a, b string }{
		{"an operator", "var x = a - -b", "var x = a--b"},
		{"words", "func f() { return x }", "func f() { returnx }"},
		{"a statement's end", "func f() { x\n-y }", "func f() { x - y }"},
		{"spaces in a string", `var x = "a  b"`, `var x = "a b"`},
		{"what looks like a comment", `var x = "a // b"`, `var x = "a // c"`},
		{"a rune", `var x = '"'`, `var x = '\''`},
		{"a number", "var x = 1.5", "var x = 15"},
		{"a constant of a group", "const (\n\ta = iota\n\tb\n)", "const (\n\tb = iota\n\ta\n)"},
		{"a directive", "//vyre:kernel workgroup=32\nfunc f() {}", "//vyre:kernel workgroup=64\nfunc f() {}"},
		{"a kind of declaration", "var x = 1", "const x = 1"},
	} {
		if one(c.a) == one(c.b) {
			t.Errorf("%s: %q and %q do not differ", c.name, c.a, c.b)
		}
	}
}

//ci:inputs 125000
func FuzzSplit(f *testing.F) {
	for _, src := range []string{"package k\n\nvar x = `a", "func f() { /*", "type (a int", "\"\\", "//vyre:", "//", "/", ")", "var x = 'a\n)"} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		at := 0
		for _, d := range gotext.Split(src) {
			if d.Start < at || d.End < d.Start || d.End > len(src) {
				t.Fatalf("%+v after %d of %d bytes", d, at, len(src))
			}
			at = d.End
		}
	})
}

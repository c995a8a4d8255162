package front_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/ir"
)

// tower writes 40 declarations, each of which has the one before twice.
func tower(first, next string) string { return chain(40, first, next) }

// chain writes n declarations after the first; # is the number of one, % of the one before.
func chain(n int, first, next string) string {
	var b strings.Builder
	b.WriteString(first + "\n")
	for i := 1; i <= n; i++ {
		b.WriteString(strings.NewReplacer("#", fmt.Sprint(i), "%", fmt.Sprint(i-1)).Replace(next) + "\n")
	}
	return b.String()
}

// Each of these texts is short, and would take memory or time without bound if anything expanded it.
func TestParseIsBoundedBeforeItExpands(t *testing.T) {
	body := func(s string) string {
		return "//vyre:kernel workgroup=1\nfunc K(t gpu.Thread, y []int32) {\n" + s + "\n}\n"
	}
	for _, c := range []struct{ name, src, want string }{
		{"array of nothing", body("var a [1 << 62]struct{}\n_ = a"), "exceeds the 16 KiB"},
		{"array of empty arrays", body("var a [1 << 40][0]int32\nb := a\n_ = b"), "exceeds the 16 KiB"},
		{"arrays of arrays of nothing", body("var a [1 << 30][1 << 30][1 << 30]struct{}\n_ = a"), "exceeds the 16 KiB"},
		{"literal of nothing", body("_ = [1 << 50]struct{}{}"), "exceeds the 16 KiB"},
		{"parameter", "//vyre:kernel workgroup=1\nfunc K(t gpu.Thread, a [1 << 50][0]int32, y []int32) {}", "exceeds the 16 KiB"},
		{"element", "//vyre:kernel workgroup=1\nfunc K(t gpu.Thread, y [][1 << 50]struct{}) {}", "holds nothing"},
		{"structs", tower("type T0 struct{ a, b int32 }", "type T# struct{ a, b T% }") + body("var a T40\n_ = a"), "VK024"},
		{"aliases", tower("type T0 = struct{ a, b int32 }", "type T# = struct{ a, b T% }") + body("var a T40\n_ = a"), "VK024"},
		{"pointers", tower("type T0 = *int32", "type T# = func(a, b T%) (c, d T%)") + body("y[0] = 1"), "VK024"},
		{"generics", "type G[T any] struct{ a, b T }\n" + body("var a "+strings.Repeat("G[", 40)+"int32"+strings.Repeat("]", 40)+"\n_ = a"), "VK024"},
		{"generic declarations", "type G[T any] struct{ a, b T }\n" + tower("type T0 = G[int32]", "type T# = G[T%]") + body("var a T40\n_ = a"), "VK024"},
		{"local types", body(tower("type T0 struct{ a, b int32 }", "type T# struct{ a, b T% }") + "var a T40\n_ = a"), "VK024"},
		{"shadowed types", body(strings.Repeat("{ type U = struct{ a, b T }\n{ type T = struct{ a, b U }\n", 40) + "var a T\n_ = a" + strings.Repeat("}}", 40)), "VK024"},
		{"texts", tower(`const s0 = "abcd"`, "const s# = s% + s%") + body("panic(s40)"), "VK024"},
		{"lengths of texts", tower(`const s0 = "abcd"`, "const s# = s% + s%") + body("y[0] = int32(len(s40) & 1)"), "VK024"},
		{"text written out", tower(`const s0 = "abcdefghijklmnop"`, "const s# = s0") + body("panic("+strings.Repeat("s1 + ", 70000)+"s2)"), "VK024"},
		{"structs in each other", chain(2000, "type T0 struct{ a int32 }", "type T# struct{ T% }") + body("var a T2000\n_ = a"), "one in the other, more than 250 [VK024]"},
		{"interfaces in each other", chain(3000, "type T0 interface{ m() }", "type T# interface{ T%; m#() }") + body("y[0] = 1"), "one in the other, more than 250 [VK024]"},
		{"a large type in many", "type T0 interface{ " + strings.Repeat("\n_()", 3000) + " }\n" + chain(400, "", "type U# interface{ T0 }") + body("y[0] = 1"), "parts together [VK024]"},
		{"a long text", "/*" + strings.Repeat(" ", 16<<20) + "*/" + body("y[0] = 1"), "k.go:1:1: more than 16 MiB of source [VK024]"},
		{"else after else", body(strings.Repeat("if y[0] > 1 { y[1] = 1 } else ", 20_000) + "{ y[2] = 1 }"), "nested deeper than 10000"},
		{"block in block", body(strings.Repeat("if y[0] > 1 {\n", 20_000) + strings.Repeat("}", 20_000)), "nested deeper than 10000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := "package kernels\n\nimport \"github.com/govyre/vyre/gpu\"\n\n" + c.src
			_, err := front.Parse(t.Context(), []front.File{{Name: "k.go", Src: []byte(src)}}, front.Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "k.go:") {
				t.Errorf("%.300v, want %q with a position", err, c.want)
			}
		})
	}
}

// Declared types that refer to each other stand for themselves, as in most programs that a kernel is a part of.
func TestParseTakesTypesThatReferToEachOther(t *testing.T) {
	src := "package kernels\n\nimport \"github.com/govyre/vyre/gpu\"\n\n" +
		chain(200, "type T0 struct{ all *T199 }", "type T# struct{ a, b *T%; c []T%; d map[string]*T%; e chan T%; f func(a, b T%) (T%, error); g interface{ M(a, b *T%) T% } }") +
		"//vyre:kernel workgroup=1\nfunc K(t gpu.Thread, y []int32) { y[0] = 1 }\n"
	if _, err := front.Parse(t.Context(), []front.File{{Name: "k.go", Src: []byte(src)}}, front.Options{}); err != nil {
		t.Errorf("%.300v", err)
	}
}

// Text that Go refuses in every line is told about in every line, and finding the advice for a line does not read all others.
func TestParseTellsOfEveryLine(t *testing.T) {
	const lines = 20_000
	for name, line := range map[string]string{"names": "zz# = 1", "lengths": "if uint32(y[#]) < len(y) { y[0] = 1 }"} {
		t.Run(name, func(t *testing.T) {
			src := "package kernels\n\nimport \"github.com/govyre/vyre/gpu\"\n//vyre:kernel workgroup=1\nfunc K(t gpu.Thread, y []int32) {" +
				chain(lines-1, "", line) + strings.ReplaceAll(line, "#", "0") + "\n}\n"
			_, err := front.Parse(t.Context(), []front.File{{Name: "k.go", Src: []byte(src)}}, front.Options{})
			var found ir.Diags
			if !errors.As(err, &found) || len(found) != lines {
				t.Fatalf("%d findings, want %d", len(found), lines)
			}
			for _, d := range found {
				if (d.Fix != "") != (name == "lengths") {
					t.Fatalf("%v with the advice %q", d, d.Fix)
				}
			}
		})
	}
}

// What is many, but not more than a program may hold, compiles.
func TestParseTakesManyDeclarations(t *testing.T) {
	var b strings.Builder
	b.WriteString("package kernels\n\nimport \"github.com/govyre/vyre/gpu\"\n\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "type T%d struct{ a, b, c, d float32 }\nconst s%d = \"text\"\nfunc f%d(x T%d) float32 { return x.a + x.d }\n", i, i, i, i)
	}
	b.WriteString("//vyre:kernel workgroup=1\nfunc K(t gpu.Thread, y []float32) { y[0] = f1999(T1999{d: 2}) }\n")
	if _, err := front.Parse(t.Context(), []front.File{{Name: "k.go", Src: []byte(b.String())}}, front.Options{}); err != nil {
		t.Error(err)
	}
}

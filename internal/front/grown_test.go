package front_test

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// source is Go code of kernels and what they use, of one construct.
type source struct{ before, body strings.Builder }

func (s *source) f(format string, args ...any) { fmt.Fprintf(&s.body, format+"\n", args...) }

func (s *source) decl(format string, args ...any) { fmt.Fprintf(&s.before, format+"\n", args...) }

func (s *source) String() string {
	return "package p\n\nimport \"github.com/govyre/vyre/gpu\"\n\n" + s.before.String() +
		"//vyre:kernel workgroup=64\nfunc K(t gpu.Thread, x []uint32, y []uint32) {\n\ti := t.Global().X\n\tv := x[i]\n" +
		s.body.String() + "\ty[i] = v\n}\n"
}

// vars declares n variables of loaded values.
func (s *source) vars(n int) {
	for k := range n {
		s.f("v%d := x[i+%d]", k, k)
	}
}

// constructs are kinds of source, each of n parts.
var constructs = []struct {
	name string
	make func(s *source, n int)
}{
	{"a sum", func(s *source, n int) { s.f("v = v" + strings.Repeat(" + x[i]*v", n)) }},
	{"parentheses", func(s *source, n int) { s.f("v = %s v %s", strings.Repeat("(v ^ 3*", n), strings.Repeat(")", n)) }},
	{"conditions joined", func(s *source, n int) {
		s.f("if v == 1%s { v++ }", strings.Repeat(" || v > 4 && x[i] != v", n))
	}},
	{"comparisons in pairs", func(s *source, n int) {
		n = max(2, n/8)
		s.f("var w [%d]uint32\nfor j := range w { w[j] = x[i+uint32(j)] }\nfor a := 0; a < %d; a++ { for b := 0; b < a; b++ { if w[a] != w[b] { return } } }", n, n)
	}},
	{"comparisons in pairs written out", func(s *source, n int) {
		k := 2
		for k*k < 2*n {
			k++
		}
		s.vars(k)
		for a := range k {
			for b := range a {
				s.f("if v%d > v%d { return }", a, b)
			}
		}
		s.f("v = v0 + y[v1]")
	}},
	{"extremes", func(s *source, n int) {
		s.vars(n)
		for k := range n {
			s.f("v = min(max(v, v%d), v%d)", k, n-1-k)
		}
	}},
	{"extremes of many", func(s *source, n int) {
		s.f("v = max(v" + strings.Repeat(", x[v]", n) + ")")
	}},
	{"nested ifs", func(s *source, n int) {
		for range n / 40 {
			s.f("%s y[v] = i %s", strings.Repeat("if v < x[v] { v++\n", 40), strings.Repeat("}\n", 40))
		}
	}},
	{"ifs and elses", func(s *source, n int) {
		for k := range n {
			s.f("if v == %d { v = x[v] } else { v += %d }", k, k+1)
		}
	}},
	{"a chain of ifs", func(s *source, n int) {
		for k := range min(n, 100) {
			s.f("if v == %d { v = %d } else ", k, k*k)
		}
		s.f("{ v = 0 }")
	}},
	{"cases", func(s *source, n int) {
		s.f("switch v {")
		for k := range n {
			s.f("case %d: v = x[%d]", k, k)
		}
		s.f("}")
	}},
	{"loops", func(s *source, n int) {
		for k := range n {
			s.f("for j := v; j < x[i]; j++ { v += x[j] ^ %d }", k)
		}
	}},
	{"nested loops", func(s *source, n int) {
		for range n / 20 {
			for d := range 20 {
				s.f("for j%d := uint32(0); j%d < v; j%d++ {", d, d, d)
			}
			s.f("v += x[j3+j7] %s", strings.Repeat("\n}", 20))
		}
	}},
	{"breaks and continues", func(s *source, n int) {
		s.f("for v < x[i] {")
		for k := range n {
			s.f("if v == %d { v += 3; continue }\nif x[v] == %d { break }", k, k)
		}
		s.f("v++ }")
	}},
	{"labels", func(s *source, n int) {
		n = min(n, 60)
		for k := range n {
			s.f("l%d: for v < x[%d] {", k, k)
		}
		for k := range n {
			s.f("if v == %d { break l%d }", k, k)
		}
		s.f(strings.Repeat("v++ }\n", n))
	}},
	{"variables", func(s *source, n int) {
		s.vars(n)
		for k := range n {
			s.f("v%d += v%d", k, (k+7)%n)
		}
		for k := range n {
			s.f("v ^= v%d", k)
		}
	}},
	{"variables over loops", func(s *source, n int) {
		n = max(4, n/8)
		s.vars(n)
		for k := range n {
			s.f("for j := range v { v%d += j; if v%d < v { v%d = j } }", k, (k+1)%n, (k*3)%n)
		}
		for k := range n {
			s.f("v ^= v%d", k)
		}
	}},
	{"exchanges", func(s *source, n int) {
		n = min(n, 200)
		s.vars(n)
		var left, right []string
		for k := range n {
			left, right = append(left, fmt.Sprint("v", k)), append(right, fmt.Sprint("v", (k+1)%n))
		}
		for range 4 {
			s.f("%s = %s", strings.Join(left, ", "), strings.Join(right, ", "))
		}
		s.f("v = v0 + v1")
	}},
	{"helpers in a row", func(s *source, n int) {
		for k := range n {
			s.decl("func h%d(a uint32) uint32 { if a == %d { return 1 }; return a*%d }\n", k, k, k)
			s.f("v = h%d(v)", k)
		}
	}},
	{"helpers that call the next", func(s *source, n int) {
		n = min(n, 50)
		for k := range n {
			s.decl("func h%d(a uint32) uint32 { return h%d(a + 1) ^ a }\n", k, k+1)
		}
		s.decl("func h%d(a uint32) uint32 { return a }\n", n)
		s.f("v = h0(v)")
	}},
	{"helpers that call the next twice", func(s *source, n int) {
		d := bits.Len(uint(n)) + 2
		for k := range d {
			s.decl("func h%d(a uint32) uint32 { return h%d(a + 1) ^ h%d(a) }\n", k, k+1, k+1)
		}
		s.decl("func h%d(a uint32) uint32 { return a }\n", d)
		s.f("v = h0(v)")
	}},
	{"instances", func(s *source, n int) {
		s.decl("type number interface{ ~uint32 }\nfunc add[T number](a, b T) T { return a + b }\n")
		for k := range n {
			s.decl("type n%d uint32", k)
			s.f("v = uint32(add(n%d(v), n%d(i)))", k, k)
		}
	}},
	{"instances of instances", func(s *source, n int) {
		s.decl("type pair[T any] struct{ a, b T }\n")
		s.decl("func twice[T any](a T) pair[T] { return pair[T]{a, a} }\n")
		d := min(n, 8)
		s.f("p0 := twice(v)")
		for k := range d {
			s.f("p%d := twice(p%d)", k+1, k)
		}
		s.f("v = p%d%s", d, strings.Repeat(".b", d+1))
	}},
	{"returns", func(s *source, n int) {
		s.decl("func h(a uint32, x []uint32) uint32 {")
		for k := range n {
			s.decl("if x[a] == %d { return a + %d }", k, k)
		}
		s.decl("return a }\n")
		s.f("v = h(v, x) + h(i, x)")
	}},
	{"fields", func(s *source, n int) {
		n = min(n, 200)
		s.decl("type r struct {")
		for k := range n {
			s.decl("f%d uint32", k)
		}
		s.decl("}\n")
		s.f("var a, b r")
		for k := range n {
			s.f("a.f%d = x[i+%d]", k, k)
		}
		s.f("b = a\na.f0++\na = b\nv = a.f0 + b.f%d", n-1)
	}},
	{"an array", func(s *source, n int) {
		s.f("var a [%d]uint32\nfor j := range a { a[j] = x[j] }\nfor j := range a { v += a[(j*7)%%%d] }", min(n, 1000), min(n, 1000))
	}},
	{"arrays", func(s *source, n int) {
		for k := range min(n, 100) {
			s.f("var a%d [4]uint32\na%d[v&3] = x[i]\nv += a%d[x[v]&3]", k, k, k)
		}
	}},
	{"arrays at unknown places", func(s *source, n int) {
		s.f("var a [16]uint32")
		for range n {
			s.f("a[v&15] = x[v]\nv += a[x[v]&15]")
		}
	}},
	{"arrays copied", func(s *source, n int) {
		s.f("var a, b [16]uint32")
		for range n / 8 {
			s.f("a[v&15] = v\nb = a\nb[v&7]++\na = b")
		}
		s.f("v = a[3]")
	}},
	{"slices of slices", func(s *source, n int) {
		s.f("s := x")
		for k := range n {
			if k%2 == 0 {
				s.f("s = s[:len(s)/2]")
			} else {
				s.f("s = s[x[v]:]")
			}
			s.f("if v < uint32(len(s)) { v += s[v] }")
		}
	}},
	{"constants", func(s *source, n int) {
		s.decl("const c0 = 1")
		for k := range n {
			s.decl("const c%d = c%d %% 1000003 * 3 + 1", k+1, k)
		}
		s.f("v = c%d %% 77", n)
	}},
	{"blocks", func(s *source, n int) {
		for range n {
			s.f("{ w := v; v = w * w; { w := w + v; v ^= w } }")
		}
	}},
}

// Bytes that the front end takes grow with the source, whatever that is made of, and with the rows that it writes: a helper is
// there once for each call.
func TestCompilingIsLinearInEveryConstruct(t *testing.T) {
	sizes := []int{64, 256}
	if long.Enabled() {
		sizes = []int{64, 256, 1024, 4096}[:long.Count(3, 4, 4)]
	}
	for _, c := range constructs {
		t.Run(c.name, func(t *testing.T) {
			last := 0.0
			for _, n := range sizes {
				var s source
				c.make(&s, n)
				src := s.String()
				files := []front.File{{Name: "k.go", Src: []byte(src)}}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				p, err := front.Parse(t.Context(), files, front.Options{})
				runtime.ReadMemStats(&after)
				bytes := float64(after.TotalAlloc - before.TotalAlloc)
				if n > sizes[0] && errors.As(err, new(ir.Diags)) {
					t.Logf("%d parts are refused: %.200s", n, err)
					return
				}
				if err != nil {
					t.Fatalf("%.2000s", err)
				}
				each := bytes / float64(len(src)+8*p.Kernels()[0].Program.Rows())
				if last > 0 && each > 1.4*last {
					t.Errorf("%d parts: %d bytes of source and %d rows take %.0f bytes, %.1f for each; with fewer parts %.1f",
						n, len(src), p.Kernels()[0].Program.Rows(), bytes, each, last)
				}
				last = each
			}
		})
	}
}

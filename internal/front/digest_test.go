package front_test

import (
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/front"
)

const digested = `package k

import (
	"example.com/lib"
	"github.com/govyre/vyre/gpu"
)

// Unrelated is for the host.
const Unrelated = 1

const (
	zero = iota
	one
)

type pair struct{ a, b int32 }

func (p pair) sum() int32 { return p.a + p.b }

var filled [2]int32

func init() { filled[1] = unit }

var unit int32 = 5

var listed, owned = []int32{1, 2}, &pair{3, 4}

func helper(v int32) int32 { return lib.Twice(v) + one }

//vyre:kernel workgroup=32
func K(t gpu.Thread, x, y []int32) {
	for i := range x[1:] {
		x[i] = helper(y[i]) - pair{a: 1, b: filled[1]}.sum() - listed[1] - owned.a
	}
}

//vyre:kernel workgroup=32
func Other(t gpu.Thread, x []int32) { x[0] = 1 }
`

const digestedLib = "package lib\n\nfunc Twice(v int32) int32 { return 2 * v }\n\nfunc Thrice(v int32) int32 { return 3 * v }\n"

func sourceDigests(t *testing.T, src, lib string) map[string][32]byte {
	t.Helper()
	pkg, err := front.Parse(t.Context(), []front.File{{Name: "k.go", Src: []byte(src)}},
		front.Options{Packages: map[string][]front.File{"example.com/lib": {{Name: "lib.go", Src: []byte(lib)}}}})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][32]byte{}
	for _, k := range pkg.Kernels() {
		all[k.Name] = k.Source
	}
	return all
}

func TestSourceDigestCoversWhatAKernelNeeds(t *testing.T) {
	was := sourceDigests(t, digested, digestedLib)
	for _, c := range []struct{ name, old, new string }{
		{"the body", "y[i])", "y[0])"},
		{"names of parameters that change places", "x, y []int32", "y, x []int32"},
		{"an operator", "- pair", "+ pair"},
		{"a bound of a slice", "x[1:]", "x[:1]"},
		{"a helper", "+ one", "- one"},
		{"a constant of a group", "zero = iota", "zero = iota + 1"},
		{"a field", "a, b int32", "b, a int32"},
		{"a method", "p.a + p.b", "p.a * p.b"},
		{"a helper of another package", "2 * v", "v * 2"},
		{"a function init", "filled[1] = unit", "filled[0] = unit"},
		{"what it reads", "unit int32 = 5", "unit int32 = 6"},
		{"a slice", "{1, 2}", "{1, 3}"},
		{"what a pointer points to", "{3, 4}", "{5, 4}"},
		{"the directive", "workgroup=32\nfunc K", "workgroup=64\nfunc K"},
	} {
		now := sourceDigests(t, strings.Replace(digested, c.old, c.new, 1), strings.Replace(digestedLib, c.old, c.new, 1))
		if now["K"] == was["K"] {
			t.Errorf("%s: the digest of K stays", c.name)
		}
		if now["Other"] != was["Other"] {
			t.Errorf("%s: the digest of Other changes", c.name)
		}
	}
}

func TestSourceDigestLeavesOutWhatAKernelDoesNotNeed(t *testing.T) {
	was := sourceDigests(t, digested, digestedLib)
	for _, c := range []struct{ name, old, new string }{
		{"a comment", "// Unrelated is", "// It is"},
		{"another constant", "Unrelated = 1", "Unrelated = 2"},
		{"spacing", "for i := range x[1:] {", "for i := range x[ 1 : ] {\n\n// why"},
		{"a helper that nobody calls", "3 * v", "v * 3"},
		{"another kernel", "x[0] = 1", "x[0] = 2"},
	} {
		now := sourceDigests(t, strings.Replace(digested, c.old, c.new, 1), strings.Replace(digestedLib, c.old, c.new, 1))
		if now["K"] != was["K"] {
			t.Errorf("%s: the digest of K changes", c.name)
		}
	}
}

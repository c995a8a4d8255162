package front_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// A variable that nothing assigns to and that starts as a part of a constant table is that part, and one that may change is a
// copy.
func TestVariablesOfTablesAreCopiedIfTheyChange(t *testing.T) {
	const table = "var rows = [4][3]uint32{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}\n"
	for _, c := range []struct {
		body   string
		copies int
		want   int32
	}{
		{"for _, r := range rows { for k, c := range r { out[0] += int32(c) * int32(k) } }", 0, (2 + 5 + 8 + 11) + 2*(3+6+9+12)},
		{"r := rows[x&3]\n for k := range x { out[0] += int32(r[k]) }", 0, 33},
		{"r := rows[x&3]\n f := func(k int32) int32 { return int32(r[k%3]) }\n x = 1\n out[0] = f(x)", 0, 11},
		{"r := rows[x&3]\n r[x%3] = 70\n for k := range x { out[0] += int32(r[k]) }", 1, 93},
		{"r := rows[x&3]\n s := r[:]\n s[x%3]++\n for k := range x { out[0] += int32(r[k]) }", 1, 34},
	} {
		k := compiled(t, table+"//vyre:kernel workgroup=1\nfunc K(t gpu.Thread, x int32, out []int32) {\n"+c.body+"\n}\n")
		out := []int32{0}
		if res := launchOne(t, k, int32(3), out); res.Trap != nil || out[0] != c.want {
			t.Errorf("%s\ngot %d, want %d", c.body, out[0], c.want)
		}
		if n := strings.Count(text.Of(k.Program), "local @"); n != c.copies {
			t.Errorf("%s\n%d local arrays, want %d", c.body, n, c.copies)
		}
	}
}

const filled = `
-- go.mod --
module example.com/app

go 1.25
-- b.go --
package kernels

import (
	"example.com/app/lib"
	"github.com/govyre/vyre/gpu"
)

var (
	list   = [2]int32{seed(1), lib.Halves[7]}
	before = list
	scale  = unit * 2
	unit   = int32(len(names))
	names  = [...]bool{3: true}
)

func init() { list[0] = list[0]*10 + 2 }

func seed(n int32) int32 { return scale + n }

//vyre:kernel workgroup=1
func K(t gpu.Thread, out []int32) {
	out[0], out[1], out[2], out[3] = list[0], list[1], before[0], lib.Halves[1]
}
-- a.go --
package kernels

func init() { list[0] = list[0]*10 + 1 }

func init() { other = before[0] }

func init() { list[1] += other; Add(&list) }

func Add(p *[2]int32) { p[1]++ }

func Host(p *[2]int32) { Add(p) }

var other int32
-- lib/lib.go --
package lib

var Halves [8]int32

func init() {
	for i := range Halves {
		Halves[i] = int32(i)/2 + int32(copied[1])
	}
	copied[1] = 50
}

var copied = [2]uint8{1: 100}
`

// Files may come in any order, and one may be all that is named: functions init run as the go command orders them, after all
// initialisers, and those of imported packages first.
func TestTablesAreFilledInTheOrderOfGo(t *testing.T) {
	files := txtar.Parse([]byte(filled)).Files
	given, err := front.Parse(t.Context(), []front.File{{Name: "b.go", Src: files[1].Data}, {Name: "a.go", Src: files[2].Data}},
		front.Options{Packages: map[string][]front.File{"example.com/app/lib": {{Name: "lib.go", Src: files[3].Data}}}})
	if err != nil {
		t.Fatal(err)
	}
	project(t, filled)
	loaded, err := front.Load(t.Context(), "b.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*front.Package{given, loaded} {
		out := make([]int32, 4)
		if launchOne(t, p.Lookup("K"), out); !slices.Equal(out, []int32{912, 113, 9, 100}) {
			t.Errorf("got %v", out)
		}
	}
}

// What fills tables is bounded together, however hostile.
func TestTablesTakeBoundedTime(t *testing.T) {
	const kernel = "\n//vyre:kernel workgroup=1\nfunc K(t gpu.Thread, out []int32) { out[0] = a0[0] + a1[0] }\n"
	chain, many := "", ""
	for i := range 1000 {
		at, next := strconv.Itoa(i), strconv.Itoa(i+1)
		chain += "var a" + at + " = [1]int32{a" + next + "[0] + one()}\n"
		many += "func init() { a" + at + "[0] = one() }\nvar a" + at + " [1]int32\n"
	}
	wide := "func init() {" + strings.Repeat("{ var y [1<<16]float64; y[a1[0]] = 1 }; ", 200) + "a0[0] = 1 }\nvar a0, a1 [1]int32\n"
	for src, want := range map[string]string{chain + "var a1000 [1]int32\n": "each from the next", many: "functions init", wide: "arrays: 201"} {
		_, err := front.Parse(t.Context(), []front.File{{Name: "k.go", Src: []byte("package kernels\nimport \"github.com/govyre/vyre/gpu\"\nfunc one() int32 { return 1 }\n" + src + kernel)}}, front.Options{})
		var ds ir.Diags
		if !errors.As(err, &ds) || ds[0].Code != "VK017" || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s\ngot %v", src, err)
		}
	}
}

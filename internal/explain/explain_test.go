package explain_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/explain"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

const scale = `package kernels

import "github.com/govyre/vyre/gpu"

func thrice(v float32) float32 {
	return v * 3
}

const unused = 1

var _ = unused

// Scale triples x where a is.
//
//vyre:kernel workgroup=64
func Scale(t gpu.Thread, a float32, x []float32) {
	i := t.Global().X
	s := a*a + a*a
	x[i] = thrice(x[i]) + s
}
`

// writeScale returns the page of scale under other options of the optimiser.
func writeScale(t *testing.T, choice compile.Choice) string {
	t.Helper()
	in := explain.Input{Program: compiled(t, "scale.go", scale), Passes: choice, Target: ptx.Target{SM: 90}}
	in.Read = func(string) ([]byte, error) { return []byte(scale), nil }
	return writeInput(t, in)
}

func TestNewRendersEveryExampleKernel(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/kernel.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	if !long.Enabled() {
		files = files[:3]
	}
	for _, file := range files {
		pkg, err := front.Load(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range pkg.Kernels() {
			t.Run(k.Name, func(t *testing.T) {
				page := writeInput(t, explain.Input{Program: k.Program, Read: os.ReadFile, Target: ptx.Target{SM: 80}})
				cols := columns(t, page)
				for _, id := range []string{"source", "front", "ptx"} {
					if !slices.ContainsFunc(cols[id], func(l shown) bool { return len(l.origins) > 0 }) {
						t.Errorf("no line of column %s is linked to anything", id)
					}
				}
			})
		}
	}
}

func TestNewRendersProgramsWithoutSource(t *testing.T) {
	for seed := range uint64(long.Count(4, 20, 100)) {
		p := conform.Random(seed).Program
		cols := columns(t, writeInput(t, explain.Input{Program: p, Target: ptx.Target{SM: 90}}))
		if cols["source"] != nil || len(cols["front"]) == 0 || len(cols["ptx"]) == 0 {
			t.Errorf("seed %d: lines by column: source %d, front %d, ptx %d", seed, len(cols["source"]), len(cols["front"]), len(cols["ptx"]))
		}
	}
}

func TestColumnsLinkALineToWhatWasMadeOfIt(t *testing.T) {
	page := writeScale(t, compile.Choice{Level: compile.O0})
	cols := columns(t, page)
	for _, c := range []struct {
		name, line string
		front      []string
		ptx        string // part of a line
	}{
		{"statement", "s := a*a + a*a", []string{"%v3 = mul.f32 %a, %a", "%v4 = mul.f32 %a, %a", "%s = add.f32 %v3, %v4"}, "add.rn.f32"},
		{"in an inlined function", "return v * 3", []string{"%v6 = mul.f32 %v5, 3_f32"}, "mul.rn.f32"},
		{"parameters", "func Scale", []string{"param %a: f32", "param @x: buf&lt;f32&gt; rw"}, "p1_x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := line(t, cols["source"], c.line)
			var want []string
			for _, s := range c.front {
				want = append(want, strings.NewReplacer("&lt;", "<", "&gt;", ">").Replace(s))
			}
			if got := linked(cols["front"], l); !slices.Equal(normal(got), normal(want)) {
				t.Errorf("the program's lines are %q, want %q", got, want)
			}
			if got := strings.Join(linked(cols["ptx"], l), "\n"); !strings.Contains(got, c.ptx) {
				t.Errorf("the PTX is\n%s\nwithout %s", got, c.ptx)
			}
		})
	}
}

// normal leaves the numbers of nameless values out.
func normal(lines []string) []string {
	var list []string
	for _, l := range lines {
		list = append(list, strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return -1
			}
			return r
		}, l))
	}
	return list
}

func TestColumnsLinkACallToTheFunctionThatWasInlined(t *testing.T) {
	page := write(t, compiled(t, "scale.go", scale), map[string]string{"scale.go": scale})
	cols := columns(t, page)
	body := line(t, cols["source"], "return v * 3")
	if got := linked(cols["source"], body); !slices.Contains(got, "x[i] = thrice(x[i]) + s") {
		t.Errorf("the function's body is linked to %q", got)
	}
}

func TestTagKeepsNamesOfValuesThroughThePasses(t *testing.T) {
	page := writeScale(t, compile.Choice{Level: compile.O0, Enable: []string{"gvn.early"}})
	cols := columns(t, page)
	if cols["gvn-early"] == nil {
		t.Fatal("no column for gvn, though a*a stands there twice")
	}
	s := line(t, cols["gvn-early"], "%s = add.f32")
	first := line(t, cols["gvn-early"], "mul.f32 %a, %a")
	value, _, _ := strings.Cut(strings.TrimSpace(first.text), " ")
	if want := "%s = add.f32 " + value + ", " + value; strings.TrimSpace(s.text) != want {
		t.Errorf("got %q, want %q", s.text, want)
	}
	if !slices.Contains(s.classes, "came") || slices.Contains(first.classes, "came") {
		t.Errorf("marked as new: the sum %v, the product that was left %v; want only the sum", s.classes, first.classes)
	}
	gone := 0
	for _, column := range cols {
		for _, l := range column {
			if strings.Contains(l.text, "mul.f32 %a, %a") && slices.Contains(l.classes, "goes") {
				gone++
			}
		}
	}
	if gone != 1 {
		t.Errorf("%d of the two products are marked as going, want 1", gone)
	}
}

func TestNewNamesRunsThatChangedNothing(t *testing.T) {
	p := compiled(t, "scale.go", scale)
	_, report, err := opt.Run(p, opt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	root := parse(t, write(t, p, nil))
	var stages []string
	for _, e := range root.named("nav")[0].children {
		if e.name == "button" {
			stages = append(stages, strings.TrimSpace(e.text()))
			continue
		}
		for _, s := range e.named("span") {
			stages = append(stages, s.text())
		}
	}
	want := []string{"front end"}
	for _, s := range report.Passes {
		want = append(want, s.Run)
	}
	for _, r := range compile.Table() {
		if r.Group == compile.Text && r.Name != "ptx.print" {
			want = append(want, r.Name)
		}
	}
	want = append(want, "PTX", "machine code of device cpu")
	if !slices.Equal(stages, want) {
		t.Errorf("got %q, want %q", stages, want)
	}
}

func TestWriteGivesEqualBytesForEqualInput(t *testing.T) {
	p, files := compiled(t, "scale.go", scale), map[string]string{"scale.go": scale}
	first := write(t, p, files)
	for range 4 {
		if write(t, compiled(t, "scale.go", scale), files) != first {
			t.Fatal("two runs gave two pages")
		}
	}
}

func TestNewShowsTimesWhenAskedFor(t *testing.T) {
	p := compiled(t, "scale.go", scale)
	for _, times := range []bool{false, true} {
		root := parse(t, writeInput(t, explain.Input{Program: p, Target: ptx.Target{SM: 90}, Times: times}))
		took := root.all(func(e *element) bool { return e.name == "dt" && e.text() == "took" })
		if times != (len(took) > 0) {
			t.Errorf("times %v: %d columns say how long they took", times, len(took))
		}
	}
}

func TestSourceColumnFoldsDeclarationsWithoutRows(t *testing.T) {
	root := parse(t, write(t, compiled(t, "scale.go", scale), map[string]string{"scale.go": scale}))
	source := root.all(func(e *element) bool { return e.attrs["id"] == "source" })[0]
	var folded strings.Builder
	for _, d := range source.named("details") {
		folded.WriteString(d.text())
	}
	for text, want := range map[string]bool{"package kernels": true, "const unused": true, "v * 3": false, "Scale triples": false} {
		if strings.Contains(folded.String(), text) != want {
			t.Errorf("%q is folded: %v, want %v", text, !want, want)
		}
	}
}

func TestNewReportsWhatTheTargetLacksAtItsPlaceInTheSource(t *testing.T) {
	ps, err := text.Parse("k.vyre", `vyre 1
kernel @k workgroup(32) {
  param @x: buf<f32> rw
  %i = global.x
  %v = load @x[%i]
  %w = fast_tanh.f32 %v !k.go:7:5
  store @x[%i], %w
}`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = explain.New(t.Context(), explain.Input{Program: ps[0], Target: ptx.Target{SM: 70}})
	var ds ir.Diags
	if !errors.As(err, &ds) || ds[0].Pos.String() != "k.go:7:5" {
		t.Errorf("got %v, want a finding at k.go:7:5", err)
	}
}

func TestNewRefusesNamesThatNoPassHas(t *testing.T) {
	p := compiled(t, "scale.go", scale)
	_, err := explain.New(t.Context(), explain.Input{Program: p, Target: ptx.Target{SM: 90}, Passes: compile.Choice{Disable: []string{"fusion"}}})
	if err == nil || !strings.Contains(err.Error(), `"fusion"`) {
		t.Errorf("error %v, want one that names fusion", err)
	}
	root := parse(t, writeInput(t, explain.Input{Program: p, Target: ptx.Target{SM: 90}, Passes: compile.Choice{Disable: []string{"gvn"}}}))
	if cols := root.all(func(e *element) bool { return strings.HasPrefix(e.attrs["id"], "gvn") }); len(cols) > 0 {
		t.Error("a column for gvn, which was not to run")
	}
}

const tabled = `package kernels

import "github.com/govyre/vyre/gpu"

var weights = [9]uint32{1000, 2, 1000000, 2, 4, 2, 1, 2, 1}

//vyre:kernel workgroup=64
func Weigh(t gpu.Thread, x []uint32) {
	i := t.Global().X
	x[i] = weights[x[i]%9]
}
`

// A table's contents, and what gets at them, belong to the line that declares the variable.
func TestTablesAreLinkedToTheirDeclaration(t *testing.T) {
	in := explain.Input{Program: compiled(t, "weigh.go", tabled), Target: ptx.Target{SM: 90}}
	in.Read = func(string) ([]byte, error) { return []byte(tabled), nil }
	cols := columns(t, writeInput(t, in))
	declared := line(t, cols["source"], "var weights").origins
	for column, text := range map[string]string{"front": "table @weights", "ptx": ".global .align 16 .u32"} {
		if got := line(t, cols[column], text).origins; len(got) == 0 || !slices.Contains(declared, got[0]) {
			t.Errorf("%s: %q belongs to %v, the declaration to %v", column, text, got, declared)
		}
	}
	if got := line(t, cols["ptx"], "ld.global.nc.u32").origins; len(got) == 0 {
		t.Error("the load from the table is linked to nothing")
	}
}

// A line with an access that keeps its bounds check says why; others say nothing of it.
func TestSourceColumnNamesBoundsChecks(t *testing.T) {
	const src = `package kernels

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=64
func K(t gpu.Thread, x, y []uint32) {
	i := t.Global().X
	if i < uint32(len(x)) {
		x[i] = 1
		x[i+1] = y[i]
	}
}
`
	page := write(t, compiled(t, "k.go", src), map[string]string{"k.go": src})
	notes := regexp.MustCompile(`data-note="(the index[^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(notes) != 1 || !strings.Contains(notes[0][1], "the index of x is checked") || !strings.Contains(notes[0][1], "; the index of y is checked") {
		t.Errorf("lines say %q, want one of the indices of x and y", notes)
	}
	if !strings.Contains(page, "<dt>bounds checks</dt><dd>2</dd>") {
		t.Error("the page does not count two bounds checks")
	}
}

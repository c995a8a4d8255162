package matrix_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/internal/matrix/cases"
	"github.com/govyre/vyre/internal/testing/long"
)

var generations = []matrix.Generation{matrix.SM70, matrix.SM75, matrix.SM90}

// forms are all there are.
func forms() (all []matrix.Form) {
	for f := matrix.F16; f <= matrix.E5M2; f++ {
		all = append(all, f)
	}
	return all
}

func TestVectors(t *testing.T) {
	for _, v := range cases.Vectors() {
		t.Run("matrix/"+v.Rule, func(t *testing.T) {
			for g, want := range v.Want {
				var d [32][4]uint32
				matrix.MulAdd(v.Form, g, &v.A, &v.B, &v.C, &d)
				m, n, _ := v.Form.Shape()
				for i := range m * n {
					if got := cases.C(v.Form, &d, i/n, i%n); got != want {
						t.Fatalf("%v in %v: element %d, %d is %x, not %x", v.Form, g, i/n, i%n, got, want)
					}
				}
			}
		})
	}
}

func TestAVectorOfAFormStandsForAllGenerationsThatHaveIt(t *testing.T) {
	for _, v := range cases.Vectors() {
		for _, g := range generations {
			if _, ok := v.Want[g]; ok != v.Form.Known(g) {
				t.Errorf("%s of %v: a result in %v: %v", v.Rule, v.Form, g, ok)
			}
		}
	}
}

func TestGenerations(t *testing.T) {
	for sm, want := range map[int]string{62: "none", 69: "none", 70: "sm_70", 74: "sm_70", 75: "sm_75", 89: "sm_75", 90: "sm_90", 121: "sm_90"} {
		g := matrix.GenerationOf(sm/10, sm%10)
		if g.String() != want {
			t.Errorf("capability %d computes as %v, not %s", sm, g, want)
		}
		parsed, err := matrix.ParseGeneration(fmt.Sprintf("sm_%d", sm))
		if parsed != g || (err == nil) != (g > 0) {
			t.Errorf("sm_%d is %v, %v", sm, parsed, err)
		}
	}
	for _, s := range []string{"", "sm_", "90", "sm90", "sm_-90", "sm_9o", "sm_99999999999999999999", "SM_90", "hopper"} {
		if g, err := matrix.ParseGeneration(s); err == nil || !strings.Contains(err.Error(), "sm_70, sm_75, sm_90") {
			t.Errorf("%q is %v, %v", s, g, err)
		}
	}
}

func TestOnlyFormsAreKnown(t *testing.T) {
	for i := range 256 {
		f, g := matrix.Form(i), matrix.Generation(i)
		if i > 0 && i <= int(matrix.E5M2) {
			continue
		}
		if f.Known(matrix.SM90) || f.Exact() || matrix.F16.Known(g) || !matrix.I8.Known(g) {
			t.Errorf("%v or %v is known", f, g)
		}
	}
}

// known calls do with each form and each generation that has it; one is enough where all are alike.
func known(do func(matrix.Form, matrix.Generation)) {
	for _, f := range forms() {
		for _, g := range generations {
			if f.Known(g) && (g == matrix.SM90 || !f.Exact()) {
				do(f, g)
			}
		}
	}
}

func TestWhatIsComputedIsTheText(t *testing.T) {
	r := rand.NewPCG(long.Seed(t, 1), 1)
	known(func(f matrix.Form, g matrix.Generation) {
		o, n := newOracle(f, g), long.Count(2, 200, 2000)
		for k := range cases.Kinds {
			for range n {
				var c cases.Case
				k.Draw(f, r, &c)
				d := c.C
				matrix.MulAdd(f, g, &c.A, &c.B, &d, &d)
				outputs(f, &c, func(row, column int, a, b []uint64, c uint64) bool {
					got, want := cases.C(f, &d, row, column), o.output(a, b, c)
					if got != want {
						t.Errorf("%v in %v, %v numbers: %x·%x + %x is %x, not %x", f, g, k, a, b, c, got, want)
					}
					return got == want
				})
			}
		}
	})
}

// mutants are rules that differ from the right one in one thing, the vector's name that tells each, and which forms can have it.
var mutants = []struct{ name, vector, forms string }{
	{"F-1", "F", "float"}, {"F+1", "F", "float"},
	{"halved", "chunk", "float"}, {"doubled", "chunk", "chunked"}, {"reversed", "chunk", "chunked f64"},
	{"late", "late", "float"}, {"trunc", "trunc", "float"},
	{"nearest", "out", "f32"}, {"down", "out", "float"}, {"zero", "out", "f16.f16"}, {"away", "out", "float"},
	{"norm", "norm", "float"}, {"subn", "subn", "float"}, {"csub", "csub", "float"},
	{"floor+1", "floor", "float"}, {"floor-1", "floor", "float"}, {"zexp", "zexp", "float"}, {"czero", "floor", "float"},
	{"nzero", "nzero", "float"}, {"nunder", "nunder", "float"}, {"ftz", "ftz", "float"}, {"ovf", "ovf", "float"}, {"prodovf", "prodovf", "float"},
	{"payload", "nan", "float"}, {"quiet", "nan", "float"}, {"zeroinf", "nan", "float"}, {"infinities", "nan", "float"},
	{"tfnan", "tfnan", "tf32"}, {"tfcut", "tfcut", "tf32"}, {"tfround", "tfcut", "tf32"},
	{"once", "once", "f16.f16"}, {"kept", "kept", "e4m3 e5m2"},
	{"sumfirst", "chain", "f64"}, {"twice", "fused", "f64"},
	{"saturates", "wrap", "i8 u8 b1"}, {"unsigned", "sign", "i8"}, {"signed", "sign", "u8"}, {"xor", "count", "b1"},
}

// mutate makes an oracle a mutant, and reports whether it can differ.
func (o *oracle) mutate(name, forms string) bool {
	_, _, k := o.form.Shape()
	fields := strings.Fields(forms)
	switch {
	case slices.Contains(fields, o.form.String()):
	case o.form.Exact():
		return false
	case slices.Contains(fields, "float"), slices.Contains(fields, "chunked") && o.chunk < k, slices.Contains(fields, "f32") && o.acc.m == 23:
	default:
		return false
	}
	o.mutant = name
	switch name {
	case "F-1":
		o.fraction--
	case "F+1":
		o.fraction++
	case "halved":
		o.chunk /= 2
	case "doubled":
		o.chunk *= 2
	case "floor+1":
		o.floor++
	case "floor-1":
		o.floor--
	case "kept":
		o.kept = 23
	}
	return true
}

// told returns the names of the vectors that a mutant of a form fails in a generation; false if there is no such mutant.
func told(f matrix.Form, g matrix.Generation, name, forms string, vectors []cases.Vector) (rules []string, ok bool) {
	o := newOracle(f, g)
	if !f.Known(g) || !o.mutate(name, forms) {
		return nil, false
	}
	for _, v := range vectors {
		if v.Form != f {
			continue
		}
		outputs(f, &v.Case, func(_, _ int, a, b []uint64, c uint64) bool {
			if o.output(a, b, c) != v.Want[g] {
				rules = append(rules, v.Rule)
			}
			return false // all are alike
		})
	}
	return rules, true
}

// Parameters are told in each form and generation, which have their own; other things in some form.
func TestAVectorTellsEachMutant(t *testing.T) {
	vectors := cases.Vectors()
	for _, m := range mutants {
		var all []string
		for _, f := range forms() {
			for _, g := range generations {
				rules, ok := told(f, g, m.name, m.forms, vectors)
				all = append(all, rules...)
				if ok && (m.vector == "F" || m.vector == "chunk") && !slices.Contains(rules, m.vector) && !f.Exact() {
					t.Errorf("matrix/%s holds for %s of %v in %v; those that fail: %v", m.vector, m.name, f, g, rules)
				}
			}
		}
		if !slices.Contains(all, m.vector) {
			t.Errorf("matrix/%s holds for the mutant %s; those that fail: %v", m.vector, m.name, all)
		}
	}
}

// untold are the mutants that no kind of operands tells, because none can: products of the form stay where neither
// the lowest nor the highest accumulators are, and e4m3 has no infinity.
var untold = map[matrix.Form]string{
	matrix.F16:  "csub floor+1 floor-1 czero nunder ovf prodovf",
	matrix.E4M3: "csub floor+1 floor-1 czero nunder ovf prodovf zeroinf infinities",
	matrix.E5M2: "csub floor+1 floor-1 czero nunder ovf prodovf",
}

func TestSomeKindTellsEachMutant(t *testing.T) {
	for _, f := range forms() {
		for _, m := range mutants {
			none := slices.Contains(strings.Fields(untold[f]), m.name)
			can, kind := false, ""
			for _, g := range generations {
				o := newOracle(f, g)
				if kind == "" && f.Known(g) && o.mutate(m.name, m.forms) {
					can, kind = true, tells(f, g, o, none)
				}
			}
			if can && (kind == "") != none {
				t.Errorf("%v: %q numbers tell %s", f, kind, m.name)
			}
		}
	}
}

// tells is the first kind of operands that a mutant computes something else from. Little is tried if there is none.
func tells(f matrix.Form, g matrix.Generation, mutant *oracle, none bool) string {
	n := long.Count(32, 100, 1000)
	if none {
		n /= 32
	}
	for i := range n {
		for k := range cases.Kinds {
			var c cases.Case
			k.Draw(f, rand.NewPCG(uint64(i), uint64(k)), &c)
			var d [32][4]uint32
			matrix.MulAdd(f, g, &c.A, &c.B, &c.C, &d)
			told := ""
			outputs(f, &c, func(row, column int, a, b []uint64, c uint64) bool {
				if mutant.output(a, b, c) != cases.C(f, &d, row, column) {
					told = k.String()
				}
				return told == ""
			})
			if told != "" {
				return told
			}
		}
	}
	return ""
}

// A −0 of float64 becomes +0, as it does in any sum with +0.
func TestAStepOfZerosChangesNoOtherResult(t *testing.T) {
	r := rand.NewPCG(1, 2)
	known(func(f matrix.Form, g matrix.Generation) {
		for k := range cases.Kinds {
			var c, zero cases.Case
			k.Draw(f, r, &c)
			var d, e [32][4]uint32
			matrix.MulAdd(f, g, &c.A, &c.B, &c.C, &d)
			matrix.MulAdd(f, g, &zero.A, &zero.B, &d, &e)
			for l := range d {
				for i := 1; i < 4 && f == matrix.F64; i += 2 {
					if d[l][i-1] == 0 && d[l][i] == 1<<31 {
						d[l][i] = 0
					}
				}
			}
			if d != e {
				t.Errorf("%v in %v, %v numbers: %x, then %x", f, g, k, d, e)
			}
		}
	})
}

// BenchmarkMulAdd says how many products are made in a second.
func BenchmarkMulAdd(b *testing.B) {
	known(func(f matrix.Form, g matrix.Generation) {
		b.Run(f.String()+"/"+g.String(), func(b *testing.B) {
			var c cases.Case
			var d [32][4]uint32
			cases.Normal.Draw(f, rand.NewPCG(1, 1), &c)
			m, n, k := f.Shape()
			for b.Loop() {
				matrix.MulAdd(f, g, &c.A, &c.B, &c.C, &d)
			}
			b.ReportMetric(float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mproducts/s")
		})
	})
}

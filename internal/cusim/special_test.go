package cusim_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/exact"
)

// encodings are the bits of a number in each float format.
var encodings = map[byte]func(v float64) uint64{
	'e': func(v float64) uint64 { return uint64(exact.F32ToF16(float32(v))) },
	'k': func(v float64) uint64 { return uint64(exact.F32ToBF16(float32(v))) },
	'f': func(v float64) uint64 { return uint64(math.Float32bits(float32(v))) },
	'g': math.Float64bits,
}

// TestSpecialOperandsInEveryRounding: results of zeros, ones, infinities and NaNs are exact, so rounding shows in one
// thing only: numbers that cancel leave −0 if it goes down.
func TestSpecialOperandsInEveryRounding(t *testing.T) {
	specials := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN()}
	// sum is a+b, where −0 stays only if both are, or rounding goes down.
	sum := func(a, b float64, down bool) float64 {
		s := a + b
		if s == 0 && math.Signbit(a) != math.Signbit(b) && down {
			return math.Copysign(0, -1)
		}
		return s
	}
	results := map[string]func(a, b, c float64, down bool) float64{
		"add":  func(a, b, _ float64, down bool) float64 { return sum(a, b, down) },
		"sub":  func(a, b, _ float64, down bool) float64 { return sum(a, -b, down) },
		"mul":  func(a, b, _ float64, _ bool) float64 { return a * b },
		"div":  func(a, b, _ float64, _ bool) float64 { return a / b },
		"fma":  func(a, b, c float64, down bool) float64 { return sum(a*b, c, down) },
		"rcp":  func(a, _, _ float64, _ bool) float64 { return 1 / a },
		"sqrt": func(a, _, _ float64, _ bool) float64 { return math.Sqrt(a) },
	}
	exact := list([]op{
		{"{add,sub,mul,div}.{rn,rz,rm,rp}.f32", "fff"}, {"{add,sub,mul,div}.{rn,rz,rm,rp}.f64", "ggg"},
		{"fma.{rn,rz,rm,rp}.f32", "ffff"}, {"fma.{rn,rz,rm,rp}.f64", "gggg"},
		{"{rcp,sqrt}.{rn,rz,rm,rp}.f32", "ff"}, {"{rcp,sqrt}.{rn,rz,rm,rp}.f64", "gg"},
		{"{add,sub,mul}.rn.f16", "eee"}, {"fma.rn.f16", "eeee"}, {"{add,sub,mul}.rn.bf16", "kkk"}, {"fma.rn.bf16", "kkkk"},
	})
	var triples [][3]float64
	for _, a := range specials {
		for _, b := range specials {
			for _, c := range specials {
				triples = append(triples, [3]float64{a, b, c})
			}
		}
	}
	for letter, encode := range encodings {
		var ops []op
		for _, o := range exact {
			if o.operands[0] == letter {
				ops = append(ops, o)
			}
		}
		in := make([]byte, 8*opArgs*512) // of whole groups
		for i, v := range triples {
			for k := range v {
				binary.LittleEndian.PutUint64(in[8*(opArgs*i+k):], encode(v[k]))
			}
		}
		got, err := runOps(cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}}), opsText("7.8", "sm_90", ops), len(ops), in)
		if err != nil {
			t.Fatal(err)
		}
		for j, o := range ops {
			name, rounding, _ := strings.Cut(o.inst, ".")
			wrong := 0
			for i, v := range triples {
				want := encode(results[name](v[0], v[1], v[2], strings.HasPrefix(rounding, "rm")))
				if g := got[j][i]; o.settled(g) != o.settled(want) && wrong < 3 {
					wrong++
					t.Errorf("%s of %v: got %#x, want %#x", o.inst, v[:len(o.operands)-1], g, want)
				}
			}
		}
	}
}

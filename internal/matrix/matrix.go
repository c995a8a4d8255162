package matrix

import (
	"fmt"
	"strconv"
	"strings"
)

// Form says the types of a product's elements.
type Form uint8

// The forms. Accumulators are of float32 unless a comment says otherwise.
const (
	F16    Form = iota + 1
	F16F16      // accumulators of float16
	BF16
	TF32 // float32 without its 13 low bits
	F64  // accumulators of float64
	I8   // accumulators of int32
	U8   // accumulators of uint32
	B1   // bits: counts of and, in uint32
	E4M3
	E5M2
	formEnd
)

var formNames = [formEnd]string{F16: "f16", F16F16: "f16.f16", BF16: "bf16", TF32: "tf32", F64: "f64", I8: "i8", U8: "u8", B1: "b1", E4M3: "e4m3", E5M2: "e5m2"}

// String is the form's name in ops.
func (f Form) String() string {
	if f == 0 || f >= formEnd {
		return "form(" + strconv.Itoa(int(f)) + ")"
	}
	return formNames[f]
}

// Shape is that of the op: m rows, n columns, and k products for each output.
func (f Form) Shape() (m, n, k int) {
	switch f {
	case F64:
		return 8, 8, 4
	case B1:
		return 16, 8, 256
	case I8, U8, E4M3, E5M2:
		return 16, 8, 32
	case TF32:
		return 16, 8, 8
	}
	return 16, 8, 16
}

// Exact reports whether results are the same in all generations.
func (f Form) Exact() bool { return f >= F64 && f <= B1 }

// Known reports whether there is a rule for the form in a generation.
func (f Form) Known(g Generation) bool {
	return f.Exact() || f > 0 && f < formEnd && g > 0 && g < generationEnd && chunks[f][g] > 0
}

// Generation is of hardware that computes alike, named by the least capability that does.
type Generation uint8

// The generations.
const (
	SM70 Generation = iota + 1
	SM75            // up to 8.9
	SM90            // and later
	generationEnd
)

// GenerationOf is that of a compute capability; 0, none, below 7.0.
func GenerationOf(major, minor int) Generation {
	switch sm := major*10 + minor; {
	case sm >= 90:
		return SM90
	case sm >= 75:
		return SM75
	case sm >= 70:
		return SM70
	}
	return 0
}

// ParseGeneration is the generation that a name such as sm_86 stands for.
func ParseGeneration(s string) (Generation, error) {
	digits, ok := strings.CutPrefix(s, "sm_")
	sm, err := strconv.ParseUint(digits, 10, 16)
	if g := GenerationOf(0, int(sm)); ok && err == nil && g > 0 {
		return g, nil
	}
	return 0, fmt.Errorf("no tensor cores compute as %q: use sm_70, sm_75, sm_90 or the sm_NN of a GPU from sm_70 on", s)
}

func (g Generation) String() string {
	switch g {
	case SM70:
		return "sm_70"
	case SM75:
		return "sm_75"
	case SM90:
		return "sm_90"
	}
	return "none"
}

package literal_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/govyre/vyre/ir/internal/irtest"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/internal/literal"
	"github.com/govyre/vyre/ir/text"
)

// A kernel with every constant bit pattern that is treated in a way of its own.
func TestConstantsOfEveryKindSurviveTheText(t *testing.T) {
	for typ, patterns := range constants {
		t.Run(typ.String(), func(t *testing.T) {
			b := build.New("consts")
			out := b.Buffer("out", typ, ir.RW)
			for i, bits := range patterns {
				b.Store(out, b.U32(uint32(i)), b.Const(typ, bits))
			}
			p, err := b.Program()
			if err != nil {
				t.Fatal(err)
			}
			again := irtest.Parse(t, text.Of(p))
			if again.Digest() != p.Digest() {
				t.Errorf("another digest:\n%s%s", text.Of(p), text.Of(again))
			}
		})
	}
}

// constants holds, for each type, zeros, ones, the borders of its range, subnormals,
// infinities and NaNs with payloads and signs.
var constants = map[ir.Type][]uint64{
	ir.Bool: {0, 1},
	ir.I32:  {0, 1, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x8000_0000, 42},
	ir.U32:  {0, 1, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x8000_0000, 42},
	ir.I64:  {0, 1, ^uint64(0), 1<<63 - 1, 1 << 63, 1 << 32},
	ir.U64:  {0, 1, ^uint64(0), 1<<63 - 1, 1 << 63, 1 << 32},
	ir.F32: {0, 0x8000_0000, 1, 0x8000_0001, 0x007F_FFFF, 0x0080_0000, 0x3F80_0000, 0x3DCC_CCCD, 0x7F7F_FFFF, 0xFF7F_FFFF,
		0x7F80_0000, 0xFF80_0000, 0x7FC0_0000, 0x7F80_0001, 0xFFC1_2345, 0xFFFF_FFFF, 0x4B80_0000, 0x5F00_0000},
	ir.F64: {0, 1 << 63, 1, 1<<63 | 1, 1<<52 - 1, 1 << 52, 0x3FF0 << 48, 0x3FB9_9999_9999_999A, 0x7FEF_FFFF_FFFF_FFFF,
		0x7FF0 << 48, 0xFFF0 << 48, 0x7FF8 << 48, 0x7FF0<<48 | 1, ^uint64(0), 0x4340 << 48},
	ir.F16:  {0, 0x8000, 1, 0x8001, 0x03FF, 0x0400, 0x3C00, 0x2E66, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0xFFFF},
	ir.BF16: {0, 0x8000, 1, 0x8001, 0x007F, 0x0080, 0x3F80, 0x3DCD, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FC0, 0x7F81, 0xFFFF},
}

func TestEveryHalfReadsBackFromItsText(t *testing.T) {
	for _, typ := range []ir.Type{ir.F16, ir.BF16} {
		for bits := range uint64(1 << 16) {
			s := string(literal.Append(nil, typ, bits))
			gotType, got, code := literal.ParseLiteral(s)
			if code != "" || gotType != typ || got != bits {
				t.Fatalf("%s %#x prints as %s and reads as %s %#x %s", typ, bits, s, gotType, got, code)
			}
		}
	}
}

func TestRandomConstantsReadBackFromTheirText(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		for _, typ := range []ir.Type{ir.I32, ir.U32, ir.I64, ir.U64, ir.F32, ir.F64} {
			bits := rng.Uint64() & typ.Mask()
			s := string(literal.Append(nil, typ, bits))
			gotType, got, code := literal.ParseLiteral(s)
			if code != "" || gotType != typ || got != bits {
				t.Fatalf("%s %#x prints as %s and reads as %s %#x %s", typ, bits, s, gotType, got, code)
			}
		}
	}
}

func TestLiteralsPrintAsAPersonWouldWriteThem(t *testing.T) {
	for _, c := range []struct {
		t    ir.Type
		bits uint64
		want string
	}{
		{ir.Bool, 1, "true"},
		{ir.I32, 0xFFFF_FFFF, "-1_i32"},
		{ir.U64, ^uint64(0), "18446744073709551615_u64"},
		{ir.F32, 0x3F80_0000, "1_f32"},
		{ir.F32, 0x8000_0000, "-0_f32"},
		{ir.F32, 0x3DCC_CCCD, "0.1_f32"},
		{ir.F32, 0x4974_2400, "1000000_f32"},
		{ir.F32, 1, "1e-45_f32"},
		{ir.F64, 0x7FF0 << 48, "inf_f64"},
		{ir.F64, 0xFFF0 << 48, "-inf_f64"},
		{ir.F32, 0x7FC0_0001, "0x7fc00001_f32"},
		{ir.F16, 0x2E66, "0.1_f16"},
		{ir.F16, 0x7BFF, "65500_f16"},
		{ir.F16, 1, "6e-08_f16"},
		{ir.BF16, 0x3DCD, "0.1_bf16"},
	} {
		if got := string(literal.Append(nil, c.t, c.bits)); got != c.want {
			t.Errorf("%s %#x prints as %s, want %s", c.t, c.bits, got, c.want)
		}
	}
}

// Rounding a decimal to f64 and then to f16 would round twice; these lie on, just above
// and just below the middle of two halves.
func TestDecimalHalvesRoundOnce(t *testing.T) {
	for _, c := range []struct {
		text string
		t    ir.Type
		want uint64
	}{
		{"1.00048828125", ir.F16, 0x3C00},                             // tie, to even
		{"1.00048828125000000000000000000000000001", ir.F16, 0x3C01},  // above
		{"1.00048828124999999999999999999999999999", ir.F16, 0x3C00},  // below
		{"1.00146484375", ir.F16, 0x3C02},                             // tie, to even
		{"1.00146484374999999999999999999999999999", ir.F16, 0x3C01},  // below
		{"-1.00048828125000000000000000000000000001", ir.F16, 0xBC01}, // the sign is apart
		{"1.00390625", ir.BF16, 0x3F80},                               // tie, to even
		{"1.0039062500000000000000000000000001", ir.BF16, 0x3F81},     // above
		{"0.0000000298023223876953125", ir.F16, 0},                    // half the smallest subnormal
		{"0.00000002980232238769531250000000000000001", ir.F16, 1},    // above
		{"65519.99999999999999999999999999", ir.F16, 0x7BFF},          // below the border of infinity
	} {
		_, got, code := literal.ParseLiteral(c.text + "_" + c.t.String())
		if code != "" || got != c.want {
			t.Errorf("%s is %#x %s as %s, want %#x", c.text, got, code, c.t, c.want)
		}
	}
}

func TestIllegalLiterals(t *testing.T) {
	for _, c := range []struct{ text, code string }{
		{"1", "VT001"}, {"1_", "VT001"}, {"1_u33", "VT001"}, {"1_v2.f32", "VT001"}, {"0x_u32", "VT001"}, {"0xg_u32", "VT001"},
		{"1e_f32", "VT001"}, {"1._f32", "VT001"}, {"0x1p3_f32", "VT001"}, {"nan_f32", "VT001"}, {"1z_u32", "VT001"},
		{"4294967296_u32", "VT005"}, {"-1_u32", "VT005"}, {"2147483648_i32", "VT005"}, {"-2147483649_i32", "VT005"},
		{"1.5_u32", "VT005"}, {"1e3_i64", "VT005"}, {"0x100000000_u32", "VT005"}, {"0x2_bool", "VT005"}, {"1_bool", "VT005"},
		{"3.5e38_f32", "VT005"}, {"65520_f16", "VT005"}, {"1e400_f64", "VT005"}, {"3.39e38_bf16", ""}, {"3.4e39_bf16", "VT005"},
		{"0x10000000000000000_u64", "VT005"}, {"256_u8", "VT005"}, {"-128_i8", ""}, {"-0_u32", ""}, {"1e-999_f64", ""},
		{"1" + strings.Repeat("0", 1300) + "_f64", "VT005"},
	} {
		if _, _, code := literal.ParseLiteral(c.text); code != c.code {
			t.Errorf("%.40s gives %q, want %q", c.text, code, c.code)
		}
	}
}

// A decimal near a tie of two 16-bit values rounds to the one that exact arithmetic says.
func TestDecimalsNearATieAreComparedExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	for range 20_000 {
		exp := rng.IntN(250) - 134 // of the least digit
		tie := math.Ldexp(float64(2*rng.IntN(1<<11)+1), exp)
		exact := strconv.FormatFloat(tie, 'f', -1, 64)
		if exp < 0 {
			exact = new(big.Rat).SetFloat64(tie).FloatString(-exp)
		}
		for _, s := range []string{exact, "0" + exact, exact + "e0", near(exact, -1), near(exact, 1), strconv.FormatFloat(tie, 'e', 20+rng.IntN(40), 64)} {
			x, ok := new(big.Rat).SetString(s)
			if !ok {
				t.Fatalf("%q is not a number", s)
			}
			if got, want := literal.CompareDecimal(s, tie), x.Cmp(new(big.Rat).SetFloat64(tie)); got != want {
				t.Fatalf("%s beside %v: %d, want %d", s, tie, got, want)
			}
		}
	}
}

// near is a decimal with a digit more that is a little larger, or one whose last digit is smaller.
func near(s string, by int) string {
	if by > 0 {
		if !strings.Contains(s, ".") {
			s += "."
		}
		return s + "0000001"
	}
	b := []byte(s)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] > '0' && b[i] <= '9' {
			b[i]--
			break
		}
	}
	return string(b)
}

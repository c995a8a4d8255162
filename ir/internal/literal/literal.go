package literal

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/govyre/vyre/ir"
)

// maxLiteral bounds the length of a literal; the exact decimal of any f64 fits.
const maxLiteral = 1200

// Append writes the constant of type t with raw bits. Finite floats become the
// shortest decimal that reads back, NaNs their bits.
func Append(b []byte, t ir.Type, bits uint64) []byte {
	if bits&^t.Mask() != 0 || t.IsVector() {
		return appendHex(b, t, bits)
	}
	switch t {
	case ir.Bool:
		return strconv.AppendBool(b, bits != 0)
	case ir.I32:
		b = strconv.AppendInt(b, int64(int32(bits)), 10)
	case ir.I64:
		b = strconv.AppendInt(b, int64(bits), 10)
	case ir.U32, ir.U64:
		b = strconv.AppendUint(b, bits, 10)
	case ir.F32, ir.F64, ir.F16, ir.BF16:
		v, width := floatValue(t, bits)
		switch {
		case math.IsNaN(v):
			return appendHex(b, t, bits)
		case math.IsInf(v, -1):
			b = append(b, "-inf"...)
		case math.IsInf(v, 1):
			b = append(b, "inf"...)
		case width == 16:
			b = appendHalf(b, t, v, bits)
		default:
			b = strconv.AppendFloat(b, v, floatFormat(v), -1, width)
		}
	default:
		return appendHex(b, t, bits)
	}
	b = append(b, '_')
	return append(b, t.String()...)
}

// AppendElem writes an element of an array of type t, whose declaration has said its type: as Append, without that, and
// narrow integers in decimal.
func AppendElem(b []byte, t ir.Type, bits uint64) []byte {
	switch t {
	case ir.I8:
		return strconv.AppendInt(b, int64(int8(bits)), 10)
	case ir.I16:
		return strconv.AppendInt(b, int64(int16(bits)), 10)
	case ir.U8, ir.U16:
		return strconv.AppendUint(b, bits, 10)
	case ir.Bool:
		return strconv.AppendBool(b, bits != 0)
	}
	b = Append(b, t, bits)
	return b[:len(b)-len(t.String())-1]
}

// ParseElem reads an element of an array of type t. The message and its code are those of Parse.
func ParseElem(t ir.Type, s string) (bits uint64, code, msg string) {
	if s != "true" && s != "false" && !strings.Contains(s, "_") {
		s += "_" + t.String()
	}
	has, bits, code, msg := Parse(s)
	if code == "" && has != t {
		return 0, "VT005", "the literal " + Clip(s) + " is " + has.String() + ", an element is " + t.String()
	}
	return bits, code, msg
}

func appendHex(b []byte, t ir.Type, bits uint64) []byte {
	b = append(b, "0x"...)
	b = strconv.AppendUint(b, bits, 16)
	b = append(b, '_')
	return append(b, t.String()...)
}

// floatFormat chooses plain digits for what a person writes so.
func floatFormat(v float64) byte {
	if a := math.Abs(v); a != 0 && (a < 1e-5 || a >= 1e16) {
		return 'e'
	}
	return 'f'
}

// appendHalf finds the fewest digits that read back as the 16-bit float v.
func appendHalf(b []byte, t ir.Type, v float64, bits uint64) []byte {
	n := len(b)
	for digits := 1; ; digits++ {
		s := strconv.FormatFloat(v, 'e', digits-1, 64)
		if got, ok := parseFloat(t, s); ok && got == bits {
			short, _ := strconv.ParseFloat(s, 64) // reads its own output
			return strconv.AppendFloat(b[:n], short, floatFormat(short), -1, 64)
		}
	}
}

// floatValue widens the raw bits of a float type, exactly, and gives its width.
func floatValue(t ir.Type, bits uint64) (float64, int) {
	switch t {
	case ir.F32:
		return float64(math.Float32frombits(uint32(bits))), 32
	case ir.BF16:
		return float64(math.Float32frombits(uint32(bits) << 16)), 16
	case ir.F16:
		sign, exp, frac := bits>>15, int(bits>>10&31), float64(bits&0x3FF)
		var v float64
		switch exp {
		case 0:
			v = math.Ldexp(frac, -24)
		case 31:
			v = math.Inf(1)
			if frac != 0 {
				v = math.NaN()
			}
		default:
			v = math.Ldexp(1024+frac, exp-25)
		}
		if sign != 0 {
			v = -v
		}
		return v, 16
	}
	return math.Float64frombits(bits), 64
}

// Const is a constant: a type, and raw bits.
type Const struct {
	Type ir.Type
	Bits uint64
}

// Parse reads the literal s. The message says why it is none, or why it does not
// fit its type; code is VT001 for the former, VT005 for the latter.
func Parse(s string) (t ir.Type, bits uint64, code, msg string) {
	switch s {
	case "true":
		return ir.Bool, 1, "", ""
	case "false":
		return ir.Bool, 0, "", ""
	}
	digits, name, found := strings.Cut(s, "_")
	if !found {
		return ir.None, 0, "VT001", "the literal " + Clip(s) + " has no type"
	}
	if t = ir.ParseType(name); t == ir.None {
		return ir.None, 0, "VT001", "the literal " + Clip(s) + " has the unknown type " + Clip(name)
	}
	if len(digits) > maxLiteral {
		return t, 0, "VT005", "a literal of " + strconv.Itoa(len(digits)) + " bytes, at most " + strconv.Itoa(maxLiteral)
	}
	if hex, ok := strings.CutPrefix(digits, "0x"); ok {
		v, err := strconv.ParseUint(hex, 16, 64)
		switch {
		case err != nil && !isRange(err):
			return t, 0, "VT001", "the literal " + Clip(s) + " is no hexadecimal number"
		case err != nil || v&^t.Mask() != 0:
			return t, 0, "VT005", "the bits " + Clip(digits) + " do not fit " + t.String()
		}
		return t, v, "", ""
	}
	neg := strings.HasPrefix(digits, "-")
	switch {
	case t.IsFloat() || t.IsHalf():
		if strings.TrimPrefix(digits, "-") == "inf" {
			return t, infinity(t, neg), "", ""
		}
		if !plainNumber(digits) {
			break
		}
		v, ok := parseFloat(t, digits)
		if !ok {
			return t, 0, "VT005", Clip(digits) + " is beyond the largest " + t.String()
		}
		return t, v, "", ""
	case t == ir.Bool:
		return t, 0, "VT005", "the literal " + Clip(s) + " is neither true nor false"
	case t.IsSigned():
		v, err := strconv.ParseInt(digits, 10, int(t.Bits()))
		if err == nil {
			return t, uint64(v) & t.Mask(), "", ""
		}
		if isRange(err) {
			return t, 0, "VT005", Clip(digits) + " does not fit " + t.String()
		}
	default:
		v, err := strconv.ParseUint(strings.TrimPrefix(digits, "-"), 10, int(t.Bits()))
		if err == nil && (!neg || v == 0) {
			return t, v, "", ""
		}
		if err == nil || isRange(err) {
			return t, 0, "VT005", Clip(digits) + " does not fit " + t.String()
		}
	}
	if plainNumber(digits) {
		return t, 0, "VT005", Clip(digits) + " is no integer, but " + t.String() + " is an integer type"
	}
	return t, 0, "VT001", "the literal " + Clip(s) + " is no number"
}

func isRange(err error) bool {
	e, ok := err.(*strconv.NumError)
	return ok && e.Err == strconv.ErrRange
}

// plainNumber reports whether s is a decimal number: strconv alone takes more than that.
func plainNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	mantissa, exp, hasExp := cutAny(s, "eE")
	whole, frac, hasPoint := strings.Cut(mantissa, ".")
	if hasExp {
		if exp != "" && (exp[0] == '+' || exp[0] == '-') {
			exp = exp[1:]
		}
		if exp == "" || !AllDigits(exp) {
			return false
		}
	}
	return whole != "" && AllDigits(whole) && AllDigits(frac) && (!hasPoint || frac != "")
}

func cutAny(s, chars string) (before, after string, found bool) {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}

func AllDigits(s string) bool {
	for i := range len(s) {
		if !IsDigit(s[i]) {
			return false
		}
	}
	return true
}

// infinity returns the raw bits of an infinity.
func infinity(t ir.Type, neg bool) (bits uint64) {
	switch t {
	case ir.F16:
		bits = 0x7C00
	case ir.BF16:
		bits = 0x7F80
	case ir.F32:
		bits = 0x7F80_0000
	case ir.F64:
		bits = 0x7FF0_0000_0000_0000
	}
	if neg {
		bits |= 1 << (t.Bits() - 1)
	}
	return bits
}

// parseFloat rounds the decimal s to the nearest value of type t, ties to even, once.
// It fails if that is an infinity.
func parseFloat(t ir.Type, s string) (uint64, bool) {
	switch t {
	case ir.F32:
		v, err := strconv.ParseFloat(s, 32)
		return uint64(math.Float32bits(float32(v))), err == nil
	case ir.F64:
		v, err := strconv.ParseFloat(s, 64)
		return math.Float64bits(v), err == nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, false
	}
	bits := roundHalf(t, v, s)
	return bits, bits&^(1<<15) < infinity(t, false)
}

// roundHalf rounds v, which is s rounded to f64, to the 16-bit type t. Where v lies
// exactly between two values of t, the digits themselves say on which side s lies.
func roundHalf(t ir.Type, v float64, s string) uint64 {
	fracBits, minExp := 10, -24 // of f16: fraction bits, exponent of the smallest subnormal
	if t == ir.BF16 {
		fracBits, minExp = 7, -133
	}
	var sign uint64
	if math.Signbit(v) {
		sign = 1 << 15
		v = -v
	}
	if v == 0 {
		return sign
	}
	_, e := math.Frexp(v) // v < 2^e
	ulp := max(e-1-fracBits, minExp)
	units := math.Ldexp(v, -ulp) // exact: a power of two, and far from f64's own limits
	whole := math.Floor(units)
	up := units-whole > 0.5
	if units-whole == 0.5 {
		switch compareDecimal(s, v) {
		case 0:
			up = math.Mod(whole, 2) == 1
		case 1:
			up = true
		}
	}
	n := uint64(whole)
	if up {
		n++
	}
	// Counting units from zero, the bits of a float are the bits of its count: the
	// implicit one of the fraction carries into the exponent field.
	if ulp > minExp {
		n += uint64(ulp-minExp) << fracBits
	}
	return sign | min(n, infinity(t, false))
}

// mostDigits is more than a tie has significant digits, of which that of the least two bf16 has most.
const mostDigits = 160

// compareDecimal compares the magnitude of the decimal s with v, exactly; v lies between two values of 16 bits. Package
// math/big would be a tenth of a megabyte of each program with a device.
func compareDecimal(s string, v float64) int {
	x, xe := significant(strings.TrimPrefix(s, "-"))
	y, ye := significant(strconv.FormatFloat(v, 'e', mostDigits, 64))
	return cmp.Or(cmp.Compare(xe, ye), strings.Compare(x, y))
}

// significant returns the digits of a positive number from its first to its last that is not 0, and the power of ten that
// 0 and a point in front of them are multiplied by.
func significant(s string) (digits string, exp int) {
	mantissa, power, _ := cutAny(s, "eE")
	whole, frac, _ := strings.Cut(mantissa, ".")
	exp, _ = strconv.Atoi(power) // what is none was 0 or infinite before
	digits = strings.TrimLeft(whole+frac, "0")
	exp += len(digits) - len(frac)
	return strings.TrimRight(digits, "0"), exp
}

// Clip shortens what is quoted in a message.
func Clip(s string) string {
	if len(s) > 40 {
		s = strings.ToValidUTF8(s[:40], "") + "…"
	}
	return strconv.Quote(s)
}

func IsDigit(c byte) bool { return c-'0' <= 9 }

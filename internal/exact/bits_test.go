package exact_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// digits writes a raw value in binary, most significant bit first; number reads it back.
func digits(raw uint64, width uint) string { return fmt.Sprintf("%0*b", width, raw) }

func number(s string) uint64 {
	v, err := strconv.ParseUint(s, 2, 64)
	if err != nil {
		panic(err)
	}
	return v
}

// bitWidths pairs each integer type with its width and the tiny ones.
func bitWidths(f func(typ ir.Type, width uint, values []uint64)) {
	for _, typ := range intTypes {
		f(typ, 6, all(6))
		f(typ, 8, all(8))
		f(typ, typ.Bits(), intEdges(typ.Bits()))
	}
}

// shiftOps say what a shift does to the binary digits.
var shiftOps = []struct {
	op ir.Op
	f  func(s, sign string, count uint64) string
}{
	{ir.OpShl, func(s, _ string, count uint64) string {
		n := int(min(count, uint64(len(s))))
		return s[n:] + strings.Repeat("0", n)
	}},
	{ir.OpShr, func(s, sign string, count uint64) string {
		n := int(min(count, uint64(len(s))))
		return strings.Repeat(sign, n) + s[:len(s)-n]
	}},
	{ir.OpRotl, func(s, _ string, count uint64) string {
		n := count % uint64(len(s))
		return s[n:] + s[:n]
	}},
	{ir.OpRotr, func(s, _ string, count uint64) string {
		n := uint64(len(s)) - count%uint64(len(s))
		return s[n:] + s[:n]
	}},
}

func TestShiftsAndRotatesAtEveryCount(t *testing.T) {
	for _, row := range shiftOps {
		bitWidths(func(typ ir.Type, width uint, values []uint64) {
			counts := []uint64{1 << 16, 1<<31 - 1, 1 << 31, 1<<32 - uint64(width), 1<<32 - 1}
			for c := range 2*uint64(width) + 2 {
				counts = append(counts, c)
			}
			for _, a := range values {
				s, sign := digits(a, width), "0"
				if typ.IsSigned() {
					sign = s[:1]
				}
				for _, c := range counts {
					want := number(row.f(s, sign, c))
					if got := at(row.op, typ, typ, width, 0, a, c, 0); got != want {
						t.Fatalf("%v.%v at width %d of %#x by %d = %#x, want %#x", row.op, typ, width, a, c, got, want)
					}
				}
			}
		})
	}
}

func TestBitCountsAndReversal(t *testing.T) {
	zeros := func(s string) int { return len(s) - len(strings.TrimLeft(s, "0")) }
	reverse := func(s string) string {
		b := []byte(s)
		slices.Reverse(b)
		return string(b)
	}
	bitWidths(func(typ ir.Type, width uint, values []uint64) {
		for _, a := range values {
			s := digits(a, width)
			for _, row := range []struct {
				op   ir.Op
				out  ir.Type
				want uint64
			}{
				{ir.OpPopc, ir.U32, uint64(strings.Count(s, "1"))},
				{ir.OpClz, ir.U32, uint64(zeros(s))},
				{ir.OpCtz, ir.U32, uint64(zeros(reverse(s)))},
				{ir.OpBrev, typ, number(reverse(s))},
			} {
				if got := at(row.op, typ, row.out, width, 0, a, 0, 0); got != row.want {
					t.Fatalf("%v.%v at width %d of %#x = %#x, want %#x", row.op, typ, width, a, got, row.want)
				}
			}
		}
	})
}

func TestBitFieldsAtEveryPosition(t *testing.T) {
	bitWidths(func(typ ir.Type, width uint, values []uint64) {
		w := int(width)
		if w > 8 {
			values = values[:12]
		} else {
			values = values[w-6:][:60]
		}
		for pos := range w {
			for length := 1; pos+length <= w; length++ {
				x := uint32(pos | length<<8)
				for i, a := range values {
					s := digits(a, width)
					field := s[w-pos-length : w-pos]
					fill := "0"
					if typ.IsSigned() {
						fill = field[:1]
					}
					want := number(strings.Repeat(fill, w-length) + field)
					if got := at(ir.OpBfe, typ, typ, width, x, a, 0, 0); got != want {
						t.Fatalf("bfe.%v at width %d of %#x, pos %d, len %d = %#x, want %#x", typ, width, a, pos, length, got, want)
					}
					b := values[len(values)-1-i]
					want = number(s[:w-pos-length] + digits(b, width)[w-length:] + s[w-pos:])
					if got := at(ir.OpBfi, typ, typ, width, x, a, b, 0); got != want {
						t.Fatalf("bfi.%v at width %d of %#x and %#x, pos %d, len %d = %#x, want %#x", typ, width, a, b, pos, length, got, want)
					}
				}
			}
		}
	})
}

func TestPrmtPicksBytes(t *testing.T) {
	const a, b = 0x44_C3_22_81, 0x08_F7_66_85
	for _, row := range []struct {
		name      string
		sel, want uint32
	}{
		{"identity", 0x3210, a},
		{"second operand", 0x7654, b},
		{"reversed", 0x0123, 0x81_22_C3_44},
		{"one byte four times", 0x5555, 0x66_66_66_66},
		{"sign of a negative byte", 0x8888, 0xFF_FF_FF_FF},
		{"sign of a positive byte", 0xDDDD, 0},
		{"mixed", 0xE92F, 0xFF_00_C3_00},
		{"upper half of the selector ignored", 0xABCD_3210, a},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := exact.Eval(ir.OpPrmt, ir.None, ir.U32, 0, a, b, uint64(row.sel)); got != uint64(row.want) {
				t.Errorf("prmt(%#x, %#x, %#x) = %#x, want %#x", a, b, row.sel, got, row.want)
			}
		})
	}
}

func TestBoolLogicIsOneBit(t *testing.T) {
	for a := range uint64(2) {
		if got := exact.Eval(ir.OpNot, ir.Bool, ir.Bool, 0, a, 0, 0); got != 1-a {
			t.Errorf("not.bool(%d) = %d", a, got)
		}
		for b := range uint64(2) {
			for _, row := range []struct {
				op   ir.Op
				want bool
			}{
				{ir.OpAnd, a == 1 && b == 1},
				{ir.OpOr, a == 1 || b == 1},
				{ir.OpXor, a != b},
				{ir.OpEq, a == b},
				{ir.OpNe, a != b},
			} {
				if got := exact.Eval(row.op, ir.Bool, ir.Bool, 0, a, b, 0); got != truth(row.want).Uint64() {
					t.Errorf("%v.bool(%d, %d) = %d", row.op, a, b, got)
				}
			}
		}
	}
}

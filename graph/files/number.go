package files

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
)

// decimal is a number as text has it: an optional sign, digits with at most one point among them, and an optional exponent.
type decimal struct {
	negative bool
	digits   []byte // with the point
	point    int    // digits before the point
	count    int    // digits
	exponent int    // held within what an int has room for
}

// mostExponent is beyond every exponent that makes a difference: a line has fewer digits.
const mostExponent = 1 << 20

// parseDecimal reads a number. Exponents follow e or d, as Fortran writes them.
func parseDecimal(word []byte) (d decimal, ok bool) {
	i := 0
	if i < len(word) && (word[i] == '-' || word[i] == '+') {
		d.negative = word[i] == '-'
		i++
	}
	start, pointed := i, false
	for ; i < len(word); i++ {
		switch c := word[i]; {
		case c == '.' && !pointed:
			pointed, d.point = true, d.count
			continue
		case c-'0' <= 9:
			d.count++
			continue
		}
		break
	}
	d.digits = word[start:i]
	if !pointed {
		d.point = d.count
	}
	if d.count == 0 || i == len(word) {
		return d, d.count > 0
	}
	if c := word[i] | 0x20; c != 'e' && c != 'd' {
		return d, false
	}
	i++
	sign := 1
	if i < len(word) && (word[i] == '-' || word[i] == '+') {
		if word[i] == '-' {
			sign = -1
		}
		i++
	}
	if i == len(word) {
		return d, false
	}
	for ; i < len(word); i++ {
		c := word[i] - '0'
		if c > 9 {
			return d, false
		}
		d.exponent = min(10*d.exponent+int(c), mostExponent)
	}
	d.exponent *= sign
	return d, true
}

// isNumber reports whether a word is a number of any kind.
func isNumber(word []byte) bool {
	_, ok := parseDecimal(word)
	return ok
}

const weightRange = "a whole number from 0 to 4294967295"

// whole reads a weight, in whatever notation, or says what it should be. Nothing is rounded: a value counts as whole if all digits
// behind the point are zero.
func whole(word []byte) (v uint32, wrong string) {
	d, ok := parseDecimal(word)
	if !ok {
		return 0, weightRange
	}
	value, at := uint64(0), 0
	end := d.point + d.exponent // of the digits before the point, once the exponent has moved it
	for _, c := range d.digits {
		if c == '.' {
			continue
		}
		if at >= end {
			if c != '0' {
				return 0, weightRange + "; nothing is rounded or scaled"
			}
		} else if value = 10*value + uint64(c-'0'); value > math.MaxUint32 {
			return 0, weightRange
		}
		at++
	}
	for ; at < end && value != 0; at++ {
		if value *= 10; value > math.MaxUint32 {
			return 0, weightRange
		}
	}
	if d.negative && value != 0 {
		return 0, weightRange
	}
	return uint32(value), ""
}

// scaled reads a weight that is whole once it is multiplied by scale.
func scaled(word []byte, scale uint32) (v uint32, wrong string) {
	if scale <= 1 {
		if v, wrong = whole(word); wrong != "" && scale == 0 {
			wrong += "; --no-weights leaves weights out"
		}
		return v, wrong
	}
	wrong = fmt.Sprintf("a number that is whole and at most %d if multiplied by %d", uint32(math.MaxUint32), scale)
	d, ok := parseDecimal(word)
	if !ok {
		return 0, wrong
	}
	digits := bytes.ReplaceAll(d.digits, []byte("."), nil)
	exponent := d.point + d.exponent - len(digits)
	kept := bytes.TrimRight(digits, "0")
	exponent += len(digits) - len(kept)
	kept = bytes.TrimLeft(kept, "0")
	// 32 bits of weight and scale cancel 31 of those digits at most, and hold 10 others.
	switch {
	case len(kept) == 0:
		return 0, ""
	case d.negative || len(kept) > 41 || exponent < -31 || exponent > 10:
		return 0, wrong
	}
	x, _ := new(big.Int).SetString(string(kept), 10)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exponent, -exponent))), nil)
	if x.Mul(x, big.NewInt(int64(scale))); exponent >= 0 {
		x.Mul(x, power)
	} else if _, rest := x.QuoRem(x, power, power); rest.Sign() != 0 {
		return 0, wrong
	}
	if x.BitLen() > 32 {
		return 0, wrong
	}
	return uint32(x.Uint64()), ""
}

package lz

import "math/bits"

// A number is a symbol and extra bits: numbers below 16 are symbols of their own, and a larger one is its length in bits,
// the two bits after the first, and the bits after them.
const (
	numbers    = 112 // symbols
	maxNumber  = 1<<28 - 1
	firstLong  = 16
	longLength = 5 // bits of firstLong
)

func symbolOf(v uint) (symbol, extra uint) {
	if v < firstLong {
		return v, 0
	}
	n := uint(bits.Len(v))
	return firstLong + (n-longLength)<<2 + v>>(n-3)&3, n - 3
}

// numberOf is the number of a symbol without its extra bits.
func numberOf(symbol uint) (v, extra uint) {
	if symbol < firstLong {
		return symbol, 0
	}
	symbol -= firstLong
	extra = symbol>>2 + longLength - 3
	return (4 | symbol&3) << extra, extra
}

// A distance is the last one again, a number of words, or a number of bytes.
const (
	again     = 0
	words     = 1
	bytesBack = words + numbers
	distances = bytesBack + numbers
)

func distanceOf(d, last int) (symbol, value, extra uint) {
	switch {
	case d == last:
		return again, 0, 0
	case d%4 == 0:
		symbol, extra = symbolOf(uint(d / 4))
		return words + symbol, uint(d / 4), extra
	}
	symbol, extra = symbolOf(uint(d))
	return bytesBack + symbol, uint(d), extra
}

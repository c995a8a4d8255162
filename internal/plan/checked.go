package plan

import "math/bits"

// add returns the sum of its arguments and whether 64 bits hold it.
func add(terms ...uint64) (sum uint64, ok bool) {
	ok = true
	for _, t := range terms {
		var carry uint64
		sum, carry = bits.Add64(sum, t, 0)
		ok = ok && carry == 0
	}
	return sum, ok
}

// capped returns a+b, or the largest number where 64 bits do not hold it.
func capped(a, b uint64) uint64 {
	if sum, ok := add(a, b); ok {
		return sum
	}
	return 1<<64 - 1
}

// mul returns a·b and whether 64 bits hold it.
func mul(a, b uint64) (product uint64, ok bool) {
	hi, lo := bits.Mul64(a, b)
	return lo, hi == 0
}

// alignUp returns the first multiple of align that is not below n.
func alignUp(n, align uint64) (uint64, bool) {
	rest := n % align
	if rest == 0 {
		return n, true
	}
	return add(n, align-rest)
}

// share returns part·scale/whole, computed in 128 bits; the greatest number where 64 do not hold it. The whole is not 0.
func share(part, whole, scale uint64) uint64 {
	hi, lo := bits.Mul64(part, scale)
	if hi >= whole {
		return 1<<64 - 1
	}
	q, _ := bits.Div64(hi, lo, whole)
	return q
}

// resize returns s with n elements of any content, in the same storage if that is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// zeroed returns s with n zero elements, in the same storage if that is large enough.
func zeroed[T any](s []T, n int) []T {
	s = resize(s, n)
	clear(s)
	return s
}

// ceilDiv returns n/d rounded up.
func ceilDiv(n, d uint64) uint64 {
	if n%d > 0 {
		return n/d + 1
	}
	return n / d
}

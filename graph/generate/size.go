package generate

import "math/bits"

// power returns 2 to the s.
func power(s uint64) uint64 { return 1 << s }

// product multiplies, stopping at the largest value: sizes are compared with limits far below it.
func product(factors ...uint64) uint64 {
	p := uint64(1)
	for _, f := range factors {
		hi, lo := bits.Mul64(p, f)
		if hi != 0 {
			return 1<<64 - 1
		}
		p = lo
	}
	return p
}

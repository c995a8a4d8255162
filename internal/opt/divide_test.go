package opt_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// divider compares the written form of a division with the op itself.
type divider struct {
	op    ir.Op
	t     ir.Type
	width uint8
}

func (v divider) mask() uint64 { return ^uint64(0) >> (64 - v.width) }

// by returns the first of the dividends for which a division by d is wrong.
func (v divider) by(d uint64, dividends func(yield func(uint64) bool)) error {
	f, ok := opt.Divide(v.op, v.t, v.width, d)
	if !ok {
		return nil
	}
	t := exact.Types{In: v.t, Out: v.t, Width: v.width}
	eval := exact.Of(v.op)
	for x := range dividends {
		x &= v.mask()
		if got, want := f(x), eval(t, 0, x, d, 0); got != want {
			return fmt.Errorf("%s.%s of %d bits: %#x by %#x is %#x, want %#x", v.op, v.t, v.width, x, d, got, want)
		}
	}
	return nil
}

// around are the dividends at which the quotient by d changes, as unsigned and as signed numbers: the written
// forms are monotonous between those, so they are as good as all.
func (v divider) around(d uint64) func(func(uint64) bool) {
	return func(yield func(uint64) bool) {
		top := v.mask() ^ v.mask()>>1
		m := d
		if v.t.IsSigned() && d >= top {
			m = -d & v.mask()
		}
		for _, from := range []uint64{0, top, top - top%m} {
			if !yield(from) || !yield(from-1) {
				return
			}
		}
		for x := m; x <= v.mask(); x += m {
			if !yield(x) || !yield(x-1) || !yield(-x) || !yield(1-x) {
				return
			}
		}
		yield(v.mask())
	}
}

func everyDivider(width uint8, f func(divider)) {
	for _, op := range []ir.Op{ir.OpDiv, ir.OpRem} {
		signed, unsigned := ir.I32, ir.U32
		if width == 64 {
			signed, unsigned = ir.I64, ir.U64
		}
		f(divider{op, signed, width})
		f(divider{op, unsigned, width})
	}
}

func TestExpandDividesByEveryNumberOf8Bits(t *testing.T) {
	everyDivider(8, func(v divider) {
		for d := range uint64(1 << 8) {
			err := v.by(d, func(yield func(uint64) bool) {
				for x := range uint64(1 << 8) {
					if !yield(x) {
						return
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestExpandDividesByNumbersOf16Bits(t *testing.T) {
	everyDivider(16, func(v divider) {
		t.Run(fmt.Sprintf("%s.%s", v.op, v.t), func(t *testing.T) {
			t.Parallel()
			// Without -long all divisors of up to 10 bits, and one of 31 beyond.
			for d := uint64(1); d < 1<<16; d++ {
				if d >= 1<<10 && d%31 != 0 && !long.Enabled() {
					continue
				}
				dividends := []iter.Seq[uint64]{v.around(d)}
				switch {
				case long.Exhaustive():
					dividends = append(dividends, every(0, 1))
				case long.Enabled():
					dividends = append(dividends, every(d%241, 241))
				}
				for _, x := range dividends {
					if err := v.by(d, x); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	})
}

// every returns each step-th number of 16 bits from first on.
func every(first, step uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for x := first; x < 1<<16; x += step {
			if !yield(x) {
				return
			}
		}
	}
}

// The numbers near powers of two, and near the largest over small ones, are where a reciprocal just fits or just does not.
func TestExpandDividesNumbersOf32And64BitsAtEdges(t *testing.T) {
	n := long.Count(5_000, 200_000, 5_000_000)
	for _, width := range []uint8{32, 64} {
		everyDivider(width, func(v divider) {
			rng := rand.New(rand.NewPCG(5, uint64(width)))
			var divisors []uint64
			for k := range uint(width) {
				for _, off := range []uint64{0, 1, 2, 3} {
					p := uint64(1) << k
					divisors = append(divisors, p+off, p-off, -p-off, -p+off, v.mask()/(p|1)+off, v.mask()/(p+off|1)-off)
				}
			}
			for d := range uint64(300) {
				divisors = append(divisors, d, -d)
			}
			for range n {
				divisors = append(divisors, random(rng, v.t))
			}
			for _, d := range divisors {
				d &= v.mask()
				if d == 0 {
					continue
				}
				err := v.by(d, func(yield func(uint64) bool) {
					q := random(rng, v.t) / d * d
					for _, x := range []uint64{q, q - 1, -q, 1 - q, v.mask() / d * d, v.mask()/d*d - 1, v.mask() >> 1 / d * d,
						v.mask()>>1/d*d - 1, v.mask(), v.mask() - 1, v.mask() >> 1, v.mask()>>1 + 1, 0, 1, random(rng, v.t)} {
						if !yield(x) {
							return
						}
					}
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

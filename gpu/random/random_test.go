package random_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/govyre/vyre/gpu/random"
)

// The vectors that the authors publish with their implementation (Random123, kat_vectors: philox4x32 10).
func TestPhiloxGivesTheVectorsOfItsAuthors(t *testing.T) {
	for _, v := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, [2]uint32{0xffffffff, 0xffffffff},
			[4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := random.Philox(v.counter, v.key); got != v.want {
			t.Errorf("counter %08x key %08x: %08x, want %08x", v.counter, v.key, got, v.want)
		}
	}
}

func TestWordsAreNumberedWithinSeedAndStream(t *testing.T) {
	want := []uint32{0xe3e80670, 0xe50a0ebc, 0x95f222c0, 0xb615aa27, 0xac08141b, 0xdfc5ccbe, 0x79c07a47, 0xa7f66093}
	below := []uint32{8, 8, 5, 7, 6, 8, 4, 6}
	for i, w := range want {
		got := random.Word(1, 0, uint64(i))
		if got != w || random.Below(got, 10) != below[i] {
			t.Errorf("word %d is %08x and %d below 10, want %08x and %d", i, got, random.Below(got, 10), w, below[i])
		}
	}
	if got := random.Word(0x0123456789abcdef, 7, 1<<34+1); got != 0x38a0d4e6 {
		t.Errorf("word 2^34+1 of stream 7 is %08x, want 38a0d4e6", got)
	}
	for i, w := range []uint32{0x3f63e806, 0x3f650a0e, 0x3f15f222, 0x3f3615aa} {
		if got := math.Float32bits(random.Uniform(want[i])); got != w {
			t.Errorf("uniform of word %d is %08x, want %08x", i, got, w)
		}
	}
	for i, w := range []uint64{0x3feca141d79c7d00, 0x3fe6c2b544f2be44} {
		if got := math.Float64bits(random.Uniform64(want[2*i], want[2*i+1])); got != w {
			t.Errorf("uniform of words %d is %016x, want %016x", 2*i, got, w)
		}
	}
}

// Mean, variance and tail of 2^16 pairs: a seed is fixed, so the figures are.
func TestNormalNumbersAreNormal(t *testing.T) {
	const pairs = 1 << 16
	for _, wide := range []bool{false, true} {
		var sum, squares, cross float64
		beyond := 0
		for i := range uint64(pairs) {
			b := random.Block(42, 3, i)
			f, g := random.Normal(b[0], b[1])
			x, y := float64(f), float64(g)
			if wide {
				x, y = random.Normal64(b[0], b[1], b[2], b[3])
			}
			sum += x + y
			squares += x*x + y*y
			cross += x * y
			for _, v := range []float64{x, y} {
				if math.Abs(v) > 2 {
					beyond++
				}
				if math.IsInf(v, 0) || math.IsNaN(v) {
					t.Fatalf("block %d gives %v", i, v)
				}
			}
		}
		mean, variance, share := sum/(2*pairs), squares/(2*pairs), float64(beyond)/(2*pairs)
		if math.Abs(mean) > 0.01 || math.Abs(variance-1) > 0.02 || math.Abs(cross/pairs) > 0.02 || math.Abs(share-0.0455) > 0.003 {
			t.Errorf("mean %.4f, variance %.4f, covariance %.4f, %.4f beyond two deviations", mean, variance, cross/pairs, share)
		}
	}
}

func Example() {
	b := random.Block(1, 0, 0)
	x, _ := random.Normal(b[0], b[1])
	fmt.Printf("%08x %.4f %d %.4f\n", b[0], random.Uniform(b[0]), random.Below(b[0], 6), x)
	// Output: e3e80670 0.8903 5 1.6585
}

package prim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/prim"
)

// chance is where a test draws inputs from. Each begins it, by drawing or from a seed of its own.
var chance *rand.Rand

// drawing begins what a test draws: always the same, and with -long something new.
func drawing(t *testing.T) {
	t.Helper()
	chance = rand.New(rand.NewPCG(long.Seed(t, 1), 0))
}

// near is a number of elements up to most: any one, or one near which something changes.
func near(most int) int {
	if chance.IntN(2) == 0 {
		return chance.IntN(most + 1)
	}
	edges := []int{0, 1, 31, 32, 33, 255, 256, 257, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193, 16384}
	return min(most, edges[chance.IntN(len(edges))])
}

// trials do something drawn with some primitive, and compare with its oracle.
var trials = []struct {
	name string
	run  func(t *testing.T, d vyre.Device)
}{
	{"reduce", func(t *testing.T, d vyre.Device) {
		each := []func(n int){
			func(n int) { integers[uint8](t, d, n) }, func(n int) { integers[int16](t, d, n) },
			func(n int) { integers[uint32](t, d, n) }, func(n int) { integers[int64](t, d, n) },
			func(n int) { floats(t, d, n, func(v float32) uint64 { return uint64(math.Float32bits(v)) }) },
			func(n int) { floats(t, d, n, math.Float64bits) },
		}
		each[chance.IntN(len(each))](near(20000))
	}},
	{"scan", func(t *testing.T, d vyre.Device) {
		c := scanTypes[chance.IntN(len(scanTypes))]
		n := near(20000)
		s := c.make(t, d, prim.Operator(chance.IntN(int(c.ops))), chance.IntN(2) == 0, chance.IntN(2) == 0, max(1, n+chance.IntN(2)*chance.IntN(9000)))
		lengthOf(t, s, n)
	}},
	{"sort", func(t *testing.T, d vyre.Device) {
		n := near(20000)
		o := prim.SortOptions{Descending: chance.IntN(2) == 0, Swap: chance.IntN(3) == 0}
		if chance.IntN(3) == 0 {
			o.From, o.To = chance.IntN(64), 1+chance.IntN(64)
		}
		sortCases[chance.IntN(len(sortCases))](t, d, n, n+chance.IntN(2)*chance.IntN(9000), chance.IntN(len(shapes)), o)
	}},
	{"choice", func(t *testing.T, d vyre.Device) {
		n := near(20000)
		lengthOf(t, choices[chance.IntN(len(choices))].make(t, d, max(1, n+chance.IntN(2)*chance.IntN(9000))), n)
	}},
	{"segments", func(t *testing.T, d vyre.Device) {
		c := segmented[chance.IntN(len(segmented))]
		most := 1 + chance.IntN(c.max)
		lengthOf(t, c.make(t, d, most), near(most))
	}},
	{"merge", func(t *testing.T, d vyre.Device) {
		merges[uint32](t, d, near(8000), near(8000), chance.IntN(len(shapes)), chance.IntN(2) == 0, func(i int) uint64 { return uint64(i) })
	}},
	{"merge of floats", func(t *testing.T, d vyre.Device) {
		merges[float32](t, d, near(8000), near(8000), chance.IntN(len(shapes)), chance.IntN(2) == 0, func(i int) uint16 { return uint16(i) })
	}},
	{"search", func(t *testing.T, d vyre.Device) {
		n := near(4000)
		searches[int32, uint32](t, d, n, max(n, near(4000)), chance.IntN(len(shapes)), prim.SearchOptions{Descending: chance.IntN(2) == 0, Upper: chance.IntN(2) == 0})
	}},
	{"segments sorted", func(t *testing.T, d vyre.Device) {
		lengths := make([]int, 1+chance.IntN(20))
		for i := range lengths {
			lengths[i] = near(200)
		}
		lengths[chance.IntN(len(lengths))] = near(9000)
		segmentsOf[uint32, uint64](t, d, chance.IntN(len(shapes)), chance.IntN(2) == 0, lengths...)
	}},
}

// lengthOf runs a subject for n elements, which the host knows, or the device.
func lengthOf(t *testing.T, s *subject, n int) {
	t.Helper()
	if chance.IntN(2) == 0 {
		s.simple(t, fmt.Sprint(n), n)
		return
	}
	count := must(vyre.Upload(t.Context(), s.d, []uint32{uint32(n)}))(t)
	s.run(t, fmt.Sprint(n, " on the device"), n, func(seq *vyre.Sequence) { s.record(seq, prim.At(count)) })
	closeAll(t, count)
}

// Every seed draws a primitive, types, options, a length, a grid and inputs; the name of a test that fails tells which.
func TestPrimitivesOfSeeds(t *testing.T) {
	defer prim.ForceGroups(0)
	for seed := range long.Seeds(t, 18, 22, 1000) {
		kind := trials[seed%uint64(len(trials))]
		t.Run(fmt.Sprint(kind.name, " ", seed), func(t *testing.T) {
			chance = rand.New(rand.NewPCG(seed, 1))
			prim.ForceGroups([]uint32{0, 0, 1, 2, 7}[chance.IntN(5)])
			names := devices()
			if name := names[chance.IntN(len(names))]; seed%7 == 0 {
				kind.run(t, seeded(t, seed))
			} else {
				kind.run(t, open(t, name))
			}
		})
	}
}

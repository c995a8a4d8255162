package plan

import (
	"math"
	"math/bits"
)

// Buckets are the numbers that a decision depends on beside what Key has, as coarse as it makes a difference. Decisions
// are kept by them, so that a density of .90 and one of .91 share one.
type Buckets struct {
	Density  uint8 // in fifteenths
	Memory   uint8 // required part of the budget, in tenths
	Launch   uint8 // overhead as part of the time, in tenths
	Fusion   uint8 // in tenths; 0 where there is no cooperative launch
	Readback uint8 // bit length of pages of 4096 bytes
	Measured bool  // there are measured costs; only then the next two count
	Rounds   uint8 // bit length of the rounds expected
	Work     uint8 // bit length of the ns of one group's work
}

// Buckets returns where the numbers of a request fall.
func (in *SelectRequest) Buckets() Buckets {
	s := selection{in: *in}
	s.derive()
	b := Buckets{
		Density:  uint8(math.Round(s.density * 15)),
		Launch:   uint8(min(s.out.Launch/1000, math.MaxUint8)),
		Readback: uint8(bits.Len64(in.Sample.ReadbackBytes >> 12)),
	}
	if in.Device.GridBarrier {
		b.Fusion = uint8(s.fusion * 10)
	}
	_, part, err := s.need(Sparse, HostLoop)
	if err != nil {
		part = 10000
	}
	b.Memory = uint8(part / 1000)
	if b.Measured = in.Costs != nil; b.Measured {
		w := in.Workload.expected()
		b.Rounds, b.Work = bitLength(w.Rounds), bitLength(w.GroupNS)
	}
	return b
}

// bitLength is that of x without its fraction; 0 if x is less than 1 or no number.
func bitLength(x float64) uint8 {
	if !(x >= 1) {
		return 0
	}
	return uint8(bits.Len64(uint64(min(x, 1<<62))))
}

// In returns the key of a decision about what k stands for. A key is a digest, so changing eight of its bytes gives
// another one for each b, and those of two keys do not meet.
func (b Buckets) In(k Key) Key {
	for i, n := range [...]uint8{b.Density, b.Memory, b.Launch, b.Fusion, b.Readback, uint8(bit(b.Measured)), b.Rounds, b.Work} {
		k[i] ^= n
	}
	return k
}

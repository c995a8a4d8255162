package conform

import (
	"context"
	"fmt"
	"math"

	"github.com/govyre/vyre/ir"
)

// Tolerate compares an approximate function on a device with the exact op or accurate function that it
// approximates, by the tolerance of the language, on every argument that has one. All results
// travel, so it takes longer than Run. Blocks without such an argument are passed over.
func (s Sweep) Tolerate(ctx context.Context, d Device) (Swept, error) {
	if s.Block == 0 {
		s.Block = SweepBlock
	}
	out := Swept{Resume: s.From}
	p, bands := s.Function.program(), fastBands(s.Function.Op)
	if len(bands) == 0 {
		return out, fmt.Errorf("%s has no tolerance: it is exact", s.Function)
	}
	type job struct {
		block int
		got   []byte
	}
	jobs, wrong := make(chan job, 2*max(1, s.Workers)), make(chan error, 1<<32/s.Block)
	wait := s.workers(func() {
		bulk := NewBulk(s.Function)
		for j := range jobs {
			if err := s.tolerated(bulk, bands, j.block, j.got); err != nil {
				wrong <- err
			}
		}
	})
	var err error
	for block := s.From; block < s.To && ctx.Err() == nil; block += max(1, s.Stride) {
		first := uint32(block * s.Block)
		if bands.at(first) == nil && bands.at(first+uint32(s.Block)-1) == nil {
			out.Resume = min(block+max(1, s.Stride), s.To)
			continue
		}
		var got Outcome
		got, err = d.Run(ctx, p, Launch{Grid: [3]uint32{uint32(s.Block / 256), 1, 1}, Args: []Arg{{Bits: uint64(first)}, {Data: make([]byte, s.Block*4)}}})
		if err != nil {
			break
		}
		jobs <- job{block, got.Buffers[1]}
		out.Blocks++
		out.Resume = min(block+max(1, s.Stride), s.To)
	}
	close(jobs)
	wait()
	close(wrong)
	for e := range wrong {
		out.Wrong = append(out.Wrong, e)
	}
	if ctx.Err() != nil {
		err = nil // how far it came says it
	}
	return out, err
}

// tolerated judges the results of a block and describes the first that is too far off.
func (s Sweep) tolerated(bulk *Bulk, bands fastRanges, block int, got []byte) (err error) {
	bulk.Range(uint32(block*s.Block), s.Block, func(at uint32, results []uint64) {
		for i, w := range results {
			x := at + uint32(i)
			k := int(x) - block*s.Block
			g := ir.F32.ReadElem(got[4*k:])
			if g == w || err != nil {
				continue
			}
			if within := bands.at(x); within != nil && !within(g, w) {
				err = fmt.Errorf("%s of %s is %s, too far from %s", s.Function, show(ir.F32, uint64(x)), show(ir.F32, g), show(ir.F32, w))
			}
		}
	})
	return err
}

// fastRange is a range of magnitudes of arguments, and the tolerance there.
type fastRange struct {
	from, to float32
	positive bool
	within   func(got, want uint64) bool
}

// fastRanges are in the order in which they are asked.
type fastRanges []fastRange

// at returns the tolerance for the argument with the given bits, nil if it has none.
func (rs fastRanges) at(bits uint32) func(got, want uint64) bool {
	x := math.Float32frombits(bits)
	for _, r := range rs {
		if m := float32(math.Abs(float64(x))); m >= r.from && m <= r.to && (x > 0 || !r.positive) {
			return r.within
		}
	}
	return nil
}

// fastBands lists where an approximate function of one operand has which tolerance: what fastInput draws from.
func fastBands(op ir.Op) fastRanges {
	narrow := fastTolerance(op, false)
	if narrow == nil {
		return nil
	}
	switch op {
	case ir.OpFastSin, ir.OpFastCos:
		return fastRanges{{0, 2 * math.Pi, false, narrow}, {0, 100 * math.Pi, false, fastTolerance(op, true)}}
	case ir.OpFastExp2:
		return fastRanges{{0, 120, false, narrow}}
	case ir.OpFastTanh:
		return fastRanges{{0, 10, false, narrow}}
	case ir.OpFastLog2, ir.OpFastSqrt, ir.OpFastRsqrt:
		return fastRanges{{0x1p-100, 0x1p100, true, narrow}}
	}
	return fastRanges{{0x1p-50, 0x1p50, false, narrow}}
}

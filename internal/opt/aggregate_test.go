package opt_test

import (
	"context"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
)

// places is a kernel in which the lanes that hit draw places from a counter of the group, of 64 bits, in two rounds, and
// write them down plus 1.
func places(t *testing.T) *ir.Program {
	t.Helper()
	b := build.New("places", build.Workgroup(40))
	y := b.Buffer("y", ir.U32, ir.WO)
	n := b.SharedArray("n", ir.U64, 1)
	l, zero, one := b.Local(0), b.U32(0), b.U32(1)
	b.If(b.Eq(l, zero), func() { b.Store(n, zero, b.U64(0)) })
	b.Barrier()
	for round := range uint32(2) {
		hit := b.Ne(b.Op(ir.OpRem, b.Add(l, b.U32(round)), b.U32(3)), zero)
		b.If(hit, func() {
			at := b.Cvt(ir.U32, b.Atomic(ir.OpAtomicAdd, n, ir.Relaxed, ir.Group, zero, b.U64(1)))
			b.Store(y, b.Add(b.Mul(b.Global(0), b.U32(2)), b.U32(round)), b.Add(at, one))
		})
	}
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Under every schedule the places of a group are those of some order of its atomics: each is drawn once, and a lane's second
// comes after its first.
func TestIdiomHandsOutPlacesInSomeOrderOfTheAtomics(t *testing.T) {
	p := places(t)
	q, rep, err := opt.Run(p, opt.Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	fired := 0
	for _, s := range rep.Passes {
		fired += s.Rewrites["atomic_add"]
	}
	if fired != 2 {
		t.Fatalf("%d atomics were left to one lane, want 2:\n%s", fired, text.Of(q))
	}
	schedules := []interp.Schedule{{}, interp.Reversed}
	for seed := range uint64(20) {
		schedules = append(schedules, interp.Seeded(seed))
	}
	for _, s := range schedules {
		for name, p := range map[string]*ir.Program{"as it stands": p, "optimised": q} {
			d := conform.Interp(interp.Options{Schedule: s, Detect: interp.Races})
			out, err := d.Run(context.Background(), p, conform.Launch{Grid: [3]uint32{3, 1, 1}, Args: []conform.Arg{{Data: make([]byte, 3*40*2*4)}}})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range out.Reports {
				t.Errorf("%s, %v: %s", name, s, r.Text)
			}
			for group := range 3 {
				var drawn []uint32
				for l := range 40 {
					at := func(round int) uint32 {
						return binary.LittleEndian.Uint32(out.Buffers[0][4*(2*(40*group+l)+round):])
					}
					first, second := at(0), at(1)
					if first > 0 && second > 0 && second < first {
						t.Errorf("%s, %v: lane %d drew %d and then %d", name, s, l, first, second)
					}
					drawn = append(drawn, first, second)
				}
				drawn = slices.DeleteFunc(drawn, func(v uint32) bool { return v == 0 })
				slices.Sort(drawn)
				for i, v := range drawn {
					if v != uint32(i+1) {
						t.Fatalf("%s, %v, group %d: places %v", name, s, group, drawn)
					}
				}
			}
		}
	}
}

package conform_test

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/testing/long"
)

// TestBulkLoopsGiveTheBitsOfTheTable holds every loop against the evaluation function of its op, on all
// pairs of values that ops are sensitive to and on random ones.
func TestBulkLoopsGiveTheBitsOfTheTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	rounds := 200
	if long.Enabled() {
		rounds = 20_000
	}
	for _, l := range conform.BulkLoops() {
		t.Run(l.Name, func(t *testing.T) {
			for range rounds {
				a, b, c := l.Draw(rng)
				if got, want := l.Got(a, b, c), l.Want(a, b, c); got != want {
					t.Fatalf("of %#x, %#x, %#x: %#x, want %#x", a, b, c, got, want)
				}
			}
		})
	}
}

// TestBulkAgreesWithTheInterpreter compares whole functions, bit for bit, on arguments from everywhere.
func TestBulkAgreesWithTheInterpreter(t *testing.T) {
	const run = 1 << 10
	runs := uint32(16)
	if long.Enabled() {
		runs = 1 << 8
	}
	oracle := conform.Interp(interp.Options{})
	for _, f := range append(conform.FunctionsF32(true), conform.FunctionsF32(false)...) {
		t.Run(f.String(), func(t *testing.T) {
			bulk := conform.NewBulk(f)
			p := conform.FunctionProgram(f)
			for i := range runs {
				// Runs begin all over the number line, most of them beside a power of two.
				from := i * (math.MaxUint32/runs + 1) &^ 127
				if i%2 == 1 {
					from -= run / 2
				}
				out, err := oracle.Run(context.Background(), p, conform.Launch{Grid: [3]uint32{run / 256, 1, 1},
					Args: []conform.Arg{{Bits: uint64(from)}, {Data: make([]byte, run*f.Out.Size())}}})
				if err != nil {
					t.Fatal(err)
				}
				want := out.Buffers[1]
				bulk.Range(from, run, func(at uint32, results []uint64) {
					for k, got := range results {
						x := at + uint32(k)
						size := f.Out.Size()
						var raw [8]byte
						copy(raw[:], want[int(x-from)*size:][:size])
						if w := binary.LittleEndian.Uint64(raw[:]); got != w {
							t.Fatalf("of %v (%#x): %#x, the interpreter gives %#x", math.Float32frombits(x), x, got, w)
						}
					}
				})
			}
		})
	}
}

var sinkBits uint64

func BenchmarkBulk(b *testing.B) {
	for _, f := range conform.FunctionsF32(true) {
		b.Run(f.String(), func(b *testing.B) {
			bulk := conform.NewBulk(f)
			const run = 1 << 14
			at := uint32(0)
			for b.Loop() {
				bulk.Range(at, run, func(_ uint32, r []uint64) { sinkBits += r[0] })
				at += 0x0101_0000 // everywhere on the number line in turn
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/run, "ns/value")
		})
	}
}

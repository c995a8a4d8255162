package native_test

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/shape"
	"github.com/govyre/vyre/ir"
)

// Bytes that machine code is made with grow with the rows, in every construct. They show what the time of growth_test.go
// shows only of large programs: a list for each of many rows.
func TestBytesGrowWithTheProgramInEveryConstruct(t *testing.T) {
	sizes := []int{400, 1600}
	if long.Whole() {
		sizes = []int{1000, 4000, 16000}
	}
	for _, s := range shape.Grown {
		t.Run(s.Name, func(t *testing.T) {
			last := 0.0
			for _, n := range sizes {
				p := sealed(t, s, n)
				// The least of several: what else the process does allocates, too.
				var code []byte
				var err error
				bytes := uint64(math.MaxUint64)
				rows := func() float64 { return float64(p.Rows() + len(code)/16) }
				for k := range 3 {
					if k > 0 && last > 0 && float64(bytes) <= 1.4*last*rows() {
						break // it is few enough
					}
					// Memory that an earlier program has left is found by some runs and not by others: two collections empty the pools.
					runtime.GC()
					runtime.GC()
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					code, err = native.CodeWith(p, native.Targets()[1], native.Options{})
					runtime.ReadMemStats(&after)
					bytes = min(bytes, after.TotalAlloc-before.TotalAlloc)
				}
				if errors.As(err, new(*native.UnsupportedError)) {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				// What a row becomes differs by construct, so bytes are held against code as well.
				each := float64(bytes) / rows()
				if last > 0 && each > 1.4*last {
					t.Errorf("%d rows, %d bytes of code: %.0f bytes for each, %.0f with fewer", p.Rows(), len(code), each, last)
				}
				last = each
			}
		})
	}
}

// BenchmarkConstructs compiles programs of 10,000 rows for a GPU and for device cpu. The budget is a second each on one core:
//
//	go test ./internal/native -run '^$' -bench Constructs -cpu 1 -benchtime 3x
func BenchmarkConstructs(b *testing.B) {
	for _, s := range slices.Concat(shape.All, shape.Grown) {
		p := sealed(b, s, 10_000)
		if q, err := s.Build(10_000 * 10_000 / p.Rows()).Program(); err == nil { // one that is too large for a program stays
			p = q
		}
		b.Run(s.Name+"/ptx", func(b *testing.B) {
			onOneThread(b, func() error {
				_, err := ptx.Compile(p, ptx.Target{SM: 90}, ptx.Options{})
				return err
			})
		})
		b.Run(s.Name+"/cpu", func(b *testing.B) { onOneThread(b, func() error { return forCPU(p) }) })
	}
}

// onOneThread also reports the processor's time of the thread, which other processes change less than the time on the wall.
func onOneThread(b *testing.B, do func() error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	from := threadTime()
	for b.Loop() {
		if err := do(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((threadTime()-from).Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

// forCPU compiles a program as device cpu does.
func forCPU(p *ir.Program) error {
	q, _, err := opt.Run(p, opt.Options{Passes: compile.Choice{}.ForCPU()})
	if err != nil {
		return err
	}
	_, err = native.CodeWith(q, native.Targets()[1], native.Options{})
	return err
}

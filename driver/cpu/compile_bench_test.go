package cpu_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/kernel"
)

// BenchmarkCompile compiles programs that nothing has compiled before: a store, and a histogram in shared memory. The
// metric kept-B/op is what a compiled program keeps in the heap.
func BenchmarkCompile(b *testing.B) {
	histogram, err := kernel.Program(slowKernels, "Shared")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, kernel, source string }{
		{"store", "seven", "vyre 1\n" + store7}, {"histogram", "Shared", text.Of(histogram)},
	} {
		for _, engine := range []cpu.Engine{cpu.Native, cpu.Interp} {
			b.Run(c.name+"/"+string(engine), func(b *testing.B) { benchmarkCompile(b, engine, c.source, c.kernel) })
		}
	}
}

// programsAtOnce are compiled on one device, which keeps them until it is closed.
const programsAtOnce = 64

func benchmarkCompile(b *testing.B, engine cpu.Engine, source, kernel string) {
	b.ReportAllocs()
	var kept uint64
	n := 0
	for b.Loop() {
		b.StopTimer()
		d, err := cpu.Open(cpu.Options{Engine: engine})
		if err != nil {
			b.Fatal(err)
		}
		var programs [programsAtOnce]*ir.Program
		for i := range programs {
			n++
			ps, err := text.Parse("test", strings.ReplaceAll(source, "@"+kernel, "@"+kernel+strconv.Itoa(n)+string(engine)+strconv.Itoa(b.N)))
			if err != nil {
				b.Fatal(err)
			}
			programs[i] = ps[0]
		}
		before := heap()
		b.StartTimer()
		for _, p := range programs {
			if _, err := d.Compile(ctx, p, driver.Options{}); err != nil {
				b.Fatal(err)
			}
		}
		b.StopTimer()
		kept += heap() - before
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(kept)/float64(b.N*programsAtOnce), "kept-B/op")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*programsAtOnce), "ns/program")
}

// heap returns the bytes of the heap that are in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

package cpu_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
)

// BenchmarkGivenUp tells how long after its deadline a Dispatch of a kernel that does not end returns, with the run over:
// half of the calls take p50-ms at most, 99 of 100 p99-ms.
func BenchmarkGivenUp(b *testing.B) {
	for _, engine := range []cpu.Engine{cpu.Interp, cpu.Auto} {
		d, err := cpu.Open(cpu.Options{Engine: engine})
		if err != nil {
			b.Fatal(err)
		}
		for _, name := range []string{"spin", "divergent", "barrier", "grid barrier", "big local array"} {
			b.Run(fmt.Sprintf("%s/%s", engine, name), func(b *testing.B) {
				k := compiledForever(b, d, name)
				defer k.Close()
				var late []time.Duration
				for b.Loop() {
					end := time.Now().Add(5 * time.Millisecond)
					inside, cancel := context.WithDeadline(ctx, end)
					if _, err := driver.Dispatch(inside, k, driver.Groups(8), driver.InOut(make([]byte, 4*64))); !errors.Is(err, driver.Canceled) {
						b.Fatal(err)
					}
					late = append(late, time.Since(end))
					cancel()
				}
				slices.Sort(late)
				ms := func(percent int) float64 { return late[(len(late)-1)*percent/100].Seconds() * 1e3 }
				b.ReportMetric(ms(50), "p50-ms")
				b.ReportMetric(ms(99), "p99-ms")
				b.ReportMetric(0, "ns/op")
			})
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

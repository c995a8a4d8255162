package machine_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
	"github.com/govyre/vyre/internal/cusim/internal/machine"
)

// The budget is 20 million instructions of lanes a second on one core, with all checks on.
func BenchmarkLaneInstructions(b *testing.B) {
	for _, c := range []struct{ name, code string }{
		{"integers and memory", `mov.u32 %r1, 0;
			st.global.u32 [%rd1], %r1;
		L:	ld.global.u32 %r2, [%rd1];
			mad.lo.u32 %r2, %r2, 1664525, 1013904223;
			xor.b32 %r2, %r2, %r1;
			st.global.u32 [%rd1], %r2;
			add.u32 %r1, %r1, 1;
			setp.lt.u32 %p1, %r1, 100;
			@%p1 bra L;`},
		{"integers", `mov.u32 %r1, 0;
		L:	mad.lo.u32 %r2, %r0, 1664525, 1013904223;
			shr.u32 %r3, %r2, 7;
			and.b32 %r3, %r3, %r1;
			add.u32 %r1, %r1, 1;
			setp.lt.u32 %p1, %r1, 100;
			@%p1 bra L;`},
		{"floats", `mov.u32 %r1, 0;
			mov.f32 %f1, 0f3F800000;
		L:	fma.rn.f32 %f1, %f1, 0f3F000000, 0f3F800000;
			add.rn.f32 %f1, %f1, %f1;
			add.u32 %r1, %r1, 1;
			setp.lt.u32 %p1, %r1, 100;
			@%p1 bra L;`},
		{"diverged", `mov.u32 %r1, 0;
		L:	and.b32 %r3, %r0, %r1;
			setp.eq.u32 %p2, %r3, 0;
			@%p2 bra M;
			add.u32 %r2, %r1, 3;
			bra N;
		M:	add.u32 %r2, %r1, 5;
		N:	add.u32 %r1, %r1, 1;
			setp.lt.u32 %p1, %r1, 100;
			@%p1 bra L;`},
	} {
		b.Run(c.name, func(b *testing.B) {
			m, err := asm.Parse(body(c.code))
			if err != nil {
				b.Fatal(err)
			}
			mem := machine.NewMemory()
			out, err := mem.Alloc(4*256, "out")
			if err != nil {
				b.Fatal(err)
			}
			im, err := machine.Load(m, mem)
			if err != nil {
				b.Fatal(err)
			}
			l := machine.Launch{Grid: [3]uint32{16, 1, 1}, Block: [3]uint32{256, 1, 1}, Params: binary.LittleEndian.AppendUint64(nil, out)}
			lanes := uint64(0)
			for b.Loop() {
				r, err := im.Kernel("k").Run(context.Background(), l)
				if err != nil {
					b.Fatal(err)
				}
				lanes += r.Lanes
			}
			b.ReportMetric(float64(lanes)/b.Elapsed().Seconds()/1e6, "Mlane-inst/s")
		})
	}
}

// What a compiler makes of C++, with shared memory, local arrays, atomics and calls.
func BenchmarkCompiledKernels(b *testing.B) {
	for _, c := range compiledKernels() {
		for _, level := range []string{"O0", "O3"} {
			b.Run(c.name+"/"+level, func(b *testing.B) {
				k, l, _ := c.load(b, compiledTexts(b)[c.name+"."+level+".ptx"])
				lanes := uint64(0)
				for b.Loop() {
					r, err := k.Run(context.Background(), l)
					if err != nil {
						b.Fatal(err)
					}
					lanes += r.Lanes
				}
				b.ReportMetric(float64(lanes)/b.Elapsed().Seconds()/1e6, "Mlane-inst/s")
			})
		}
	}
}

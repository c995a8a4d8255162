package native_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir/text"
)

// together are kernels of ops for which lanes, or vectors, need more than an instruction of their own.
var together = []struct{ name, source string }{
	{"warp reduction", `kernel @sums workgroup(256) {
		param @x: buf<u32> ro
		param @out: buf<u32> wo
		%i = global.x
		%v = load @x[%i]
		%s = reduce.add.u32 %v
		%w = add.u32 %s, %i
		%t = reduce.max.u32 %w
		%z = xor.u32 %t, %v
		store @out[%i], %z
	}`},
	{"ballot", `kernel @ballots workgroup(256) {
		param @x: buf<u32> ro
		param @out: buf<u32> wo
		%i = global.x
		%v = load @x[%i]
		%b = and.u32 %v, 1_u32
		%odd = ne.u32 %b, 0_u32
		%s = ballot %odd
		%l = lane
		%r = rotr.u32 %s, %l
		%c = popc.u32 %r
		%z = add.u32 %c, %v
		store @out[%i], %z
	}`},
	{"scan", `kernel @prefixes workgroup(256) {
		param @x: buf<u32> ro
		param @out: buf<u32> wo
		%i = global.x
		%v = load @x[%i]
		%s = scan.add.u32 %v
		store @out[%i], %s
	}`},
	{"shuffle", `kernel @turned workgroup(256) {
		param @x: buf<u32> ro
		param @out: buf<u32> wo
		%i = global.x
		%v = load @x[%i]
		%s = shuffle.u32 %v, %v
		%t = shuffle_down.u32 %s, 1_u32
		%u = shuffle_xor.u32 %t, 16_u32
		%z = add.u32 %u, %v
		store @out[%i], %z
	}`},
	{"match", `kernel @equals workgroup(256) {
		param @x: buf<u32> ro
		param @out: buf<u32> wo
		%i = global.x
		%v = load @x[%i]
		%f = and.u32 %v, 7_u32
		%s = match.u32 %f
		%z = add.u32 %s, %v
		store @out[%i], %z
	}`},
	{"trap", `kernel @checked workgroup(256) {
		param @x: buf<u32> ro
		param @out: buf<u32> wo
		%i = global.x
		%v = load @x[%i]
		%bad = eq.u32 %v, 4294967295_u32
		%wide = cvt.u64.u32 %v
		trap %bad, %wide, #1
		%h = shr.u32 %v, 1_u32
		store @out[%i], %h
	}`},
	{"division of 64 bits", `kernel @quotients workgroup(256) {
		param @x: buf<u32> ro
		param @out: buf<u32> wo
		%i = global.x
		%v = load @x[%i]
		%a = mulwide.u32 %v, 2654435761_u32
		%b = cvt.u64.u32 %i
		%q = div.u64 %a, %b
		%r = rem.u64 %a, %b
		%s = add.u64 %q, %r
		%z = cvt.u32.u64 %s
		store @out[%i], %z
	}`},
	{"division of 64 bits, short", `kernel @rows workgroup(256) {
		param @x: buf<u32> ro
		param @out: buf<u32> wo
		%i = global.x
		%v = load @x[%i]
		%a = cvt.i64.u32 %v
		%b = cvt.i64.u32 %i
		%q = div.i64 %a, %b
		%z = cvt.u32.i64 %q
		store @out[%i], %z
	}`},
	{"fast_tanh", `kernel @tanh workgroup(256) {
		param @x: buf<u32> ro
		param @out: buf<u32> wo
		%i = global.x
		%v = load @x[%i]
		%a = cvt.f32.u32 %v
		%f = mul.f32 %a, 1e-9_f32
		%t = fast_tanh.f32 %f
		%z = bitcast.u32.f32 %t
		store @out[%i], %z
	}`},
}

// BenchmarkTogether runs a kernel over 64 Ki elements, on one goroutine.
func BenchmarkTogether(b *testing.B) {
	const elements = 1 << 16
	needs.MachineCode(b, native.Available())
	for _, c := range together {
		for _, engine := range []cpu.Engine{cpu.Native, cpu.Interp} {
			b.Run(c.name+"/"+string(engine), func(b *testing.B) {
				d, err := cpu.Open(cpu.Options{Engine: engine, Run: cpu.RunOptions{Workers: 1}})
				if err != nil {
					b.Fatal(err)
				}
				defer d.Close()
				ps, err := text.Parse("test", "vyre 1\n"+c.source)
				if err != nil {
					b.Fatal(err)
				}
				k, err := d.Compile(context.Background(), ps[0], driver.Options{})
				if err != nil {
					b.Fatal(err)
				}
				x, err := d.Alloc(4*elements, driver.AllocOptions{})
				if err != nil {
					b.Fatal(err)
				}
				data := make([]byte, 4*elements)
				for i := range elements {
					binary.LittleEndian.PutUint32(data[4*i:], uint32(i)*2654435761)
				}
				out, err := d.Alloc(4*elements, driver.AllocOptions{})
				if err != nil {
					b.Fatal(err)
				}
				first := d.NewSequence("inputs")
				first.Upload(driver.All(x), data, driver.Always)
				if _, err := first.Run(context.Background()); err != nil {
					b.Fatal(err)
				}
				s := d.NewSequence(c.name)
				s.Launch(k, driver.Groups(elements/256), driver.All(x), driver.All(out))
				for b.Loop() {
					if _, err := s.Run(context.Background()); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/elements, "ns/element")
			})
		}
	}
}

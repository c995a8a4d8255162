package interp_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
)

const mandelbrot = `kernel @mandelbrot workgroup(64) {
  param @out: buf<u32> wo
  param %w: u32
  param %scale: f32
  %g = global.x
  %px = rem.u32 %g, %w
  %py = div.u32 %g, %w
  %fx = cvt.f32.u32 %px
  %fy = cvt.f32.u32 %py
  %sx = mul.f32 %fx, %scale
  %sy = mul.f32 %fy, %scale
  %cx = sub.f32 %sx, 2.0_f32
  %cy = sub.f32 %sy, 1.25_f32
  %n = loop ^it (%i: u32 = 0_u32, %x: f32 = 0.0_f32, %y: f32 = 0.0_f32) -> (u32) {
    %x2 = mul.f32 %x, %x
    %y2 = mul.f32 %y, %y
    %m = add.f32 %x2, %y2
    %in = le.f32 %m, 4.0_f32
    %more = lt.u32 %i, 100_u32
    %go = and.bool %in, %more
    %stop = not.bool %go
    if %stop { break ^it (%i) }
    %d = sub.f32 %x2, %y2
    %nx = add.f32 %d, %cx
    %xy = mul.f32 %x, %y
    %ny = fma.f32 %xy, 2.0_f32, %cy
    %i1 = add.u32 %i, 1_u32
    continue ^it (%i1, %nx, %ny)
  }
  store @out[%g], %n
}`

const histogram = `kernel @histogram workgroup(256) {
  param @data: buf<u8> ro
  param @bins: buf<u32> rw
  shared @part: u32[256]
  %l = local.x
  %g = global.x
  %groups = groups.x
  %step = mul.u32 %groups, 256_u32
  %n = len @data
  store @part[%l], 0_u32
  barrier.wg
  loop ^rows (%i: u32 = %g) {
    %past = le.u32 %n, %i
    if %past { break ^rows }
    %v = load @data[%i]
    atomic_add.relaxed.wg @part[%v], 1_u32
    %next = add.u32 %i, %step
    continue ^rows (%next)
  }
  barrier.wg
  %count = load @part[%l]
  atomic_add.relaxed.dev @bins[%l], %count
}`

const life = `kernel @life workgroup(128) {
  param @old: buf<u32> ro
  param @new: buf<u32> wo
  param %w: u32
  %g = global.x
  %n = len @old
  %past = le.u32 %n, %g
  if %past { return }
  %up = sub.u32 %g, %w
  %down = add.u32 %g, %w
  %l = sub.u32 %g, 1_u32
  %r = add.u32 %g, 1_u32
  %ul = sub.u32 %up, 1_u32
  %ur = add.u32 %up, 1_u32
  %dl = sub.u32 %down, 1_u32
  %dr = add.u32 %down, 1_u32
  %a = load @old[%ul]
  %b = load @old[%up]
  %c = load @old[%ur]
  %d = load @old[%l]
  %e = load @old[%g]
  %f = load @old[%r]
  %h = load @old[%dl]
  %i = load @old[%down]
  %j = load @old[%dr]
  %s1 = add.u32 %a, %b
  %s2 = add.u32 %s1, %c
  %s3 = add.u32 %s2, %d
  %s4 = add.u32 %s3, %f
  %s5 = add.u32 %s4, %h
  %s6 = add.u32 %s5, %i
  %s7 = add.u32 %s6, %j
  %three = eq.u32 %s7, 3_u32
  %two = eq.u32 %s7, 2_u32
  %on = ne.u32 %e, 0_u32
  %stay = and.bool %two, %on
  %alive = or.bool %three, %stay
  %v = cvt.u32.bool %alive
  store @new[%g], %v
}`

// BenchmarkLaneRows reports lane-rows a second of three kernels, which is what the
// interpreter's speed budget is stated in.
func BenchmarkLaneRows(b *testing.B) {
	data := make([]byte, 1<<18)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	cells := make([]uint32, 1<<15)
	for i := range cells {
		cells[i] = uint32(i*i>>4) & 1
	}
	cases := []struct {
		name   string
		src    string
		groups uint32
		args   []launch.Arg
	}{
		{"mandelbrot", mandelbrot, 128, []launch.Arg{u32s(make([]uint32, 128*64)...), scalar(128), scalar(uint64(math.Float32bits(2.5 / 64)))}},
		{"histogram", histogram, 16, []launch.Arg{{Mem: data}, u32s(make([]uint32, 256)...)}},
		{"life", life, 256, []launch.Arg{u32s(cells...), u32s(make([]uint32, len(cells))...), scalar(256)}},
	}
	for _, c := range cases {
		k := prepare(b, c.src)
		modes := []struct {
			name string
			o    interp.Options
		}{
			{"workers=1", interp.Options{Workers: 1}},
			{"workers=2", interp.Options{Workers: 2}},
			{"detect", interp.Options{Detect: interp.Everything}},
		}
		for _, m := range modes {
			b.Run(fmt.Sprintf("%s/%s", c.name, m.name), func(b *testing.B) {
				b.ReportAllocs()
				var rows uint64
				for b.Loop() {
					res, err := k.Run(context.Background(), launch.Launch{Grid: [3]uint32{c.groups, 1, 1}, Args: c.args}, m.o)
					if err != nil {
						b.Fatal(err)
					}
					rows += res.LaneRows
				}
				b.ReportMetric(float64(rows)/b.Elapsed().Seconds()/1e6, "Mlanerows/s")
			})
		}
	}
}

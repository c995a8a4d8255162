package native_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/shape"
	"github.com/govyre/vyre/ir/text"
)

// launches are prepared ones of each kind: groups that follow each other, groups with barriers, groups that wait for each
// other.
var launches = []struct {
	name, source string
	groups       uint32
	args         int
}{
	{"one group", `kernel @one workgroup(32) {
		param @x: buf<u32> rw
		%i = global.x
		store @x[%i], 7_u32
	}`, 1, 1},
	{"many groups", busyOnce, 64, 2},
	{"barriers", `kernel @turns workgroup(64) {
		param @x: buf<u32> rw
		shared @s: u32[64]
		%l = local.x
		store @s[%l], %l
		barrier.wg
		%o = xor.u32 %l, 63_u32
		%v = load @s[%o]
		store @x[%l], %v
	}`, 4, 1},
	{"grid barriers", `kernel @rounds workgroup(32) {
		param @x: buf<u32> rw
		%i = global.x
		loop ^l (%k: u32 = 0_u32) {
			%done = eq.u32 %k, 100_u32
			if %done { break ^l }
			store @x[%i], %k
			barrier.grid
			%m = add.u32 %k, 1_u32
			continue ^l (%m)
		}
	}`, 4, 1},
}

const busyOnce = `kernel @many workgroup(128) {
	param %n: u32
	param @x: buf<u32> rw
	%i = global.x
	%t = mul.u32 %i, %n
	store @x[%i], %t
}`

func launchOf(groups uint32, args int) *launch.Launch {
	in := &launch.Launch{Grid: [3]uint32{groups, 1, 1}, Args: []launch.Arg{{Bits: 3}, {Mem: aligned(make([]byte, 4*128*groups))}}}
	in.Args = in.Args[2-args:]
	return in
}

// A prepared launch allocates nothing, on one goroutine or on several.
func TestPreparedLaunchAllocatesNothing(t *testing.T) {
	for _, c := range launches {
		for _, o := range []native.RunOptions{{Workers: 1}, {Workers: 2, Helped: true}} {
			k, in := kernelOf(t, c.source), launchOf(c.groups, c.args)
			if n := testing.AllocsPerRun(50, func() {
				if _, err := k.Run(context.Background(), in, o); err != nil {
					t.Fatal(err)
				}
			}); n != 0 {
				t.Errorf("%s, %+v: %v allocations", c.name, o, n)
			}
		}
	}
}

// Nor does a run of a prepared sequence on the device.
func TestPreparedRunAllocatesNothing(t *testing.T) {
	d := open(t, native.Target())
	for _, c := range launches {
		ps, err := text.Parse("test", "vyre 1\n"+c.source)
		if err != nil {
			t.Fatal(err)
		}
		k, err := d.Compile(context.Background(), ps[0], driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := d.Alloc(int64(4*128*c.groups), driver.AllocOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s := d.NewSequence("prepared")
		s.Launch(k, driver.Groups(c.groups), []driver.Arg{driver.U32(3), driver.All(b)}[2-c.args:]...)
		run := func() {
			if _, err := s.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		run()
		if n := testing.AllocsPerRun(50, run); n > 1 { // its result
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

func BenchmarkLaunch(b *testing.B) {
	for _, c := range launches {
		for _, o := range []native.RunOptions{{Workers: 1}, {Workers: 2, Helped: true}} {
			if c.groups == 1 && o.Workers > 1 {
				continue
			}
			b.Run(fmt.Sprintf("%s/workers=%d", c.name, o.Workers), func(b *testing.B) {
				k, in := kernelOf(b, c.source), launchOf(c.groups, c.args)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := k.Run(context.Background(), in, o); err != nil {
						b.Fatal(err)
					}
				}
				if c.name == "grid barriers" {
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/barrier")
				}
			})
		}
	}
}

// BenchmarkCompile is from a program of 10,000 rows to code. What passes would do first is not in it.
func BenchmarkCompile(b *testing.B) {
	for _, s := range slices.Concat(shape.All, shapes()) {
		b.Run(s.Name, func(b *testing.B) {
			p, err := s.Build(10_000).Program()
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				k, err := native.New(p, native.Options{})
				if err != nil {
					b.Fatal(err)
				}
				k.Close()
			}
			b.ReportMetric(float64(p.Rows()), "rows")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.Rows()), "ns/row")
		})
	}
}

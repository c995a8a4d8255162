package drivertest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/atomicfile"
	"github.com/govyre/vyre/internal/metric"
)

// narrow adds like add, in groups of four: a warp of them has room for eight times as many.
var narrow = strings.Replace(strings.Replace(add, "workgroup(32)", "workgroup(4)", 1), "@add", "@narrow", 1)

// telling are programs that can tell which invocations are in a group: one for each way there is.
var telling = map[string]string{
	"barrier":           together,
	"shared array":      rest,
	"groups":            grid,
	"local":             "kernel @k workgroup(32) {\n param @x: buf<u32> rw\n %i = local.x\n store @x[%i], %i\n}",
	"group":             "kernel @k workgroup(32) {\n param @x: buf<u32> rw\n %i = group.x\n store @x[%i], %i\n}",
	"lane":              "kernel @k workgroup(32) {\n param @x: buf<u32> rw\n %i = lane\n store @x[%i], %i\n}",
	"warp":              "kernel @k workgroup(32) {\n param @x: buf<u32> rw\n %i = warp\n store @x[%i], %i\n}",
	"atomic_add":        "kernel @k workgroup(32) {\n param @x: buf<u32> rw\n atomic_add.relaxed.wg @x[0_u32], 1_u32\n}",
	"fence":             "kernel @k workgroup(32) {\n param @x: buf<u32> rw\n %i = global.x\n store @x[%i], %i\n fence.acqrel.wg\n}",
	"more than one row": "kernel @k workgroup(8, 4) {\n param @x: buf<u32> rw\n %i = global.x\n store @x[%i], %i\n}",
}

var tuningTests = []test{
	{"TuneKeepsTheContentsAndTheChoiceIsTaken", func(e *env) {
		const n = 4096
		dir := e.TempDir()
		dev := e.with(driver.OpenOptions{CacheDir: dir})
		b := dev.buffer("x", 4*n, 7)
		t, err := driver.Tune(ctx, dev.dev, e.program(narrow), driver.Options{Items: n}, driver.All(b), driver.U32(1))
		e.must(err)
		dev.equal("x", dev.read(b), bytes.Repeat([]byte{7}, 4*n))
		if len(t.Candidates) > 4 || t.Candidates[0].Workgroup != [3]uint32{4, 1, 1} {
			e.Errorf("candidates are %v, want at most four, the declared one first", t.Candidates)
		}
		for _, c := range t.Candidates {
			if c.Runs < 3 || c.Median < 0 {
				e.Errorf("%+v was not measured", c)
			}
		}
		if rel, err := filepath.Rel(filepath.Join(dir, "tune"), t.File); err != nil || len(rel) != 2+1+64+4 {
			e.Errorf("it is kept in %q", t.File)
		}
		again := e.with(driver.OpenOptions{CacheDir: dir}) // as another process
		for _, d := range []*env{dev, again} {
			for _, items := range []uint64{n, 2*n - 1} { // of one power of two
				k, err := d.dev.Compile(ctx, d.program(narrow), driver.Options{Workgroup: driver.AutoWorkgroup, Items: items})
				d.must(err)
				if k.Workgroup() != t.Workgroup {
					e.Errorf("for %d items the group is %v, Tune chose %v", items, k.Workgroup(), t.Workgroup)
				}
				x := d.words("x", make([]uint32, 100)...)
				s := d.dev.NewSequence("tuned")
				s.Launch(k, driver.Cover(100, k.Workgroup()[0]), driver.All(x), driver.U32(3))
				d.run(s)
				d.equal("x", d.read(x), bytes.Repeat(le(3), 100))
			}
		}
	}},
	{"WithoutMeasurementsTheModelChooses", func(e *env) {
		for _, items := range []uint64{0, 1, 1 << 20} {
			k, err := e.dev.Compile(ctx, e.program(narrow), driver.Options{Workgroup: driver.AutoWorkgroup, Items: items})
			e.must(err)
			if w := k.Workgroup(); w[0] < 32 || w[1] != 1 || w[2] != 1 {
				e.Errorf("for %d items the group is %v", items, w)
			}
		}
	}},
	{"AProgramThatKnowsItsGroupKeepsIt", func(e *env) {
		for what, source := range telling {
			p := e.program(source)
			k, err := e.dev.Compile(ctx, p, driver.Options{Workgroup: driver.AutoWorkgroup})
			e.must(err)
			if k.Digest() != p.Digest() {
				e.Errorf("%s: the group is %v", what, k.Workgroup())
			}
			b := e.words("x", make([]uint32, 64)...)
			_, err = driver.Tune(ctx, e.dev, p, driver.Options{Items: 64}, driver.All(b))
			e.fails(err, driver.Unsupported, "tune", what)
		}
	}},
	{"TuneRefusesWhatItCannotMeasure", func(e *env) {
		b := e.words("x", make([]uint32, 64)...)
		p, args := e.program(add), []driver.Arg{driver.All(b), driver.U32(1)}
		tune := func(o driver.Options, args ...driver.Arg) error {
			_, err := driver.Tune(ctx, e.dev, p, o, args...)
			return err
		}
		e.fails(tune(driver.Options{}, args...), driver.InvalidArgument, "Options.Items is 0")
		e.fails(tune(driver.Options{Items: 64, Workgroup: [3]uint32{64, 1, 1}}, args...), driver.InvalidArgument, "Options.Workgroup")
		e.fails(tune(driver.Options{Items: 64, Optimise: "-none"}, args...), driver.InvalidArgument, "none")
		e.fails(tune(driver.Options{Items: 64}, args[:1]...), driver.InvalidArgument, "arguments")
		e.fails(tune(driver.Options{Items: 64}, driver.InOut(make([]byte, 256)), args[1]), driver.InvalidArgument, "Dispatch")
		_, err := driver.Tune(ctx, e.dev, nil, driver.Options{Items: 64}, args...)
		e.fails(err, driver.InvalidArgument, "no sealed program")
		done, cancel := context.WithCancel(ctx)
		cancel()
		_, err = driver.Tune(done, e.dev, p, driver.Options{Items: 64}, args...)
		e.fails(err, driver.Canceled)
		e.must(tune(driver.Options{Items: 64}, args...)) // after all that
		e.equal("x", e.read(b), make([]byte, 256))
		k, err := e.dev.Compile(ctx, p, driver.Options{})
		e.must(err)
		e.must(k.Close())
	}},
	{"TuneEndsWithItsContextAndRestoresTheContents", func(e *env) {
		p, want := e.program(narrow), bytes.Repeat([]byte{7}, 256)
		canceled := 0
		for at := 1; ; at *= 2 { // the run before which the context ends
			within, cancel := context.WithCancel(ctx)
			begun := 0
			d := e.with(driver.OpenOptions{CacheDir: driver.CacheOff, Observer: &driver.Observer{RunStart: func(string) {
				if begun++; begun == at+1 { // the first one writes the contents
					cancel()
				}
			}}})
			b := d.buffer("x", 256, 7)
			tune := func(ctx context.Context) error {
				_, err := driver.Tune(ctx, d.dev, p, driver.Options{Items: 64}, driver.All(b), driver.U32(1))
				d.equal("x", d.read(b), want)
				return err
			}
			err := tune(within)
			cancel()
			if err == nil {
				break
			}
			canceled++
			d.fails(err, driver.Canceled)
			e.must(tune(ctx))
		}
		if canceled < 4 {
			e.Errorf("%d runs were canceled", canceled)
		}
	}},
	{"ATuningOfAClosedDeviceEnds", func(e *env) {
		for _, at := range []int{2, 3, 5, 8} { // the run after whose start the device is closed
			closed := make(chan error, 1)
			begun := 0
			var dev driver.Device
			d := e.with(driver.OpenOptions{CacheDir: driver.CacheOff, Observer: &driver.Observer{RunStart: func(string) {
				if begun++; begun == at {
					go func() { closed <- dev.Close() }()
				}
			}}})
			dev = d.dev
			b := d.buffer("x", 256, 7)
			_, err := driver.Tune(ctx, d.dev, e.program(narrow), driver.Options{Items: 64}, driver.All(b), driver.U32(1))
			e.must(<-closed)
			if err != nil {
				d.fails(err, driver.Closed)
			}
			_, err = driver.Tune(ctx, d.dev, e.program(narrow), driver.Options{Items: 64}, driver.All(b), driver.U32(1))
			d.fails(err, driver.Closed)
		}
	}},
	{"AStoreThatIsNoUseIsNoError", func(e *env) {
		file := filepath.Join(e.TempDir(), "file")
		e.must(atomicfile.WriteBytes(ctx, file, nil))
		for _, dir := range []string{driver.CacheOff, file, filepath.Join(file, "below")} {
			dev := e.with(driver.OpenOptions{CacheDir: dir})
			b := dev.words("x", make([]uint32, 64)...)
			t, err := driver.Tune(ctx, dev.dev, e.program(add), driver.Options{Items: 64}, driver.All(b), driver.U32(1))
			e.must(err)
			k, err := dev.dev.Compile(ctx, e.program(add), driver.Options{Workgroup: driver.AutoWorkgroup, Items: 64})
			e.must(err)
			if t.File != "" || k.Workgroup() != t.Workgroup {
				e.Errorf("kept in %q, of %v there is %v", t.File, t.Workgroup, k.Workgroup())
			}
		}
	}},
	{"ADamagedDecisionIsRemovedAndCounted", func(e *env) {
		dir := e.TempDir()
		dev := e.with(driver.OpenOptions{CacheDir: dir})
		b := dev.words("x", make([]uint32, 64)...)
		o := driver.Options{Items: 64}
		tune := func() driver.Tuning {
			t, err := driver.Tune(ctx, dev.dev, e.program(narrow), o, driver.All(b), driver.U32(1))
			e.must(err)
			return t
		}
		file := tune().File
		whole, err := os.ReadFile(file)
		e.must(err)
		last := len(whole) - 1
		for _, at := range []int{0, 8, 16, 48, 56, 88, 96, last} { // of the reader's own tests only the parts
			damaged := bytes.Clone(whole)
			damaged[at] ^= 1
			if at == 48 {
				damaged = whole[:at]
			}
			e.must(atomicfile.WriteBytes(ctx, file, damaged))
			o.Workgroup = driver.AutoWorkgroup
			d := e.with(driver.OpenOptions{CacheDir: dir})
			k, err := d.dev.Compile(ctx, e.program(narrow), o)
			e.must(err)
			if _, err := os.Stat(file); err == nil || d.dev.Stats().Get(metric.CacheCorrupt) != 1 || k.Workgroup()[0] < 4 {
				e.Errorf("byte %d: %v, %d counted, group %v", at, err, d.dev.Stats().Get(metric.CacheCorrupt), k.Workgroup())
			}
		}
		if again := tune(); again.File != file {
			e.Errorf("it is kept in %s, before in %s", again.File, file)
		}
	}},
}

// costsTests are about what a device says of its own times.
var costsTests = []test{
	{"CostsAreMeasuredOnceAndKept", func(e *env) {
		dir := e.TempDir()
		var first driver.Costs
		for i := range 2 {
			d := e.with(driver.OpenOptions{CacheDir: dir}).dev
			for range 2 {
				c, err := d.Costs(ctx)
				e.must(err)
				if i == 0 {
					first = *c
				}
				if *c != first {
					e.Errorf("costs are %+v, were %+v", *c, first)
				}
			}
			caps := d.Caps()
			if first.Enqueue <= 0 || first.LaunchRead <= 0 ||
				caps.Graphs != (first.GraphRead > 0) || !caps.GridBarrier && first.GridBarrier != 0 {
				e.Errorf("costs are %+v", first)
			}
		}
	}},
	{"CostsEndWithTheirContext", func(e *env) {
		done, cancel := context.WithCancel(ctx)
		cancel()
		_, err := e.dev.Costs(done)
		e.fails(err, driver.Canceled)
		e.must(e.dev.Close())
		_, err = e.dev.Costs(ctx)
		e.fails(err, driver.Closed)
	}},
}

// with opens another device, which is closed with the test.
func (e *env) with(o driver.OpenOptions) *env {
	e.Helper()
	d, err := e.open(o)
	e.must(err)
	e.Cleanup(func() {
		if err := d.Close(); err != nil {
			e.Error(err)
		}
		e.nothingLeft(d)
	})
	return &env{T: e.T, dev: d, open: e.open}
}

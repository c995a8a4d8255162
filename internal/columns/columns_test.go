package columns_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/columns"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

var deviceFlag = flag.String("devices", "cpu,cpu-interp,cuda-sim", "devices that the tests run on, with commas between")

// open opens a device; cpu-interp is the interpreter, which looks for races.
func open(t *testing.T, name string) vyre.Device {
	t.Helper()
	var dev vyre.Device
	var err error
	if name == "cpu-interp" {
		dev, err = cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Detect: cpu.Races | cpu.Undefined}})
	} else {
		dev, err = vyre.Open(name)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if n := dev.Stats().Get(metric.LiveBytes); n != 0 {
			t.Errorf("%s: %d bytes are left", name, n)
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

func optimiser(t *testing.T, dev vyre.Device, o columns.Options) *columns.Optimiser {
	t.Helper()
	c, err := columns.Open(t.Context(), dev, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// random is an arena of random programs.
func random(t *testing.T, from, n uint64) *columns.Arena {
	a := new(columns.Arena)
	for seed := range n {
		for _, p := range []*conform.RandomProgram{conform.Random(from + seed), conform.RandomShapes(from + seed)} {
			if err := a.Add(p.Program); err != nil {
				t.Fatal(err)
			}
			if seed%8 != 0 {
				break
			}
		}
	}
	return a
}

// differ says where two results differ, "" if nowhere.
func differ(got, want *columns.Output) string {
	for i, x := range want.Rows {
		if got.Rows[i] != x || got.Tag[i] != want.Tag[i] || got.From[i] != want.From[i] {
			return fmt.Sprintf("row %d is %x in %x, from %d; want %x in %x, from %d", i, got.Rows[i], got.Tag[i], got.From[i], x, want.Tag[i], want.From[i])
		}
	}
	if !slices.Equal(got.Heads, want.Heads) || !slices.Equal(got.More, want.More) {
		return "heads or lists differ"
	}
	return ""
}

// TestSameBytes on all devices as in plain Go, for all sizes of workgroups, and when hashes say nearly nothing.
func TestSameBytes(t *testing.T) {
	for _, c := range []struct {
		device string
		n      uint64
		o      columns.Options
	}{
		{"cpu", 200, columns.Options{}}, {"cpu", 100, columns.Options{Group: 32}}, {"cpu", 100, columns.Options{Group: 1024}}, {"cpu", 4, columns.Options{Hash: 3}},
		{"cpu-interp", 6, columns.Options{}}, {"cpu-interp", 1, columns.Options{Group: 64, Hash: 3}},
		{"cuda", 2000, columns.Options{}}, {"cuda", 200, columns.Options{Group: 32}}, {"cuda", 200, columns.Options{Group: 1024}}, {"cuda", 20, columns.Options{Hash: 3}},
		{"cuda-sim", 8, columns.Options{}}, {"cuda-sim", 1, columns.Options{Group: 96, Hash: 3}},
	} {
		if !slices.Contains(strings.Split(*deviceFlag, ","), c.device) {
			continue
		}
		t.Run(fmt.Sprintf("%s of %d, %x", c.device, c.o.Group, c.o.Hash), func(t *testing.T) {
			c.o.Rounds = 1000
			on := optimiser(t, open(t, c.device), c.o)
			a := random(t, long.Seed(t, 1), c.n)
			want := new(columns.Plain).Run(a, 2)
			got, err := on.Run(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			if s := differ(got, want); s != "" || !got.Closed {
				t.Errorf("%s; %d rounds", s, got.Rounds)
			}
			for _, r := range got.Reports {
				if r.Error {
					t.Error(r)
				}
			}
		})
	}
}

// TestFaults: what is wrong on purpose is seen in the bytes.
func TestFaults(t *testing.T) {
	dev := open(t, "cpu")
	a := random(t, 1, 60)
	all, err := text.Parse("shapes", shapes)
	if err != nil || a.Add(all[0]) != nil {
		t.Fatal(err)
	}
	want := new(columns.Plain).Run(a, 1)
	for _, m := range []struct {
		name, from, to string
		hash           uint32
	}{
		{"keys are not compared", "== s && equal(x, in, op, j, rows, tag)", "== s", 3},
		{"keys are not compared when they are put in", "== s && equal(x, in, op, uint32(have), rows, tag)", "== s", 3},
		{"versions are left out", "rows[r][3] = version", "rows[r][3] = version & 0", 0},
		{"barriers and fences begin no version", "changes = visible", "changes = visible & 0", 0},
		{"what a loop changes is not new in it", "changes = inside[r]", "changes = inside[r] & 0", 0},
		{"the end of what changes begins no version", "opened = tag[r]>>1 - first + 1", "opened = 0", 0},
		{"the regions around are looked at a level late", "for in := tag[r]; ; in = tag[in>>1] {", "for in := tag[r]; ; in = late(in, tag[in>>1], tag) {", 0},
		{"the last row of a key leads", "if own < have {\n\t\t\t\tgpu.AtomicMin", "if own > have {\n\t\t\t\tgpu.AtomicMax", 0},
		{"operands in lists are not replaced", "more[k] = of(more[k], leader)", "more[k] = more[k]", 0},
		{"back edges are not followed", "again = true", "again = false", 0},
		{"dead arguments stay in lists", "feeds == None || live[(feeds+k)/32]>>((feeds+k)%32)&1 != 0", "feeds == None || feeds != None", 0},
		{"results keep their numbers", "(rank(r, live, base)-rank(begin, live, base))<<ImmShift", "(r-begin)<<ImmShift", 0},
	} {
		src := strings.Replace(columns.Source, m.from, m.to, 1) + `
func late(in, up uint32, tag []uint32) uint32 {
	if up < Body {
		return tag[up>>1]
	}
	return up
}
`
		if src == columns.Source || !strings.Contains(src, m.to) {
			t.Fatalf("%s: the source has no %s", m.name, m.from)
		}
		got, err := optimiser(t, dev, columns.Options{Rounds: 100, Source: src, Hash: m.hash}).Run(t.Context(), a)
		if err != nil {
			t.Fatal(m.name, err)
		}
		if differ(got, want) == "" {
			t.Errorf("%s: nothing differs", m.name)
		}
	}
}

// TestResults: random programs leave what they left, also where rounds were too few, and are the same wherever they are
// in a batch.
func TestResults(t *testing.T) {
	dev := open(t, "cpu")
	whole, few := optimiser(t, dev, columns.Options{}), optimiser(t, dev, columns.Options{Rounds: 1})
	for i := range uint64(long.Count(60, 600, 1)) {
		p := conform.Random(long.Seed(t, 1000) + i)
		var alone *ir.Program
		for _, c := range []*columns.Optimiser{whole, few} {
			q, err := c.Optimise(t.Context(), p.Program)
			if err != nil {
				t.Fatal(i, err)
			}
			on := conform.Through(conform.OnWith(dev, driver.Options{Optimise: "0"}), "passes", func(*ir.Program) (*ir.Program, error) { return q, nil })
			if err := p.Agree(t.Context(), on); err != nil {
				t.Errorf("%d: %v", i, err)
			}
			if alone == nil {
				alone = q
			}
		}
		if i%8 != 0 {
			continue
		}
		for at := range 3 {
			a := new(columns.Arena)
			for k := range 3 {
				other := conform.Random(uint64(k)).Program
				if k == at {
					other = p.Program
				}
				if err := a.Add(other); err != nil {
					t.Fatal(err)
				}
			}
			r, err := whole.Run(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			if q, err := a.Program(r, at); err != nil || q.Digest() != alone.Digest() {
				t.Errorf("%d at place %d is another program: %v", i, at, err)
			}
		}
	}
}

// edges are bits, of which types take their low ones; among them are zeros, signs, infinities, NaNs and subnormals of
// all floats.
var edges = []uint64{0x7FF0_0000_7F80_7C00, 1, 0x8000_0000_8000_8000, 0xBFF8_0000_BFC0_BE00, 0, 1<<64 - 1, 0x7FF8_0000_7FC0_7E00, 0x7FEF_FFFF_7F7F_FBFF,
	0xC1E0_0000_4F00_0007, 0x7F80_0000_7F80_0000, 0x4030_0000_0000_0020, 0x3FF0_0000_3F80_3C00}

// TestFold computes each op of edges, for all types.
func TestFold(t *testing.T) {
	for _, c := range []struct {
		device string
		values int
	}{{"cpu", 12}, {"cuda", 12}, {"cuda-sim", 2}, {"cpu-interp", 2}} {
		if !slices.Contains(strings.Split(*deviceFlag, ","), c.device) {
			continue
		}
		a := new(columns.Arena)
		ops := 0
		add := func(x [4]uint32) uint32 {
			a.Rows, a.Tag = append(a.Rows, x), append(a.Tag, columns.Body)
			return uint32(len(a.Rows) - 1)
		}
		consts := map[ir.Type][]uint32{}
		for t := ir.Bool; t <= ir.BF16; t++ {
			for k, v := range edges {
				if v &= t.Mask(); k < c.values {
					consts[t] = append(consts[t], add([4]uint32{uint32(ir.OpConst) | uint32(t)<<columns.TypeShift, uint32(v), uint32(v >> 32), columns.None}))
				}
			}
		}
		a.More = []uint32{0}
		for _, f := range columns.Folds {
			for _, x := range consts[f.Args[0]] {
				row := [4]uint32{uint32(f.Op) | uint32(f.Out)<<columns.TypeShift, x, columns.None, columns.None}
				for n := range max(1, len(consts[f.Args[min(1, len(f.Args)-1)]])) {
					if len(f.Args) > 1 {
						row[2] = consts[f.Args[1]][n]
					}
					if len(f.Args) > 2 {
						row[3] = consts[f.Args[2]][(n+int(x))%len(consts[f.Args[2]])]
					}
					a.More = append(a.More, add(row))
					if ops++; len(f.Args) == 1 {
						break
					}
				}
			}
		}
		a.More[0] = uint32(len(a.More) - 1)
		add([4]uint32{uint32(ir.OpTrace), columns.None, 0, columns.None})
		add([4]uint32{uint32(ir.OpReturn), columns.None, columns.None, columns.None})
		a.Heads = []uint32{0, uint32(len(a.Rows)), 0, uint32(len(a.More)), 0, 0, 0, 0}
		for len(a.Rows)%32 != 0 {
			add([4]uint32{})
		}
		a.Chunk = make([]uint32, len(a.Rows)/32)
		got, err := optimiser(t, open(t, c.device), columns.Options{}).Run(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		want := new(columns.Plain).Run(a, 1)
		if s := differ(got, want); s != "" {
			t.Errorf("%s: %s", c.device, s)
		}
		for _, v := range want.More[1 : 1+ops] {
			if want.Rows[v][0]&columns.OpMask != uint32(ir.OpConst) {
				t.Fatalf("row %d is not computed", v)
			}
		}
	}
}

// TestTelemetry: a second batch of the same sizes is one sequence with one upload and one read, and allocates nothing.
func TestTelemetry(t *testing.T) {
	dev := open(t, "cpu")
	on := optimiser(t, dev, columns.Options{})
	a := random(t, 7, 10)
	call := func() {
		if _, err := on.Run(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	call()
	before := *dev.Stats()
	call()
	did := dev.Stats().Sub(&before)
	n, m := len(a.Rows), len(a.More)
	round := func(words int) uint64 { return uint64(4*words+255) &^ 255 }
	for _, c := range []struct {
		metric driver.Metric
		want   uint64
	}{{metric.Uploads, 1}, {metric.Reads, 1}, {metric.DriverAllocs, 0}, {metric.AllocRequests, 0}, {metric.StaticMisses, 0},
		{metric.UploadBytes, round(len(a.Heads)) + round(n/32) + round(4*n) + round(n) + round(m)},
		{metric.ReadBytes, round(len(a.Heads)) + round(4*n) + 2*round(n) + round(m)}} {
		if got := did.Get(c.metric); got != c.want {
			t.Errorf("%v is %d, want %d", c.metric, got, c.want)
		}
	}
	if n := testing.AllocsPerRun(4, call); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestLimits: what does not fit is refused, and what there is stays.
func TestLimits(t *testing.T) {
	a := random(t, 3, 2)
	rows, n := len(a.Rows), a.Len()
	a.Bound(uint64(rows))
	p := conform.Random(9).Program
	var e *columns.LimitError
	if err := a.Add(p); !errors.As(err, &e) || e.Most != uint64(rows) || e.N != uint64(rows+(p.Rows()+31)&^31) {
		t.Errorf("the error is %v", err)
	}
	a.Bound(0)
	dev := open(t, "cpu")
	on := optimiser(t, dev, columns.Options{})
	if got, err := on.Run(t.Context(), a); err != nil || a.Len() != n || differ(got, new(columns.Plain).Run(a, 1)) != "" {
		t.Errorf("the arena changed: %v", err)
	}
	if got, err := on.Run(t.Context(), new(columns.Arena)); err != nil || len(got.Rows) != 0 {
		t.Errorf("of no programs come %v, %v", got, err)
	}
	if _, err := columns.Open(t.Context(), dev, columns.Options{Group: 100}); !errors.Is(err, driver.InvalidArgument) {
		t.Errorf("workgroups of 100: %v", err)
	}
}

// TestAnyCallMayFail: the error names it, nothing is left, and the optimiser is right afterwards.
func TestAnyCallMayFail(t *testing.T) {
	a := random(t, 5, 1)
	want := new(columns.Plain).Run(a, 1)
	n := faults.EachCall(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}}, long.Count(97, 5, 1), faults.Maker(func(ctx context.Context, dev driver.Device) (o faults.Object, err error) {
		c, err := columns.Open(ctx, dev, columns.Options{})
		if err != nil {
			return o, err
		}
		o.Close = c.Close
		o.Run = func(ctx context.Context) error {
			got, err := c.Run(ctx, a)
			if err == nil && differ(got, want) != "" {
				return fmt.Errorf("%w: %s", faults.ErrWrong, differ(got, want))
			}
			return err
		}
		return o, nil
	}).Session(), cu.OutOfMemory)
	if n < 1 {
		t.Error("no call failed")
	}
}

// shapes is a program with a dead result and a dead argument before others, blocks that stay and that do not, and what
// only a block's break needs.
const shapes = `vyre 1
kernel @k workgroup(1) {
  param @y: buf<u32> rw
  param %n: u32
  %c = lt.u32 %n, 7_u32
  %p, %q = if %c -> (u32, u32) {
    yield 1_u32, %n
  } else {
    yield %n, 2_u32
  }
  %d = block ^d -> (u32) {
    %e = lt.u32 %n, 3_u32
    if %e { break ^d (%n) }
    break ^d (%p)
  }
  block ^b {
    %f = lt.u32 %n, 9_u32
    if %f { break ^b }
    store @y[1_u32], %n
    break ^b
  }
  %s, %t = loop ^l (%i: u32 = 5_u32, %j: u32 = %n) -> (u32, u32) {
    %g = lt.u32 %j, 4_u32
    if %g { break ^l (%i, %j) }
    %i1 = add.u32 %i, 1_u32
    %j1 = shr.u32 %j, 1_u32
    continue ^l (%i1, %j1)
  }
  %u = add.u32 %q, %t
  store @y[0_u32], %u
}
`

const shapesAfter = `vyre 1

kernel @k workgroup(1) {
  param @y: buf<u32> rw
  param %n: u32
  %c = lt.u32 %n, 7_u32
  %q = if %c -> (u32) {
    yield %n
  } else {
    yield 2_u32
  }
  block ^b {
    %f = lt.u32 %n, 9_u32
    if %f { break ^b }
    store @y[1_u32], %n
    break ^b
  }
  %t = loop ^l (%j: u32 = %n) -> (u32) {
    %g = lt.u32 %j, 4_u32
    if %g { break ^l (%j) }
    %j1 = shr.u32 %j, 1_u32
    continue ^l (%j1)
  }
  %u = add.u32 %q, %t
  store @y[0_u32], %u
}
`

// outside is a program that folding makes load a vector from outside, between trapping and a label; it becomes zeros,
// once each.
const outside = `vyre 1
kernel @k workgroup(1) {
  param @y: buf<u32> rw
  param %n: u32
  shared @s: u32[4]
  %c = lt.u32 %n, 7_u32
  trap %c, 1_u64, #9
  block ^b {
    if %c { break ^b }
    %i = add.u32 1_u32, 1_u32
    %v = load.v2 @s[%i]
    %p = elem %v, #1
    %j = mul.u32 %i, 4_u32
    store @s[%j], %n
    store @y[%n], %p
    break ^b
  }
}
`

const outsideAfter = `vyre 1

kernel @k workgroup(1) {
  param @y: buf<u32> rw
  param %n: u32
  shared @s: u32[4]
  %c = lt.u32 %n, 7_u32
  trap %c, 1_u64, #9
  block ^b {
    if %c { break ^b }
    %v = vec 0_u32, 0_u32
    %p = elem %v, #1
    store @y[%n], %p
    break ^b
  }
}
`

// hosts are the cases that only the host's passes change: by the workgroup's size, tables, places out of bounds,
// loops that end and arrays without a read.
var hosts = map[string]bool{"group-of-one-warp": true, "tables": true, "out-of-bounds-index": true, "loop-that-ends": true, "unread-array": true}

// TestAsHost: the cases of the host's passes become the same program before these passes and after them.
func TestAsHost(t *testing.T) {
	on := optimiser(t, open(t, "cpu"), columns.Options{})
	optimised := func(src string) *ir.Program {
		all, err := text.Parse("case", src)
		if err != nil {
			t.Fatal(err)
		}
		p, err := on.Optimise(t.Context(), all[0])
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, c := range [][2]string{{shapes, shapesAfter}, {outside, outsideAfter}} {
		if s := text.Of(optimised(c[0])); s != c[1] {
			t.Errorf("%s\nwant\n%s", s, c[1])
		}
	}
	for _, pass := range []string{"fold", "gvn", "dce"} {
		files, err := filepath.Glob("../opt/testdata/" + pass + "/*.txtar")
		if err != nil || len(files) == 0 {
			t.Fatal(err, "no cases")
		}
		all, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split("\n"+string(all), "\n-- case ")[1:] {
			file, body, _ := strings.Cut(part, " --\n")
			ar := txtar.Parse([]byte(body + "\n"))
			before, after := optimised("vyre 1\n"+string(ar.Files[0].Data)), optimised("vyre 1\n"+string(ar.Files[1].Data))
			if (before.Digest() == after.Digest()) == hosts[file] {
				t.Errorf("%s:\n%s\nwant\n%s", file, text.Of(before), text.Of(after))
			}
		}
	}
}

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
	"github.com/govyre/vyre/megakernel"
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

// passes are closed with the test.
func passes(t *testing.T, dev driver.Device, o columns.Options) *columns.Passes {
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

// run goes through a batch.
func run(t *testing.T, on *columns.Passes, b columns.Batch) *columns.Outcome {
	t.Helper()
	r, err := on.Run(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range r.Reports {
		if found.Error {
			t.Error(found)
		}
	}
	return r
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

// next is an arena of what a run left.
func next(r *columns.Output, a *columns.Arena) *columns.Arena {
	b := &columns.Arena{Heads: slices.Clone(r.Heads), More: slices.Clone(r.More), Objects: a.Objects, Data: a.Data}
	for i := 0; i < len(b.Heads); i += columns.HeadWords {
		for range (b.Heads[i+1] + 31) / 32 {
			b.Chunk = append(b.Chunk, uint32(i/columns.HeadWords))
		}
	}
	b.Rows, b.Tag = slices.Clone(r.Rows[:32*len(b.Chunk)]), slices.Clone(r.Tag[:32*len(b.Chunk)])
	return b
}

// TestPlainOfManyWorkers: goroutines that share the programs of an arena leave what one does.
//
//ci:race ManyWorkers
func TestPlainOfManyWorkers(t *testing.T) {
	a := random(t, 1, 60)
	want := new(columns.Plain).Run(a, 1)
	h := new(columns.Plain)
	for _, workers := range []int{2, 7, 3} {
		if s := differ(h.Run(a, workers), want); s != "" {
			t.Errorf("%d workers: %s", workers, s)
		}
	}
}

// TestSameBytes on all devices as in plain Go, for all sizes of workgroups, and when hashes say nearly nothing; a second
// run finds nothing more.
func TestSameBytes(t *testing.T) {
	for _, c := range []struct {
		device string
		n      uint64
		o      columns.Options
	}{
		{"cpu", 200, columns.Options{}}, {"cpu", 100, columns.Options{Group: 32}}, {"cpu", 100, columns.Options{Group: 1024}}, {"cpu", 4, columns.Options{Hash: ^uint32(3)}},
		{"cpu-interp", 6, columns.Options{}}, {"cpu-interp", 1, columns.Options{Group: 64, Hash: ^uint32(3)}},
		{"cuda", 2000, columns.Options{}}, {"cuda", 200, columns.Options{Group: 32}}, {"cuda", 200, columns.Options{Group: 1024}}, {"cuda", 20, columns.Options{Hash: ^uint32(3)}},
		{"cuda-sim", 8, columns.Options{}}, {"cuda-sim", 1, columns.Options{Group: 96, Hash: ^uint32(3)}},
	} {
		if !slices.Contains(strings.Split(*deviceFlag, ","), c.device) {
			continue
		}
		t.Run(fmt.Sprintf("%s of %d, %x", c.device, c.o.Group, c.o.Hash), func(t *testing.T) {
			on := passes(t, open(t, c.device), c.o)
			a := random(t, long.Seed(t, 1), c.n)
			want := new(columns.Plain).Run(a, 2)
			got := &run(t, on, columns.Batch{Arena: a}).Output
			if s := differ(got, want); s != "" {
				t.Error(s)
			}
			again := &run(t, on, columns.Batch{Arena: next(got, a)}).Output
			want.Rows, want.More = want.Rows[:len(again.Rows)], want.More[:len(again.More)]
			for i, x := range want.Rows { // but for versions, which count rows
				if columns.Ops[x[0]&columns.OpMask]&columns.Loads != 0 {
					want.Rows[i][3], again.Rows[i][3] = 0, 0
				}
				want.From[i] = again.From[i]
			}
			if s := differ(again, want); s != "" {
				t.Errorf("a second run finds more: %s", s)
			}
		})
	}
}

// TestFaults: what is wrong on purpose is seen in the bytes.
func TestFaults(t *testing.T) {
	dev := open(t, "cpu")
	a := random(t, 1, 60)
	for _, c := range append(hostCases(t, "gvn"), [3]string{"", shapes}) {
		if err := a.Add(parsed(t, c[1])); err != nil {
			t.Fatal(c[0], err)
		}
	}
	want := new(columns.Plain).Run(a, 1)
	for _, m := range []struct {
		name, from, to string
		hash           uint32
	}{
		{"keys are not compared", "&& equal(y, in, op, uint32(have), rows, tag) {\n\t\t\tif", "{\n\t\t\tif", ^uint32(3)},
		{"keys are not compared when they are put in", "&& equal(y, in, op, uint32(have), rows, tag) {\n\t\t\tgpu", "{\n\t\t\tgpu", ^uint32(3)},
		{"keys of 32 rows are not compared", "if !equal(y, in, op, j, rows, tag) {", "if !equal(y, in, op, j, rows, tag) && y[0] != rows[j][0] {", ^uint32(3)},
		{"versions are left out", "rows[r][3] = version", "rows[r][3] = version & 0", 0},
		{"barriers and fences begin no version", "changes = visible", "changes = visible & 0", 0},
		{"what a loop changes is not new in it", "changes = inside[r]", "changes = inside[r] & 0", 0},
		{"the end of what changes begins no version", "opened = tag[r]>>1 - first + 1", "opened = 0", 0},
		{"the regions around are looked at a level late", "in = tag[in>>1]\n", "in = late(tag[in>>1], tag)\n", 0},
		{"what is in a region leads behind it", "return in == region", "return in == region || region < Body", 0},
		{"what is convergent leads in other regions", "op&Convergent == 0 || in == tag[j]", "op&Convergent == 0 || in != op", columns.None},
		{"leaders are found once", "again = t.Any(found != best)", "again = t.Any(found == None)", 0},
		{"of 32 rows the last one is not looked at", "(1<<t.Lane() - 1) & merges", "(1<<t.Lane() - 1) & merges &^ 2", 0},
		{"the first row of a key stays in the table", "gpu.AtomicMax(", "gpu.AtomicMin(", 0},
		{"operands in lists are not replaced", "more[k] = leader[more[k]]", "more[k] = more[k]", 0},
		{"back edges are not followed", "live, base) || again", "live, base) && again", 0},
		{"dead arguments stay in lists", "feeds == None || live[(feeds+k)/32]>>((feeds+k)%32)&1 != 0", "feeds == None || feeds != None", 0},
		{"results keep their numbers", "(rank(r, live, base)-rank(begin, live, base))<<ImmShift", "(r-begin)<<ImmShift", 0},
	} {
		t.Run(m.name, func(t *testing.T) {
			got := run(t, passes(t, dev, columns.Options{Hash: m.hash, Edit: edited(t, m.from, m.to, late)}), columns.Batch{Arena: a})
			if differ(&got.Output, want) == "" {
				t.Error("nothing differs")
			}
		})
	}
}

const late = `
func late(in uint32, tag []uint32) uint32 {
	if in < Body {
		return tag[in>>1]
	}
	return in
}
`

// edited replaces a text of the kernels once, and adds to the file that has it. It must be there.
func edited(t *testing.T, from, to, more string) func(string) string {
	found := false
	t.Cleanup(func() {
		if !found {
			t.Errorf("no kernel has %s", from)
		}
	})
	return func(src string) string {
		if found || !strings.Contains(src, from) {
			return src
		}
		found = true
		return strings.Replace(src, from, to, 1) + more
	}
}

// TestResults: random programs leave what they left, and are the same wherever they are in a batch, for all sizes of
// workgroups.
func TestResults(t *testing.T) {
	dev := open(t, "cpu")
	sizes := []*columns.Passes{passes(t, dev, columns.Options{})}
	for group := 32; group <= 1024; group += 32 * long.Count(11, 1, 1) {
		sizes = append(sizes, passes(t, dev, columns.Options{Group: uint32(group)}))
	}
	first := long.Seed(t, 1000)
	for i := range uint64(long.Count(60, 600, 1)) {
		p := conform.Random(first + i)
		alone, err := sizes[0].Optimise(t.Context(), p.Program)
		if err != nil {
			t.Fatal(i, err)
		}
		through := conform.Through(conform.OnWith(dev, driver.Options{Optimise: "0"}), "passes", func(*ir.Program) (*ir.Program, error) { return alone, nil })
		if err := p.Agree(t.Context(), through); err != nil {
			t.Errorf("%d: %v", i, err)
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
			if err := a.Ask([][]int{{0}, {1, 0}, {0, 1, 2}}[at]...); err != nil {
				t.Fatal(err)
			}
			for _, on := range sizes {
				out := &run(t, on, columns.Batch{Arena: a}).Output
				if q, err := a.Program(out, at); err != nil || q.Digest() != alone.Digest() {
					t.Errorf("%d at place %d is another program: %v", i, at, err)
				}
				if s := differ(out, new(columns.Plain).Run(a, 1)); s != "" {
					t.Errorf("%d at place %d: %s", i, at, s)
				}
				if _, err := a.Program(out, 2); (err == nil) != (at == 2) {
					t.Errorf("the columns of a program that was not asked for: %v", err)
				}
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
				if wide := uint32(f.In.Bits()); f.Field {
					row[0] |= []uint32{1 << 8, 3 | 5<<8, wide - 1 | 1<<8, wide << 8}[x%4] << columns.ImmShift
				}
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
		a.Heads = []uint32{0, uint32(len(a.Rows)), 0, uint32(len(a.More)), 0, 0, 0, 1}
		for len(a.Rows)%32 != 0 {
			add([4]uint32{})
		}
		a.Chunk = make([]uint32, len(a.Rows)/32)
		got := &run(t, passes(t, open(t, c.device), columns.Options{}), columns.Batch{Arena: a}).Output
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

// TestTelemetry: a second batch of the same sizes is one sequence with one upload, one launch and one read, and allocates
// nothing, whether it optimises, checks or does both, which takes three layers.
func TestTelemetry(t *testing.T) {
	for _, device := range strings.Split(*deviceFlag, ",") {
		if device != "cpu-interp" {
			t.Run(device, func(t *testing.T) { telemetry(t, open(t, device)) })
		}
	}
}

func telemetry(t *testing.T, dev vyre.Device) {
	a, some, codes := random(t, 7, 6), random(t, 7, 6), new(columns.Codes)
	for seed := uint64(0); codes.Len() < 4; seed++ {
		c := conform.Random(seed).Program.Edit()
		if !columns.Checkable(c) {
			continue
		}
		if err := codes.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := some.Ask(3, 5); err != nil {
		t.Fatal(err)
	}
	bytes := func(words ...int) (sum uint64) {
		for _, w := range words {
			sum += uint64(4*max(1, w)+255) &^ 255
		}
		return sum
	}
	up := bytes(len(a.Heads), len(a.Rows)/32, 4*len(a.Rows), len(a.Rows), len(a.More), 4*len(a.Objects), len(a.Data))
	down := func(rows, words int) uint64 { return bytes(len(a.Heads), a.Len(), 4*rows, rows, rows, words) }
	rows, words := 0, 0
	for _, i := range []int{3, 5} {
		rows, words = rows+int(a.Heads[i*columns.HeadWords+1]+31)&^31, words+int(a.Heads[i*columns.HeadWords+3])
	}
	both := columns.Batch{Arena: some, Codes: codes, Findings: most}
	for _, c := range []struct {
		name     string
		batch    columns.Batch
		up, down uint64
		top      megakernel.Topology
		launches uint64
	}{
		{"passes", columns.Batch{Arena: a}, up, down(len(a.Rows), len(a.More)), megakernel.Auto, 1},
		{"two programs", columns.Batch{Arena: some}, up, down(rows, words), megakernel.Auto, 1},
		{"checks", columns.Batch{Codes: codes}, codes.Bytes(), bytes(2*codes.Len(), 4), megakernel.Auto, 1},
		{"both", both, up + codes.Bytes(), down(rows, words) + bytes(2*codes.Len(), 4+4*most), megakernel.Auto, 1},
		{"both by layers", both, up + codes.Bytes(), down(rows, words) + bytes(2*codes.Len(), 4+4*most), megakernel.BackToBack, 1 + 3},
	} {
		on := passes(t, dev, columns.Options{Topology: c.top})
		run(t, on, c.batch)
		before := *dev.Stats()
		run(t, on, c.batch)
		did := dev.Stats().Sub(&before)
		for _, m := range []struct {
			metric driver.Metric
			want   uint64
		}{{metric.Uploads, 1}, {metric.Reads, 1}, {metric.LaunchesPlain, c.launches}, {metric.DriverAllocs, 0}, {metric.AllocRequests, 0}, {metric.StaticMisses, 0},
			{metric.UploadBytes, c.up}, {metric.ReadBytes, c.down}} {
			if got := did.Get(m.metric); got != m.want {
				t.Errorf("%s: %v is %d, want %d", c.name, m.metric, got, m.want)
			}
		}
		if dev.Name() == "cpu" {
			if n := testing.AllocsPerRun(4, func() { run(t, on, c.batch) }); n != 0 {
				t.Errorf("%s: %v allocations", c.name, n)
			}
		}
		before = *dev.Stats()
		if c.batch.Arena != nil {
			c.batch.Arena = random(t, 3, 5)
		}
		run(t, on, c.batch)
		if did := dev.Stats().Sub(&before); did.Get(metric.CompilesMemory)+did.Get(metric.CompilesDisk)+did.Get(metric.CompilesFresh) != 0 {
			t.Errorf("%s: a batch of other sizes compiles kernels", c.name)
		}
	}
}

// most is how many findings tests read.
const most = 1 << 12

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
	if a.Ask(0, n) == nil {
		t.Error("a program that is not there is asked for")
	}
	dev := open(t, "cpu")
	on := passes(t, dev, columns.Options{})
	if got := run(t, on, columns.Batch{Arena: a}); a.Len() != n || differ(&got.Output, new(columns.Plain).Run(a, 1)) != "" {
		t.Error("the arena changed")
	}
	if got := run(t, on, columns.Batch{Arena: new(columns.Arena)}); len(got.Output.Rows) != 0 {
		t.Errorf("of no programs come %v", got)
	}
	if _, err := columns.Open(t.Context(), dev, columns.Options{Group: 100}); !errors.Is(err, driver.InvalidArgument) {
		t.Errorf("workgroups of 100: %v", err)
	}
}

// TestAnyCallMayFail: the error names it, nothing is left, and the passes are right afterwards, with batches of either size.
func TestAnyCallMayFail(t *testing.T) {
	a, b := random(t, 5, 1), random(t, 6, 3)
	if err := b.Ask(1); err != nil {
		t.Fatal(err)
	}
	codes, found := broken(t, 1, 4)
	for _, top := range []megakernel.Topology{megakernel.Cooperative, megakernel.BackToBack} {
		n := faults.EachCall(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}}, long.Count(397, 11, 1), faults.Maker(func(ctx context.Context, dev driver.Device) (o faults.Object, err error) {
			c, err := columns.Open(ctx, dev, columns.Options{Topology: top})
			if err != nil {
				return o, err
			}
			o.Close = c.Close
			o.Run = func(ctx context.Context) error {
				for _, batch := range []columns.Batch{{Arena: a, Codes: codes, Findings: most}, {Arena: b}} {
					got, err := c.Run(ctx, batch)
					if err != nil {
						return err
					}
					if s := differ(&got.Output, new(columns.Plain).Run(batch.Arena, 1)); s != "" {
						return fmt.Errorf("%w: %s", faults.ErrWrong, s)
					}
					if s := got.Verdict.Differs(found); batch.Codes != nil && s != "" {
						return fmt.Errorf("%w: %s", faults.ErrWrong, s)
					}
				}
				return nil
			}
			return o, nil
		}).Session(), cu.OutOfMemory)
		if n < 1 {
			t.Errorf("%v: no call failed", top)
		}
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

// hosts are the cases that only the host's passes change: loops that end and arrays without a read.
var hosts = map[string]bool{"loop-that-ends": true, "unread-array": true}

func parsed(t *testing.T, src string) *ir.Program {
	t.Helper()
	all, err := text.Parse("case", src)
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// hostCases are those of a pass of the host: name, program before it, and after it.
func hostCases(t *testing.T, pass string) (all [][3]string) {
	t.Helper()
	files, err := filepath.Glob("../opt/testdata/" + pass + "/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no cases")
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split("\n"+string(text), "\n-- case ")[1:] {
		name, body, _ := strings.Cut(part, " --\n")
		ar := txtar.Parse([]byte(body + "\n"))
		all = append(all, [3]string{name, "vyre 1\n" + string(ar.Files[0].Data), "vyre 1\n" + string(ar.Files[1].Data)})
	}
	return all
}

// TestAsHost: the cases of the host's passes become the same program before these passes and after them.
func TestAsHost(t *testing.T) {
	on := passes(t, open(t, "cpu"), columns.Options{})
	optimised := func(src string) *ir.Program {
		p, err := on.Optimise(t.Context(), parsed(t, src))
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
		for _, c := range hostCases(t, pass) {
			before, after := optimised(c[1]), optimised(c[2])
			if (before.Digest() == after.Digest()) == hosts[c[0]] {
				t.Errorf("%s:\n%s\nwant\n%s", c[0], text.Of(before), text.Of(after))
			}
		}
	}
}

package outside_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/kernel"
)

var ctx = context.Background()

// onEach runs a test on every kind of device, with memcheck.
func onEach(t *testing.T, test func(*testing.T, driver.Device)) {
	debug := driver.OpenOptions{Debug: "memcheck"}
	run := func(name string, open func() (driver.Device, error)) {
		t.Run(name, func(t *testing.T) {
			d, err := open()
			if err != nil {
				t.Fatal(err)
			}
			test(t, d)
			if err := errors.Join(d.Err(), d.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	for _, target := range append([]string{"interp"}, native.HostTargets()...) {
		run(target, func() (driver.Device, error) {
			d, err := cpu.Open(cpu.Options{OpenOptions: debug, Engine: cpu.Engine(target)})
			if err == nil && d.Caps().Target != target {
				t.Errorf("kernels run on %s", d.Caps().Target)
			}
			return d, err
		})
	}
	run("cuda-sim", func() (driver.Device, error) {
		return cuda.Open(cuda.Options{Driver: cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}, Seed: 5}), OpenOptions: debug})
	})
}

// compiled is a kernel of a file with the functions of a test.
func compiled(t testing.TB, d driver.Device, source, name string) driver.Kernel {
	t.Helper()
	p, err := kernel.Program("package k\n\nimport \"github.com/govyre/vyre/gpu\"\n"+source, name)
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.Compile(ctx, p, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// outOfBounds is the record of an error, which has to be a fault with a position.
func outOfBounds(t *testing.T, err error) *driver.BoundsError {
	t.Helper()
	var b *driver.BoundsError
	var e *driver.Error
	if !errors.Is(err, driver.DeviceFault) || !errors.As(err, &e) || !errors.As(err, &b) {
		t.Fatalf("got %v, want a fault of an access out of bounds", err)
	}
	if e.Op != "launch" || !strings.HasPrefix(e.Pos, "kernel.go:") || !strings.Contains(e.Fix, "compare the index with its length") {
		t.Errorf("%v is at %q, and advises %q", err, e.Pos, e.Fix)
	}
	return b
}

const reckless = `
//vyre:kernel workgroup=64
func K(t gpu.Thread, x, y []uint32, at uint32) {
	i := t.Global().X
	y[i+at] = 1
	if i < uint32(len(x)) {
		y[i] += x[i]
	}
	if i == 3 {
		gpu.AtomicAdd(&x[i+at], 1)
	}
}
`

// A slice that is nil or shorter than the grid covers gives no error and wrong numbers; with memcheck the run says which.
// The class is all kinds of access: stores, loads, atomics, of buffers that hold less than the grid covers or nothing.
// What is inside takes effect and is delivered, and the same kernel runs again.
func TestErrorsNameWhatIsTooShort(t *testing.T) {
	onEach(t, func(t *testing.T, d driver.Device) {
		k := compiled(t, d, reckless, "K")
		for _, c := range []struct {
			name   string
			groups uint32
			x, y   int
			at     uint32
			object string
			index  int64
			access string
			times  uint64
		}{
			{"fits", 1, 64, 64, 0, "", 0, "", 0},
			{"x is compared", 1, 4, 64, 0, "", 0, "", 0},
			{"y is nil", 1, 64, 0, 0, "y", 0, "store y[0]", 64},
			{"y is short", 1, 64, 63, 0, "y", 63, "store y[63]", 1},
			{"y is short by many groups", 500, 64, 100, 0, "y", 100, "store y[100]", 500*64 - 100},
			{"an index is wrong", 1, 64, 64, 8, "y", 64, "store y[64]", 8},
			{"an atomic is outside", 1, 2, 64, 0, "x", 3, "atomic_add x[3]", 1},
			{"fits again", 1, 64, 64, 0, "", 0, "", 0},
		} {
			x, y := make([]byte, 4*c.x), make([]byte, 4*c.y)
			res, err := driver.Dispatch(ctx, k, driver.Groups(c.groups), driver.InOut(x), driver.InOut(y), driver.U32(c.at))
			if c.y > 8 && binary.LittleEndian.Uint32(y[4*8:]) != 1 {
				t.Errorf("%s: y[8] was not delivered", c.name)
			}
			if c.object == "" {
				if err != nil || len(res.Reports) != 0 {
					t.Errorf("%s: %v, %v", c.name, err, res.Reports)
				}
				continue
			}
			b := outOfBounds(t, err)
			by := b.Group[0]*64 + b.Local[0]
			if b.Kernel != "K" || b.Object != c.object || b.Index != c.index || b.Access != c.access || b.Count != c.times || by != uint32(c.index)-c.at {
				t.Errorf("%s: %+v", c.name, b)
			}
			if !strings.Contains(err.Error(), "more elements as "+c.object) || len(res.Reports) == 0 || !strings.Contains(res.Reports[0].Text, c.access[strings.IndexByte(c.access, ' '):]+" out of bounds") {
				t.Errorf("%s: %v, %v", c.name, err, res.Reports)
			}
		}
	})
}

// accesses is every form in which a kernel names an element, at places that the caller chooses.
const accesses = `
type body struct {
	mass float32
	at   [3]float32
}

var primes = [4]uint32{2, 3, 5, 7}

//vyre:kernel workgroup=1
func Accesses(t gpu.Thread, what uint32, i int64, x []uint32, q [][4]float32, bodies []body, flags []bool) {
	shared := gpu.Shared[uint32](t, 8)
	shared[0] = 1
	var local [8]uint32
	local[what&7] = 1
	var v uint32
	switch what {
	case 0:
		v = x[i]
	case 1:
		v = x[uint8(i)]
	case 2:
		x[int32(i)] = 1
	case 3:
		v = x[2:6][i]
	case 4:
		q[i] = [4]float32{1, 2, 3, 4}
	case 5:
		v = uint32(q[1][i])
	case 6:
		v = uint32(bodies[i].mass)
	case 7:
		bodies[1].at[i] = 3
	case 8:
		v = shared[i]
	case 9:
		v = local[i]
	case 10:
		v = primes[i]
	case 11:
		gpu.AtomicMax(&x[i], 9)
	case 12:
		flags[i] = true
	case 13:
		v = gpu.At(x, i) + gpu.At(x[1:3], i)
	case 14:
		gpu.Put(x, i, 3)
	case 15:
		v = uint32(bodies[i].at[2])
	}
	if v != 0 {
		gpu.Put(x, 0, v)
	}
}
`

// The class is the forms of an access: of slices, parts of slices, arrays as elements, fields, arrays in fields, shared and
// local arrays, tables, atomics, and indices of all kinds. Each is found at the place that the source names, and not where
// it is inside. gpu.At and gpu.Put are there for what may be outside, and are never reported.
func TestErrorsNameWhatTheSourceNames(t *testing.T) {
	onEach(t, func(t *testing.T, d driver.Device) {
		k := compiled(t, d, accesses, "Accesses")
		run := func(what uint32, i int64) error {
			buffers := []driver.Arg{driver.InOut(make([]byte, 4*8)), driver.InOut(make([]byte, 16*2)), driver.InOut(make([]byte, 16*3)), driver.InOut(make([]byte, 5))}
			_, err := driver.Dispatch(ctx, k, driver.Groups(1), append([]driver.Arg{driver.U32(what), driver.Scalar{Type: ir.I64, Bits: uint64(i)}}, buffers...)...)
			return err
		}
		for what, c := range []struct {
			inside, outside int64
			access          string
			index           int64
			length          uint64
		}{
			{7, 8, "load x[8]", 8, 8},
			{-250, 9, "load x[9]", 9, 8}, // as a byte the first one is 6
			{7, -3, "store x[-3]", -3, 8},
			{3, 4, "load x[4]", 4, 4},
			{1, 2, "store.v4 q[8]", 8, 8},
			{3, 1 << 40, "load q", -1, 0},
			{2, 3, "load bodies[3].mass", 3, 3},
			{2, 3, "store bodies[1].at[3]", 3, 3},
			{7, -1, "load shared[-1]", -1, 8},
			{7, 8, "load local[8]", 8, 8},
			{3, 4, "load primes[4]", 4, 4},
			{7, 1 << 33, "atomic_max x[8589934592]", 1 << 33, 8},
			{4, 5, "store flags[5]", 5, 5},
			{3, 99, "", 0, 0},
			{7, 99, "", 0, 0},
			{2, 7, "load bodies[7].at[2]", 7, 3},
		} {
			if err := run(uint32(what), c.inside); err != nil {
				t.Errorf("%d, at %d: %v", what, c.inside, err)
			}
			err := run(uint32(what), c.outside)
			if c.access == "" {
				if err != nil {
					t.Errorf("%d, which is meant to be checked, at %d: %v", what, c.outside, err)
				}
				continue
			}
			b := outOfBounds(t, err)
			if !strings.HasPrefix(b.Access, c.access) || c.index != -1 && (b.Index != c.index || b.Len != c.length) || b.Count != 1 {
				t.Errorf("%d: %+v", what, b)
			}
			if err := run(uint32(what), c.inside); err != nil {
				t.Errorf("%d, at %d again: %v", what, c.inside, err)
			}
		}
	})
}

const counted = `
//vyre:kernel workgroup=32
func Counted(t gpu.Thread, x []uint32, left []uint32, at uint32) {
	i := t.Global().X
	gpu.Trace(t, "mine", uint64(i))
	x[i+at]++
	if i == 0 {
		left[0]--
	}
}
`

// The class is the ways in which a launch comes to a device: by itself, in loops that a count or the device decides on, in
// a graph, in a batch. Each reports, counts all rounds, keeps the program's own traces apart, and runs again without.
func TestEveryWayOfLaunchingReports(t *testing.T) {
	onEach(t, func(t *testing.T, d driver.Device) {
		k := compiled(t, d, counted, "Counted")
		const most = 32 * 6
		for _, c := range []struct {
			name   string
			rounds uint64
			record func(s *driver.Sequence, flag driver.Range, body func())
		}{
			{"by itself", 1, func(_ *driver.Sequence, _ driver.Range, body func()) { body() }},
			{"counted", 3, func(s *driver.Sequence, _ driver.Range, body func()) { s.Repeat(3, body) }},
			{"decided", 5, func(s *driver.Sequence, flag driver.Range, body func()) { s.While(flag, 100, body) }},
		} {
			s := d.NewSequence(c.name)
			x, left := s.Scratch(4*30), s.Scratch(4)
			s.Upload(driver.All(x), make([]byte, 4*30), driver.Always)
			s.Upload(driver.All(left), []byte{5, 0, 0, 0}, driver.Always)
			out := make([]byte, 4*30)
			var st *driver.Step
			c.record(s, driver.All(left), func() {
				st = s.Launch(k, driver.Groups(1), driver.All(x), driver.All(left), driver.U32(0))
			})
			if err := st.SetTrace(most); err != nil {
				t.Fatal(err)
			}
			s.Read(driver.All(x), out)
			check := func(how string, res driver.Result, err error, at uint64) {
				t.Helper()
				if at == 0 {
					if err != nil || len(res.Reports) > 0 || len(res.Traces) > most {
						t.Errorf("%s, %s: %v, %v", c.name, how, err, res.Reports)
					}
					return
				}
				b := outOfBounds(t, err)
				if b.Access != "load x[30]" || b.Count != c.rounds*2 || len(res.Reports) != 2 || len(res.Traces) != int(32*c.rounds) || res.TracesDropped != 0 {
					t.Errorf("%s, %s: %+v, %v, %d traces and %d dropped", c.name, how, b, res.Reports, len(res.Traces), res.TracesDropped)
				}
				if want := []byte{byte(c.rounds), 0, 0, 0}; !slices.Equal(out[4*29:], want) {
					t.Errorf("%s, %s: the last element is %d", c.name, how, out[4*29:])
				}
				clear(out)
			}
			for range 2 {
				res, err := s.Run(ctx)
				check("run", res, err, 1)
			}
			g, err := s.Capture(driver.CaptureOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				res, err := g.Run(ctx)
				check("replayed", res, err, 1)
			}
			if err := st.SetGrid(driver.Groups(0)); err != nil {
				t.Fatal(err)
			}
			if c.rounds != 5 { // which would not end early then
				res, err := g.Run(ctx)
				check("with nothing to do", res, err, 0)
			}
			if err := errors.Join(g.Close(), s.Close()); err != nil {
				t.Error(err)
			}
		}
	})
}

const row = `
//vyre:kernel workgroup=32
func Row(t gpu.Thread, at, y []uint32) { y[at[0]] = t.Global().X + 7 }
`

// Rows of a batch share a program, and no buffer that it writes. A row that is out of bounds ends the batch with its error; rows
// before it have their results, and the batch runs again without it.
func TestRowsOfABatchReport(t *testing.T) {
	onEach(t, func(t *testing.T, d driver.Device) {
		s := d.NewSequence("rows")
		at, y := s.Scratch(4), s.Scratch(4*8)
		s.Upload(driver.All(at), make([]byte, 4), driver.Always)
		s.Fill(driver.All(y), 0, 4)
		s.Launch(compiled(t, d, row, "Row"), driver.Grid{1, 1, 1}, driver.All(at), driver.All(y))
		s.Read(driver.All(y), make([]byte, 4*8))
		g, err := s.Capture(driver.CaptureOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, wrong := range []int{-1, 11, -1, 0} {
			var rows []driver.Row
			for i := range 20 {
				index := byte(i % 8)
				if i == wrong {
					index = 8
				}
				rows = append(rows, driver.Row{Inputs: [][]byte{{index, 0, 0, 0}}, Outputs: [][]byte{make([]byte, 4*8)}})
			}
			results, err := g.RunBatch(ctx, rows)
			if wrong < 0 {
				if err != nil || len(results) != len(rows) {
					t.Errorf("%d results, %v", len(results), err)
				}
			} else if b := outOfBounds(t, err); b.Access != "store y[8]" || b.Index != 8 || b.Len != 8 || len(results) != wrong && len(results) != wrong+1 {
				t.Errorf("%d results, %+v", len(results), b)
			}
			for i, r := range rows {
				if (wrong < 0 || i < wrong) && r.Outputs[0][4*(i%8)] < 7 {
					t.Errorf("row %d with row %d wrong: %v", i, wrong, r.Outputs[0])
				}
			}
		}
		if err := errors.Join(g.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
}

const parts = `
//vyre:kernel workgroup=1
func Parts(t gpu.Thread, x []uint32, i, j uint32) { x[2:6][i] = 1; x[2:][j] = 2 }
`

// More elements help where the buffer is too short, and not where a part of it is.
func TestAPartIsNotMadeLongerByItsBuffer(t *testing.T) {
	onEach(t, func(t *testing.T, d driver.Device) {
		k := compiled(t, d, parts, "Parts")
		for _, c := range []struct {
			n, i, j uint32
			index   int64
			more    bool
		}{{8, 4, 0, 4, false}, {8, 1, 6, 6, false}, {8, 3, 5, 0, false}, {0, 0, 0, 0, false}} {
			_, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.InOut(make([]byte, 4*c.n)), driver.U32(c.i), driver.U32(c.j))
			if c.n > 0 && c.index == 0 && err == nil {
				continue
			}
			b := outOfBounds(t, err)
			var e *driver.Error
			if errors.As(err, &e); b.Index != c.index || strings.Contains(e.Fix, "pass more elements as x") != c.more {
				t.Errorf("%+v: %+v; fix: %s", c, b, e.Fix)
			}
		}
	})
}

package doctor

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/metric"
)

// programs are the kernels of the checks.
const programs = `vyre 1
kernel @saxpy workgroup(64) {
  param %a: f32
  param @x: buf<f32> ro
  param @y: buf<f32> rw
  %i = global.x
  %x = load @x[%i]
  %y = load @y[%i]
  %p = mul.f32 %a, %x
  %s = add.f32 %p, %y
  store @y[%i], %s
}
kernel @count_down workgroup(1) {
  param @flag: buf<u32> rw
  param @x: buf<u32> rw
  %f = load @flag[0_u32]
  %g = sub.u32 %f, 1_u32
  store @flag[0_u32], %g
  %v = load @x[0_u32]
  %w = add.u32 %v, 1_u32
  store @x[0_u32], %w
}
kernel @together workgroup(32) {
  param @sum: buf<u32> rw
  %all = barrier_add.grid 1_u32
  %i = global.x
  %first = eq.u32 %i, 0_u32
  if %first { store @sum[0_u32], %all }
}
`

// elements of a launch of saxpy, whole groups of 64.
const elements = 1024

// saxpy is the input of a launch, x and y, and what 2·x + y is then.
func saxpy() (x, y, want []byte) {
	for i := range elements {
		v := float32(i)
		x = binary.LittleEndian.AppendUint32(x, math.Float32bits(v))
		y = binary.LittleEndian.AppendUint32(y, math.Float32bits(v+1))
		want = binary.LittleEndian.AppendUint32(want, math.Float32bits(3*v+1))
	}
	return x, y, want
}

// wrong is the finding of a result that is none, empty if the bytes are right.
func wrong(what string, got, want []byte) (finding, bool) {
	for i := 0; i < len(want); i += 4 {
		if !bytes.Equal(got[i:i+4], want[i:i+4]) {
			return failing("update the NVIDIA driver; if that does not help, report it", "%s: word %d of the result is %#x, want %#x", what, i/4,
				binary.LittleEndian.Uint32(got[i:]), binary.LittleEndian.Uint32(want[i:])), true
		}
	}
	return finding{}, false
}

// tries is how often something is done whose time is told. The quickest counts.
const tries = 5

func (e *exam) launch() finding {
	x, y, want := saxpy()
	best := time.Duration(math.MaxInt64)
	for range tries {
		out := bytes.Clone(y)
		r, err := driver.Dispatch(e.ctx, e.saxpy, driver.Groups(elements/64), driver.F32(2), driver.In(x), driver.InOut(out))
		if err != nil {
			return failed(err)
		}
		if f, bad := wrong("a launch", out, want); bad {
			return f
		}
		best = min(best, r.Wall)
	}
	return good("%d elements are right, with copies and wait in %v", elements, short(best))
}

// word is how the end of a run is seen.
func (e *exam) word() finding {
	if e.dev.Caps().StreamFlag {
		return good("the end of a run is seen in memory")
	}
	fix := ""
	if !e.drv.Has(cu.MemOp) {
		fix = updateDriver
	}
	return warning(fix, "the end of a run is not written to memory, so that waits ask the driver")
}

// sequence runs what record records, several times, and returns what the quickest run says.
func (e *exam) sequence(label string, capture bool, times int, record func(*driver.Sequence)) (r driver.Result, err error) {
	s := e.dev.NewSequence(label)
	defer s.Close() // waits for nothing: each run was waited for
	record(s)
	run := s.Run
	if capture {
		g, err := s.Capture(driver.CaptureOptions{})
		if err != nil {
			return r, err
		}
		defer g.Close()
		run = g.Run
	}
	for range times {
		last, err := run(e.ctx)
		if err != nil {
			return r, err
		}
		if r.Wall == 0 || last.Wall < r.Wall {
			r = last
		}
	}
	return r, nil
}

func (e *exam) graph() finding {
	if !e.dev.Caps().Graphs {
		return warning(updateDriver, "the driver has no graphs, so that sequences are not captured")
	}
	x, y, want := saxpy()
	out := make([]byte, len(want))
	r, err := e.sequence("doctor graph", true, tries, func(s *driver.Sequence) {
		bx, by := s.Scratch(int64(len(x))), s.Scratch(int64(len(y)))
		s.Upload(driver.All(bx), x, driver.Always)
		s.Upload(driver.All(by), y, driver.Always)
		s.Launch(e.saxpy, driver.Groups(elements/64), driver.F32(2), driver.All(bx), driver.All(by))
		s.Read(driver.All(by), out)
	})
	if err != nil {
		return failed(err)
	}
	if f, bad := wrong("a graph", out, want); bad {
		return f
	}
	return good("captured, and replayed in %v", short(r.Wall))
}

func (e *exam) while() finding {
	const rounds, most = 5, 100
	k, err := e.kernel("count_down")
	if err != nil {
		return failed(err)
	}
	out := make([]byte, 4)
	before := e.dev.Stats()
	_, err = e.sequence("doctor while", e.dev.Caps().LoopNodes, 1, func(s *driver.Sequence) {
		flag, x := s.Scratch(4), s.Scratch(4)
		s.Fill(driver.All(flag), rounds, 4)
		s.Fill(driver.All(x), 0, 4)
		s.While(driver.All(flag), most, func() {
			s.Launch(k, driver.Groups(1), driver.All(flag), driver.All(x))
		})
		s.Read(driver.All(x), out)
	})
	if err != nil {
		return failed(err)
	}
	if f, bad := wrong("a loop", out, binary.LittleEndian.AppendUint32(nil, rounds)); bad {
		return f
	}
	if e.dev.Stats().Sub(before).Get(metric.LoopIterationsGraph) == 0 {
		fix := ""
		if !e.dev.Caps().LoopNodes {
			fix = "update the NVIDIA driver to 550 or newer"
		}
		return warning(fix, "%d rounds, which the host began one by one", rounds)
	}
	return good("%d rounds without the host", rounds)
}

func (e *exam) barrier() finding {
	c := e.dev.Caps()
	if !c.GridBarrier {
		return warning(updateDriver, "the driver launches no grids that wait for each other")
	}
	k, err := e.kernel("together")
	if err != nil {
		return failed(err)
	}
	groups := uint32(max(min(c.Units, 256), 1))
	out := make([]byte, 4)
	_, err = e.sequence("doctor barrier", c.Graphs, 1, func(s *driver.Sequence) {
		sum := s.Scratch(4)
		s.Launch(k, driver.Groups(groups), driver.All(sum))
		s.Read(driver.All(sum), out)
	})
	if err != nil {
		return failed(err)
	}
	if f, bad := wrong("a grid barrier", out, binary.LittleEndian.AppendUint32(nil, 32*groups)); bad {
		return f
	}
	return good("%d groups waited for each other", groups)
}

// copies moves bytes to the device and back, from pinned memory.
func (e *exam) copies() finding {
	n := int64(64 << 20)
	measured := e.drv != nil && e.handed == nil // the speed of others says nothing
	if !measured {
		n = 1 << 20
	}
	in, out, err := e.there(n)
	if err != nil {
		return failed(err)
	}
	if in < 0 {
		return failing("test the GPU and its slot", "%s came back with other bytes", size(n))
	}
	if !measured {
		return good("%s came back unchanged", size(n))
	}
	bus := ""
	if gbs := busSpeed(e.dev.Caps().PCI); gbs > 0 {
		bus = fmt.Sprintf(", of %.1f of the bus", gbs)
	}
	speed := func(d time.Duration) float64 { return float64(n) / float64(max(d, 1)) }
	return good("%s came back unchanged; %.1f GB/s there and %.1f GB/s back%s", size(n), speed(in), speed(out), bus)
}

// there returns how long n bytes take there and back; the first is below 0 if other bytes come back.
func (e *exam) there(n int64) (in, out time.Duration, err error) {
	from, err := e.dev.AllocHost(n)
	if err != nil {
		return 0, 0, err
	}
	defer from.Close()
	to, err := e.dev.AllocHost(n)
	if err != nil {
		return 0, 0, err
	}
	defer to.Close()
	b, err := e.dev.Alloc(n, driver.AllocOptions{Label: "doctor"})
	if err != nil {
		return 0, 0, err
	}
	defer b.Close()
	for i, src := 0, from.Bytes(); i+4 <= len(src); i += 4 {
		binary.LittleEndian.PutUint32(src[i:], uint32(i)*2654435761) // each word is another
	}
	in, out = math.MaxInt64, math.MaxInt64
	for range 3 {
		begin := time.Now()
		if err := driver.Write(e.ctx, driver.All(b), from.Bytes()); err != nil {
			return 0, 0, err
		}
		in = min(in, time.Since(begin))
		begin = time.Now()
		if err := driver.ReadInto(e.ctx, driver.All(b), to.Bytes()); err != nil {
			return 0, 0, err
		}
		out = min(out, time.Since(begin))
	}
	if !bytes.Equal(from.Bytes(), to.Bytes()) {
		in = -1
	}
	return in, out, nil
}

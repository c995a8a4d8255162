package cuda_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
)

const addTo = `vyre 1
kernel @add_to workgroup(32) {
  param @x: buf<u32> ro
  param @y: buf<u32> wo
  param %n: u32
  %i = global.x
  %v = load @x[%i]
  %w = add.u32 %v, %n
  store @y[%i], %w
}`

const countDown = `vyre 1
kernel @count_down workgroup(1) {
  param @flag: buf<u32> rw
  param @x: buf<u32> rw
  %f = load @flag[0_u32]
  %g = sub.u32 %f, 1_u32
  store @flag[0_u32], %g
  %v = load @x[0_u32]
  %w = add.u32 %v, 1_u32
  store @x[0_u32], %w
}`

// replayed is a captured sequence: x from the host, y = x + n, y to the host.
type replayed struct {
	t   *testing.T
	d   *cuda.Device
	sim *cusim.Driver
	s   *driver.Sequence
	in  *driver.Input
	st  *driver.Step
	g   *driver.Graph
	dst []byte
}

func capture(t *testing.T, c cusim.Config, timed bool) *replayed {
	t.Helper()
	d, sim := onSim(t, c)
	k, err := d.Compile(ctx, parse(t, addTo), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := &replayed{t: t, d: d, sim: sim, s: d.NewSequence("replayed"), dst: make([]byte, 4)}
	if !timed {
		r.s.NoDeviceTime()
	}
	x, y := r.s.Scratch(4), r.s.Scratch(4)
	r.in = r.s.Upload(driver.All(x), []byte{1, 0, 0, 0}, driver.IfChanged)
	r.st = r.s.Launch(k, driver.Groups(1), driver.All(x), driver.All(y), driver.U32(1))
	r.s.Read(driver.All(y), r.dst)
	if r.g, err = r.s.Capture(driver.CaptureOptions{}); err != nil {
		t.Fatal(err)
	}
	return r
}

// gives replays with an input and checks the output, and that the replay is full or resident.
func (r *replayed) gives(in, out byte, full bool) {
	r.t.Helper()
	before := r.d.Stats()
	if err := r.replay(in); err != nil {
		r.t.Fatal(err)
	}
	if want := []byte{out, 0, 0, 0}; !bytes.Equal(r.dst, want) {
		r.t.Errorf("%d gives % x, want % x", in, r.dst, want)
	}
	st := r.d.Stats().Sub(before)
	if got := st.Get(metric.ReplaysFull) == 1; got != full || st.Get(metric.ReplaysFull)+st.Get(metric.ReplaysResident) != 1 {
		r.t.Errorf("the replay with %d was full: %v, want %v", in, got, full)
	}
	if n := st.Get(metric.UploadBytes); full && n != 4 || !full && n != 0 {
		r.t.Errorf("the replay with %d sent %d bytes", in, n)
	}
}

func (r *replayed) replay(in byte) error {
	if err := r.in.Set([]byte{in, 0, 0, 0}); err != nil {
		r.t.Fatal(err)
	}
	_, err := r.g.Run(ctx)
	return err
}

func TestAReplayMakesThreeCalls(t *testing.T) {
	for _, c := range []struct {
		name  string
		timed bool
		calls int
	}{{"not timed", false, 3}, {"timed", true, 3}} {
		r := capture(t, eager, c.timed)
		r.gives(1, 2, true)
		r.gives(1, 2, false)
		before := r.sim.Count("")
		if err := r.replay(1); err != nil {
			t.Fatal(err)
		}
		if n := r.sim.Count("") - before; n != c.calls {
			t.Errorf("%s, a replay takes %d calls, want %d", c.name, n, c.calls)
		}
	}
}

func TestAFailedReplayLeavesNothingThatIsTrusted(t *testing.T) {
	for _, call := range []string{"cuGraphLaunch", "cuStreamWriteValue32_v2", "cuEventSynchronize", "cuEventRecord"} {
		r := capture(t, cusim.Config{Models: eager.Models}, false)
		r.gives(1, 2, true)
		r.gives(1, 2, false)
		r.sim.Fail(cusim.Rule{Call: call, Nth: 1, Result: 1})
		if err := r.replay(3); err == nil {
			t.Errorf("a replay with a failing %s gave no error", call)
		}
		r.gives(3, 4, true)
		r.gives(3, 4, false)
	}
}

func TestSettersChangeNodes(t *testing.T) {
	r := capture(t, eager, true)
	r.gives(1, 2, true)
	r.gives(1, 2, false)
	if err := r.st.SetArg(2, driver.U32(5)); err != nil {
		t.Fatal(err)
	}
	before := r.d.Stats()
	r.gives(1, 6, false)
	if st := r.d.Stats().Sub(before); st.Get(metric.GraphUpdates) != 1 || st.Get(metric.GraphRebuilds) != 0 {
		t.Errorf("%d launches were changed and %d graphs made", st.Get(metric.GraphUpdates), st.Get(metric.GraphRebuilds))
	}
}

func TestARefusedChangeMakesTheGraphAnew(t *testing.T) {
	for nth := 1; nth <= 2; nth++ { // in the full and in the resident executable
		r := capture(t, eager, true)
		r.gives(1, 2, true)
		if err := r.st.SetArg(2, driver.U32(5)); err != nil {
			t.Fatal(err)
		}
		r.sim.Fail(cusim.Rule{Call: "cuGraphExecKernelNodeSetParams_v2", Nth: nth, Result: 1})
		before := r.d.Stats()
		r.gives(1, 6, false)
		if n := r.d.Stats().Sub(before).Get(metric.GraphRebuilds); n != 1 {
			t.Errorf("%d graphs were made", n)
		}
		r.gives(2, 7, true)
	}
}

func TestAChangeThatCannotBeMadeIsTriedAgain(t *testing.T) {
	for nth := 1; nth <= 2; nth++ { // in the full and in the resident executable
		r := capture(t, eager, true)
		r.gives(1, 2, true)
		if err := r.st.SetArg(2, driver.U32(5)); err != nil {
			t.Fatal(err)
		}
		r.sim.Fail(cusim.Rule{Call: "cuGraphExecKernelNodeSetParams_v2", Nth: nth, Result: 1})
		r.sim.Fail(cusim.Rule{Call: "cuGraphInstantiateWithFlags", Nth: 1, Result: cu.OutOfMemory})
		if err := r.replay(1); !errors.Is(err, driver.OutOfMemory) {
			t.Errorf("got %v", err)
		}
		r.gives(1, 6, true)
		r.gives(1, 6, false)
		r.gives(2, 7, true)
		r.gives(2, 7, false)
	}
}

func TestAGraphHoldsNoMoreThanItsStaging(t *testing.T) {
	d, _ := onSim(t, cusim.Config{Models: eager.Models, Memory: 1 << 30})
	b, err := d.Alloc(200<<20, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := d.NewSequence("large")
	src := make([]byte, 200<<20)
	s.Upload(driver.All(b), src, driver.Always)
	s.Read(driver.All(b), src)
	if _, err := s.Capture(driver.CaptureOptions{}); !errors.Is(err, driver.Unsupported) || !strings.Contains(err.Error(), "host memory") {
		t.Errorf("got %v", err)
	}
}

func TestALoopWithoutLoopNodesIsTheHosts(t *testing.T) {
	d, _ := onSim(t, cusim.Config{Models: eager.Models, Lacks: []cu.Group{cu.Cond}})
	k, err := d.Compile(ctx, parse(t, countDown), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := driver.AllocAll(d, 4, 4)
	if err != nil {
		t.Fatal(err)
	}
	flag, x := all[0], all[1]
	s := d.NewSequence("while")
	s.Fill(driver.All(flag), 5, 4)
	s.Fill(driver.All(x), 0, 4)
	l := s.While(driver.All(flag), 10, func() { s.Launch(k, driver.Groups(1), driver.All(flag), driver.All(x)) })
	dst := make([]byte, 4)
	s.Read(driver.All(x), dst)
	if _, err := s.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if l.Lowering() != driver.LoopHost || l.Iterations() != 5 || dst[0] != 5 {
		t.Errorf("%v loop ran %d times and gave %d", l.Lowering(), l.Iterations(), dst[0])
	}

	repeat := func(n int) error {
		s := d.NewSequence("repeat")
		s.Repeat(n, func() { s.Launch(k, driver.Groups(1), driver.All(flag), driver.All(x)) })
		g, err := s.Capture(driver.CaptureOptions{})
		if err == nil {
			_, err = g.Run(ctx)
		}
		return errors.Join(err, s.Close())
	}
	if err := repeat(2000); err != nil {
		t.Error(err)
	}
	if err := repeat(1<<16 + 1); !errors.Is(err, driver.Unsupported) {
		t.Errorf("a graph of more than 65536 nodes: %v", err)
	}
}

// picky is a driver that fills memory of its pools in no graph.
type picky struct {
	cu.Driver
	pooled map[cu.Ptr]bool // addresses that allocations of a pool begin at
}

func (d *picky) MemAllocFromPoolAsync(n int64, p cu.MemPool, s cu.Stream) (cu.Ptr, error) {
	at, err := d.Driver.MemAllocFromPoolAsync(n, p, s)
	d.pooled[at] = true
	return at, err
}

func (d *picky) GraphAddMemsetNode(g cu.Graph, deps []cu.GraphNode, f *cu.Fill) (cu.GraphNode, error) {
	if d.pooled[f.Dst] {
		return 0, &cu.CallError{Call: "cuGraphAddMemsetNode", Result: 1}
	}
	return d.Driver.GraphAddMemsetNode(g, deps, f)
}

func TestMemoryThatGraphsCannotFillIsNoPools(t *testing.T) {
	sim, pooled := cusim.New(cusim.Config{Models: eager.Models}), map[cu.Ptr]bool{}
	d, err := cuda.Open(cuda.Options{Driver: &picky{sim, pooled}})
	if err != nil {
		t.Fatal(err)
	}
	s, dst := d.NewSequence("fill"), make([]byte, 8)
	x := s.Scratch(1 << 20)
	s.Fill(driver.All(x), 7, 4)
	s.Read(driver.Part(x, 0, 8), dst)
	g, err := s.Capture(driver.CaptureOptions{})
	if err == nil {
		_, err = g.Run(ctx)
	}
	if err != nil || dst[0] != 7 || dst[4] != 7 || len(pooled) != 1 {
		t.Errorf("got % x, %v, after %d blocks of a pool", dst, err, len(pooled))
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if left := sim.Left(); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

// loopless is a driver that makes no executables of graphs with loops.
type loopless struct {
	cu.Driver
	looped map[cu.Graph]bool
}

func (d *loopless) GraphAddWhileNode(g cu.Graph, deps []cu.GraphNode, h cu.Conditional, c cu.Context) (cu.GraphNode, cu.Graph, error) {
	d.looped[g] = true
	return d.Driver.GraphAddWhileNode(g, deps, h, c)
}

func (d *loopless) GraphInstantiate(g cu.Graph) (cu.GraphExec, error) {
	if d.looped[g] {
		return 0, &cu.CallError{Call: "cuGraphInstantiateWithFlags", Result: cu.NotSupported}
	}
	return d.Driver.GraphInstantiate(g)
}

// refusing is a driver that takes no cooperative kernels where the device starts them by itself.
type refusing struct {
	cu.Driver
	bodies map[cu.Graph]bool
	inside map[cu.GraphNode]bool
}

func (d *refusing) GraphAddWhileNode(g cu.Graph, deps []cu.GraphNode, h cu.Conditional, c cu.Context) (cu.GraphNode, cu.Graph, error) {
	n, body, err := d.Driver.GraphAddWhileNode(g, deps, h, c)
	d.bodies[body] = true
	return n, body, err
}

func (d *refusing) GraphAddKernelNode(g cu.Graph, deps []cu.GraphNode, l *cu.Launch) (cu.GraphNode, error) {
	n, err := d.Driver.GraphAddKernelNode(g, deps, l)
	d.inside[n] = d.bodies[g]
	return n, err
}

func (d *refusing) GraphKernelNodeSetCooperative(n cu.GraphNode) error {
	if d.inside[n] {
		return &cu.CallError{Call: "cuGraphKernelNodeSetAttribute", Result: cu.NotSupported}
	}
	return d.Driver.GraphKernelNodeSetCooperative(n)
}

const countDownTogether = `vyre 1
kernel @count_down_together workgroup(32) {
  param @flag: buf<u32> rw
  %all = barrier_add.grid 1_u32
  %i = global.x
  %first = eq.u32 %i, 0_u32
  if %first {
    %f = load @flag[0_u32]
    %g = sub.u32 %f, 1_u32
    store @flag[0_u32], %g
  }
}`

func TestALoopThatTheDriverDoesNotTakeIsTheHosts(t *testing.T) {
	for _, c := range []struct {
		name    string
		driver  func(cu.Driver) cu.Driver
		refuses bool
	}{
		{"takes any loop", func(d cu.Driver) cu.Driver { return d }, false},
		{"takes no cooperative kernels in loops", func(d cu.Driver) cu.Driver {
			return &refusing{d, map[cu.Graph]bool{}, map[cu.GraphNode]bool{}}
		}, true},
		{"takes no loops", func(d cu.Driver) cu.Driver { return &loopless{d, map[cu.Graph]bool{}} }, true},
	} {
		sim := cusim.New(cusim.Config{Models: eager.Models})
		d, err := cuda.Open(cuda.Options{Driver: c.driver(sim)})
		if err != nil {
			t.Fatal(err)
		}
		k, err := d.Compile(ctx, parse(t, countDownTogether), driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		record := func(l driver.Lowering) (*driver.Sequence, *driver.Loop) {
			s := d.NewSequence("while")
			flag := s.Scratch(4)
			s.Lower(l)
			s.Fill(driver.All(flag), 3, 4)
			return s, s.While(driver.All(flag), 10, func() { s.Launch(k, driver.Groups(4), driver.All(flag)) })
		}
		s, l := record(driver.LowerAuto)
		if _, err := s.Run(ctx); err != nil {
			t.Fatal(err)
		}
		want := driver.LoopGraph
		if c.refuses {
			want = driver.LoopHost
		}
		if l.Lowering() != want || l.Iterations() != 3 || !l.Converged() {
			t.Errorf("a driver that %s: %v loop ran %d times", c.name, l.Lowering(), l.Iterations())
		}
		s, _ = record(driver.LoopGraph)
		if _, err := s.Run(ctx); errors.Is(err, driver.Unsupported) != c.refuses {
			t.Errorf("a driver that %s: forced it gives %v", c.name, err)
		}
		s, _ = record(driver.LowerAuto)
		if _, err := s.Capture(driver.CaptureOptions{}); errors.Is(err, driver.Unsupported) != c.refuses {
			t.Errorf("a driver that %s: captured it gives %v", c.name, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if left := sim.Left(); left != "" {
			t.Errorf("left behind: %s", left)
		}
	}
}

func TestALoopOfTheDeviceAllocatesNothing(t *testing.T) {
	d, _ := onSim(t, eager)
	k, err := d.Compile(ctx, parse(t, countDown), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	src, dst := []byte{3, 0, 0, 0}, make([]byte, 4)
	s := d.NewSequence("frugal")
	flag, x := s.Scratch(4), s.Scratch(4)
	s.Upload(driver.All(flag), src, driver.Always)
	other := s.Upload(driver.All(x), make([]byte, 4), driver.IfChanged)
	var st *driver.Step
	l := s.While(driver.All(flag), 2, func() { st = s.Launch(k, driver.Groups(1), driver.All(flag), driver.All(x)) })
	s.Read(driver.All(x), dst)
	g, err := s.Capture(driver.CaptureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []driver.Prepared{s, g} {
		n := testing.AllocsPerRun(20, func() {
			if err := errors.Join(other.Touch(), st.SetArg(1, driver.All(x)), l.SetCount(2)); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Run(ctx); err != nil || dst[0] != 2 {
				t.Fatal(err, dst)
			}
		})
		if n != 0 {
			t.Errorf("a warm round of a %T allocates %v times", p, n)
		}
	}
}

func TestMemoryOfTheUserChangesInPlace(t *testing.T) {
	d, sim := onSim(t, eager)
	b, err := d.Alloc(8, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var mem [3]*driver.HostMemory
	for i := range mem {
		if mem[i], err = d.AllocHost(8); err != nil {
			t.Fatal(err)
		}
		copy(mem[i].Bytes(), bytes.Repeat([]byte{byte(i + 1)}, 8))
	}
	s := d.NewSequence("hosted")
	in := s.Upload(driver.All(b), mem[0].Bytes(), driver.Always)
	out := s.Read(driver.All(b), mem[2].Bytes())
	g, err := s.Capture(driver.CaptureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	run := func(src, dst []byte, updates, rebuilds uint64) {
		t.Helper()
		want := bytes.Clone(src)
		if err := errors.Join(in.Set(src), out.Set(dst)); err != nil {
			t.Fatal(err)
		}
		before := d.Stats()
		if _, err := g.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(dst, want) {
			t.Errorf("got % x, want % x", dst, want)
		}
		if st := d.Stats().Sub(before); st.Get(metric.GraphUpdates) != updates || st.Get(metric.GraphRebuilds) != rebuilds {
			t.Errorf("%d changes and %d graphs, want %d and %d", st.Get(metric.GraphUpdates), st.Get(metric.GraphRebuilds), updates, rebuilds)
		}
	}
	run(mem[0].Bytes(), mem[2].Bytes(), 0, 0)
	run(mem[1].Bytes(), mem[2].Bytes(), 1, 0)
	run(mem[0].Bytes(), mem[1].Bytes(), 2, 0)
	run(make([]byte, 8), mem[1].Bytes(), 0, 1) // through staging from now on
	run(mem[2].Bytes(), make([]byte, 8), 0, 1)
	refuse := func() { sim.Fail(cusim.Rule{Call: "cuGraphExecMemcpyNodeSetParams", Nth: 1, Result: 1}) }
	refuse()
	run(mem[0].Bytes(), make([]byte, 8), 1, 1)
	refuse()
	sim.Fail(cusim.Rule{Call: "cuGraphInstantiateWithFlags", Nth: 1, Result: cu.OutOfMemory})
	if err := in.Set(mem[1].Bytes()); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Run(ctx); !errors.Is(err, driver.OutOfMemory) {
		t.Errorf("got %v", err)
	}
	run(mem[1].Bytes(), make([]byte, 8), 1, 0)
}

func TestManyNodesThatOverlapMakeAChain(t *testing.T) {
	d, _ := onSim(t, cusim.Config{Models: eager.Models, Eager: true, Lacks: []cu.Group{cu.Cond}})
	k, err := d.Compile(ctx, parse(t, addOne), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := d.NewSequence("many")
	b, dst := s.Scratch(8), make([]byte, 8)
	s.Fill(driver.All(b), 0, 4)
	s.Repeat(2000, func() {
		s.Launch(k, driver.Groups(1), driver.Part(b, 0, 4))
		s.Launch(k, driver.Groups(1), driver.Part(b, 4, 4))
	})
	s.Read(driver.All(b), dst)
	g, err := s.Capture(driver.CaptureOptions{Overlap: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if want := []byte{0xd0, 7, 0, 0, 0xd0, 7, 0, 0}; !bytes.Equal(dst, want) {
		t.Errorf("got % x, want % x", dst, want)
	}
}

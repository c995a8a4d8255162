package cuda_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
)

const mix = `vyre 1
kernel @mix workgroup(32) {
  param @x: buf<u32> rw
  param @y: buf<u32> ro
  param %a: u32
  %i = global.x
  %v = load @x[%i]
  %w = load @y[%i]
  %t = mul.u32 %v, 3_u32
  %u = add.u32 %t, %w
  %r = add.u32 %u, %a
  store @x[%i], %r
}`

// mixing is a launch of mix as a model of it has it.
type mixing struct {
	step   *driver.Step
	x, y   int // buffers
	a      uint32
	groups uint32
}

// Whatever setters change between runs, and whether a run launches a graph or its commands, it does what the
// commands say by then, and counts that.
func TestARunDoesWhatItsCommandsSayEachTime(t *testing.T) {
	const words, bufs = 96, 3
	d, sim := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	k, err := d.Compile(ctx, parse(t, mix), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs := 0
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var mem []driver.Buffer
		model := make([][]uint32, bufs)
		outs := make([][]byte, bufs)
		s := d.NewSequence("mixed")
		for i := range bufs {
			b, err := d.Alloc(words*4, driver.AllocOptions{})
			if err != nil {
				t.Fatal(err)
			}
			mem = append(mem, b)
			model[i], outs[i] = make([]uint32, words), make([]byte, words*4)
			s.Upload(driver.All(b), make([]byte, words*4), driver.Always)
		}
		var launches []*mixing
		var model1 []func()
		for range 2 + rng.IntN(10) {
			switch rng.IntN(5) {
			case 0:
				to, v := rng.IntN(bufs), rng.Uint64()
				s.Fill(driver.All(mem[to]), v, 8)
				model1 = append(model1, func() {
					for i := range model[to] {
						model[to][i] = uint32(v >> (32 * (i % 2)))
					}
				})
			case 1:
				to, from := rng.IntN(bufs), rng.IntN(bufs)
				if from == to {
					continue
				}
				s.Copy(driver.Part(mem[to], 0, 64), driver.Part(mem[from], 64, 64))
				model1 = append(model1, func() { copy(model[to][:16], model[from][16:32]) })
			default:
				m := &mixing{x: rng.IntN(bufs), a: rng.Uint32(), groups: uint32(rng.IntN(4))}
				m.y = (m.x + 1) % bufs
				m.step = s.Launch(k, driver.Groups(m.groups), driver.All(mem[m.x]), driver.All(mem[m.y]), driver.U32(m.a))
				launches = append(launches, m)
				model1 = append(model1, func() {
					for i := range model[m.x][:m.groups*32] {
						model[m.x][i] = model[m.x][i]*3 + model[m.y][i] + m.a
					}
				})
			}
		}
		for i := range bufs {
			s.Read(driver.All(mem[i]), outs[i])
		}
		for round := range 12 {
			for range rng.IntN(3) * rng.IntN(2) { // in half of the rounds nothing changes
				if len(launches) == 0 {
					break
				}
				m := launches[rng.IntN(len(launches))]
				var err error
				switch rng.IntN(4) {
				case 0:
					m.a = rng.Uint32()
					err = m.step.SetArg(2, driver.U32(m.a))
				case 1:
					m.y = (m.x + 1 + rng.IntN(2)) % bufs
					err = m.step.SetArg(1, driver.All(mem[m.y]))
				case 2:
					m.groups = uint32(rng.IntN(4))
					err = m.step.SetGrid(driver.Groups(m.groups))
				case 3:
					err = m.step.SetDomain(uint64(rng.IntN(90)))
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			for i := range model {
				clear(model[i])
			}
			ran := uint64(0)
			for _, f := range model1 {
				f()
			}
			for _, m := range launches {
				if m.groups > 0 {
					ran++
				}
			}
			before, launched := d.Stats(), sim.Count("cuGraphLaunch")
			if _, err := s.Run(ctx); err != nil {
				t.Fatal(err)
			}
			graphs += sim.Count("cuGraphLaunch") - launched
			now := d.Stats()
			if n := now.Get(metric.LaunchesPlain) - before.Get(metric.LaunchesPlain); n != ran {
				t.Errorf("seed %d, round %d: %d launches are counted of %d", seed, round, n, ran)
			}
			for i, out := range outs {
				got := make([]uint32, words)
				for w := range got {
					got[w] = binary.LittleEndian.Uint32(out[4*w:])
				}
				if !slices.Equal(got, model[i]) {
					t.Fatalf("seed %d, round %d: buffer %d is\n%v, want\n%v", seed, round, i, got, model[i])
				}
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for _, b := range mem {
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if graphs < 20 {
		t.Errorf("in all rounds %d graphs were launched", graphs)
	}
	if r := sim.Report(); len(r.Findings) > 0 {
		t.Errorf("the simulated GPU found %v", r.Findings[0])
	}
}

// Where the driver makes no graph, the run goes on without one. Where it fails to launch one, nobody knows whether that runs: the run
// fails, and the next ones go without.
func TestARunWhoseGraphIsRefusedGoesOn(t *testing.T) {
	for _, call := range []string{"cuGraphCreate", "cuGraphAddKernelNode_v2", "cuGraphInstantiateWithFlags", "cuGraphUpload", "cuGraphLaunch"} {
		d, sim := onSim(t, eager)
		k, err := d.Compile(ctx, parse(t, addOne), driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := d.NewSequence("refused")
		b := s.Scratch(128)
		s.Fill(driver.All(b), 0, 4)
		for range 5 {
			s.Launch(k, driver.Groups(1), driver.All(b))
		}
		out := make([]byte, 128)
		s.Read(driver.All(b), out)
		opening := sim.Count(call)
		sim.Fail(cusim.Rule{Call: call, Nth: 1, Result: 2})
		failed := 0
		for range 6 {
			out[0] = 0
			before := d.Stats()
			res, err := s.Run(ctx)
			if call == "cuGraphLaunch" && errors.Is(err, driver.OutOfMemory) {
				failed++
				continue
			}
			if err != nil || out[0] != 5 || res.Device <= 0 {
				t.Fatalf("with a failing %s: %v, %d, %v", call, err, out[0], res.Device)
			}
			if n := d.Stats().Sub(before).Get(metric.LaunchesPlain); n != 5 {
				t.Errorf("with a failing %s %d launches are counted", call, n)
			}
		}
		if n := sim.Count(call) - opening; n != 1 {
			t.Errorf("%s is tried %d times", call, n)
		}
		if failed > 1 || failed == 0 && call == "cuGraphLaunch" {
			t.Errorf("with a failing %s %d runs fail", call, failed)
		}
		if n := sim.Count("cuGraphLaunch"); n != 0 && call != "cuGraphLaunch" {
			t.Errorf("with a failing %s %d graphs are launched", call, n)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAValueThatIsSetAgainChangesNothing(t *testing.T) {
	d, sim := onSim(t, eager)
	k, err := d.Compile(ctx, parse(t, mix), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, y := make([]byte, 128), make([]byte, 128)
	for i := range byte(6) {
		y[0] = i
		if _, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.Out(x), driver.In(y), driver.U32(7)); err != nil || x[0] != i+7 {
			t.Fatalf("%v, %d", err, x[0])
		}
	}
	s := d.NewSequence("again")
	a, b := s.Scratch(128), s.Scratch(128)
	st := s.Launch(k, driver.Groups(1), driver.All(a), driver.All(b), driver.U32(1))
	g, err := s.Capture(driver.CaptureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 6 {
		for _, err := range []error{st.SetArg(0, driver.All(a)), st.SetArg(2, driver.U32(1)), st.SetGrid(driver.Groups(1)), st.SetDomain(0)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range []driver.Prepared{s, g} {
			if _, err := p.Run(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := d.Stats().Get(metric.GraphUpdates) + uint64(sim.Count("cuGraphExecKernelNodeSetParams_v2")); n != 0 {
		t.Errorf("%d times a node was changed", n)
	}
}

// Each call of a session may fail that launches graphs for segments of plain runs, makes them, changes them, and
// makes them anew, next to one that is captured.
func TestAnyCallMayFailWhileRunsBecomeGraphs(t *testing.T) {
	program := parse(t, addOne)
	session := func(sim *cusim.Driver) (err error) {
		d, err := cuda.Open(cuda.Options{Driver: sim, OpenOptions: driver.OpenOptions{CloseTimeout: time.Second}})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		k, err := d.Compile(ctx, program, driver.Options{})
		if err != nil {
			return err
		}
		s, out := d.NewSequence("steady"), make([]byte, 512)
		x, y := s.Scratch(17<<10), s.Scratch(512)
		s.Fill(driver.All(x), 0x100000002, 8)
		first := s.Launch(k, driver.Groups(1), driver.Part(x, 0, 128))
		s.Copy(driver.All(y), driver.Part(x, 0, 512))
		s.Fill(driver.Part(y, 256, 256), 3, 4)
		s.Upload(driver.Part(y, 128, 4), []byte{9, 0, 0, 0}, driver.Always)
		last := s.Launch(k, driver.Groups(1), driver.All(y))
		s.Read(driver.All(y), out)
		run := func(p driver.Prepared, word0, word32 uint32) error {
			clear(out)
			if _, err := p.Run(ctx); err != nil {
				return err
			}
			want := words(128, 3)
			for i := range 64 {
				binary.LittleEndian.PutUint32(want[4*i:], 2-uint32(i%2))
			}
			for i := range 32 {
				binary.LittleEndian.PutUint32(want[4*i:], word0-uint32(i%2))
			}
			binary.LittleEndian.PutUint32(want[128:], word32)
			return differ("y", out, want)
		}
		for range 3 {
			if err := run(s, 4, 9); err != nil {
				return err
			}
		}
		g, err := s.Capture(driver.CaptureOptions{})
		if err != nil {
			return err
		}
		for _, c := range []struct {
			set   func() error
			word0 uint32
		}{
			{func() error { return last.SetArg(0, driver.Part(y, 0, 128)) }, 4},
			{func() error { return first.SetGrid(driver.Groups(0)) }, 3},
		} {
			if err := c.set(); err != nil {
				return err
			}
			for _, p := range []driver.Prepared{s, s, g} {
				if err := run(p, c.word0, 9); err != nil {
					return err
				}
			}
		}
		return errors.Join(g.Close(), s.Close(), k.Close())
	}
	for _, c := range []struct {
		name    string
		config  cusim.Config
		results []cu.Result
	}{
		{"a slow GPU", cusim.Config{Models: []cusim.Model{cusim.Tiny}}, []cu.Result{719}},
		{"a fast GPU", cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: true}, []cu.Result{cu.OutOfMemory}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if n := anyCallMayFail(t, c.config, session, c.results...); n < 150 {
				t.Errorf("only %d calls failed", n)
			}
		})
	}
}

func TestAPlanHasSoManyGraphsAtMost(t *testing.T) {
	d, sim := onSim(t, eager)
	k, err := d.Compile(ctx, parse(t, addOne), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name             string
		pieces, launches int
		graphs           int
	}{{"single launches", 300, 1, 0}, {"few single launches", 200, 1, 200}, {"pairs", 300, 2, 256}} {
		s := d.NewSequence(c.name)
		b, out := s.Scratch(128), make([]byte, 128)
		s.Fill(driver.All(b), 0, 4)
		for range c.pieces {
			s.Upload(driver.Part(b, 4, 4), make([]byte, 4), driver.Always)
			for range c.launches {
				s.Launch(k, driver.Groups(1), driver.All(b))
			}
		}
		s.Read(driver.All(b), out)
		before := sim.Count("cuGraphInstantiateWithFlags")
		for range 4 {
			if _, err := s.Run(ctx); err != nil {
				t.Fatal(err)
			}
			if n := c.pieces * c.launches; binary.LittleEndian.Uint32(out) != uint32(n) || int(out[4]) != c.launches {
				t.Errorf("%s: the words are % x after %d launches", c.name, out[:8], n)
			}
		}
		if n := sim.Count("cuGraphInstantiateWithFlags") - before; n != c.graphs {
			t.Errorf("%s make %d graphs, want %d", c.name, n, c.graphs)
		}
	}
}

// spinOn goes round as often as x[0] says.
const spinOn = `vyre 1
kernel @spin_on workgroup(1) {
  param @x: buf<u32> rw
  %n = load @x[0_u32]
` + goRound

// The graph of a run that was given up goes when that has ended, before the code that it runs.
func TestTheGraphsOfARunThatWasGivenUpGoWhenItHasEnded(t *testing.T) {
	d, sim := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}, Budget: 1 << 40})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := cuda.Open(cuda.Options{Driver: sim, OpenOptions: driver.OpenOptions{CloseTimeout: 1}})
	if err != nil {
		t.Fatal(err)
	}
	d.KeepModules(0)
	k, err := d.Compile(ctx, parse(t, spinOn), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := d.NewSequence("lost")
	b := s.Scratch(4)
	in := s.Upload(driver.All(b), words(1, 1), driver.Always)
	s.Launch(k, driver.Groups(1), driver.All(b))
	for range 3 {
		if _, err := s.Run(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := in.Set(words(1, 200_000)); err != nil {
		t.Fatal(err)
	}
	launched := sim.Count("cuGraphLaunch")
	if _, err := s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if sim.Count("cuGraphLaunch") == launched {
		t.Error("the run launches no graph")
	}
	if err := s.Close(); !errors.Is(err, driver.Closed) {
		t.Fatalf("closing a run that goes on for long: %v", err)
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	other, err := d.Compile(ctx, parse(t, addOne), driver.Options{}) // which looks for modules to unload
	if err != nil {
		t.Fatal(err)
	}
	d.AwaitCompilations()
	counted(t, d, metric.ModulesUnloaded, 0)
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	ends(t, d, sim)
	if f := sim.Report().Faults; len(f) > 0 {
		t.Error(f[0])
	}
}

// A graph that was made before an argument became another buffer writes the old one no more, which may be closed.
func TestAClosedBufferIsOutOfTheGraphs(t *testing.T) {
	d := opened(t, eager, driver.OpenOptions{Debug: "memcheck"})
	k, err := d.Compile(ctx, parse(t, addOne), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := d.NewSequence("moving")
	b := alloc(t, d, 128)
	st := s.Launch(k, driver.Groups(1), driver.All(b))
	for range 4 {
		for range 4 {
			if _, err := s.Run(ctx); err != nil {
				t.Fatal(err)
			}
		}
		next := alloc(t, d, 128)
		if err := st.SetArg(0, driver.All(next)); err != nil {
			t.Fatal(err)
		}
		closed(t, b)
		b = next
	}
	for _, groups := range []uint32{0, 1} { // a graph of nothing, and one that is made anew
		if err := st.SetGrid(driver.Groups(groups)); err != nil {
			t.Fatal(err)
		}
		for range 4 {
			if _, err := s.Run(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := d.Stats().Get(metric.GraphUpdates); n != 3 {
		t.Errorf("%d launches were changed", n)
	}
}

package cuda_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/ir/text"
)

// told traces and may trap in one invocation.
const told = `vyre 1
kernel @told workgroup(32) {
  param @x: buf<u32> rw
  param %at: u32
  %i = global.x
  %v = load @x[%i]
  %low = and.u32 %v, 1_u32
  %here = eq.u32 %i, %at
  %odd = eq.u32 %low, 1_u32
  %bad = and.bool %here, %odd
  if %here { trace %v, #3 }
  %w = cvt.u64.u32 %v
  trap %bad, %w, #7
  %s = add.u32 %v, 5_u32
  store @x[%i], %s
}`

// turned turns the words of each group around, as far as the shared array of the launch reaches.
const turned = `vyre 1
kernel @turned workgroup(32) {
  param @x: buf<u32> rw
  shared @tail: u32[?]
  %i = global.x
  %l = local.x
  %v = load @x[%i]
  store @tail[%l], %v
  barrier.wg
  %n = len @tail
  %o = sub.u32 31_u32, %l
  %w = load @tail[%o]
  %s = add.u32 %w, %n
  store @x[%i], %s
}`

// summed adds to every word how many invocations met at a barrier of the grid.
const summed = `vyre 1
kernel @summed workgroup(32) {
  param @x: buf<u32> rw
  %all = barrier_add.grid 1_u32
  %i = global.x
  %v = load @x[%i]
  %s = add.u32 %v, %all
  store @x[%i], %s
}`

// history is a random sequence with what happens to it, on one device. The same seed is the same
// history on every device, so all that is drawn depends on what was drawn before, and on nothing that a
// device says.
type history struct {
	rng     *rand.Rand
	d       driver.Device
	kernels historyKernels
	pins    bool // some host memory is pinned
	always  bool // all uploads are sent

	s        *driver.Sequence
	meddler  *driver.Sequence // another one, over one of the buffers
	bufs     []driver.Buffer  // the last one has the flags of loops
	flags    int64            // of them, so far
	inputs   []*historyInput
	outputs  []*historyOutput
	launches []*historyLaunch
	loops    []historyLoop
	hosts    []*driver.HostMemory
}

type historyKernels struct{ mix, told, turned, summed, count driver.Kernel }

type historyInput struct {
	in   *driver.Input
	mode driver.Mode
}

type historyOutput struct {
	out *driver.Output
	dst []byte
}

type historyLaunch struct {
	step   *driver.Step
	kernel driver.Kernel
}

type historyLoop struct {
	loop  *driver.Loop
	while bool
}

// kept is what a round left: everything that devices have to agree on.
type kept struct {
	said   string // errors of setters and of the run, loops, traces
	bytes  []byte
	counts []uint64 // of agreed
	reads  []uint64 // of agreedReads, for who has no pinned memory: those of a GPU differ there
}

var (
	agreed = []driver.Metric{metric.LaunchesSkipped, metric.CoopLaunches, metric.ThreadSlots, metric.DomainItems, metric.Fills, metric.FillBytes,
		metric.Copies, metric.CopyBytes, metric.Traps}
	// agreedSums are counted in two ways.
	agreedSums  = [][2]driver.Metric{{metric.LaunchesPlain, metric.LaunchesGraph}, {metric.LoopIterations, metric.LoopIterationsGraph}, {metric.DeviceTimedRuns, metric.DeviceTimeMissing}}
	agreedReads = []driver.Metric{metric.Reads, metric.ReadBytes, metric.ReadGapBytes}
)

// way is how a history's runs run.
type way struct {
	name           string
	plain, capture bool // both in turn if both are
	overlap        bool
	always         bool // all uploads are sent, whatever their mode
}

// compileHistory compiles the kernels of histories.
func compileHistory(d driver.Device) (k historyKernels, err error) {
	for _, c := range []struct {
		text string
		to   *driver.Kernel
	}{{mix, &k.mix}, {told, &k.told}, {turned, &k.turned}, {summed, &k.summed}, {countDown, &k.count}} {
		ps, err := text.Parse("test", c.text)
		if err != nil {
			return k, err
		}
		if *c.to, err = d.Compile(ctx, ps[0], driver.Options{}); err != nil {
			return k, err
		}
	}
	return k, nil
}

// live makes the sequence of a history, runs it with setters in between, and closes everything.
func live(seed uint64, d driver.Device, k historyKernels, w way) (rounds []kept, err error) {
	h := &history{rng: rand.New(rand.NewPCG(seed, 99)), d: d, kernels: k, always: w.always}
	h.pins = h.rng.IntN(3) == 0
	defer func() { err = errors.Join(err, h.close()) }()
	if err := h.record(); err != nil {
		return nil, err
	}
	var g *driver.Graph
	for round := range 3 + h.rng.IntN(6) {
		var k kept
		if round > 0 && h.rng.IntN(5) > 1 {
			for range 1 + h.rng.IntN(3) {
				k.said += h.change() + "\n"
			}
		}
		if h.rng.IntN(5) == 0 {
			if _, err := h.meddler.Run(ctx); err != nil {
				return nil, err
			}
		}
		captured := w.capture && (!w.plain || h.draw(seed, round))
		var p driver.Prepared = h.s
		if captured {
			if g == nil {
				g, err = h.s.Capture(driver.CaptureOptions{Overlap: w.overlap})
				if err != nil && !errors.Is(err, driver.Unsupported) { // a loop may be the host's
					return rounds, err
				}
			}
			if g != nil {
				p = g
			}
		}
		h.run(p, &k, h.draw(seed+1, round))
		rounds = append(rounds, k)
	}
	return rounds, nil
}

// draw decides what no other way of running draws.
func (h *history) draw(seed uint64, round int) bool {
	return rand.New(rand.NewPCG(seed, uint64(round))).IntN(2) == 0
}

// record makes the buffers and records the sequence.
func (h *history) record() error {
	sizes := []int64{128, 512, []int64{4096, 40 << 10}[h.rng.IntN(2)], 64}
	first := h.d.NewSequence("first")
	for i, n := range sizes {
		b, err := h.d.Alloc(n, driver.AllocOptions{Label: fmt.Sprintf("b%d", i)})
		if err != nil {
			return err
		}
		h.bufs = append(h.bufs, b)
		first.Fill(driver.All(b), h.rng.Uint64(), 4)
	}
	_, err := first.Run(ctx)
	if err := errors.Join(err, first.Close()); err != nil {
		return err
	}
	h.meddler = h.d.NewSequence("meddler")
	h.meddler.Fill(driver.All(h.bufs[h.rng.IntN(3)]), h.rng.Uint64(), 4)

	h.s = h.d.NewSequence("history")
	switch h.rng.IntN(4) {
	case 0:
		h.s.NoDeviceTime()
	case 1:
		h.s.TimeTransfers(true)
	}
	h.commands(1+h.rng.IntN(12), 0)
	for _, b := range h.bufs {
		h.read(driver.All(b))
	}
	return h.s.Prepare()
}

func (h *history) commands(n, depth int) {
	for range n {
		h.command(depth)
	}
}

func (h *history) command(depth int) {
	rng := h.rng
	switch rng.IntN(12) {
	case 0, 1:
		h.upload(h.part(3, 1))
	case 2, 3:
		width := 1 << rng.IntN(4)
		h.s.Fill(h.part(3, int64(width)), rng.Uint64(), width)
	case 4, 5:
		to, from := rng.IntN(3), rng.IntN(3)
		n := 1 + rng.Int64N(h.bufs[min(to, from)].Len()/2)
		at := rng.Int64N(h.bufs[to].Len()/2 - n/2)
		if to == from {
			n = min(n, h.bufs[to].Len()/4)
			h.s.Copy(driver.Part(h.bufs[to], 0, n), driver.Part(h.bufs[to], h.bufs[to].Len()-n, n))
			return
		}
		h.s.Copy(driver.Part(h.bufs[to], min(at, h.bufs[to].Len()-n), n), driver.Part(h.bufs[from], h.bufs[from].Len()-n, n))
	case 6:
		if depth == 0 {
			h.read(h.part(3, 1))
			return
		}
		fallthrough
	case 7:
		if depth < 2 && rng.IntN(3) == 0 {
			h.loop(depth)
			return
		}
		fallthrough
	default:
		h.launch()
	}
}

// part draws a range of one of the first n buffers.
func (h *history) part(n int, width int64) driver.Range {
	b := h.bufs[h.rng.IntN(n)]
	most := min([]int64{8, 100, 5000, 40 << 10}[h.rng.IntN(4)], b.Len())
	size := (1 + h.rng.Int64N(most) + width - 1) / width * width
	size = min(size, b.Len())
	return driver.Part(b, h.rng.Int64N((b.Len()-size)/width+1)*width, size)
}

// host draws bytes to send or room for bytes to receive, some of them pinned.
func (h *history) host(n int64) []byte {
	pinned := h.rng.IntN(2) == 0 && h.pins
	salt := h.rng.Uint32()
	b := make([]byte, n)
	if pinned {
		m, err := h.d.AllocHost(n)
		if err != nil {
			panic(err)
		}
		h.hosts = append(h.hosts, m)
		b = m.Bytes()
	}
	h.scramble(b, salt)
	return b
}

func (h *history) scramble(b []byte, salt uint32) {
	for i := range b {
		b[i] = byte(salt>>(i%4*8)) + byte(i)
	}
}

func (h *history) upload(r driver.Range) {
	mode := []driver.Mode{driver.Always, driver.IfChanged, driver.Static}[h.rng.IntN(3)]
	if h.always {
		mode = driver.Always
	}
	h.inputs = append(h.inputs, &historyInput{h.s.Upload(r, h.host(r.Len), mode), mode})
}

func (h *history) read(r driver.Range) {
	dst := h.host(r.Len)
	h.outputs = append(h.outputs, &historyOutput{h.s.Read(r, dst), dst})
}

// words draws an argument: words of a buffer, or now and then none.
func (h *history) words(buffer int) driver.Range {
	if h.rng.IntN(12) == 0 {
		return driver.Part(h.bufs[buffer], 0, 0)
	}
	return driver.Part(h.bufs[buffer], 0, 128)
}

func (h *history) groups() driver.Grid { return driver.Groups(uint32(h.rng.IntN(5))) }

func (h *history) launch() {
	rng, x := h.rng, h.rng.IntN(3)
	l := &historyLaunch{}
	switch rng.IntN(7) {
	case 0:
		l.kernel = h.kernels.told
		l.step = h.s.Launch(l.kernel, h.groups(), h.words(x), driver.U32(rng.Uint32N(64)))
		l.step.SetTrace(1 + rng.IntN(3))
	case 1:
		l.kernel = h.kernels.turned
		l.step = h.s.Launch(l.kernel, h.groups(), h.words(x), driver.Rest(rng.IntN(40)))
	case 2:
		l.kernel = h.kernels.summed
		l.step = h.s.Launch(l.kernel, h.groups(), h.words(x))
	default:
		l.kernel = h.kernels.mix
		l.step = h.s.Launch(l.kernel, h.groups(), h.words(x), h.words((x+1)%3), driver.U32(rng.Uint32()))
	}
	h.launches = append(h.launches, l)
}

// loop records a Repeat, or a While with a flag of its own.
func (h *history) loop(depth int) {
	rng := h.rng
	if rng.IntN(2) == 0 || h.flags == 8 {
		n := rng.IntN(4)
		if rng.IntN(60) == 0 {
			n = 600 // too many to be copied
		}
		h.loops = append(h.loops, historyLoop{loop: h.s.Repeat(n, func() { h.commands(1+rng.IntN(2), depth+1) })})
		return
	}
	flag := driver.Part(h.bufs[3], 4*h.flags, 4)
	h.flags++
	h.s.Fill(flag, uint64(rng.IntN(4)), 4)
	h.loops = append(h.loops, historyLoop{h.s.While(flag, rng.IntN(5), func() {
		h.commands(rng.IntN(3), depth+1)
		h.s.Launch(h.kernels.count, driver.Groups(1), flag, driver.Part(h.bufs[3], 32, 4))
	}), true})
}

// change calls a setter and returns what it said.
func (h *history) change() string {
	rng := h.rng
	var err error
	switch n := rng.IntN(10); {
	case n < 3:
		if len(h.inputs) == 0 {
			return ""
		}
		in := h.inputs[rng.IntN(len(h.inputs))]
		switch salt := rng.Uint32(); rng.IntN(3) {
		case 0:
			err = in.in.Set(h.host(int64(len(in.in.Bytes()))))
		case 1:
			err = in.in.Touch()
		case 2:
			h.scramble(in.in.Bytes(), salt)
			if in.mode == driver.Static {
				err = in.in.Touch()
			}
		}
	case n == 3:
		out := h.outputs[rng.IntN(len(h.outputs))]
		dst := h.host(int64(len(out.dst)))
		if err = out.out.Set(dst); err == nil {
			out.dst = dst
		}
	case n == 4:
		if len(h.loops) == 0 {
			return ""
		}
		err = h.loops[rng.IntN(len(h.loops))].loop.SetCount(rng.IntN(5))
	default:
		if len(h.launches) == 0 {
			return ""
		}
		err = h.relaunch(h.launches[rng.IntN(len(h.launches))])
	}
	return kindOf(err)
}

func (h *history) relaunch(l *historyLaunch) error {
	rng := h.rng
	switch rng.IntN(4) {
	case 0:
		return l.step.SetGrid(h.groups())
	case 1:
		return l.step.SetDomain(rng.Uint64N(100))
	case 2:
		switch l.kernel {
		case h.kernels.told:
			return l.step.SetArg(1, driver.U32(rng.Uint32N(64)))
		case h.kernels.turned:
			return l.step.SetArg(1, driver.Rest(rng.IntN(40)))
		case h.kernels.mix:
			return l.step.SetArg(2, driver.U32(rng.Uint32()))
		}
	}
	at := 0
	if l.kernel == h.kernels.mix {
		at = rng.IntN(2)
	}
	return l.step.SetArg(at, h.words(rng.IntN(3)))
}

// kindOf is what devices agree on of an error.
func kindOf(err error) string {
	var e *driver.Error
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	var trap *driver.TrapError
	if errors.As(err, &trap) {
		return fmt.Sprintf("%v at %s: code %d, value %d, group %v, local %v", e.Kind, e.Path, trap.Code, trap.Value, trap.Group, trap.Local)
	}
	var outside *driver.BoundsError
	if errors.As(err, &outside) {
		return fmt.Sprintf("%v at %s: %s: %v", e.Kind, e.Path, e.Pos, outside)
	}
	if e.Kind == driver.InvalidArgument {
		return e.Kind.String()
	}
	return e.Error()
}

// run runs the sequence once and keeps what comes of it. A context that may end lets chunks go through a
// goroutine, and waits poll.
func (h *history) run(p driver.Prepared, k *kept, mayEnd bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !mayEnd {
		ctx = context.Background()
	}
	for _, out := range h.outputs {
		clear(out.dst)
	}
	before := h.d.Stats()
	res, err := p.Run(ctx)
	st := h.d.Stats().Sub(before)
	slices.SortFunc(res.Traces, func(a, b driver.Trace) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.Values[0], b.Values[0]))
	})
	k.said += fmt.Sprintf("%s\nloops %v\ntraces %v and %d", kindOf(err), res.Loops, res.Traces, res.TracesDropped)
	for _, out := range h.outputs {
		k.bytes = binary.LittleEndian.AppendUint32(k.bytes, uint32(len(out.dst)))
		k.bytes = append(k.bytes, out.dst...)
	}
	for _, m := range agreed {
		k.counts = append(k.counts, st.Get(m))
	}
	for _, m := range agreedSums {
		k.counts = append(k.counts, st.Get(m[0])+st.Get(m[1]))
	}
	if h.pins {
		return
	}
	for _, m := range agreedReads {
		k.reads = append(k.reads, st.Get(m))
	}
}

// close closes what the history made, in the order in which things hold each other.
func (h *history) close() error {
	var errs []error
	for _, s := range []*driver.Sequence{h.s, h.meddler} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	for _, b := range h.bufs {
		errs = append(errs, b.Close())
	}
	for _, m := range h.hosts {
		errs = append(errs, m.Close())
	}
	return errors.Join(errs...)
}

package megakernel

import (
	"context"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
)

// cooperative makes the runner of one launch.
func (p *Plan) cooperative(ctx context.Context) (runner, error) {
	return p.launchedOnce(ctx, "fused", func() (*ir.Program, error) { return fuse(p.o.Label, &p.frame, p.enter()) })
}

// launchedOnce makes the runner of a program that holds all rounds.
func (p *Plan) launchedOnce(ctx context.Context, name string, made func() (*ir.Program, error)) (runner, error) {
	k, err := p.compile(ctx, name, made)
	if err != nil {
		return nil, err
	}
	if p.blocks, err = p.grid(k); err != nil {
		return nil, err
	}
	record, err := p.alloc(RecordBytes, "record")
	if err != nil {
		return nil, err
	}
	totals, err := p.alloc(8, "totals")
	if err != nil {
		return nil, err
	}
	if err := p.zero(ctx, totals); err != nil {
		return nil, err
	}
	c := &oneLaunch{seq: p.sequence("run"), launch: launch{kernel: k, args: p.arguments()}}
	c.round = len(c.args) + fusedRound
	c.args = append(c.args, driver.All(record), driver.All(totals), driver.U32(0), driver.U32(p.o.MaxRounds), driver.U32(p.o.MaxRounds))
	c.step = c.seq.Launch(k, driver.Groups(p.blocks), c.args...)
	c.seq.Read(driver.All(record), c.bytes[:])
	return c, c.seq.Prepare()
}

// arguments lists the memory of the parameters.
func (f *frame) arguments() []driver.Arg {
	args := make([]driver.Arg, len(f.params), len(f.params)+5)
	for k := range f.params {
		args[k] = f.params[k].memory
	}
	return args
}

// oneLaunch is the cooperative topology.
type oneLaunch struct {
	launch
	seq   *driver.Sequence
	step  *driver.Step
	round int // argument number
	bytes [RecordBytes]byte
}

func (c *oneLaunch) run(ctx context.Context, round, limit, last uint32) (driver.Result, error) {
	for k, v := range [...]uint32{round, limit, last} {
		if err := c.step.SetArg(c.round+k, driver.U32(v)); err != nil {
			return driver.Result{}, err
		}
	}
	return c.seq.Run(ctx)
}

func (c *oneLaunch) record() []byte { return c.bytes[:] }

// loop is what the launched forms have in common: their kernels, control words and first launch.
type loop struct {
	*Plan
	ctl, rec driver.Buffer
	begin    driver.Kernel
	phase    [After + 1][]launch
	bytes    [RecordBytes]byte
}

// launch is a group's kernel, with the grid and the arguments that it always has.
type launch struct {
	kernel driver.Kernel
	args   []driver.Arg
}

// launchedForm makes the runner of any topology that launches groups one by one.
func (p *Plan) launchedForm(ctx context.Context) (runner, error) {
	l, err := p.loop(ctx, Before, EveryRound, After)
	if err != nil {
		return nil, err
	}
	p.blocks = p.o.launched(p.dev.Caps().Units)
	switch p.o.Topology {
	case HostLoop:
		return l.while(driver.LoopHost)
	case DeviceLoop:
		return l.while(driver.LoopGraph)
	}
	return l.polled(p.o.Topology == Captured)
}

// loop compiles the groups of some phases, and allocates what they share.
func (p *Plan) loop(ctx context.Context, phases ...Phase) (*loop, error) {
	l := &loop{Plan: p}
	var err error
	if l.ctl, err = p.alloc(4*ctlWords, "control"); err != nil {
		return nil, err
	}
	if l.rec, err = p.alloc(RecordBytes, "record"); err != nil {
		return nil, err
	}
	if l.begin, err = p.compile(ctx, "begin", func() (*ir.Program, error) { return beginProgram(p.o.Label + ".begin") }); err != nil {
		return nil, err
	}
	args := append(p.arguments(), driver.All(l.ctl), driver.All(l.rec))
	for _, f := range phases {
		g := &p.phases[f]
		n := len(g.steps)
		if g.shared != nil {
			n = min(n, 1)
		}
		for k := range n {
			kernel, err := p.compile(ctx, fmt.Sprintf("%v %d", f, k), func() (*ir.Program, error) { return launched(p.o.Label, &p.frame, f, k) })
			if err != nil {
				return nil, err
			}
			if g.shared == nil {
				l.phase[f] = append(l.phase[f], launch{kernel, args})
				continue
			}
			for group := range g.steps {
				l.phase[f] = append(l.phase[f], launch{kernel, append(args[:len(args):len(args)], driver.U32(uint32(group)))})
			}
		}
	}
	return l, nil
}

func (l *loop) record() []byte { return l.bytes[:] }

// launches records the groups of a phase.
func (l *loop) launches(s *driver.Sequence, f Phase) {
	for _, g := range l.phase[f] {
		s.Launch(g.kernel, driver.Groups(l.blocks), g.args...)
	}
}

// start records the first launch.
func (l *loop) start(s *driver.Sequence) *driver.Step {
	return s.Launch(l.begin, driver.Groups(1), driver.All(l.ctl), driver.All(l.rec), driver.U32(0), driver.U32(0), driver.U32(0))
}

// beginning is the number of the first scalar of that launch.
const beginning = 2

// set puts the rounds of a slice into the first launch.
func set(s *driver.Step, round, limit, last uint32) error {
	for k, v := range [...]uint32{round, limit, last} {
		if err := s.SetArg(beginning+k, driver.U32(v)); err != nil {
			return err
		}
	}
	return nil
}

// goes is the word that says whether rounds go on.
func (l *loop) goes() driver.Range { return driver.Part(l.ctl, 4*ctlGo, 4) }

// whiles is a loop that tests a word before every round, on the host or on the device. There are two
// sequences, since only the first slice has what runs before.
type whiles struct {
	*loop
	first, next       *driver.Sequence
	firstBeg, nextBeg *driver.Step
}

// while makes the runner of a While.
func (l *loop) while(how driver.Lowering) (runner, error) {
	w := &whiles{loop: l}
	record := func(what string, before bool) (*driver.Sequence, *driver.Step) {
		s := l.sequence(what)
		s.Lower(how)
		step := l.start(s)
		if before {
			l.launches(s, Before)
		}
		s.While(l.goes(), int(l.o.MaxRounds), func() { l.launches(s, EveryRound) })
		l.launches(s, After)
		s.Read(driver.All(l.rec), l.bytes[:])
		return s, step
	}
	w.first, w.firstBeg = record("first slice", true)
	w.next, w.nextBeg = w.first, w.firstBeg
	if len(l.phase[Before]) > 0 {
		w.next, w.nextBeg = record("slice", false)
	}
	if err := w.first.Prepare(); err != nil {
		return nil, err
	}
	return w, w.next.Prepare()
}

func (w *whiles) run(ctx context.Context, round, limit, last uint32) (driver.Result, error) {
	s, step := w.next, w.nextBeg
	if round == 0 {
		s, step = w.first, w.firstBeg
	}
	if err := set(step, round, limit, last); err != nil {
		return driver.Result{}, err
	}
	return s.Run(ctx)
}

// polled is a loop of which the host looks at the word now and then: rounds beyond the end do nothing.
type polled struct {
	*loop
	begin  *driver.Sequence // the first launch, and what runs before
	beg    *driver.Step
	again  *driver.Sequence // the same without the latter
	againB *driver.Step
	rounds *driver.Sequence
	graph  *driver.Graph // of rounds, if they are captured
	end    *driver.Sequence
	going  [4]byte
}

// polled makes the runner of back-to-back launches, captured or not.
func (l *loop) polled(captured bool) (runner, error) {
	p := &polled{loop: l}
	p.begin = l.sequence("begin")
	p.beg = l.start(p.begin)
	l.launches(p.begin, Before)
	p.again = l.sequence("begin again")
	p.againB = l.start(p.again)
	p.rounds = l.sequence("rounds")
	p.rounds.Repeat(int(l.o.PollRounds), func() { l.launches(p.rounds, EveryRound) })
	p.rounds.Read(l.goes(), p.going[:])
	p.end = l.sequence("end")
	l.launches(p.end, After)
	p.end.Read(driver.All(l.rec), l.bytes[:])
	if captured {
		var err error
		if p.graph, err = p.rounds.Capture(driver.CaptureOptions{}); err != nil {
			return nil, err
		}
		l.closers = append(l.closers, p.graph)
	}
	for _, s := range []*driver.Sequence{p.begin, p.again, p.rounds, p.end} {
		if err := s.Prepare(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *polled) run(ctx context.Context, round, limit, last uint32) (driver.Result, error) {
	s, step := p.again, p.againB
	if round == 0 {
		s, step = p.begin, p.beg
	}
	if err := set(step, round, limit, last); err != nil {
		return driver.Result{}, err
	}
	all, err := s.Run(ctx)
	part := func(r driver.Result, failed error) {
		all, err = together(all, r), failed
	}
	for p.going[0] = 1; err == nil && p.going != [4]byte{}; {
		if p.graph != nil {
			part(p.graph.Run(ctx))
		} else {
			part(p.rounds.Run(ctx))
		}
	}
	if err == nil {
		part(p.end.Run(ctx))
	}
	return all, err
}

// together joins what two runs say about themselves. Loops and times of commands are of the last one.
func together(a, b driver.Result) driver.Result {
	b.Timing = a.Timing.Add(b.Timing)
	b.Traces = append(a.Traces[:len(a.Traces):len(a.Traces)], b.Traces...)
	b.Reports = append(a.Reports[:len(a.Reports):len(a.Reports)], b.Reports...)
	b.TracesDropped += a.TracesDropped
	return b
}

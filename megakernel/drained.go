package megakernel

import (
	"context"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel/arcs"
)

// drain is the topology without rounds: what runs before, one launch, what runs after.
type drain struct {
	*loop
	work           launch
	slots, control driver.Range
	seq            *driver.Sequence
	beg            *driver.Step
}

// drained makes the runner of a drain.
func (p *Plan) drained(ctx context.Context) (runner, error) {
	s, err := p.drainable()
	if err != nil {
		return nil, err
	}
	l, err := p.loop(ctx, Before, After)
	if err != nil {
		return nil, err
	}
	k, err := p.compile(ctx, "drain", func() (*ir.Program, error) { return s.Drain.Program, nil })
	if err != nil {
		return nil, err
	}
	if p.blocks, err = p.grid(k.Occupancy(0).Cooperative); err != nil {
		return nil, err
	}
	p.threads = k.Workgroup()[0]
	slots, err := p.alloc(8*int64(s.Drain.Slots), "slots")
	if err != nil {
		return nil, err
	}
	control, err := p.alloc(4*arcs.ControlWords, "control of the drain")
	if err != nil {
		return nil, err
	}
	args, err := p.drainArgs(s, driver.All(slots), driver.All(control))
	if err != nil {
		return nil, err
	}
	d := &drain{loop: l, work: launch{k, args}, slots: driver.All(slots), control: driver.All(control), seq: p.sequence("drain")}
	d.beg = l.start(d.seq)
	d.rest(d.seq)
	d.seq.Read(driver.Part(control, 4*arcs.RecordWord, RecordBytes), l.bytes[:])
	return d, d.seq.Prepare()
}

// rest records all but the first launch.
func (d *drain) rest(s *driver.Sequence) {
	d.launches(s, Before)
	s.Fill(d.slots, 0, 8)
	s.Fill(d.control, 0, 4)
	s.Launch(d.work.kernel, driver.Groups(d.blocks), d.work.args...)
	if len(d.phase[After]) > 0 {
		s.Fill(driver.Part(d.ctl, 4*ctlOver, 4), 1, 4)
		d.launches(s, After)
	}
}

func (d *drain) run(ctx context.Context, round, limit, last uint32) (driver.Result, error) {
	if err := set(d.beg, round, limit, last); err != nil {
		return driver.Result{}, err
	}
	return d.seq.Run(ctx)
}

// drainable returns the one wave of every round, which has a drain.
func (p *Plan) drainable() (*step, error) {
	refuse := func(wave int, path, msg, fix string) (*step, error) {
		return nil, problem(p.dev, driver.Unsupported, "drain", wave, path, msg, fix)
	}
	g := p.phases[EveryRound].steps
	if len(g) != 1 || len(g[0]) != 1 {
		return refuse(-1, "", "a drain has one wave, and more than one runs every round", "choose another topology, or make one wave of them")
	}
	s := g[0][0]
	path := fmt.Sprintf("wave %d %s", s.id, s.Program.Name())
	switch d := s.Drain; {
	case d == nil || d.Program == nil:
		return refuse(s.id, path, "it has no form without rounds", "give it a Drain, a kernel that calls arcs.Drain, or choose another topology")
	case !d.Program.Traits().GridBarrier:
		return refuse(s.id, path, fmt.Sprintf("its drain %s is no cooperative kernel, so nobody promises that all its groups run at once", d.Program.Name()), "let it call arcs.Drain")
	case d.Program.GroupSize() > arcs.MaxThreads:
		return refuse(s.id, path, fmt.Sprintf("its drain %s has groups of %d, at most %d are possible", d.Program.Name(), d.Program.GroupSize(), arcs.MaxThreads), "compile it for smaller groups")
	case d.Slots == 0 || d.Slots > 1<<32:
		return refuse(s.id, path, fmt.Sprintf("its drain has %d slots", d.Slots), "ask arcs.Slots, and split a graph that needs more than 1<<32")
	case !p.dev.Caps().GridBarrier:
		return refuse(s.id, path, "the device has no cooperative launches", "choose a topology that launches rounds")
	}
	return s, nil
}

// drainArgs are the arguments of the launch, with the queue in its places.
func (p *Plan) drainArgs(s *step, slots, control driver.Range) ([]driver.Arg, error) {
	params := s.Drain.Program.Params()
	path := fmt.Sprintf("wave %d, drain %s", s.id, s.Drain.Program.Name())
	wrong := func(msg string) error {
		return problem(p.dev, driver.InvalidArgument, "drain", s.id, path, msg, "pass a range or a scalar a parameter, Slots{} for a []uint64, Control{} for a []uint32")
	}
	if len(params) != len(s.Drain.Args) {
		return nil, wrong(fmt.Sprintf("it has %d arguments for %d parameters", len(s.Drain.Args), len(params)))
	}
	args := make([]driver.Arg, len(params))
	queue := 0
	for k, a := range s.Drain.Args {
		q := &params[k]
		switch a := a.(type) {
		case Slots:
			if !q.IsBuffer() || q.Type != ir.U64 {
				return nil, wrong("slots are a buffer of u64, argument " + q.Name + " is " + describe(q))
			}
			args[k], queue = slots, queue+1
		case Control:
			if !q.IsBuffer() || q.Type != ir.U32 {
				return nil, wrong("control words are a buffer of u32, argument " + q.Name + " is " + describe(q))
			}
			args[k], queue = control, queue+1
		case driver.Range, driver.Scalar:
			args[k] = a
		default:
			return nil, wrong(fmt.Sprintf("argument %s is a %T", q.Name, a))
		}
	}
	if queue != 2 {
		return nil, wrong(fmt.Sprintf("it has %d of Slots{} and Control{}", queue))
	}
	return args, nil
}

package megakernel

import (
	"context"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/megakernel/arcs"
)

// The drain: one cooperative launch without rounds.
//
//	the queue is cleared, and the waves that run before, a barrier after each group
//	arcs.Drain, as the wave's drain calls it
//	a barrier, and the waves that run after

// drain is the topology without rounds.
type drain struct {
	launch
	seq   *driver.Sequence
	bytes [RecordBytes]byte
}

// drained makes the runner of a drain.
func (p *Plan) drained(ctx context.Context) (runner, error) {
	d := p.drain.Drain
	k, err := p.compile(ctx, "drain", func() (*ir.Program, error) { return drained(p.o.Label, &p.frame, p.drain) })
	if err != nil {
		return nil, err
	}
	if p.blocks, err = p.grid(k); err != nil {
		return nil, err
	}
	slots, err := p.alloc(8*int64(d.Slots), "slots")
	if err != nil {
		return nil, err
	}
	control, err := p.alloc(4*arcs.ControlWords, "control of the drain")
	if err != nil {
		return nil, err
	}
	r := &drain{launch: launch{k, append(p.arguments(), driver.All(slots), driver.All(control))}, seq: p.sequence("drain")}
	r.seq.Launch(k, driver.Groups(p.blocks), r.args...)
	r.seq.Read(driver.Part(control, 4*arcs.RecordWord, RecordBytes), r.bytes[:])
	return r, r.seq.Prepare()
}

func (d *drain) run(ctx context.Context, _, _, _ uint32) (driver.Result, error) {
	return d.seq.Run(ctx)
}

func (d *drain) record() []byte { return d.bytes[:] }

// drainer writes the program of a drain.
type drainer struct {
	*writer
	slots, control ir.Object
}

// drained builds the program of one launch without rounds. s is what bindDrain made.
func drained(name string, of *frame, s *step) (*ir.Program, error) {
	d := &drainer{writer: newWriter(name+".drain", of)}
	d.roomFor(d.phases[Before].steps...)
	d.roomFor(d.phases[After].steps...)
	d.room(s.Drain.Program, 0)
	d.slots, d.control = d.Buffer("slots", ir.U64, ir.RW), d.Buffer("drain", ir.U32, ir.RW)
	team, zero := d.grid(), d.U32(0)
	d.For(team.thread, d.U32(uint32(s.Drain.Slots)), team.threads, func(i build.Value, _ build.Label) { d.Store(d.slots, i, d.U64(0)) })
	d.For(team.thread, d.U32(arcs.ControlWords), team.threads, func(i build.Value, _ build.Label) { d.Store(d.control, i, zero) })
	once := func(p Phase) {
		if g := &d.phases[p]; len(g.steps) > 0 {
			d.groups(g, team, zero, d.tally(), d.Var(d.U64(0)), func(bool) { d.GridBarrier() })
		}
	}
	if len(d.phases[Before].steps) == 0 {
		d.GridBarrier()
	}
	once(Before)
	ended := d.span(d.single(s), ofDrain, s.Drain.Program, zero)
	d.inline(s)
	ended()
	if len(d.phases[After].steps) > 0 {
		d.GridBarrier()
	}
	once(After)
	return d.Program()
}

// inline replays the wave's drain, with the ids that it has.
func (d *drainer) inline(s *step) {
	p := s.Drain.Program
	in := build.Inlining{Views: map[int]build.View{}}
	for k, q := range p.Params() {
		if !q.IsBuffer() {
			in.Scalars = append(in.Scalars, d.Const(q.Type.Value(), s.args[k].bits))
		}
	}
	keys := arrayKeys{}
	for _, o := range p.Objects() {
		switch {
		case o.Table():
		case o.Param == nil:
			array, part := d.array(keys.next(o.Array), o.Array, 0)
			if part != nil {
				in.Views[len(in.Objects)] = *part
			}
			in.Objects = append(in.Objects, array)
		case s.args[o.Index].kind == fromSlots:
			in.Objects = append(in.Objects, d.slots)
		case s.args[o.Index].kind == fromControl:
			in.Objects = append(in.Objects, d.control)
		default:
			g := &d.bindings[s.args[o.Index].binding]
			if g.part {
				in.Views[len(in.Objects)] = build.View{Base: d.U32(g.base), Len: d.U32(g.length)}
			}
			field := 0
			if o.Field != nil {
				field = fieldIndex(o)
			}
			in.Objects = append(in.Objects, d.objects[g.parameter][field])
		}
	}
	d.At(ir.Pos{File: fmt.Sprintf("wave %d", s.id)})
	d.Inline(p, in)
	d.At(ir.Pos{})
}

// bindDrain looks into the drain of a plan's wave: its ranges become bindings, and parameters of the programs.
func (p *Plan) bindDrain(b *binder) error {
	of, err := p.drainable()
	if err != nil {
		return err
	}
	p.threads = uint32(of.Drain.Program.GroupSize())
	d := of.Drain
	params := d.Program.Params()
	path := fmt.Sprintf("wave %d, drain %s", of.id, d.Program.Name())
	wrong := func(msg string) error {
		return problem(p.dev, driver.InvalidArgument, "drain", of.id, path, msg, "pass a range or a scalar a parameter, Slots{} for a []uint64, Control{} for a []uint32")
	}
	if len(params) != len(d.Args) {
		return wrong(fmt.Sprintf("it has %d arguments for %d parameters", len(d.Args), len(params)))
	}
	s := &step{Wave: of.Wave, id: of.id, length: -1}
	queue := 0
	for k, a := range d.Args {
		q := &params[k]
		from := source{}
		switch a.(type) {
		case Slots:
			if !q.IsBuffer() || q.Type != ir.U64 {
				return wrong("slots are a buffer of u64, argument " + q.Name + " is " + describe(q))
			}
			from.kind, queue = fromSlots, queue+1
		case Control:
			if !q.IsBuffer() || q.Type != ir.U32 {
				return wrong("control words are a buffer of u32, argument " + q.Name + " is " + describe(q))
			}
			from.kind, queue = fromControl, queue+1
		case driver.Range, driver.Scalar:
			from = b.source(s, q, a)
		default:
			return wrong(fmt.Sprintf("argument %s is a %T", q.Name, a))
		}
		s.args = append(s.args, from)
	}
	if queue != 2 {
		return wrong(fmt.Sprintf("it has %d of Slots{} and Control{}", queue))
	}
	b.overlaps() // with those of the waves, too
	if len(b.found) > 0 {
		return b.found
	}
	for _, t := range touchedBy(d.Program, s.args) {
		g := &b.bindings[t.binding]
		g.lanes = max(g.lanes, t.lanes)
	}
	p.drain = s
	return nil
}

// statesThreads reports whether some wave that runs once is made for groups of one size.
func (p *Plan) statesThreads() bool {
	for _, f := range []Phase{Before, After} {
		for _, waves := range p.phases[f].steps {
			for _, s := range waves {
				if !s.items {
					return true
				}
			}
		}
	}
	return false
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
	case !d.Program.Traits().Resident:
		return refuse(s.id, path, fmt.Sprintf("its drain %s is no cooperative kernel, so nobody promises that all its groups run at once", d.Program.Name()), "let it call arcs.Drain")
	case d.Program.GroupSize() > arcs.MaxThreads:
		return refuse(s.id, path, fmt.Sprintf("its drain %s has groups of %d, at most %d are possible", d.Program.Name(), d.Program.GroupSize(), arcs.MaxThreads), "compile it for smaller groups")
	case p.statesThreads() && uint32(d.Program.GroupSize()) != p.threads:
		return refuse(s.id, path, fmt.Sprintf("its drain %s has groups of %d, and waves beside it have %d", d.Program.Name(), d.Program.GroupSize(), p.threads), "compile them for one size")
	case d.Slots == 0 || d.Slots >= 1<<32:
		return refuse(s.id, path, fmt.Sprintf("its drain has %d slots", d.Slots), "ask arcs.Slots, and split a graph that needs more than 1<<32")
	case !p.dev.Caps().GridBarrier:
		return refuse(s.id, path, "the device has no cooperative launches", "choose a topology that launches rounds")
	}
	return s, nil
}

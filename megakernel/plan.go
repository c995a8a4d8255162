package megakernel

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/internal/spans"
	"github.com/govyre/vyre/ir"
)

// Plan is a set of waves made ready to run to a fixed point.
type Plan struct {
	dev driver.Device
	o   Options
	frame
	steps     []step
	blocks    uint32
	deps      []Dependency
	anyRounds bool           // nobody asked for a number of rounds, or a budget
	drain     *step          // the arguments of the wave's drain, in that topology
	id        *plan.Identity // for a cache; nil until it is asked for

	temps                 map[int]*temp
	arenaBytes, tempBytes uint64
	rows                  int    // of the largest program
	choice                string // why Auto took the topology, if it went by evidence or costs

	offered   []plan.Offered // passes that the plan could have
	tailFree  bool           // the caller did not say when one block goes on alone
	planning  time.Duration  // that New took
	projected uint64         // nanoseconds that a run is expected to take, if that was chosen by evidence
	begun     *History       // that its runs were last taken into
	whole     bool           // the last run began with round 0

	runner
	next    uint32 // the round that Resume begins with; 0 if there is nothing to go on with
	last    driver.Result
	seqs    []*driver.Sequence
	closers []interface{ Close() error }
}

// runner runs rounds from round up to limit; last is the limit of the last slice.
type runner interface {
	run(ctx context.Context, round, limit, last uint32) (driver.Result, error)
	record() []byte // that the run left
}

func noDevice(op, label string) error {
	return &driver.Error{Op: op, Label: label, Kind: driver.InvalidArgument, Msg: "the device is nil", Fix: "open one: device cpu is there on every machine"}
}

// New checks waves and makes a plan of them for a device. Waves that the dependencies leave free of
// each other run between the same two barriers. The plan holds its kernels and its control words
// until Close; the memory that the waves use is the caller's.
func New(ctx context.Context, dev driver.Device, waves []Wave, deps []Dependency, o Options) (*Plan, error) {
	if dev == nil {
		return nil, noDevice("plan", o.Label)
	}
	if found := o.check(dev); len(found) > 0 {
		return nil, found
	}
	begin := time.Now()
	p := &Plan{dev: dev, o: o.settled(), deps: deps, anyRounds: o.MaxRounds == 0 && o.SliceRounds == 0 && o.Budget == 0, tailFree: o.Tail == TailAuto}
	b, err := bind(dev, p.o.Label, waves)
	if err != nil {
		return nil, err
	}
	if p.phases, err = b.layer(deps, p.o.Budget); err != nil {
		return nil, err
	}
	p.steps = b.steps
	if p.threads, err = b.threads(p.o.Threads); err != nil {
		return nil, err
	}
	if err := p.arrange(ctx, b, o.PollRounds == 0); err != nil {
		p.Close() // whose error would hide the cause
		return nil, err
	}
	p.traced, p.plan = spans.On(dev.Caps()), p.inTimelines()
	made := p.launchedForm
	switch p.o.Topology {
	case Cooperative:
		made = p.cooperative
	case Drained:
		made = p.drained
	}
	if p.runner, err = made(ctx); err != nil {
		p.Close() // whose error would hide the cause
		return nil, err
	}
	p.planning = time.Since(begin)
	return p, nil
}

// inTimelines is what the plan is called there.
func (p *Plan) inTimelines() string {
	if p.o.Topology == Cooperative && p.enter() == 0 {
		return fmt.Sprintf("%s (%v, no tail)", p.o.Label, p.o.Topology)
	}
	return fmt.Sprintf("%s (%v)", p.o.Label, p.o.Topology)
}

// arrange gives temps their memory, settles the topology, and makes the parameters of the programs.
func (p *Plan) arrange(ctx context.Context, b *binder, freePoll bool) error {
	all := b.live(&p.phases)
	a, err := b.arena(all, p.o.Budget)
	if err != nil {
		return err
	}
	if a.Bytes > 0 {
		memory, err := p.alloc(int64(a.Bytes), "arena")
		if err != nil {
			return err
		}
		if err := p.zero(ctx, memory); err != nil {
			return err
		}
		b.place(a, memory)
	}
	p.temps, p.arenaBytes = b.temps, a.Bytes
	for _, m := range b.order {
		p.tempBytes += uint64(m.Bytes)
	}
	p.offered = p.offers(b)
	if p.o.Topology == Auto {
		if err := p.choose(ctx, b, a.Bytes, freePoll); err != nil {
			return err
		}
	}
	if p.o.Topology == Drained {
		if err := p.bindDrain(b); err != nil {
			return err
		}
	}
	rows := p.bodies(p.o.Topology)
	if p.params, err = b.parameters(rows > p.o.MaxRows || len(b.bindings) > maxBindings); err != nil {
		return err
	}
	p.bindings = b.bindings
	if rows <= p.o.MaxRows {
		return nil
	}
	if err := p.shareBodies(ctx); err != nil {
		return err
	}
	if rows = p.bodies(p.o.Topology); rows > p.o.MaxRows {
		return problem(p.dev, driver.InvalidArgument, "F13", -1, "", fmt.Sprintf("the waves make programs of %d rows, though those of one program share a body, and at most %d are allowed", rows, p.o.MaxRows),
			"raise Options.MaxRows and wait longer for the assembler, or make plans of fewer waves")
	}
	return nil
}

// bodies is how many rows the bodies of the waves have, as often as they are written: one block that goes on
// alone has bodies of its own.
func (p *Plan) bodies(t Topology) int {
	n := p.phases[Before].rows() + p.phases[EveryRound].rows() + p.phases[After].rows()
	if t == Cooperative && p.o.Tail != TailNever {
		if s := p.lonely(); s != nil {
			return n + s.stay.Program.Rows()
		}
		n += p.phases[EveryRound].rows()
	}
	return n
}

// shareBodies makes waves of one program share a body, with the table of what they differ in.
func (p *Plan) shareBodies(ctx context.Context) error {
	var words []uint32
	for f := range p.phases {
		if g := &p.phases[f]; len(g.steps) > 0 {
			words = g.share(&p.frame, words)
		}
	}
	host := make([]byte, 4*len(words))
	for k, v := range words {
		binary.LittleEndian.PutUint32(host[4*k:], v)
	}
	table, err := p.alloc(int64(len(host)), "table of waves")
	if err != nil {
		return err
	}
	p.tabled = true
	p.params = append(p.params, parameter{driver.All(table), ir.Param{Name: "waves", Type: ir.U32, Access: ir.RO, Align: 2, MaxLen: ir.DefaultMaxLen}})
	return driver.Write(ctx, driver.All(table), host)
}

// Memory returns the range of a temp that is kept, and whether there is one with the ID. It is open until Close.
func (p *Plan) Memory(id int) (driver.Range, bool) {
	t, ok := p.temps[id]
	if !ok || !t.Kept {
		return driver.Range{}, false
	}
	return t.Range, true
}

// threads is the size of a block: what workgroup waves have, who must agree, or what is asked for.
func (b *binder) threads(want uint32) (uint32, error) {
	var stated *step
	for _, s := range b.forms() {
		if s.items {
			continue
		}
		size := s.Program.Workgroup()
		switch n := size[0]; {
		case size[1] != 1 || size[2] != 1:
			b.refuse("F3", s.id, "", fmt.Sprintf("its workgroups are %d×%d×%d, and waves have one axis", size[0], size[1], size[2]), "number invocations along x")
		case want != 0 && n != want:
			b.refuse("F3", s.id, "", fmt.Sprintf("its workgroups have %d invocations, the block %d", n, want), "leave Options.Threads out, or compile the wave for that size")
		case stated != nil && n != stated.Program.Workgroup()[0]:
			b.refuse("F3", s.id, "", fmt.Sprintf("its workgroups have %d invocations, those of wave %d %s have %d", n, stated.id, stated.Program.Name(), stated.Program.Workgroup()[0]),
				"compile both for one size")
		case stated == nil:
			stated = s
		}
		switch t := s.Program.Traits(); {
		case t.GridBarrier:
			b.refuse("F2", s.id, "", "it has a barrier of the grid", "split it there into two waves with a dependency")
		case t.Resident:
			b.refuse("F2", s.id, "", "it asks for all its groups at once, which those of a wave are not", "let no group wait for another, or give the wave a Drain")
		}
	}
	switch {
	case len(b.found) > 0:
		return 0, b.found
	case want != 0:
		return want, nil
	case stated != nil:
		return stated.Program.Workgroup()[0], nil
	}
	return defaultThreads, nil
}

// alloc allocates memory that the plan closes.
func (p *Plan) alloc(bytes int64, label string) (driver.Buffer, error) {
	b, err := p.dev.Alloc(bytes, driver.AllocOptions{Label: p.o.Label + " " + label})
	if err == nil {
		p.closers = append(p.closers, b)
	}
	return b, err
}

// zero fills memory of the plan with zeros, which is no upload.
func (p *Plan) zero(ctx context.Context, b driver.Buffer) error {
	s := p.sequence("zero")
	s.Fill(driver.All(b), 0, 1)
	_, err := s.Run(ctx)
	return err
}

// sequence makes a sequence that the plan closes.
func (p *Plan) sequence(what string) *driver.Sequence {
	s := p.dev.NewSequence(p.o.Label + " " + what)
	p.closers, p.seqs = append(p.closers, s), append(p.seqs, s)
	return s
}

// forms lists the waves, each with its form for one block alone.
func (b *binder) forms() (all []*step) {
	for k := range b.steps {
		s := &b.steps[k]
		if all = append(all, s); s.stay != nil {
			all = append(all, s.stay)
		}
	}
	return all
}

// Run runs rounds, from round 0 on, until one leaves nothing to be done or the rounds allowed are spent, and returns the
// record. Whatever an earlier call came to is over: what it left under way on the device is waited for first. What the
// waves keep in memory stays as that left it, so waves that do not set it themselves, before the rounds, need it brought back.
//
// A context that ends between two slices stops the run there; one that ends within a slice gives the run up.
func (p *Plan) Run(ctx context.Context) (Record, error) {
	p.next = 0
	if err := p.Settle(ctx); err != nil {
		return Record{}, p.stopped(err)
	}
	return p.slices(ctx)
}

// Settle waits for what a run left under way on the device, as Run does first; for whoever uses the memory of the waves
// in between.
//
// Errors: Canceled, if ctx ends before.
func (p *Plan) Settle(ctx context.Context) error {
	for _, s := range p.seqs {
		if err := s.Settle(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Resume goes on where the last call stopped between two slices: its rounds were spent, or its context ended there. The
// record covers both.
//
// Errors: those of Run; InvalidArgument if there is no such place, since the last run converged, failed, or was left within a
// slice, so that nobody knows how many rounds were done.
func (p *Plan) Resume(ctx context.Context) (Record, error) {
	if p.next == 0 {
		return Record{}, p.refuse(driver.InvalidArgument, "no run stopped between two slices, so there is nothing to go on with", "call Run, which begins with round 0", nil)
	}
	return p.slices(ctx)
}

// slices runs rounds from the next one on. Only where it stops between two of them is there a next one afterwards.
func (p *Plan) slices(ctx context.Context) (Record, error) {
	begin := p.next
	p.whole = begin == 0
	last := begin + p.o.MaxRounds
	if last < begin {
		return Record{}, p.refuse(driver.InvalidArgument, fmt.Sprintf("%d rounds are done, and %d more do not fit 32 bits", begin, p.o.MaxRounds), "call Run, which begins with round 0, or allow fewer rounds", nil)
	}
	for {
		at := p.next
		switch err := ctx.Err(); {
		case err != nil && at == 0:
			return Record{}, p.refuse(driver.Canceled, err.Error()+" before anything was started", "", err)
		case err != nil:
			return Record{}, p.refuse(driver.Canceled, fmt.Sprintf("%v; %d rounds are done", err, at), "Resume goes on there", err)
		case p.closers == nil:
			return Record{}, p.refuse(driver.Closed, "the plan is closed", "make another one", nil)
		}
		limit := min(last, at+p.o.SliceRounds)
		p.next = 0
		part, err := p.run(ctx, at, limit, last)
		if at > begin {
			part = together(p.last, part)
		}
		p.last = part
		if err != nil {
			return Record{}, p.stopped(err)
		}
		rec, err := decode(p.dev, p.o.Label, p.record())
		if err != nil || rec.Status == Converged {
			return rec, err
		}
		if p.next = rec.Rounds; p.next >= last {
			return rec, nil
		}
	}
}

// stopped is the error of a run that was left within a slice, where that is what it is: whose advice is for who has the
// sequence.
func (p *Plan) stopped(err error) error {
	var e *driver.Error
	if !errors.As(err, &e) || e.Kind != driver.Canceled {
		return err
	}
	return p.refuse(driver.Canceled, fmt.Sprintf("%v; the device may go on with the rounds that it has", e.Err), "bring back what the waves do not set themselves, and call Run, which waits for it", err)
}

func (p *Plan) refuse(kind driver.Kind, msg, fix string, cause error) error {
	return &driver.Error{Op: "run", Label: p.o.Label, Device: p.dev.Name(), Kind: kind, Msg: msg, Fix: fix, Err: cause}
}

// Result returns what the device says about the last run: times, traces and findings of all its
// slices. Device time is there if every slice has it.
func (p *Plan) Result() driver.Result { return p.last }

// Topology returns who drives the rounds.
func (p *Plan) Topology() Topology { return p.o.Topology }

// Explain says what was decided, one line each, the same for equal waves.
func (p *Plan) Explain() string {
	var s strings.Builder
	for _, f := range []Phase{Before, EveryRound, After} {
		for k, waves := range p.phases[f].steps {
			fmt.Fprintf(&s, "group %v %d:", f, k)
			for _, w := range waves {
				form := "items"
				if !w.items {
					form = "workgroups"
				}
				fmt.Fprintf(&s, " %d %s (%s, %v)", w.id, w.Program.Name(), form, w.Domain)
			}
			s.WriteByte('\n')
		}
	}
	for _, f := range []Phase{Before, EveryRound, After} {
		if g := p.phases[f].shared; g != nil {
			fmt.Fprintf(&s, "bodies %v: %d for %d waves\n", f, len(g.casts), p.phases[f].waves())
		}
	}
	p.explainOrder(&s)
	if p.arenaBytes > 0 {
		fmt.Fprintf(&s, "arena: %d bytes for %d of temps\n", p.arenaBytes, p.tempBytes)
	}
	fmt.Fprintf(&s, "topology %v: %d blocks of %d threads, %d rows at most, slices of %d rounds, at most %d\n", p.o.Topology, p.blocks, p.threads, p.rows, p.o.SliceRounds, p.o.MaxRounds)
	s.WriteString(p.choice)
	return s.String()
}

// Close closes what the plan made. The memory of the waves stays.
func (p *Plan) Close() error {
	var first error
	for k := len(p.closers) - 1; k >= 0; k-- {
		if err := p.closers[k].Close(); err != nil && first == nil {
			first = err
		}
	}
	if first == nil {
		p.closers = nil
	}
	return first
}

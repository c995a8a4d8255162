package device

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device/internal/saturation"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/megakernel"
)

// Saturation is e-graphs on a device with the rules that saturate them.
type Saturation struct {
	dev     vyre.Device
	in      input
	symbols *symbols
	store   store
	plan    *megakernel.Plan
	made    *commands

	reports []driver.Report // of the last run
}

// Outcome is what the saturation of a graph came to. It is the same on every device.
type Outcome struct {
	driver.Timing
	egraph.Report              // Rounds and Stopped; a device does not count the others
	Rows, Classes int          // that are left, as a graph counts them, but for classes without rows
	Terms         *egraph.Term // the cheapest trees of the classes; nil if none were asked for
}

// OpenSaturation prepares graphs and rules for a device: Run saturates the graphs there, each by itself, and extracts
// the cheapest terms of classes of each. The graphs are closed, and must stay as they are until Close: a Run in which
// constants become equal reads them again. Limits are of each graph. Rows, Rounds and Goal are looked at after each
// round, and Matches is not a limit of a device. Costs are asked about heads of the first graph, which numbers them, and all
// constants of a type cost the same. Among terms of one cost the least wins, by head, then by children in order.
//
// Errors: InvalidArgument, with the rule, the class or the value, for what cannot be; OutOfMemory, with the bytes.
func OpenSaturation(ctx context.Context, dev vyre.Device, list []*rules.Rule, limits egraph.Limits, by egraph.Costs,
	graphs []*egraph.Graph, classes ...[]egraph.Class) (s *Saturation, err error) {
	if dev == nil || len(graphs) == 0 || len(graphs) > 1<<saturation.TagBits || len(classes) > len(graphs) {
		return nil, refused("saturate", "no device, or %d graphs with classes of %d; from 1 to %d are possible",
			len(graphs), len(classes), 1<<saturation.TagBits)
	}
	s = &Saturation{dev: dev, in: input{graphs: graphs, classes: classes, list: list, limits: limits}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
			s = nil
		}
	}()
	if err := s.in.bounds(); err != nil {
		return s, err
	}
	first := newSymbols(func(h egraph.HeadInfo, kids int) uint64 { return price(graphs[0], by, h, kids) })
	if _, _, err = s.in.encode(first); err != nil {
		return s, err
	}
	s.symbols = first.sorted()
	r, shapes, err := s.in.encode(s.symbols)
	if err != nil {
		return s, err
	}
	if len(s.symbols.of) > saturation.MaxHeads {
		return s, refused("saturate", "%d heads, at most %d are possible", len(s.symbols.of), saturation.MaxHeads)
	}
	if err := s.store.lay(r, len(graphs), s.in.limits.Rows); err != nil {
		return s, err
	}
	s.store.fill(r)
	if s.store.memory, err = dev.Alloc(4*s.store.words, driver.AllocOptions{Label: label + ", saturation"}); err != nil {
		return s, err
	}
	return s, s.prepare(ctx, shapes)
}

// prepare makes the plan and the commands.
func (s *Saturation) prepare(ctx context.Context, shapes []*shape) error {
	w := &rounds{store: &s.store}
	w.make(s.symbols, shapes, len(s.in.graphs), s.in.limits, slices.ContainsFunc(s.in.list, asks))
	if w.err != nil {
		return w.err
	}
	o := megakernel.Options{Label: label + ", saturation", MaxRounds: math.MaxInt32, Tail: megakernel.TailNever,
		MaxRows: 1 << 17}
	if s.dev.Caps().GridBarrier {
		o.Topology = megakernel.Cooperative
	}
	if s.store.slots > many {
		o.Blocks = megakernel.AllBlocks
	}
	var err error
	if s.plan, err = megakernel.New(ctx, s.dev, w.list, w.dependencies(), o); err != nil {
		return err
	}
	m := &s.store
	s.made = &commands{first: s.dev.NewSequence(label + ", saturation")}
	s.made.first.Upload(driver.Part(m.memory, 0, 4*int64(len(m.upload))), vyre.Bytes(m.upload), driver.Always)
	terms := driver.Part(m.memory, 4*m.at[wanted], 4*int64(len(m.read)))
	return s.made.finish(s.dev, s.plan, label+", terms", terms, vyre.Bytes(m.read))
}

// Run uploads the graphs, saturates them in one launch where the device has barriers of the grid, and reads the terms.
//
// Errors: for each graph an *egraph.Error if rules made two of its constants equal, beside the outcomes of the others;
// OutOfMemory if a round makes more rows than the table has room for; those of a device. A later Run begins anew.
func (s *Saturation) Run(ctx context.Context) (all []Outcome, err error) {
	if s == nil || s.made == nil {
		return nil, refused("saturate", "the saturation is closed")
	}
	if err := s.made.settle(ctx); err != nil {
		return nil, err
	}
	var took driver.Timing
	if took, s.reports, err = s.made.run(ctx); err != nil {
		return nil, err
	}
	if err := s.room(); err != nil {
		return nil, err
	}
	d, err := newDecoder(s.symbols, &s.store)
	if err != nil {
		return nil, err
	}
	all = make([]Outcome, len(s.in.graphs))
	roots := s.store.found(wanted)
	for n := range all {
		all[n].Timing = took
		err = errors.Join(err, s.in.of(n, s.outcome(&all[n], n, d, roots)))
		roots = roots[len(s.in.wanted(n)):]
	}
	return all, err
}

// room is the error of a run in which the table became full.
func (s *Saturation) room() error {
	h, bytes := s.store.found(headers), 4*s.store.words
	if h[saturation.Failed] == 0 {
		return nil
	}
	return &driver.Error{Op: "saturate", Label: label, Device: s.dev.Name(), Kind: driver.OutOfMemory,
		Requested: 2 * bytes, Available: bytes, Msg: fmt.Sprintf("a table of %d slots, in %d bytes, became full in round %d",
			h[saturation.Slots], bytes, h[saturation.Searches]), Fix: "raise the limit of rows, which the table goes by"}
}

// outcome takes what a graph came to. The first of the roots are those of its classes.
func (s *Saturation) outcome(r *Outcome, n int, d *decoder, roots []uint32) (err error) {
	word := s.store.found(graphs)[n*saturation.GraphWords:]
	r.Rounds, r.Rows, r.Classes = int(word[saturation.Rounds]), int(word[saturation.Rows]), int(word[saturation.Classes])
	switch word[saturation.Status] {
	case saturation.Conflict:
		return s.in.conflict(n, r.Rounds)
	case saturation.RowLimit:
		r.Stopped = "limit of rows"
	case saturation.RoundLimit:
		r.Stopped = "limit of rounds"
	case saturation.Goal:
		r.Stopped = "goal"
	}
	if classes := s.in.wanted(n); len(classes) > 0 {
		r.Terms, err = d.terms(classes, roots)
	}
	return err
}

// Close gives everything back.
func (s *Saturation) Close() (err error) {
	if s == nil {
		return nil
	}
	if s.made != nil {
		_ = s.made.settle(context.Background()) // whatever came of it
		err = s.made.close()
		s.made = nil
	}
	if s.plan != nil {
		err = errors.Join(err, s.plan.Close())
		s.plan = nil
	}
	if s.store.memory != nil {
		err = errors.Join(err, s.store.memory.Close())
		s.store.memory = nil
	}
	return err
}

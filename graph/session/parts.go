package session

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/little"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
)

// parts is a graph whose arcs are not on the device all at once, or are more than kernels count. Its rows are cut into parts. What
// is reached stays on the device; a part is put there when a search has nodes to go on from in it, into a slot that another part
// may have been in, and the next one while the search is at it.
type parts struct {
	*analysis
	*laidOut
	programs waves.Parts
	cache    *megakernel.Cache
	slots    partSlots

	reached, done, open, front driver.Buffer // a bit a node: see waves.OpenPart; open is what was reached when a level began
	scratch
	labels driver.Buffer // levels, or labels of components
	partTables
	partPlans
	lanes partLanes
	near  *native // answers questions about few rows; nil before the first
}

// partTables are the offsets of all nodes, where parts are cut, and how many nodes of each a search goes on from.
type partTables struct{ starts, cut, counts driver.Buffer }

// partPlans are those that need no part.
type partPlans struct{ count, own, flatten, top *megakernel.Plan }

// openParts prepares searches of a graph in parts.
func openParts(ctx context.Context, s *runner, l *laidOut) (*parts, error) {
	p := &parts{analysis: s.analysis("parts"), laidOut: l, cache: megakernel.NewCache(s.dev, 0), slots: partSlots{s: s, l: l, rows: rowsOf(s.g)}}
	err := p.allocate()
	if err == nil {
		err = p.begin(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	s.keep(p)
	s.coming = &p.slots
	return p, nil
}

// allocate has memory for what stays, and for the slots.
func (p *parts) allocate() error {
	s := p.s
	n, words := int64(s.g.Nodes()), 4*int64(s.words())
	_, offsetBytes := p.slots.rows.starts()
	for _, w := range []wanted{
		{&p.reached, words, "reached"}, {&p.done, words, "done"}, {&p.open, words, "open"}, {&p.front, words, "front"}, {&p.list, 8 * n, "list"},
		{&p.lengths, 12, "lengths"}, {&p.filter, 4, "filter"}, {&p.labels, 4 * n, "labels"}, {&p.starts, int64(offsetBytes) * (n + 1), "offsets"},
		{&p.cut, 4 * int64(len(p.cuts)), "cuts"}, {&p.counts, 4 * int64(p.parts()), "counts"},
	} {
		p.want(w.to, w.bytes, w.label)
	}
	p.wantLanes()
	for range p.held {
		t := &partSlot{in: &p.slots, part: -1}
		p.want(&t.visit, 4*waves.VisitWords, "visit")
		p.want(&t.offsets, 4*(n+1), "offsets of a part")
		p.want(&t.targets, 4*int64(max(p.most, 1)), "targets of a part")
		if s.g.Masks() != nil {
			p.want(&t.masks, 4*int64(max(p.most, 1)), "masks of a part")
		}
		p.slots.list = append(p.slots.list, t)
	}
	p.bytes = p.need // control words are in it, too
	return p.analysis.open()
}

// begin uploads what stays, and plans what no slot has a part in.
func (p *parts) begin(ctx context.Context) (err error) {
	s := p.s
	if p.programs, err = waves.UnpackParts(s.g.Masks() != nil, s.g.WideOffsets() != nil, p.laidOut.lanes > 32); err != nil {
		return err
	}
	starts, _ := p.slots.rows.starts()
	s.moved.uploaded += uint64(len(starts))
	if err = upload(ctx, s.g, p.starts, 0, starts); err != nil {
		return err
	}
	if err = p.s.write(ctx, driver.All(p.cut), little.Bytes(p.cuts)); err != nil {
		return err
	}
	all := megakernel.Fixed(uint32(s.g.Nodes()))
	for _, m := range []struct {
		to   **megakernel.Plan
		wave megakernel.Wave
	}{
		{&p.count, megakernel.Wave{Program: p.programs.Count, Domain: megakernel.Fixed(uint32(s.words())), Args: ranges(p.cut, p.reached, p.done, p.counts)}},
		{&p.own, megakernel.Wave{Program: p.programs.Own, Domain: all, Args: ranges(p.labels)}},
		{&p.flatten, megakernel.Wave{Program: p.programs.Compress, Domain: all, Args: ranges(p.labels)}},
		{&p.top, megakernel.Wave{Program: p.programs.Sources, Domain: s.nodeDomain(), Args: ranges(p.list, p.reached)}},
	} {
		if *m.to, err = p.planned([]megakernel.Wave{m.wave}, nil, 0); err != nil {
			return err
		}
	}
	for _, t := range p.slots.list {
		wave := megakernel.Wave{Program: p.programs.Window, Domain: megakernel.Fixed(uint32(s.g.Nodes() + 1)), Args: ranges(t.visit, p.starts, t.offsets)}
		if t.window, err = p.planned([]megakernel.Wave{wave}, nil, 0); err != nil {
			return err
		}
	}
	return p.planLanes()
}

func ranges(buffers ...driver.Buffer) (args []driver.Arg) {
	for _, b := range buffers {
		args = append(args, driver.All(b))
	}
	return args
}

// planned makes a plan of at most so many rounds, or of any.
func (p *parts) planned(waves []megakernel.Wave, deps []megakernel.Dependency, rounds uint32) (*megakernel.Plan, error) {
	m, err := megakernel.New(context.Background(), p.s.dev, waves, deps, megakernel.Options{Label: p.s.o.Label + " parts", Topology: p.s.inRounds(), Blocks: p.s.o.size.blocks, MaxRounds: rounds, Cache: p.cache})
	if err == nil {
		p.closers = append(p.closers, m)
	}
	return m, err
}

// Close gives back what the parts have, after what is on its way has come.
func (p *parts) Close() error {
	err := errors.Join(p.slots.wait(), p.analysis.Close())
	p.cache.Close()
	return err
}

// begun is the state before a search: nothing is done yet, of what is reached.
func (p *parts) begun(ctx context.Context, reached []uint32, filter uint32) error {
	err := p.s.write(ctx, driver.All(p.reached), little.Bytes(reached))
	if err == nil {
		err = p.s.write(ctx, driver.All(p.filter), binary.LittleEndian.AppendUint32(nil, filter))
	}
	if err != nil {
		return err
	}
	return p.recorded(ctx, "begin", func(q *driver.Sequence) {
		q.Fill(driver.All(p.done), 0, 4)
		q.Fill(driver.All(p.labels), math.MaxUint32, 4)
	})
}

// recorded runs some commands once.
func (p *parts) recorded(ctx context.Context, what string, record func(*driver.Sequence)) error {
	q := p.s.dev.NewSequence(p.s.o.Label + " parts, " + what)
	record(q)
	_, err := q.Run(ctx)
	return errors.Join(err, q.Close())
}

// active returns the parts in which a search has to go on, those that are on the device first.
func (p *parts) active(ctx context.Context) (list []int, err error) {
	if err = p.recorded(ctx, "count", func(q *driver.Sequence) { q.Fill(driver.All(p.counts), 0, 4) }); err != nil {
		return nil, err
	}
	if _, err = p.s.finish(ctx, p.count); err != nil {
		return nil, err
	}
	counts, err := p.s.readWords(ctx, driver.All(p.counts))
	for k, n := range counts {
		if n > 0 {
			list = append(list, k)
		}
	}
	p.slots.order(list)
	return list, err
}

// partLanes is what it takes to search a graph in parts for several queries together: a word of lanes a node, which stays on the
// device, and the round of a visit in which a node was listed, by which it is known what has to be gone on from in other parts.
type partLanes struct {
	seen, queued, staged, turn, counts driver.Buffer
	nowhere                            driver.Buffer // the visit of no part
	stage                              stage
	seed, answer                       *megakernel.Plan // make sets of seeds, and the set of a lane
}

// wantLanes counts their memory, if there is to be any.
func (p *parts) wantLanes() {
	s, lanes, l := p.s, p.laidOut.lanes, &p.lanes
	if lanes == 1 {
		return
	}
	seen, queued := s.laneBytes(lanes)
	p.want(&l.seen, seen, "lanes")
	p.want(&l.queued, queued, "queued")
	p.want(&l.staged, 4*int64(lanes*s.stride), "queries")
	p.want(&l.turn, 4, "turn")
	p.want(&l.counts, 4*int64(lanes), "counts of lanes")
	p.want(&l.nowhere, 4*waves.VisitWords, "no visit")
	l.stage = stage{s.resident, make([]byte, 4*lanes*s.stride)}
}

// closeLanes takes what was listed out of the queue.
func (p *parts) closeLanes(visit driver.Buffer, phase megakernel.Phase) megakernel.Wave {
	return megakernel.Wave{Program: p.programs.Lanes.Close, Phase: phase, Domain: p.s.nodeDomain(), Args: ranges(visit, p.lanes.queued, p.reached, p.done)}
}

// planLanes plans what is done before visits, and after them.
func (p *parts) planLanes() (err error) {
	if p.laidOut.lanes == 1 {
		return nil
	}
	s, l, programs := p.s, &p.lanes, p.programs.Lanes
	seed := append([]driver.Arg{driver.U32(uint32(s.stride))}, ranges(l.turn, l.staged, l.seen, l.queued, p.list, p.lengths, p.filter)...)
	l.seed, err = p.planned([]megakernel.Wave{
		{Program: programs.Seed, Phase: megakernel.Before, Domain: s.seedDomain(), Args: seed},
		p.closeLanes(l.nowhere, megakernel.EveryRound),
	}, nil, 0)
	if err == nil {
		l.answer, err = p.planned([]megakernel.Wave{
			{Program: programs.Answer, Domain: s.nodeDomain(), Args: ranges(l.turn, l.seen, p.front, l.counts)},
			{Program: programs.Next, Phase: megakernel.After, Domain: megakernel.Fixed(1), Args: ranges(l.turn)},
		}, nil, 0)
	}
	return err
}

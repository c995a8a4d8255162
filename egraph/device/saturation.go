package device

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device/internal/saturation"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/rules"
)

// place is a column of a saturation.
type place int

// The columns, in their order in memory. What is uploaded lies together, to the headers, and what is read, from wanted
// on.
const (
	headBits   place = iota
	headCosts        // two words
	givenClass       // rows of the graphs
	givenTag         // their graphs
	givenKey         // two words
	wanted           // classes whose terms are extracted
	headers
	graphs     // words of each
	foundClass // rows of the terms
	foundKey
	counters
	keys // the table, two words a slot
	nodes
	stamp
	root
	count
	end
	constant
	list
	listKeys
	cost
	chosen
	places
)

// maxFound is how many rows the extracted terms may have.
const maxFound = 1 << 14

// perRow is how many slots the table has for a row that the limit allows: most rows that a round makes are dead after
// it. leastSlots is how many it has at least. Tests change both.
var perRow, leastSlots int64 = 16, 1 << 12

// Saturation is e-graphs on a device with the rules that saturate them.
type Saturation struct {
	dev     vyre.Device
	graphs  []*egraph.Graph
	list    []*rules.Rule
	limits  egraph.Limits
	classes [][]egraph.Class
	symbols *symbols

	rows   uint32 // that are uploaded
	slots  uint32
	at     [places]int64 // in words
	len    [places]int64
	words  int64
	upload []uint32
	read   []uint32
	memory driver.Buffer
	plan   *megakernel.Plan
	made   *commands

	reports []driver.Report
}

// Outcome is what the saturation of a graph came to. It is the same on every device.
type Outcome struct {
	driver.Timing
	egraph.Report              // Rounds and Stopped; a device does not count the others
	Rows, Classes int          // that are left, as a graph counts them
	Terms         *egraph.Term // the cheapest trees of the classes; nil if none were asked for
}

// OpenSaturation prepares graphs and rules for a device: Run saturates the graphs there, each by itself, and extracts
// the cheapest terms of classes of each. The graphs are closed, and change in no other way. Limits are of each graph.
// Rows and Rounds are looked at after each round, and Matches is not a limit of a device. Costs are asked about heads
// of the first graph, and all constants of a type cost the same. Among terms of one cost the least wins, by head, then
// by children in order.
//
// Errors: InvalidArgument, with the rule, the class or the value, for what cannot be; OutOfMemory, with the bytes.
func OpenSaturation(ctx context.Context, dev vyre.Device, list []*rules.Rule, limits egraph.Limits, by egraph.Costs,
	graphs []*egraph.Graph, classes ...[]egraph.Class) (s *Saturation, err error) {
	if dev == nil || len(graphs) == 0 || len(graphs) > 1<<saturation.TagBits || len(classes) > len(graphs) {
		return nil, refused("saturate", "no device, or %d graphs with classes of %d; from 1 to %d are possible", len(graphs), len(classes), 1<<saturation.TagBits)
	}
	s = &Saturation{dev: dev, graphs: graphs, list: list, limits: limits, classes: classes}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
			s = nil
		}
	}()
	if err := s.bounds(); err != nil {
		return s, err
	}
	first := newSymbols(func(h egraph.HeadInfo, kids int) uint64 { return price(graphs[0], by, h, kids) })
	if _, _, _, err = s.encode(first); err != nil {
		return s, err
	}
	s.symbols = first.sorted()
	r, asked, shapes, err := s.encode(s.symbols)
	if err != nil {
		return s, err
	}
	if len(s.symbols.of) > saturation.MaxHeads {
		return s, refused("saturate", "%d heads, at most %d are possible", len(s.symbols.of), saturation.MaxHeads)
	}
	if err := s.lay(r, asked); err != nil {
		return s, err
	}
	if s.memory, err = dev.Alloc(4*s.words, driver.AllocOptions{Label: label + ", saturation"}); err != nil {
		return s, err
	}
	return s, s.prepare(ctx, shapes)
}

// encode finds the rows of all graphs, the classes that are asked for and the shapes of the rules.
func (s *Saturation) encode(y *symbols) (r *rowsOf, asked []uint32, shapes []*shape, err error) {
	r = &rowsOf{symbols: y, seen: map[uint64]uint32{}}
	for n, g := range s.graphs {
		dense, err := s.graph(r, n, g)
		if err != nil {
			return nil, nil, nil, err
		}
		if n < len(s.classes) {
			for _, c := range s.classes[n] {
				asked = append(asked, dense[c])
			}
		}
	}
	shapes, err = y.shapes(s.list)
	return r, asked, shapes, err
}

// graph adds the rows of a graph, and returns the numbers of its classes.
func (s *Saturation) graph(r *rowsOf, n int, g *egraph.Graph) ([]uint32, error) {
	if g == nil {
		return nil, refused("saturate", "graph %d is nil", n)
	}
	if err := g.Rebuild(); err != nil {
		return nil, err
	}
	if n < len(s.classes) {
		for _, c := range s.classes[n] {
			if g.Find(c) == egraph.None {
				return nil, refused("saturate", "class %d is not there", c)
			}
		}
	}
	return r.graph(g, n)
}

// price is the cost of a head, as extraction on the host has it.
func price(g *egraph.Graph, by egraph.Costs, h egraph.HeadInfo, kids int) uint64 {
	cost := uint64(min(kids, 1))
	if by.Allow != nil && !by.Allow(g.Head(h)) {
		return math.MaxUint64 >> 1
	}
	if by.Of != nil {
		cost = max(min(by.Of(g.Head(h)), 1<<62), cost)
	}
	return cost
}

// bounds checks limits and classes, and puts defaults in place.
func (s *Saturation) bounds() error {
	l := &s.limits
	if l.Rows == 0 {
		l.Rows = 100_000
	}
	if l.Rounds == 0 {
		l.Rounds = 30
	}
	if l.Rows < 0 || l.Rounds < 0 || l.Rounds > saturation.When-2 || int64(l.Rows) > 1<<saturation.KidBits/perRow {
		return refused("saturate", "limits of %d rows and %d rounds, at most %d and %d are possible", l.Rows, l.Rounds, 1<<saturation.KidBits/perRow, saturation.When-2)
	}
	if l.Matches != 0 {
		return refused("saturate", "a limit of %d matches: how many a device tries depends on its timing", l.Matches)
	}
	return nil
}

// lay lays the columns out, and fills what is uploaded.
func (s *Saturation) lay(r *rowsOf, asked []uint32) error {
	n := int64(len(r.key))
	need := max(perRow*min(int64(s.limits.Rows)*int64(len(s.graphs)), 1<<saturation.KidBits/perRow), 4*(n+int64(r.next)), leastSlots)
	if need > 1<<saturation.KidBits {
		return refused("saturate", "%d rows, at most %d are possible", n, 1<<saturation.KidBits/8)
	}
	slots := power(need)
	s.rows, s.slots = uint32(n), uint32(slots)
	found := min(slots, maxFound)
	y := s.symbols
	s.len = [places]int64{headBits: int64(len(y.bits)), headCosts: 2 * int64(len(y.bits)), wanted: int64(max(1, len(asked))),
		givenTag: max(1, n), graphs: int64(len(s.graphs)) * saturation.GraphWords,
		givenClass: max(1, n), givenKey: max(2, 2*n), headers: saturation.HeaderWords, foundClass: found, foundKey: 2 * found,
		counters: saturation.CounterWords}
	for p := keys; p < places; p++ {
		s.len[p] = slots
	}
	for _, p := range []place{keys, listKeys, cost} {
		s.len[p] = 2 * slots
	}
	for p := range places {
		s.at[p] = s.words
		s.words += (s.len[p] + align - 1) / align * align
	}
	s.upload = make([]uint32, s.at[graphs]+s.len[graphs])
	s.read = make([]uint32, s.at[foundKey]+s.len[foundKey]-s.at[wanted])
	put := func(p place, i int, v uint64) {
		binary.NativeEndian.PutUint64(vyre.Bytes(s.upload[s.at[p]+2*int64(i):][:2]), v)
	}
	copy(s.upload[s.at[headBits]:], y.bits)
	for i, c := range y.costs {
		put(headCosts, i, c)
	}
	s.upload[s.at[wanted]] = saturation.None
	copy(s.upload[s.at[wanted]:], asked)
	copy(s.upload[s.at[givenClass]:], r.class)
	copy(s.upload[s.at[givenTag]:], r.tag)
	for i, k := range r.key {
		put(givenKey, i, k)
	}
	h := s.upload[s.at[headers]:]
	h[saturation.Act], h[saturation.Was] = saturation.Enter, r.next
	h[saturation.Slots] = uint32(min(slots, power(max(leastSlots, saturation.Roomy*n, 4*int64(r.next)))))
	return nil
}

// power is the least power of two that is not less.
func power(n int64) int64 { return 1 << bits.Len64(uint64(n-1)) }

// column is the range of a column.
func (s *Saturation) column(p place) driver.Arg {
	return driver.Part(s.memory, 4*s.at[p], 4*s.len[p])
}

// prepare makes the plan and the commands.
func (s *Saturation) prepare(ctx context.Context, shapes []*shape) error {
	w := &waves{}
	kernel := func(phase megakernel.Phase, program func() (*ir.Program, error), over megakernel.Domain, args ...any) {
		p, err := program()
		w.err = errors.Join(w.err, err)
		wave := megakernel.Wave{Program: p, Domain: over, Phase: phase}
		for _, a := range args {
			switch a := a.(type) {
			case place:
				wave.Args = append(wave.Args, s.column(a))
			case driver.Arg:
				wave.Args = append(wave.Args, a)
			}
		}
		w.list = append(w.list, wave)
	}
	u32 := driver.U32
	all, one := w.over(s.slots), megakernel.Fixed(1)
	kernel(megakernel.Before, saturation.BeginProgram, all, headers, keys, nodes, stamp, count, constant, counters)
	kernel(megakernel.Before, saturation.TakeProgram, w.over(max(1, s.rows)), u32(s.rows), headBits, givenClass, givenTag, givenKey,
		count, chosen, list, listKeys)
	each := megakernel.EveryRound
	kernel(each, saturation.EmptyProgram, all, headers, keys, nodes, stamp, root, constant, chosen, list)
	kernel(each, saturation.AnchorProgram, all, headers, keys, stamp, count, constant, counters)
	kernel(each, saturation.AdoptProgram, all, u32(s.rows), headers, headBits, keys, nodes, stamp, root, constant, wanted, chosen,
		list, listKeys, counters)
	kernel(each, saturation.CloseProgram, all, headers, headBits, keys, nodes, stamp, count, constant, counters)
	kernel(each, saturation.GroupProgram, all, headers, headBits, keys, nodes, stamp, root, count, constant, counters)
	kernel(each, saturation.ReserveProgram, all, headers, count, end, cost, chosen, counters)
	kernel(each, saturation.ScatterProgram, all, headers, headBits, wanted, keys, nodes, stamp, root, count, constant, end, list,
		listKeys, counters, graphs)
	columns := make([]any, len(emitted))
	for i, p := range emitted {
		columns[i] = p
	}
	kernel(each, s.symbols.fold, all, columns...)
	kernel(each, saturation.DecideProgram, w.over(uint32(len(s.graphs))), u32(uint32(s.limits.Rows)), u32(uint32(s.limits.Rounds)),
		headers, graphs, counters)
	kernel(each, saturation.JudgeProgram, one, u32(s.slots), headers, graphs, counters)
	kernel(each, func() (*ir.Program, error) { return searches(shapes, len(s.graphs) > 1) }, all, columns...)
	kernel(each, saturation.ExtractProgram, all, headers, headBits, headCosts, keys, root, count, cost, chosen, list, listKeys,
		foundClass, foundKey, counters)
	kernel(each, saturation.LastProgram, one, wanted, headers, count, counters, megakernel.Vote{})
	if w.err != nil {
		return w.err
	}
	o := megakernel.Options{Label: label + ", saturation", MaxRounds: math.MaxInt32, Tail: megakernel.TailNever, MaxRows: 1 << 17}
	if s.dev.Caps().GridBarrier {
		o.Topology = megakernel.Cooperative
	}
	if s.slots > many {
		o.Blocks = megakernel.AllBlocks
	}
	var err error
	if s.plan, err = megakernel.New(ctx, s.dev, w.list, w.dependencies(), o); err != nil {
		return err
	}
	return s.commands()
}

// commands prepares the upload, the launch and the read.
func (s *Saturation) commands() error {
	c := &commands{first: s.dev.NewSequence(label + ", saturation")}
	s.made = c
	c.first.Upload(driver.Part(s.memory, 0, 4*int64(len(s.upload))), vyre.Bytes(s.upload), driver.Always)
	last := c.first
	if s.plan.Commands().Round == nil {
		s.plan.Commands().Begin(c.first)
	} else {
		c.plan, c.read = s.plan, s.dev.NewSequence(label+", terms")
		last = c.read
	}
	last.Read(driver.Part(s.memory, 4*s.at[wanted], 4*int64(len(s.read))), vyre.Bytes(s.read))
	err := c.first.Prepare()
	if err == nil {
		err = last.Prepare()
	}
	return err
}

// Run uploads the graphs, saturates them in one launch where the device has barriers of the grid, and reads the terms.
//
// Errors: for each graph an *egraph.Error if rules made two of its constants equal, beside the outcomes of the others;
// OutOfMemory if a round makes more rows than the table has room for; those of a device. A later Run begins anew.
func (s *Saturation) Run(ctx context.Context) (all []Outcome, err error) {
	if s == nil || s.made == nil {
		return nil, refused("saturate", "the saturation is closed")
	}
	if err := s.settle(ctx); err != nil {
		return nil, err
	}
	var took driver.Timing
	took, s.reports, err = s.made.run(ctx)
	if err != nil {
		return nil, err
	}
	h := s.found(headers)
	if h[saturation.Failed] != 0 {
		return nil, &driver.Error{Op: "saturate", Label: label, Device: s.dev.Name(), Kind: driver.OutOfMemory,
			Requested: 8 * s.words, Available: 4 * s.words, Msg: fmt.Sprintf("a table of %d slots, in %d bytes, became full in round %d",
				h[saturation.Slots], 4*s.words, h[saturation.Searches]), Fix: "raise the limit of rows, which the table goes by"}
	}
	d, err := s.decoder(int(h[saturation.Found]))
	if err != nil {
		return nil, err
	}
	all = make([]Outcome, len(s.graphs))
	roots := s.found(wanted)
	for n := range s.graphs {
		r, word := &all[n], s.found(graphs)[n*saturation.GraphWords:]
		r.Timing = took
		r.Rounds, r.Rows, r.Classes = int(word[saturation.Rounds]), int(word[saturation.Rows]), int(word[saturation.Classes])
		var classes []egraph.Class
		if n < len(s.classes) {
			classes = s.classes[n]
		}
		var failed error
		switch word[saturation.Status] {
		case saturation.Conflict:
			failed = s.conflict(n, r.Rounds)
		case saturation.RowLimit:
			r.Stopped = "limit of rows"
		case saturation.RoundLimit:
			r.Stopped = "limit of rounds"
		}
		if failed == nil && len(classes) > 0 {
			r.Terms, failed = d.terms(classes, roots)
		}
		if roots = roots[len(classes):]; failed != nil && len(s.graphs) > 1 {
			failed = fmt.Errorf("graph %d: %w", n, failed)
		}
		err = errors.Join(err, failed)
	}
	return all, err
}

// decoder takes the rows of the terms.
func (s *Saturation) decoder(n int) (*decoder, error) {
	if n > int(s.len[foundClass]) {
		return nil, refused("saturate", "the terms have %d rows, at most %d are possible", n, s.len[foundClass])
	}
	d := &decoder{symbols: s.symbols, key: make(map[uint32]uint64, n)}
	class, key := s.found(foundClass), s.found(foundKey)
	for i := range n {
		d.key[class[i]] = uint64(key[2*i+1])<<32 | uint64(key[2*i])
	}
	return d, nil
}

// terms makes the terms of classes, which have these roots.
func (d *decoder) terms(classes []egraph.Class, roots []uint32) (*egraph.Term, error) {
	d.to, d.made = egraph.New(), map[uint32]egraph.Class{}
	var made []egraph.Class
	for i, c := range classes {
		root, err := d.term(roots[i])
		if err != nil {
			return nil, refused("saturate", "class %d has no term that may be used", c)
		}
		made = append(made, root)
	}
	t := d.to.Extract(egraph.Costs{}, made...)
	t.Cost = 0
	for _, n := range t.Nodes {
		t.Cost += d.by(d.to.Info(n.Head), len(n.Kids))
	}
	return t, nil
}

// found is a column that was read.
func (s *Saturation) found(p place) []uint32 { return s.read[s.at[p]-s.at[wanted]:][:s.len[p]] }

// conflict is the error of a run in which two constants became equal. The device keeps no reasons, so the host runs the
// rules over the same graph, and names the rule if it comes to the same.
func (s *Saturation) conflict(n, round int) error {
	rs, err := egraph.Compile(s.list)
	if err != nil {
		return err
	}
	if _, err = copied(s.graphs[n]).Run(rs, egraph.Limits{Rows: min(s.limits.Rows, 100_000)}); err != nil {
		return err
	}
	return refused("saturate", "two different constants became equal in round %d", round)
}

// copied is a copy of a closed graph. Its rows are added as terms, as far as they do not go round in a circle.
func copied(g *egraph.Graph) *egraph.Graph {
	to, c := egraph.New(), g.Columns()
	made := map[egraph.Class]egraph.Class{}
	kids := func(row int) (list []egraph.Class, all bool) {
		for _, k := range c.Kids[c.First[row]:][:c.Len[row]] {
			v, ok := made[k]
			if !ok {
				return nil, false
			}
			list = append(list, v)
		}
		return list, true
	}
	added := make([]bool, len(c.Head))
	for again := true; again; {
		again = false
		for row, h := range c.Head {
			list, all := kids(row)
			if !all || added[row] {
				continue
			}
			added[row], again = true, true
			v, root := to.Add(to.Head(g.Info(h)), list...), g.Find(c.Class[row])
			if was, ok := made[root]; !ok {
				made[root] = v
			} else if was != v {
				_ = to.Union(was, v, "given") // of one type, since they are in one class
			}
		}
	}
	for root := range c.Parent {
		k := egraph.Class(root)
		if _, ok := made[k]; !ok && g.Find(k) == k {
			made[k] = to.Class(g.Type(k))
		}
	}
	for row, h := range c.Head {
		if list, _ := kids(row); !added[row] {
			to.Insert(made[g.Find(c.Class[row])], to.Head(g.Info(h)), list...)
		}
	}
	return to
}

// settle waits for what a run left under way.
func (s *Saturation) settle(ctx context.Context) error {
	if err := s.made.first.Settle(ctx); err != nil || s.made.plan == nil {
		return err
	}
	if err := s.plan.Settle(ctx); err != nil {
		return err
	}
	return s.made.read.Settle(ctx)
}

// Close gives everything back.
func (s *Saturation) Close() (err error) {
	if s == nil {
		return nil
	}
	if s.made != nil {
		_ = s.settle(context.Background()) // whatever came of it
		err = s.made.close()
		s.made = nil
	}
	if s.plan != nil {
		err = errors.Join(err, s.plan.Close())
		s.plan = nil
	}
	if s.memory != nil {
		err = errors.Join(err, s.memory.Close())
		s.memory = nil
	}
	return err
}

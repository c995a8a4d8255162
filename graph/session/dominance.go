package session

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/cpu"
	"github.com/govyre/vyre/graph/internal/dominance"
	"github.com/govyre/vyre/graph/internal/little"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// DominatorShares are how many procedures, nodes that hang together along allowed arcs and have a root among them, were searched in
// which way. They are all 0 where the native engine answered, which does not take a graph apart.
type DominatorShares struct {
	Alone int // a root and no other node
	Warp  int // up to 32 nodes: a warp each
	Group int // up to 4,096 nodes: a workgroup each
	Host  int // more: on one core of the host, while the device had the others
}

// mostRows is how many bytes of sets procedures have at once at most: the larger ones of a query take turns.
const mostRows = 256 << 20

// rowBytes is what the sets of procedures take that have so many nodes together.
func rowBytes(nodes int) int64 {
	words := (min(nodes, dominance.GroupNodes) + 31) / 32
	return 4 * int64(nodes) * int64(words)
}

// procedures finds dominators by kernels: weak components, which the graph is taken apart into, one beside the other.
type procedures struct {
	*analysis
	warps, groups driver.Kernel
	back          *image

	order, place, roots, list, rows, queued, idom, counts driver.Buffer

	components *weak
	apart
}

// apart is what the graph is taken apart into, for some kinds of arcs; it stays until there is a question about others.
type apart struct {
	laid  bool
	kinds uint32
	parts *Components
	nodes []uint32 // one procedure after another
	first []uint32 // by label: where in nodes its procedure begins
}

// wantProcedures counts its memory, with what it takes to find the weak components, unless those are there.
func wantProcedures(s *runner, components *weak) *procedures {
	p := &procedures{analysis: s.analysis("dominators"), back: s.back}
	n := int64(s.g.Nodes())
	p.want(&p.order, 4*n, "nodes by procedure")
	p.want(&p.place, 4*n, "places in procedures")
	p.want(&p.queued, 4*n, "sets queued")
	p.want(&p.idom, 4*n, "dominators")
	p.want(&p.roots, 4*int64(s.words()), "roots")
	p.want(&p.list, 4*dominance.Entry*max(n/2, 1), "procedures")
	p.want(&p.counts, 8*dominance.Counts, "counts")
	if p.back == nil {
		if p.back = s.turned(); p.back != s.forward {
			p.want(&p.back.memory, p.back.bytes(), "reverse")
		}
	}
	if components == nil {
		p.beside = wantWeak(s).bytes
	}
	p.want(&p.rows, p.rowsWithin(), "sets of dominators")
	return p
}

// newProcedures prepares it.
func newProcedures(ctx context.Context, s *runner, components *kept[*weak]) (*procedures, error) {
	p := wantProcedures(s, components.made)
	warps, groups, err := dominance.Unpack()
	if err == nil {
		err = p.open()
	}
	if err != nil {
		return nil, err
	}
	if p.back != s.back && p.back != s.forward {
		if err := s.put(ctx, p.back); err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	if p.components, err = openWeak(ctx, s, components); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	for to, program := range map[*driver.Kernel]*ir.Program{&p.warps: warps, &p.groups: groups} {
		if *to, err = s.dev.Compile(ctx, program, driver.Options{Label: s.o.Label + " " + program.Name()}); err != nil {
			return nil, errors.Join(err, p.Close())
		}
		p.closers = append(p.closers, *to)
	}
	return p, nil
}

// rowsWithin is how much memory sets get: what all procedures that a graph of this size can have would take, or of that as much
// as there is, but enough for the largest of them.
func (p *procedures) rowsWithin() int64 {
	n := p.s.g.Nodes()
	rows, least := min(rowBytes(n), mostRows), rowBytes(min(n, dominance.GroupNodes))
	for rows > least && p.s.analysed.now()+p.bytes+p.beside+uint64(rows) > p.s.limit() {
		rows = max(rows/8*4, least)
	}
	return rows
}

// lay takes the graph apart for some kinds of arcs, unless it is.
func (p *procedures) lay(ctx context.Context, kinds uint32) (Run, error) {
	if p.laid && p.kinds == kinds {
		return Run{}, nil
	}
	p.laid = false
	s := p.s
	run, err := p.components.find(ctx, kinds)
	if err != nil {
		return run, err
	}
	labels, err := s.readWords(ctx, driver.All(p.components.parent))
	if err != nil {
		return run, err
	}
	p.parts = &Components{}
	p.parts.on(labels, run)
	p.first, p.nodes = make([]uint32, len(labels)), make([]uint32, len(labels))
	at := uint32(0)
	for label, n := range p.parts.sizes {
		p.first[label] = at
		at += n
	}
	next, place := slices.Clone(p.first), make([]uint32, len(labels))
	for v, label := range labels {
		p.nodes[next[label]], place[v] = uint32(v), next[label]-p.first[label]
		next[label]++
	}
	up := s.dev.NewSequence(s.o.Label + " procedures")
	up.Upload(driver.All(p.order), little.Bytes(p.nodes), driver.Always)
	up.Upload(driver.All(p.place), little.Bytes(place), driver.Always)
	if _, err = up.Once(ctx); err == nil {
		p.laid, p.kinds = true, kinds
		s.moved.uploaded += 4 * uint64(len(p.nodes)+len(place))
	}
	return run, err
}

// askedProcedures are those that have roots.
type askedProcedures struct {
	shares DominatorShares
	roots  []uint32 // as bits
	list   []uint32 // for the device, dominance.Entry words each: those of workgroups first, of warps then
	turns  []int    // after how many of workgroups the memory for sets is full, and where their end is
	alone  []uint32 // roots that hang together with no other node
	onHost []uint32 // roots of procedures that are too large
}

// question says who finds what.
func (p *procedures) question(roots []uint32) askedProcedures {
	q := askedProcedures{roots: make([]uint32, p.s.words())}
	asked := make([]uint64, 0, len(roots)) // procedures, as nodes and label, inverted: the largest comes first
	for _, v := range roots {
		q.roots[v/32] |= 1 << (v % 32)
		label := p.parts.labels[v]
		size := p.parts.sizes[label]
		switch {
		case size == 1:
			q.alone = append(q.alone, v)
		case size > dominance.GroupNodes:
			q.onHost = append(q.onHost, v)
		}
		asked = append(asked, ^(uint64(size)<<32 | uint64(label)))
	}
	slices.Sort(asked)
	row, room := int64(0), p.rows.Len()
	for _, a := range slices.Compact(asked) {
		label, size := uint32(^a), uint32(^a>>32)
		switch {
		case size > dominance.GroupNodes:
			q.shares.Host++
			continue
		case size == 1:
			q.shares.Alone++
			continue
		case size <= dominance.WarpNodes:
			q.shares.Warp++
		default:
			if row+rowBytes(int(size)) > room {
				q.turns, row = append(q.turns, q.shares.Group), 0
			}
			q.shares.Group++
		}
		q.list = append(q.list, p.first[label], size, uint32(row/4))
		if size > dominance.WarpNodes {
			row += rowBytes(int(size))
		}
	}
	if q.shares.Group > 0 {
		q.turns = append(q.turns, q.shares.Group)
	}
	return q
}

// answer has the device at work while the host finds what is left to it.
func (p *procedures) answer(ctx context.Context, q askedProcedures, idom []uint32) (run Run, err error) {
	run = Run{Engine: WavesEngine, Topology: megakernel.Drained, Record: megakernel.Record{Status: megakernel.Converged}}
	if len(q.list) == 0 {
		return run, p.host(ctx, q, idom)
	}
	found, counts := little.Bytes(idom), make([]byte, p.counts.Len())
	seq := p.sequence(q, found, counts)
	defer seq.Drop()
	if _, err = seq.Start(ctx); err != nil {
		return run, err
	}
	var own []uint32 // what the host has found meanwhile, if there is anything
	if len(q.onHost)+len(q.alone) > 0 {
		own = make([]uint32, len(idom))
		if err = p.host(ctx, q, own); err != nil {
			return run, err // closing waits
		}
	}
	run.Result, err = seq.Wait(ctx)
	if p.s.tell(run.Result); err != nil {
		return run, err
	}
	p.s.moved.uploaded += 4 * uint64(1+len(q.roots)+len(q.list))
	p.s.moved.read += uint64(len(found) + len(counts))
	if !little.Native {
		copy(idom, little.Words[uint32](found))
	}
	for v, u := range own {
		if u != graph.None {
			idom[v] = u
		}
	}
	count := func(word int) uint64 { return binary.LittleEndian.Uint64(counts[8*word:]) }
	run.Record.Rounds, run.Record.Items, run.Record.Edges = uint32(count(dominance.RoundsWord)), count(dominance.SetsWord), count(dominance.ArcsWord)
	return run, nil
}

// host finds what needs no device.
func (p *procedures) host(ctx context.Context, q askedProcedures, idom []uint32) error {
	for v := range idom {
		idom[v] = graph.None
	}
	if len(q.onHost) > 0 {
		if _, err := cpu.New(hostArrays(p.s.g), cpu.Graph{}, cpu.Options{Workers: 1}).Dominators(ctx, q.onHost, p.kinds, idom); err != nil {
			return err
		}
	}
	for _, v := range q.alone {
		idom[v] = v
	}
	return nil
}

// sequence records what the device does.
func (p *procedures) sequence(q askedProcedures, found, counts []byte) *driver.Sequence {
	s := p.s
	seq := s.dev.NewSequence(s.o.Label + " dominators")
	seq.Upload(driver.All(s.filter), binary.LittleEndian.AppendUint32(nil, p.kinds), driver.Always)
	seq.Upload(driver.All(p.roots), little.Bytes(q.roots), driver.Always)
	seq.Upload(driver.Part(p.list, 0, 4*int64(len(q.list))), little.Bytes(q.list), driver.Always)
	seq.Fill(driver.All(p.idom), uint64(graph.None), 4)
	seq.Fill(driver.All(p.counts), 0, 8)
	back := maskedArrays(p.back)
	with := func(args []driver.Arg, sets ...driver.Arg) []driver.Arg {
		args = append(args, back[1:]...)
		args = append(args, driver.All(s.filter), driver.All(p.list), driver.All(p.order), driver.All(p.place), driver.All(p.roots))
		args = append(args, sets...)
		return append(args, driver.All(p.idom), driver.All(p.counts))
	}
	begin := 0
	for _, end := range q.turns {
		args := append([]driver.Arg{driver.U32(uint32(begin))}, maskedArrays(s.forward)...)
		seq.Launch(p.groups, driver.Groups(uint32(end-begin)), with(args, driver.All(p.rows), driver.All(p.queued), driver.All(s.list))...)
		begin = end
	}
	if n := uint32(q.shares.Warp); n > 0 {
		first := uint32(q.shares.Group)
		seq.Launch(p.warps, driver.Groups((n+7)/8), with([]driver.Arg{driver.U32(first), driver.U32(first + n), back[0]})...)
	}
	seq.Read(driver.All(p.idom), found)
	seq.Read(driver.All(p.counts), counts)
	return seq
}

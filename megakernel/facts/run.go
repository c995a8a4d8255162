package facts

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// Columns are the parts of a resident graph, for waves of one's own. What stands by node is in the
// order of ids.
type Columns struct {
	IDs       driver.Range // []uint64, by node
	Offsets   driver.Range // []uint64, by node: where its payload begins
	Bytes     driver.Range // []uint64, by node: of its payload
	Kinds     driver.Range // []uint32, by node
	Starts    driver.Range // []uint32, by node: its first edge; the last row ends with the edges
	Targets   driver.Range // []uint32, by edge: the node that it leads to
	EdgeKinds driver.Range // []uint32, by edge
	Payload   driver.Range
}

// Columns returns where the graph stands.
func (r *Resident) Columns() (c Columns) {
	n, e := int64(len(r.layout.Order)), int64(len(r.layout.To))
	at := int64(0)
	part := func(bytes int64) driver.Range {
		p := driver.Part(r.graph, at, bytes)
		at += bytes
		return p
	}
	c.IDs, c.Offsets, c.Bytes = part(8*n), part(8*n), part(8*n)
	c.Kinds, c.Starts = part(4*n), part(4*n)
	c.Targets, c.EdgeKinds = part(4*e), part(4*e)
	c.Payload = part(r.graph.Len() - at)
	return c
}

// programs makes the waves of a run.
func (r *Resident) programs() ([]megakernel.Wave, []megakernel.Dependency, error) {
	c := r.Columns()
	if len(r.layout.To) == 0 {
		c.Targets, c.EdgeKinds = c.Starts, c.Starts // nothing is looked at, and an argument has bytes
	}
	lengths, peak := driver.Part(r.list, 0, 12), driver.Part(r.list, 12, 4)
	nodes := driver.Part(r.list, plan.ExpansionControl, int64(r.queue.Bytes))
	most := uint32(min(r.queue.Capacity, megakernel.MaxItems))
	args := []driver.Arg{megakernel.Round{}, driver.U32(uint32(len(r.layout.To))), driver.U32(r.o.Kinds), c.Starts, c.Targets, c.EdgeKinds}
	round := megakernel.Wave{Domain: megakernel.List(lengths, most)}
	var waves []megakernel.Wave
	var err error
	program := func(kernel string) (w megakernel.Wave) {
		if err == nil {
			w.Program, err = vyreKernels.Program(kernel)
		}
		return w
	}
	var deps []megakernel.Dependency
	if r.o.Visited {
		visited := driver.All(r.visited)
		clear, begin := program("unmark"), program("mark")
		clear.Args, clear.Domain, clear.Phase = []driver.Arg{visited}, megakernel.Fixed(uint32(r.visitedBytes()/4)), megakernel.Before
		// What a run begins with is all that the queue has had until then.
		begin.Args, begin.Domain, begin.Phase = []driver.Arg{visited, nodes}, megakernel.Counted(peak, most), megakernel.Before
		round.Program = program("spread").Program
		args = append(args, visited)
		waves = append(waves, clear, begin)
		deps = append(deps, megakernel.Dependency{Before: 0, After: 1})
	} else {
		round.Program = program("expand").Program
	}
	round.Args = append(args, nodes, lengths, peak, megakernel.Vote{}, megakernel.Edges{})
	return append(waves, round), deps, err
}

// Result is what a run found.
type Result struct {
	Record megakernel.Record
	// Nodes are the ids of what the last wave found, a node as often as it was, or with Visited of all
	// that the run had. They ascend.
	Nodes []uint64
	Peak  uint64 // most nodes that stood in the queue at one time
}

// Run expands active nodes. It uploads these, and reads what was found.
func (r *Resident) Run(ctx context.Context, active []uint64) (Result, error) {
	if err := r.begin(active); err != nil {
		return Result{}, err
	}
	if err := driver.Write(ctx, driver.Part(r.list, 0, int64(len(r.host))), r.host); err != nil {
		return Result{}, err
	}
	rec, err := r.plan.Run(ctx)
	if err != nil {
		return Result{}, err
	}
	var control [plan.ExpansionControl]byte
	if err := driver.ReadInto(ctx, driver.Part(r.list, 0, plan.ExpansionControl), control[:]); err != nil {
		return Result{}, err
	}
	word := func(k uint32) uint64 { return uint64(binary.LittleEndian.Uint32(control[4*k:])) }
	out := Result{Record: rec, Peak: word(3)}
	if out.Peak > r.queue.Capacity {
		return Result{}, plan.OverBudget("expand", "queue", "queue", -1, plan.ExpansionControl+plan.ExpansionEntry*out.Peak, r.queue.ResidentBytes,
			"raise Options.QueueBudget, or begin with fewer nodes")
	}
	if r.o.Visited {
		out.Nodes, err = r.marked(ctx)
	} else {
		out.Nodes, err = r.found(ctx, rec.Rounds, word(rec.Rounds%3))
	}
	return out, err
}

// begin makes what is uploaded: the length of the list, and its nodes.
func (r *Resident) begin(active []uint64) error {
	n := uint64(len(active))
	if n == 0 || n > r.o.Active {
		return r.refuse("expand", driver.InvalidArgument, "active nodes", fmt.Sprintf("there are %d of them, and the queue was made for 1 to %d", n, r.o.Active),
			"set Options.Active to the most nodes that a run begins with", plan.Reason{Code: "active_count", Index: -1, Numbers: []uint64{n, r.o.Active}})
	}
	list := make([]uint32, n)
	for i, id := range active {
		at, ok := slices.BinarySearch(r.ids, id)
		if !ok {
			return r.refuse("expand", driver.InvalidArgument, fmt.Sprintf("active node %d", i), fmt.Sprintf("there is no node %d", id), "begin with nodes of the graph",
				plan.Reason{Code: "unknown", Index: i, Numbers: []uint64{id}})
		}
		list[i] = uint32(at)
	}
	slices.Sort(list)
	for i := 1; i < len(list) && !r.o.Repeat; i++ {
		if list[i] == list[i-1] {
			return r.refuse("expand", driver.InvalidArgument, fmt.Sprintf("active node %d", r.ids[list[i]]), "it is given twice", "give each once, or set Options.Repeat",
				plan.Reason{Code: "duplicate", Index: slices.Index(active, r.ids[list[i]])})
		}
	}
	if r.o.Visited {
		list = slices.Compact(list)
	}
	le := binary.LittleEndian
	r.host = r.host[:0]
	for _, v := range []uint32{uint32(len(list)), 0, 0, uint32(len(list))} { // lengths, and the peak
		r.host = le.AppendUint32(r.host, v)
	}
	for _, v := range list {
		r.host = le.AppendUint32(r.host, v)
	}
	return nil
}

// found reads what a round would run over, n nodes.
func (r *Resident) found(ctx context.Context, round uint32, n uint64) ([]uint64, error) {
	if n == 0 {
		return nil, nil
	}
	first := uint64(0)
	if round%2 != 0 {
		first = r.queue.Capacity - n
	}
	nodes, err := r.words(ctx, driver.Part(r.list, int64(plan.ExpansionControl+plan.ExpansionEntry*first), int64(plan.ExpansionEntry*n)))
	if err != nil {
		return nil, err
	}
	slices.Sort(nodes)
	ids := make([]uint64, len(nodes))
	for i, v := range nodes {
		ids[i] = r.ids[v]
	}
	return ids, nil
}

// marked reads which nodes the run had.
func (r *Resident) marked(ctx context.Context) (ids []uint64, err error) {
	words, err := r.words(ctx, driver.All(r.visited))
	for i, w := range words {
		for ; w != 0; w &= w - 1 {
			ids = append(ids, r.ids[32*i+bits.TrailingZeros32(w)])
		}
	}
	return ids, err
}

// words reads a range.
func (r *Resident) words(ctx context.Context, from driver.Range) ([]uint32, error) {
	b := slices.Grow(r.host[:0], int(from.Len))[:from.Len]
	r.host = b
	if err := driver.ReadInto(ctx, from, b); err != nil {
		return nil, err
	}
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words, nil
}

// Columned is a graph in columns, and QueueSizes how large the queue of its runs is.
type (
	Columned   = plan.Facts
	QueueSizes = plan.Queue
)

// Layout is what the graph was laid out to. It must not be changed.
func (r *Resident) Layout() *Columned { return &r.layout }

// Queue is the size of the queue that runs share.
func (r *Resident) Queue() QueueSizes { return r.queue }

// Plan is what runs the waves.
func (r *Resident) Plan() *megakernel.Plan { return r.plan }

// DeviceBytes is what the graph, its queue and its marks take, without what the plan of the waves
// takes for itself.
func (r *Resident) DeviceBytes() uint64 {
	return r.layout.ResidentBytes + r.queue.ResidentBytes + r.visitedBytes()
}

// Close gives back all that Load took.
func (r *Resident) Close() error {
	var first error
	if r.plan != nil {
		first = r.plan.Close()
	}
	for _, b := range []driver.Buffer{r.visited, r.list, r.graph} {
		if b == nil {
			continue
		}
		if err := b.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (r *Resident) refuse(op string, kind driver.Kind, path, msg, fix string, why plan.Reason) error {
	e := plan.Refusal(op, kind, path, msg, fix, why)
	e.Label, e.Device = r.o.Label, r.dev.Name()
	return e
}

package facts

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// Node is a token, a macro, a semantic object, a fact or a diagnostic.
type Node = plan.FactNode

// Edge leads from one node to another.
type Edge = plan.FactEdge

// Bytes of a node and of an edge on the device.
const (
	NodeBytes = 32 // ID, offset and bytes of its payload, kind, first edge
	EdgeBytes = 8  // where it leads to, kind
)

// Options adjusts a resident graph and its runs. The zero value makes runs of one wave.
type Options struct {
	Label string // appears in errors and profiles; empty is "facts"

	Active  uint64 // the most nodes that a run begins with; 0 is as many as there are
	Repeat  bool   // a run may begin with a node several times
	Visited bool   // a wave finds only nodes that no wave of the run had before, and each once
	Waves   uint32 // of a run, each over what the one before found; 0 is one, or with Visited as many as find something
	Kinds   uint32 // edges are followed that have a bit of these; 0 is all edges

	Budget      uint64 // bytes of the graph; 0 is no bound but the device's
	QueueBudget uint64 // bytes of the queue; 0 is what waves need at worst

	// Run says how waves are run. Label and MaxRounds of it are those above.
	Run megakernel.Options
}

// settled returns the options with defaults in place.
func (o Options) settled(nodes uint64) Options {
	if o.Label == "" {
		o.Label = "facts"
	}
	if o.Active == 0 {
		o.Active = nodes
	}
	if o.Waves == 0 && !o.Visited {
		o.Waves = 1
	}
	if o.QueueBudget == 0 {
		o.QueueBudget = plan.ExpansionControl + plan.ExpansionEntry*math.MaxInt32
	}
	o.Run.Label, o.Run.MaxRounds = o.Label, o.Waves
	return o
}

// Resident is a graph on a device, with waves that run over it.
type Resident struct {
	dev    driver.Device
	o      Options
	layout plan.Facts
	queue  plan.Queue
	ids    []uint64 // by node

	graph, list, visited driver.Buffer
	plan                 *megakernel.Plan
	host                 []byte // what a run begins with, and what it leaves
}

// Load lays out a graph, uploads it, and prepares its runs. A node's payload is a part of payload.
func Load(ctx context.Context, dev driver.Device, nodes []Node, edges []Edge, payload []byte, o Options) (*Resident, error) {
	r := &Resident{dev: dev, o: o.settled(uint64(len(nodes)))}
	if len(nodes) == 0 {
		return nil, r.refuse("load", driver.InvalidArgument, "graph", "it has no nodes", "give at least one", plan.Reason{Code: "empty", Index: -1})
	}
	in := plan.FactRequest{Nodes: nodes, Edges: edges, NodeBytes: NodeBytes, EdgeBytes: EdgeBytes, Payload: uint64(len(payload)), Budget: r.o.Budget}
	if err := new(plan.FactPlanner).Plan(in, &r.layout); err != nil {
		return nil, err
	}
	var err error
	if r.queue, err = r.size(); err != nil {
		return nil, err
	}
	if err := r.load(ctx, nodes, payload); err != nil {
		_ = r.Close() // nobody else has what was made
		return nil, err
	}
	return r, nil
}

// size makes the queue as large as the waves of a run need at worst, or as the budget allows.
func (r *Resident) size() (plan.Queue, error) {
	d := &r.layout.Degrees
	in := plan.ExpansionRequest{Degrees: *d, Repeat: r.o.Repeat && !r.o.Visited, Visited: r.o.Visited, Active: []uint64{r.o.Active}, Budget: math.MaxUint64}
	switch {
	case r.o.Visited && r.o.Waves != 1:
		in.Active[0] = d.Nodes // all that a wave can have
	case !r.o.Visited && r.o.Waves > 1:
		in.Repeat = true // two edges may lead to one node
		for active := r.o.Active; len(in.Active) < int(r.o.Waves); {
			next, ok := d.Expansion(active, true)
			if !ok || next > math.MaxUint32 || next <= active {
				break // no queue has that many, or no later wave has more
			}
			in.Active, active = append(in.Active, next), next
		}
	}
	whole, err := plan.PlanExpansion(in)
	if err != nil {
		return whole, err
	}
	begin := min(r.o.Active, whole.Capacity)
	return plan.PlanQueue(plan.QueueRequest{Initial: begin, Expansion: whole.Capacity - begin, EntryBytes: plan.ExpansionEntry, ControlBytes: plan.ExpansionControl, Budget: r.o.QueueBudget})
}

// image is the graph as the device has it, columns one after the other.
func (r *Resident) image(nodes []Node, payload []byte) []byte {
	f, le := &r.layout, binary.LittleEndian
	b := make([]byte, 0, f.ResidentBytes)
	for _, id := range r.ids {
		b = le.AppendUint64(b, id)
	}
	for _, at := range f.Order {
		b = le.AppendUint64(b, nodes[at].Offset)
	}
	for _, at := range f.Order {
		b = le.AppendUint64(b, nodes[at].Bytes)
	}
	for _, at := range f.Order {
		b = le.AppendUint32(b, uint32(nodes[at].Kind))
	}
	for _, column := range [][]uint32{f.Rows[:len(f.Order)], f.To, f.Kinds} {
		for _, v := range column {
			b = le.AppendUint32(b, v)
		}
	}
	return append(b, payload...)
}

// load takes device memory, uploads the graph and makes the plan of its waves.
func (r *Resident) load(ctx context.Context, nodes []Node, payload []byte) error {
	for _, at := range r.layout.Order {
		r.ids = append(r.ids, nodes[at].ID)
	}
	var err error
	alloc := func(bytes uint64, what string) (b driver.Buffer) {
		if err == nil {
			b, err = r.dev.Alloc(int64(bytes), driver.AllocOptions{Label: r.o.Label + " " + what})
		}
		return b
	}
	r.graph = alloc(r.layout.ResidentBytes, "graph")
	r.list = alloc(r.queue.ResidentBytes, "queue")
	if r.o.Visited {
		r.visited = alloc(r.visitedBytes(), "visited")
	}
	if err != nil {
		return err
	}
	if err = driver.Write(ctx, driver.All(r.graph), r.image(nodes, payload)); err != nil {
		return err
	}
	waves, deps, err := r.programs()
	if err != nil {
		return err
	}
	r.plan, err = megakernel.New(ctx, r.dev, waves, deps, r.o.Run)
	return err
}

func (r *Resident) visitedBytes() uint64 {
	if !r.o.Visited {
		return 0
	}
	return 4 * ((uint64(len(r.layout.Order)) + 31) / 32)
}

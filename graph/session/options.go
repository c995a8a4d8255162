package session

import (
	"math"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/room"
	"github.com/govyre/vyre/megakernel"
)

// Options adjusts a session. The zero value is right for most.
type Options struct {
	Label   string // appears in errors and profiles; empty is "graph"
	Queries int    // of a batch, for whose answers there is memory, at most 1<<24; 0 is 32. Larger batches take several.
	Seeds   int    // of a query, at most, each node once; 0 is 1024
	Budget  uint64 // bytes of device memory; 0 is what the device has room for when the session is opened, of which 256 MiB or 3 % are left to others
	Levels  bool   // Session.Levels can be asked; that takes 4 bytes a node, and unless the graph is symmetric all of it a second time
	Engine  Engine // what answers; see AutoEngine
	// Topology is who drives the rounds; Auto is a drain where the device has cooperative launches. Queries that
	// run together have rounds even so, in one launch. With Auto a symmetric graph is not searched at all if there is
	// memory to keep the labels of its components: see Reached.Algorithm.
	Topology megakernel.Topology

	// Expected is what earlier runs of a query alone came to, by Session.Trial. With Auto, and if every way was measured in a
	// session like this one, it chooses who drives the rounds of such queries, and whether the host's cores answer them.
	Expected *megakernel.History
	// Costs are times measured on the device, by megakernel.Calibrate. With AutoEngine, and without evidence of a trial, the
	// host's cores answer searches that they finish in less time than the device is predicted to take by them. Nil are those
	// that Calibrate kept, if Expected holds a run; without costs kernels answer. Searches for levels turn by them, by default by
	// what Calibrate kept.
	Costs *megakernel.Costs
	// Runs is how many such queries the session is going to answer, by which what it takes to plan is weighed; 0 is Queries.
	Runs uint64

	// Parallel is how many searches of this session run side by side, on the device or on the host's cores, at most 4096; 0 is 1, and then queries
	// wait for each other. Each more takes all memory of a session but the graph once more, see DeviceBytes; native engines share
	// the cores out among them. A symmetric graph has labels for each. A graph in parts is searched by one at a time, and
	// analyses, which are made once, run one after another beside the searches.
	Parallel int

	// Parts allows that a graph which does not fit is searched in parts: its arcs come to the device again and again, as searches
	// need them, which takes the link to the device as long as that takes. Sets, levels, trees, topological levels and weak
	// components are answered so; queries together as far as lanes have room beside parts (see Reached.Algorithm). Run.Parts and
	// Run.Streamed say that it was done. Before that, batches are made smaller, down to a query at a time, if all of the graph fits
	// then. What does not fit even so is an error.
	Parts bool

	partArcs uint64 // of a part at most, in tests
	sets     bool   // searches for levels have them, whatever the graph's shape says; in tests
	size     size   // of searches, in place of what the graph's shape says; for measurements
}

// size is with how many blocks rounds run, and what bounds the registers of a thread; 0 is as it comes.
type size struct {
	blocks    uint32
	registers int
}

func (o Options) settled(dev driver.Device) Options {
	if o.Label == "" {
		o.Label = "graph"
	}
	if o.Queries == 0 {
		o.Queries = 32
	}
	if o.Seeds == 0 {
		o.Seeds = 1024
	}
	if o.Parallel == 0 {
		o.Parallel = 1
	}
	if o.Budget == 0 {
		o.Budget = math.MaxUint64
	}
	if o.Topology == megakernel.Auto && dev.Caps().GridBarrier {
		o.Topology = megakernel.Drained
	}
	return o
}

// budgeted is the options with a budget: that of the caller, else what the device has room for when it is made.
func (o Options) budgeted(dev driver.Device) (Options, error) {
	if o.Budget != 0 {
		return o, nil
	}
	free, err := dev.Room()
	o.Budget = room.Plannable(free)
	return o, err
}

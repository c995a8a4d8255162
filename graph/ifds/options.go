package ifds

import (
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/megakernel"
)

// Options adjust a session. The zero value is right for most.
type Options struct {
	Kinds      uint32 // of arcs that are allowed; 0 is all
	Unbalanced bool   // what follows from a seed may return to all callers of its procedure; see Seeds in the package's documentation
	Entries    bool   // Solution.Entries can be asked; then rows are read back from a device, 8 bytes a word
	MaxBytes   int64  // of rows on the host, where one core of it answers; 0 is no limit

	// What follows is about a device.
	Label    string              // appears in errors and profiles; empty is "ifds"
	Engine   session.Engine      // what answers; see NewSession
	Budget   uint64              // bytes of its memory; 0 is what it has room for when the session is opened, of which 256 MiB or 3 % are left to others
	Seeds    int                 // of a query, at most, each node once; 0 is 1024
	Topology megakernel.Topology // who drives the rounds; Auto is one cooperative launch where the device has those
	Blocks   uint32              // of that launch; 0 is one a multiprocessor, and see megakernel.AllBlocks

	ordered bool   // summaries are kept
	portion uint32 // see there; in tests
}

func (o Options) settled() Options {
	if o.Label == "" {
		o.Label = "ifds"
	}
	if o.Seeds == 0 {
		o.Seeds = 1024
	}
	if o.portion == 0 {
		o.portion = portion
	}
	if o.Topology == megakernel.Drained {
		o.Topology = megakernel.Cooperative // what has an order has rounds
	}
	return o
}

// portion is how many arcs or calls one warp takes in a round at most: 16 for each of its lanes.
const portion = 512

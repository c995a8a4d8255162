// Package megakernel runs the waves of an analysis to a fixed point, in one launch where that pays.
//
// A wave is one step, a sealed program over a domain: "expand the queue", "fold the row". Waves
// depend on each other. The package layers them, so that as few barriers as possible stand between
// them, builds programs of whole groups of waves, and drives rounds over them until nothing changes
// or the budget of rounds is spent:
//
//	waves, dependencies ─▶ checked ─▶ groups ─▶ programs ─▶ kernels ─▶ a prepared run ─▶ record
//
// Who drives the rounds is the topology: the host, the device, or one cooperative launch that holds
// all of them. Every topology runs the same waves, and leaves the same bits and the same record.
//
// # What a wave and its loop tell each other
//
// Arguments are marked for that. Round{} fills a u32 parameter with the number of the round, Size{}
// with how large the domain is in it. Vote{} fills a buffer of u32, to which a kernel adds, at
// element 0, how much it leaves to be done:
//
//	gpu.AtomicAdd(&weight[0], 1)
//
// That becomes a sum over the grid, and a round whose sum is 0 is the last one. Nothing else may be
// done with it.
//
// # Domains
//
// A domain says for how many items a wave runs: a fixed number, one that a word of device memory
// holds (Counted), or the length of a list that rounds make for each other (List). A program that
// cannot tell its group size (see driver.Resize) runs once for every item, whose number is its
// global id along x. Any other runs in its own groups: the domain counts those, and its group has
// the size of the block. Spread is the length of a list for a wave that shares it out by itself: it
// runs once in every block that takes part in the round.
//
// A wave may have a form for one block alone, which holds all rounds in which little is to be done
// (see Stay), and one without rounds (see Drain). Package arcs makes all three of one definition.
//
// # Invariants
//
// Equal waves give equal plans, byte for byte. A plan takes no device memory but its control words.
// After New a run allocates nothing. Run begins with round 0, whatever came of the call before, and
// waits for what that left on the device; Resume goes on where a call stopped between two slices.
//
// # Errors
//
// An error of Run or Resume does not say that nothing was done. Only one that says between which rounds it stopped leaves
// something to go on with; after any other, how many rounds were done is not known, so Resume refuses and names Run. Run
// begins with round 0 and needs no more than at first: what the waves do not set themselves before the rounds, and temps
// that are kept, have to be brought back by whoever filled them.
//
// # Concurrency
//
// A Plan is for one goroutine at a time; plans that share no buffers run in parallel.
//
// # Not here
//
// The planners, which are arithmetic, stand in megakernel/plan; sequences, graphs and cooperative
// launches in driver.
//
// Start reading at wave.go, then fuse.go and alone.go.
package megakernel

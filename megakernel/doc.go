// Package megakernel runs the waves of an analysis to a fixed point, in one launch if that is faster.
//
// A wave is one step, a sealed program over a domain: "expand the queue", "fold the row". Waves depend on each other.
// The package layers them with as few barriers as possible, and builds programs from whole groups of waves. Then it
// runs rounds of them until nothing changes, or until the budget of rounds is spent:
//
//	waves, dependencies ─▶ checked ─▶ groups ─▶ programs ─▶ kernels ─▶ a prepared run ─▶ record
//
// The topology is the choice that drives the rounds: the host, the device, or one cooperative launch with all of them.
// Every topology runs the same waves, and leaves the same bits and the same record.
//
// # Arguments of a wave and its loop
//
// Some arguments connect a wave with its loop. Round{} fills a u32 parameter with the number of the round, and Size{}
// with the size of the domain in it. Vote{} fills a buffer of u32. To its element 0, a kernel adds the amount of
// remaining work:
//
//	gpu.AtomicAdd(&weight[0], 1)
//
// That becomes a sum over the grid. A round whose sum is 0 is the last one. A kernel may do nothing else with this
// buffer.
//
// # Domains
//
// A domain is the number of items of a wave. It is a fixed number, a number in a word of device memory (Counted), or
// the length of a list (List). Rounds make such a list for each other. A program that does not read its group size (see
// driver.Resize) runs once for every item, whose number is its global id along x. Any other program runs in its own
// groups: the domain counts groups, and a group has the size of the block. Spread is the length of a list for a wave
// that divides it by itself: it runs once in every block of the round.
//
// A wave may have a form for one block alone, for rounds with little work (see Stay), and one without rounds (see
// Drain). Package arcs makes all three from one definition.
//
// # Invariants
//
// Equal waves give equal plans, byte for byte. A plan takes no device memory except its control words. After New a run
// allocates nothing. Run waits for work that an earlier call left on the device, and always begins with round 0.
// Resume continues at the point where a call stopped between two slices.
//
// # Errors
//
// An error of Run or Resume does not mean that nothing was done. If the error says between which rounds the run
// stopped, Resume can continue. After any other error the number of completed rounds is unknown, so Resume refuses and
// names Run. Run begins with round 0 and needs the same state as the first time. The caller has to restore data that
// the waves do not set before the rounds, and temps that are kept.
//
// # Concurrency
//
// A Plan is for one goroutine at a time. Plans without common buffers run in parallel.
//
// # Not here
//
// The planners, which are arithmetic, are in internal/plan. Sequences, graphs and cooperative launches are in
// driver.
//
// Start reading at wave.go, then fuse.go and alone.go.
package megakernel

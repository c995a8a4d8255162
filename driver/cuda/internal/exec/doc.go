// Package exec runs plans: it lowers what a sequence was recorded as into operations, and gives these to the
// driver run after run, one by one or as graphs.
//
//	in:  a driver.Plan, which setters change between runs; the parts of a device that runs need
//	out: a driver.Runner: its runs on a stream, in their order; outputs, device time, traps, traces, counts
//
//	Plan.Cmds ──lower, frame──▶ []op ──divide──▶ []segment ──emit──▶ queue: calls into the stream
//	                                                │         └────▶ nodes: of a graph, kept in an image
//	              setters ──Plan.Clock──▶ update ───┘
//	                                                └──launch, count──▶ one run
//
// An operation has its addresses and byte counts; lowering is the one place that knows the commands of a plan
// apart. Operations that follow each other are a segment: a row of calls, which may have a graph, or a loop that
// the host goes through. What an operation is made of is said once, by emit, to a sink: the queue makes calls,
// nodes adds nodes of a graph.
//
// # Invariants
//
// A segment's generation is the Plan.Clock that its graph is for; the runner's is the one that arguments, routes
// and sums are for. A number that equals the clock is right, and nothing else says what is stale. A captured
// plan is one segment. A run of one fresh segment makes its three calls by one crossing into the driver.
//
// A run that came from the driver with an error has ended: nothing of it touches memory any more. A run
// allocates nothing. What a segment counts is added up before, and counted as a whole, once it is enqueued.
//
// # Not here
//
// Memory, streams and their hazards, staging rings, the context: the packages beside this one. What a sequence
// may be: package driver. Compiling: the package code.
//
// Start reading at executor.go, then runner.go, lower.go, segment.go, enqueue.go and nodes.go; a run is start.go,
// wait.go and finish.go.
package exec

package session

import (
	"time"
)

// Totals are sums over all that a session answered since it was opened, whichever engine did.
type Totals struct {
	Runs                  uint64 // submissions and runs of plans; on the host's cores, and of a graph in parts, answers
	Rounds, TailRounds    uint64
	Barriers, Items, Arcs uint64 // as far as records were read: where the device drives the rounds of a search alone, nobody reads one
	Times
	Uploaded, Read uint64        // bytes that the session put on the device, the graph among them, and read from there; control words of plans are not counted
	Allocations    uint64        // buffers that it asked the device for, those of plans not among them
	Streamed       uint64        // bytes of parts of the graph that were put on the device
	Link           time.Duration // for which nothing was done but to wait for parts
	Bytes          uint64        // that the session takes on the device now: see Session.Bytes
}

// Times are sums of those in driver.Timing.
type Times struct{ Wall, Enqueue, Wait, Device time.Duration }

// join adds those of another set.
func (t *Totals) join(o Totals) {
	t.Runs += o.Runs
	t.Rounds += o.Rounds
	t.TailRounds += o.TailRounds
	t.Barriers += o.Barriers
	t.Items += o.Items
	t.Arcs += o.Arcs
	t.Wall += o.Wall
	t.Enqueue += o.Enqueue
	t.Wait += o.Wait
	t.Device += o.Device
	t.Uploaded += o.Uploaded
	t.Read += o.Read
	t.Allocations += o.Allocations
	t.Streamed += o.Streamed
	t.Link += o.Link
}

func (t *Totals) add(r Run) {
	t.join(Totals{Runs: 1, Rounds: uint64(r.Record.Rounds), TailRounds: uint64(r.Record.TailRounds), Barriers: uint64(r.Record.Barriers),
		Items: uint64(r.Record.Items), Arcs: uint64(r.Record.Edges),
		Times: Times{r.Result.Wall, r.Result.Enqueue, r.Result.Wait, r.Result.Device}, Streamed: r.Streamed, Link: r.Link})
}

package session

import (
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/megakernel"
)

// Run says how an analysis was made.
type Run struct {
	Engine   Engine              // what answered: Waves or Native
	Topology megakernel.Topology // who drove the rounds; Auto if the engine is native
	Record   megakernel.Record   // rounds, items and arcs, as the device counted them
	Result   driver.Result       // times, as far as the device has them, and what its detectors found

	Uploaded uint64 // bytes that it put on the device, those of Streamed among them
	Read     uint64 // bytes that it read from there

	Parts    int           // in how many parts the graph was; 0 if it is whole
	Streamed uint64        // bytes of parts that were put on the device
	Link     time.Duration // for which nothing was done but to wait for them; Result.Wall has it
}

// add adds the times of another part of it.
func (r *Run) add(next driver.Result) {
	r.Result.HasDevice = next.HasDevice && (r.Result.HasDevice || r.Result.Wall == 0)
	r.Result.Wall += next.Wall
	r.Result.Enqueue += next.Enqueue
	r.Result.Wait += next.Wait
	r.Result.Device += next.Device
}

// alsoTook adds what another run took.
func (r *Run) alsoTook(next Run) {
	r.add(next.Result)
	r.Uploaded += next.Uploaded
	r.Read += next.Read
	r.Streamed += next.Streamed
	r.Link += next.Link
}

// and adds up two runs.
func (r Run) and(next Run) Run {
	next.Uploaded += r.Uploaded
	next.Read += r.Read
	next.Streamed += r.Streamed
	next.Link += r.Link
	if r.Topology == megakernel.Auto { // nothing ran yet
		return next
	}
	next.Record.Rounds += r.Record.Rounds
	next.Record.Items += r.Record.Items
	next.Record.Edges += r.Record.Edges
	next.Record.Results += r.Record.Results
	next.Record.Barriers += r.Record.Barriers
	next.Record.TailRounds += r.Record.TailRounds
	next.Record.TailStays += r.Record.TailStays
	next.Record.Greatest = max(next.Record.Greatest, r.Record.Greatest)
	next.Record.Changed = next.Record.Changed || r.Record.Changed
	next.add(r.Result)
	return next
}

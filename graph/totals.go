package graph

import "time"

// Totals are sums over all that a session answered since it was opened, whichever engine did.
type Totals struct {
	Runs                        uint64 // submissions and runs of plans; on the host's cores, and of a graph in parts, answers
	Rounds, TailRounds          uint64
	Barriers, Items, Arcs       uint64 // as far as records were read: where the device drives the rounds of a search alone, nobody reads one
	Wall, Enqueue, Wait, Device time.Duration
	Streamed                    uint64        // bytes of parts of the graph that were put on the device
	Link                        time.Duration // for which nothing was done but to wait for parts
	Bytes                       uint64        // that the session takes on the device now: see Session.Bytes
}

// Totals returns the sums.
func (s *Session) Totals() Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.totals
	t.Bytes = s.memory.PeakBytes + s.analysed
	return t
}

func (t *Totals) add(r Run) {
	t.Runs++
	t.Rounds += uint64(r.Record.Rounds)
	t.TailRounds += uint64(r.Record.TailRounds)
	t.Barriers += uint64(r.Record.Barriers)
	t.Items += uint64(r.Record.Items)
	t.Arcs += uint64(r.Record.Edges)
	t.Wall += r.Result.Wall
	t.Enqueue += r.Result.Enqueue
	t.Wait += r.Result.Wait
	t.Device += r.Result.Device
	t.Streamed += r.Streamed
	t.Link += r.Link
}

package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/turn"
	"github.com/govyre/vyre/megakernel"
)

// Session is a graph on a device, and what searches of it need there. The graph is uploaded once; a batch of queries
// uploads its seeds, is one submission where the device drives the rounds, and is read back at once. Queries that allow
// the same kinds of arcs are one search, of up to 64. A Session may be used from any goroutine; batches run one after
// another, or as many side by side as Options.Parallel says.
//
// A call whose context ends, before its turn or after it, answers Canceled at once, and what it has left on the device is waited for
// by the next one, as long as the context of that allows. After any error the session is as it was before the call, unless the
// device is lost. What is closed answers Closed.
type Session struct {
	resident *resident
	sets     scheduler
	decided  decision // what answers a query alone
}

// New uploads a graph and prepares searches of it. What it needs is compared with the budget before anything is
// allocated. Of a vyre.Device the device is its field Device.
//
// Errors: out of memory, with the bytes needed and those there are; a graph without nodes; a device without the topology.
func New(ctx context.Context, dev driver.Device, g *graph.CSR, o Options) (_ *Session, err error) {
	r, err := prepared(ctx, dev, g, o)
	if err != nil {
		return nil, err
	}
	if r.letGo, err = g.Hold(fmt.Sprintf("session %q", r.o.Label)); err != nil {
		return nil, err
	}
	s := &Session{resident: r}
	s.sets.sets = []*set{newSet(r)}
	err = g.Read(func() error { return s.sets.begin(ctx, &s.decided) })
	if err != nil {
		return nil, r.canceled(errors.Join(err, s.Close()))
	}
	return s, nil
}

// made refuses a session that New did not make.
func made(s *Session) error {
	if s == nil || s.resident == nil {
		return turn.NotMade("session")
	}
	return nil
}

// Engine returns what answers a query alone; Run in every answer says what did.
func (s *Session) Engine() Engine {
	if first := s.sets.first(); first.host == nil && first.beside.queries == 0 {
		return WavesEngine
	}
	return NativeEngine
}

// Topology returns who drives the rounds of a query alone; Auto where the native engine answers, which knows no such thing.
func (s *Session) Topology() megakernel.Topology {
	first := s.sets.first()
	if first.device == nil || first.host != nil && first.device.parts() == 0 {
		return megakernel.Auto
	}
	return first.device.topology()
}

// Parts returns in how many parts the graph is, 0 if it is whole.
func (s *Session) Parts() int {
	if first := s.sets.first(); first.device != nil {
		return first.device.parts()
	}
	return 0
}

// Turns returns how many searches the last batch was.
func (s *Session) Turns() int { return int(s.sets.searches.Load()) }

// Explain returns a line that says what answers a query alone and why, and those of the plan of such a query, if there is one.
//
// The first has the fields engine; queries, of how many together the native engine answers beside kernels; host and device,
// the times in nanoseconds that were compared; source, costs, evidence or default; and reason.
func (s *Session) Explain() string {
	first := s.sets.first()
	first.calls.Wait()
	defer first.calls.Give()
	text := s.decided.String() + "\n"
	if first.device != nil {
		text += first.device.explain()
	}
	return text
}

// Bytes returns what the session takes on the device: what was planned for searches (see DeviceBytes), and what analyses took
// since then. It is what the budget was compared with.
func (s *Session) Bytes() uint64 {
	first := s.sets.first()
	first.calls.Wait()
	defer first.calls.Give()
	return first.memory.PeakBytes + first.analysed.now()
}

// Totals returns the sums.
func (s *Session) Totals() Totals {
	t := s.sets.totals()
	t.Bytes = s.Bytes()
	return t
}

// Close gives everything on the device back. It waits for what runs.
func (s *Session) Close() error {
	if made(s) != nil {
		return nil
	}
	return s.sets.close(s.resident.letGo)
}

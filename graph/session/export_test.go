package session

import (
	"context"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/cycles"
	"github.com/govyre/vyre/internal/plan"
)

// TurnBytes is what comes to the device before the queries of a submission.
const TurnBytes = turnBytes

// HostSearch is what a search takes on this host at most, in nanoseconds.
func HostSearch(nodes, arcs int) (float64, bool) { return measuredHost().search(nodes, arcs) }

// SetRegisters bounds the registers of a thread in searches.
func (o *Options) SetRegisters(n int) { o.size.registers = n }

// SetBlocks says with how many blocks searches run.
func (o *Options) SetBlocks(n uint32) { o.size.blocks = n }

// SetSets has searches for levels keep what they find in sets, whatever the shape of the graph.
func (o *Options) SetSets() { o.sets = true }

// Wide reports what the shape of a graph says.
func Wide(g *graph.CSR) bool { return wideShape(g) }

// LevelsRun asks for levels with kernels, and reads the record as well.
func (s *Session) LevelsRun(ctx context.Context, q Query) ([]uint32, Run, error) {
	k := s.sets.first().device.(*kernels)
	k.stage.turn(0, 0, 1)
	k.stage.query(0, q)
	n := turnBytes + 4*k.stride
	if err := k.write(ctx, driver.Part(k.questions, 0, int64(n)), k.questionBytes[:n]); err != nil {
		return nil, Run{}, err
	}
	run, err := k.finish(ctx, k.leveled)
	if err != nil {
		return nil, run, err
	}
	levels, err := k.readWords(ctx, driver.All(k.level))
	return levels, run, err
}

// OnRun calls f after each submission.
func (s *Session) OnRun(f func(driver.Result)) {
	for _, set := range s.sets.sets {
		set.ran = f
	}
}

// SetPartArcs says how many arcs a part has at most, so that graphs are in parts that would fit as they are.
func (o *Options) SetPartArcs(n uint64) { o.partArcs = n }

// PartLanes is how many queries a graph in parts is searched for together.
func (s *Session) PartLanes() int { return s.sets.first().device.(partEngine).p.laidOut.lanes }

// Memory is what searches were planned to take, and to save against runs that keep nothing.
func (s *Session) Memory() plan.Session { return s.resident.memory }

// Recondense finds the components of a closure, the arcs between them and heights again, of labels that are known.
func (c *Closure) Recondense(ctx context.Context) (err error) {
	_, err = c.condense(ctx, rowsOf(c.g), c.dag.Labels())
	return err
}

// Recount makes all rows of a closure again, from which tiles there are to counts.
func (c *Closure) Recount(ctx context.Context) (err error) {
	if err := c.enter(ctx); err != nil {
		return err
	}
	defer c.set.exit(&err)
	return c.make(ctx, c.dag)
}

// StrongPhases is what the last strong components came to: nodes that each trim closed, those of the giant component, those of each phase,
// and how many phases there were.
func (s *Session) StrongPhases(ctx context.Context) (told []uint32, phases uint32, err error) {
	o := s.sets.first().device.(*kernels).cycles.made
	told, err = o.s.readWords(ctx, driver.All(o.told))
	if err != nil {
		return nil, 0, err
	}
	state, err := o.s.readWords(ctx, driver.All(o.state))
	for k := 1; k < len(state); k += cycles.StateWords / 3 {
		phases = max(phases, state[k])
	}
	return told, phases - 1, err
}

// TurnCosts are those that searches for levels turn by.
func (s *Session) TurnCosts() (forward, scan uint32) { return s.resident.turnCosts() }

package exec

import (
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/pause"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
	"github.com/govyre/vyre/internal/cu"
)

// laps measures every command of a plan: one event is recorded before the first, and one after each. What is between
// two of them is a lap, of a command and of the loops around it.
type laps struct {
	rows   []driver.CommandTime // of the run
	at     map[driver.Cmd]int
	around []int      // by row: that of the loop around it; -1 without one
	events []cu.Event // of which a run uses as many as there are in of
	of     []int      // by event: the row of the lap that it ends; -1 of none
	untold bool       // the driver did not tell how long one of the run's laps was
}

// lapsAtOnce bounds the events of a plan. Who enqueues more laps waits for these in between.
const lapsAtOnce = 512

// timeCommands obtains what it takes to measure the commands of a plan. The context is current.
func (r *lowered) timeCommands() error {
	rows, at := r.plan.CommandTimes()
	r.laps = &laps{rows: rows, at: at, around: make([]int, len(rows)), of: make([]int, 0, lapsAtOnce)}
	r.laps.nest(r.plan.Cmds, -1)
	for range max(2, min(calls(r.segments)+1, lapsAtOnce)) {
		e, err := r.x.timers.event()
		if err != nil {
			return err
		}
		r.laps.events = append(r.laps.events, e)
	}
	return nil
}

func (l *laps) nest(cmds []driver.Cmd, around int) {
	for _, c := range cmds {
		at := l.at[c]
		l.around[at] = around
		if loop, ok := c.(*driver.LoopCmd); ok {
			l.nest(loop.Body, at)
		}
	}
}

// begin makes the laps ready for a run.
func (l *laps) begin() {
	for i := range l.rows {
		l.rows[i].Times, l.rows[i].Time = 0, 0
	}
	l.of, l.untold = l.of[:0], false
}

// lap ends one, of a command or of what is none; times is how often the command has ended by that.
func (r *flight) lap(c driver.Cmd, times uint64) error {
	l := r.laps
	if l == nil {
		return nil
	}
	row, ok := l.at[c]
	if !ok {
		row = -1
	} else {
		l.rows[row].Times += times
	}
	if len(l.of) == len(l.events) {
		if err := r.fold(); err != nil {
			return err
		}
	}
	if err := r.x.GPU.Driver.EventRecord(l.events[len(l.of)], r.Stream.Handle); err != nil {
		return r.x.GPU.ErrorOf("start", r.plan.Label, err)
	}
	l.of = append(l.of, row)
	return nil
}

// fold waits for the laps so far, and makes their events free but for the last, which the next lap begins with.
func (r *flight) fold() error {
	l, drv := r.laps, r.x.GPU.Driver
	last := len(l.of) - 1
	var p pause.Pause
	for over := false; !over; p.Rest() {
		if r.GaveUp.Load() {
			return timeline.ErrGaveUp
		}
		var err error
		if over, err = drv.EventQuery(l.events[last]); err != nil {
			return r.x.GPU.ErrorOf("start", r.plan.Label, err)
		}
	}
	l.read(drv)
	l.events[0], l.events[last] = l.events[last], l.events[0]
	l.of = l.of[:1]
	return nil
}

// read adds up the laps, which have all ended. The context is current.
func (l *laps) read(drv cu.Driver) {
	for i := 1; i < len(l.of); i++ {
		if l.of[i] < 0 {
			continue
		}
		took, ok := elapsed(drv, l.events[i-1], l.events[i])
		l.untold = l.untold || !ok
		for row := l.of[i]; row >= 0; row = l.around[row] {
			l.rows[row].Time += took
		}
	}
}

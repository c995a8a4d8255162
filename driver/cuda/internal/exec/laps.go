package exec

import (
	"encoding/binary"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
)

// laps measures every command of a plan by the GPU's own clock. The moving kernel reads it before each command and after it, in
// a stream as in a graph, and in each round of a loop that the device decides on. It adds the time since the read before to the row of what
// took it: a command, or the loop around the command for what is between two. So the rows add up to the time between two marks, to
// the nanosecond, but for what is between commands that are in no loop.
type laps struct {
	rows   []driver.CommandTime // of the run
	at     map[driver.Cmd]int
	around []int  // by row: that of the loop around it; -1 without one
	places []*lap // of all reads
}

// lap is one place in a run where the clock is read.
type lap struct {
	row   int               // that the time since the read before is of; -1 of none
	times uint64            // how often a command has ended by that: 0 or 1
	up    *driver.UploadCmd // the command, if it is one that a run may leave out
	mark  mark              // if not marks, the clock is stored there, and no time is added
	moves moves             // the one that does it
	call  cu.Launch
}

// A record of laps is 0 the clock at the last read u64 · 8 the marks, four u64 · 40 the rows: the time u64 · 8 how often u64.
const (
	lapMarks = 8
	lapRows  = lapMarks + 8*int64(marks)
	lapRow   = 16
)

func (l *laps) bytes() int64 {
	if l == nil {
		return 0
	}
	return lapRows + lapRow*int64(len(l.rows))
}

func newLaps(p *driver.Plan) *laps {
	rows, at := p.CommandTimes()
	if len(rows) == 0 {
		return nil
	}
	l := &laps{rows: rows, at: at, around: make([]int, len(rows))}
	l.nest(p.Cmds, -1)
	return l
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

func (l *laps) place(p lap) op {
	l.places = append(l.places, &p)
	return op{kind: kindLap, lap: &p}
}

// before is the read before a command, after the one after it.
func (l *laps) before(c driver.Cmd) op {
	return l.place(lap{row: l.around[l.at[c]], up: spare(c), mark: marks})
}

func (l *laps) after(c driver.Cmd) op {
	return l.place(lap{row: l.at[c], times: 1, up: spare(c), mark: marks})
}

// spare returns an upload that a run may leave out, with the reads around it.
func spare(c driver.Cmd) *driver.UploadCmd {
	if u, ok := c.(*driver.UploadCmd); ok && u.Mode != driver.Always {
		return u
	}
	return nil
}

// bind gives every read its place in the records. The context is current.
func (l *laps) bind(x *Executor, record cu.Ptr, s cu.Stream) error {
	for _, p := range l.places {
		m := move{from: uint64(record), bytes: p.times, how: moveLap}
		switch {
		case p.mark != marks:
			m = move{to: uint64(record) + lapMarks + 8*uint64(p.mark), how: moveTime}
		case p.row >= 0:
			m.to = uint64(record) + uint64(lapRows) + lapRow*uint64(p.row)
		}
		p.moves.add(m)
		call, err := p.moves.launch(&x.movers)
		if err != nil {
			return err
		}
		p.call = *call
		p.call.Stream = s
	}
	return nil
}

// read takes the rows from the record that a run has left, and the times between its marks.
func (l *laps) read(record []byte, res *driver.Result) {
	word := func(at int64) uint64 { return binary.LittleEndian.Uint64(record[at:]) }
	for i := range l.rows {
		l.rows[i].Time, l.rows[i].Times = time.Duration(word(lapRows+lapRow*int64(i))), word(lapRows+lapRow*int64(i)+8)
	}
	for i := len(l.rows) - 1; i >= 0; i-- { // loops come before what is in them
		if at := l.around[i]; at >= 0 {
			l.rows[at].Time += l.rows[i].Time
		}
	}
	res.Commands = append(res.Commands, l.rows...)
	between(func(m mark) uint64 { return word(lapMarks + 8*int64(m)) }, res)
}

package driver

import "time"

// CommandTime says how long one command of a plan took in a run.
type CommandTime struct {
	Path  string // of the command, of the first of those that were fused
	What  string // "fill", "upload", "copy", "read", "repeat", "while", or the kernel's label
	Times uint64 // how often it ran: more than once in a loop, not at all in one without a round
	Time  time.Duration
}

// TimeCommands makes results tell how long each command took, one after the other; that of a loop
// includes its body. The run takes longer for it, and so does each command: on a GPU, by the start of the kernel that reads the clock. It is said before Prepare, which refuses it where
// Caps.CommandTimes is false.
func (s *Sequence) TimeCommands() {
	if s.unprepared("time") {
		s.timeCommands = true
	}
}

// CommandTimes returns a row a command, in recorded order, loops before their bodies, and which row is
// whose. A device that measures commands makes it once and adds to the rows.
func (p *Plan) CommandTimes() (rows []CommandTime, at map[Cmd]int) {
	at = map[Cmd]int{}
	p.walk(p.Cmds, func(c Cmd) {
		at[c] = len(rows)
		rows = append(rows, CommandTime{Path: c.where(), What: whatOf(c)})
	})
	return rows, at
}

func whatOf(c Cmd) string {
	switch c := c.(type) {
	case *FillCmd:
		return "fill"
	case *UploadCmd:
		return "upload"
	case *CopyCmd:
		return "copy"
	case *ReadCmd:
		return "read"
	case *LaunchCmd:
		return c.Kernel.Label()
	case *LoopCmd:
		if c.While {
			return "while"
		}
		return "repeat"
	}
	panic("BUG: a plan has a command of no kind")
}

// checkTimes refuses times of commands where the device has none.
func (s rules) checkTimes() *Error {
	if s.timeCommands && !s.dev.Caps().CommandTimes {
		return s.refuse("time", s.label, "", Unsupported, "time sequences of one command, or profile the device", "the device does not measure single commands")
	}
	return nil
}

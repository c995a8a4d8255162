package machine

import (
	"fmt"
	"strings"
)

// FaultKind says what ended a launch.
type FaultKind uint8

// The kinds of faults.
const (
	IllegalAddress FaultKind = iota + 1
	Misaligned
	Deadlock // waiters that nobody can release
	Budget   // more steps than the launch may take
	Diverged // lanes that had to come together did not
	Trapped  // the instruction trap, or brkpt
	Canceled
	Invalid // an operand that the instruction cannot have
)

func (k FaultKind) String() string {
	return [...]string{"", "illegal address", "misaligned address", "deadlock", "step budget", "diverged lanes", "trap", "canceled", "invalid operand"}[k]
}

// Fault is what ended a launch.
type Fault struct {
	Kind   FaultKind
	Kernel string
	Line   int    // in the PTX text
	Inst   string // the instruction there
	Source string // what the line was made from, if somebody who knows has said so
	Msg    string
	Group  [3]uint32
	Thread [3]uint32 // the first of the invocations at fault
	Err    error     // of Canceled
}

func (f *Fault) Error() string {
	s := fmt.Sprintf("%s in %s, line %d", f.Kind, f.Kernel, f.Line)
	if f.Inst != "" {
		s += " (" + f.Inst + ")"
	}
	if f.Source != "" {
		s += ", from " + f.Source
	}
	return fmt.Sprintf("%s, group %v thread %v: %s", s, f.Group, f.Thread, f.Msg)
}

// Unwrap returns what canceled the launch.
func (f *Fault) Unwrap() error { return f.Err }

// FindingKind says what is wrong without ending a launch.
type FindingKind uint8

// The kinds of findings.
const (
	UndefinedMemory   FindingKind = iota + 1 // a load of bytes that nothing wrote
	UndefinedRegister                        // a use of a register that depends on one that nothing wrote
	Race                                     // an access that nothing orders with another one, if Launch.Races asks for it
)

func (k FindingKind) String() string {
	return [...]string{"", "undefined memory", "undefined register", "race"}[k]
}

// Finding is something wrong at one line of the text.
type Finding struct {
	Kind   FindingKind
	Line   int
	Inst   string
	Source string // as a fault's
	Msg    string // about the first time
	Group  [3]uint32
	Thread [3]uint32
	Count  uint64 // how often, each time of a warp being one
}

func (f Finding) String() string {
	from := ""
	if f.Source != "" {
		from = ", from " + f.Source
	}
	return fmt.Sprintf("%s, line %d (%s)%s, group %v thread %v: %s (%d times)", f.Kind, f.Line, f.Inst, from, f.Group, f.Thread, f.Msg, f.Count)
}

// Report is what a launch did.
type Report struct {
	Findings []Finding // in the order in which they were found
	Steps    uint64    // instructions of warps
	Lanes    uint64    // instructions of lanes
	Barriers uint64    // of groups
}

func (r Report) String() string {
	lines := make([]string, len(r.Findings))
	for i, f := range r.Findings {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

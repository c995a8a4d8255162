package driver

import "time"

// Timing says how long a run took, and where.
type Timing struct {
	Wall    time.Duration // from entry of Start to results in their destinations
	Enqueue time.Duration // in Start
	Wait    time.Duration // in Wait
	Device  time.Duration // around the work on the device, if HasDevice

	HasDevice bool

	// TransferIn and TransferOut are the times on the device before and after that, if the
	// sequence was told TimeTransfers.
	TransferIn, TransferOut time.Duration
	HasTransfers            bool
}

// Add returns the sum of two runs' times; a time on the device is missing if one lacks it.
func (t Timing) Add(o Timing) Timing {
	t.Wall += o.Wall
	t.Enqueue += o.Enqueue
	t.Wait += o.Wait
	t.HasDevice = t.HasDevice && o.HasDevice
	if t.Device += o.Device; !t.HasDevice {
		t.Device = 0
	}
	t.HasTransfers = t.HasTransfers && o.HasTransfers
	if t.TransferIn, t.TransferOut = t.TransferIn+o.TransferIn, t.TransferOut+o.TransferOut; !t.HasTransfers {
		t.TransferIn, t.TransferOut = 0, 0
	}
	return t
}

// Result is what a run says about itself. Its slices belong to the sequence until the next
// run.
type Result struct {
	Timing
	Loops    []LoopResult // of While loops, in recorded order
	Traces   []Trace
	Reports  []Report
	Commands []CommandTime // if the sequence was told TimeCommands
	// TracesDropped counts traces beyond the capacity of their launch.
	TracesDropped uint64
	// Memoized says that nothing ran: the outputs are those of an earlier run with these inputs. See Graph.Memoize.
	Memoized bool
}

// LoopResult says how a While ended, the last time it ran.
type LoopResult struct {
	Iterations uint64
	Converged  bool // the flag was 0
}

// Trace is one record of a trace op. Records of a launch have no order.
type Trace struct {
	Step   int // launch that made it, in recorded order
	Tag    uint32
	Global uint64 // linear id of the invocation in the grid
	Values [3]uint64
	Count  int
}

// Report is a finding of a device that watches programs while they run.
type Report struct {
	Path   string // of the launch
	Kernel string
	Error  bool // the program broke a rule; otherwise a note
	Benign bool // nothing is wrong: several invocations store one value, which is the result in any order
	Text   string
}

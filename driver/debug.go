package driver

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
)

// EnvDebug is the environment variable that holds debug switches for devices opened without
// OpenOptions.Debug.
const EnvDebug = "VYRE_DEBUG"

// Debug is what a device does for who looks for a mistake. It costs time.
//
// With Memcheck, a run that fails because of what it finds delivers its outputs all the same. The error has the kind
// DeviceFault. Every device compiles checks into kernels and runs them on the engine that it has anyway. A check notes an
// access out of bounds, in buffers and in other arrays, unless the source makes it by gpu.At or gpu.Put.
//
// The error has the position in the kernel's source, and a *BoundsError in its chain. The Reports of the result list all
// places in kernels with such accesses. The error is about one of them, which does not depend on the order of execution:
// of the launches the first that was recorded, of its places the first in the kernel, and there the first access of the
// smallest invocation. Launches in loops, graphs and batches have checks, too, and all rounds of a loop count together. On a
// GPU, the notes of a launch have a limited room; a launch with very many places out of bounds may leave some out.
//
// Devices cuda and cuda-sim also check after each run whether something wrote memory around buffers, or free memory. Kernels
// of this module do not, because an access out of bounds reads zero and writes nothing.
type Debug struct {
	Sync     bool   // wait after each command, so that an error names the one that made it
	Memcheck bool   // look at what kernels access, see below
	Leaks    bool   // at Close, list what was made and not closed, with the place
	Log      bool   // say what happens
	PTX      string // directory that every text for the assembler is written to; empty is none
	Passes   string // directory that what a kernel was after each run of a pass is written to; empty is none

	Output io.Writer // where all that goes
}

// parseDebug reads a comma list of sync, memcheck, leaks, log, ptx=<directory> and
// passes=<directory>. The word off alone, like an empty list, sets nothing.
func parseDebug(list string) (Debug, error) {
	d := Debug{Output: os.Stderr}
	if list == "off" {
		return d, nil
	}
	for word := range strings.SplitSeq(list, ",") {
		key, value, hasValue := strings.Cut(strings.TrimSpace(word), "=")
		flag := map[string]*bool{"sync": &d.Sync, "memcheck": &d.Memcheck, "leaks": &d.Leaks, "log": &d.Log}[key]
		switch {
		case key == "" && !hasValue:
		case flag != nil && !hasValue:
			*flag = true
		case key == "ptx" && value != "":
			d.PTX = value
		case key == "passes" && value != "":
			d.Passes = value
		default:
			return Debug{Output: os.Stderr}, &Error{Op: "open", Kind: InvalidArgument, Msg: fmt.Sprintf("there is no debug switch %q", word),
				Fix: "write a comma list of sync, memcheck, leaks, log, ptx=<directory> and passes=<directory>"}
		}
	}
	return d, nil
}

// debug returns the switches that the options, or else the environment, ask for.
func (o OpenOptions) debug() (Debug, error) {
	d, err := parseDebug(cmp.Or(o.Debug, os.Getenv(EnvDebug)))
	if o.DebugOutput != nil {
		d.Output = o.DebugOutput
	}
	return d, err
}

// Debug returns the debug switches of the device.
func (c *Core) Debug() Debug { return c.debug }

// captureStack is where an object was made, as program counters.
type captureStack []uintptr

// captureStack returns the place of the caller of Leaf.Init or NewSequence, if leaks are looked for.
func (c *Core) captureStack() captureStack {
	if !c.debug.Leaks {
		return nil
	}
	pcs := make(captureStack, 32)
	return pcs[:runtime.Callers(3, pcs)]
}

// String lists the calls that led to the place, the innermost first.
func (b captureStack) String() string {
	var s strings.Builder
	frames := runtime.CallersFrames(b)
	for {
		f, more := frames.Next()
		fmt.Fprintf(&s, "\t\t%s %s:%d\n", f.Function, f.File, f.Line)
		if !more {
			return s.String()
		}
	}
}

// survivor is an object that was open when its device closed.
type survivor struct {
	id   uint64
	what string
	at   captureStack
}

// reportLeaks lists the objects that are open while the device closes. What a sequence has for
// itself, and the sequences that Dispatch keeps, are nobody's to close.
func (c *Core) reportLeaks(roots map[*Sequence]struct{}, leaves map[*Leaf]struct{}) {
	if !c.debug.Leaks {
		return
	}
	var all []*survivor
	private := map[*Leaf]bool{}
	for s := range roots {
		s.mu.Lock()
		for _, sc := range s.scratch {
			if sc.inner != nil {
				private[sc.inner.leaf()] = true
			}
		}
		s.mu.Unlock()
		if s.made != nil {
			all = append(all, &survivor{0, fmt.Sprintf("sequence %q", s.label), s.made})
		}
	}
	for l := range leaves {
		if closed, _ := l.state(); !closed && !private[l] {
			all = append(all, &survivor{l.id, fmt.Sprintf("%s %q", l.what, l.label), l.made})
		}
	}
	if all == nil {
		return
	}
	slices.SortStableFunc(all, func(a, b *survivor) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.what, b.what)) })
	var s strings.Builder
	fmt.Fprintf(&s, "vyre: %s closes with %d objects open\n", c.name, len(all))
	for _, o := range all {
		fmt.Fprintf(&s, "\t%s made at\n%s", o.what, o.at)
	}
	// A report that cannot be written has nobody to be told.
	_, _ = io.WriteString(c.debug.Output, s.String())
}

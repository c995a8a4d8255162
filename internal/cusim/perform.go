package cusim

import (
	"encoding/binary"
	"fmt"

	"github.com/govyre/vyre/internal/cusim/internal/machine"
)

// What work costs in virtual time.
const (
	launchNs    = 2420
	barrierNs   = 840  // of a grid
	copyNs      = 1000 // a copy or fill of nothing
	bytesPerNs  = 25   // to and from the host
	deviceBytes = 1000 // the same within the device
)

// sliceSteps is how far a kernel gets at a time.
const sliceSteps = 1 << 14

// perform runs a piece, or a slice of it, and reports whether it has ended.
func (s *stream) perform(w *work) (spent int, done bool) {
	v := s.dev
	switch w.kind {
	case kernel:
		return s.slice(w)
	case replay:
		return s.replay(w)
	case record:
		if e := w.event; w.serial > e.done {
			e.done, e.at = w.serial, s.now
		}
	case waitFor:
		s.now = max(s.now, w.event.at)
	case upload:
		s.spend(w.n, bytesPerNs)
		v.must(v.mem.Write(uint64(w.dst), w.host))
	case download:
		s.spend(w.n, bytesPerNs)
		v.must(v.mem.Read(uint64(w.src), w.host))
		v.fetched(w)
	case word:
		v.must(v.mem.Store32(uint64(w.dst), binary.LittleEndian.Uint32(w.word[:])))
	case move:
		s.spend(w.n, deviceBytes)
		v.must(v.mem.Copy(uint64(w.dst), uint64(w.src), int(w.n)))
	case fill:
		s.spend(w.n*int64(w.width), deviceBytes)
		v.must(v.mem.Fill(uint64(w.dst), w.word[:w.width], int(w.n)))
	case arrive:
		v.mem.Commit(uint64(w.dst))
	case retire:
		v.must(v.giveBack(w.dst))
	case nothing:
		s.now += copyNs
	}
	return 1, true
}

func (s *stream) spend(bytes, perNs int64) { s.now += copyNs + bytes/perNs }

// must breaks the context if memory went away under work: of a pool in another stream, or under a graph.
func (v *device) must(err error) {
	if err != nil && v.sticky == nil {
		v.crash(&machine.Fault{Kind: machine.IllegalAddress, Kernel: "a copy", Msg: err.Error()})
	}
}

// fetched looks for what a copy to the host had no business with.
func (v *device) fetched(w *work) {
	d := v.drv
	if !d.config.Fetches || len(d.report.Findings) == maxFindings {
		return
	}
	if first, n := v.mem.Unwritten(uint64(w.src), int(w.n)); n > 0 {
		d.report.Findings = append(d.report.Findings, Finding{"a copy", machine.Finding{Kind: machine.UndefinedMemory, Count: 1,
			Msg: fmt.Sprintf("nothing wrote %d of the %d bytes that go from %#x to the host, byte %d the first", n, w.n, uint64(w.src), first)}})
	}
}

// slice runs a kernel on.
func (s *stream) slice(w *work) (spent int, ended bool) {
	v := s.dev
	if w.run == nil {
		var err error
		if w.fn.gone {
			err = &machine.Fault{Kind: machine.IllegalAddress, Kernel: w.fn.name, Msg: "its module was unloaded"}
		} else {
			w.launch.Now = uint64(s.now)
			w.run, err = w.fn.code.Start(w.launch)
		}
		if err != nil {
			v.crash(faultOf(err, w.fn.name))
			return 1, true
		}
	}
	steps := uint64(sliceSteps)
	if w.few > 0 {
		steps = uint64(w.few)
	}
	done, err := w.run.Advance(steps)
	if !done && err == nil && w.run.Stuck() && v.hopeless(w) {
		err = w.run.Deadlock()
	}
	if !done && err == nil {
		return int(steps), false
	}
	r := w.run.Report()
	w.run = nil
	s.now += w.fn.cost(&w.launch, r)
	d := v.drv
	d.report.Launches++
	d.report.Steps += r.Steps
	d.report.Lanes += r.Lanes
	for _, f := range r.Findings {
		if len(d.report.Findings) < maxFindings {
			f.Source = w.fn.source(f.Line)
			d.report.Findings = append(d.report.Findings, Finding{w.fn.name, f})
		}
	}
	if err == nil && d.config.Strict && len(r.Findings) > 0 {
		f := r.Findings[0]
		err = &machine.Fault{Kind: machine.Diverged, Kernel: w.fn.name, Line: f.Line, Inst: f.Inst, Msg: f.Kind.String() + ": " + f.Msg, Group: f.Group, Thread: f.Thread}
	}
	if err != nil {
		f := faultOf(err, w.fn.name)
		f.Source = w.fn.source(f.Line)
		v.crash(f)
	}
	return int(r.Steps % sliceSteps), true
}

// faultOf is err as what ended a kernel.
func faultOf(err error, name string) *machine.Fault {
	if f, ok := err.(*machine.Fault); ok {
		return f
	}
	return &machine.Fault{Kind: machine.Invalid, Kernel: name, Msg: err.Error()}
}

// cost is the time that a launch took. A barrier of the whole grid is two of each group around a count.
func (f *function) cost(l *machine.Launch, r machine.Report) int64 {
	t := int64(launchNs + r.Steps/machine.StepsPerNs)
	if groups := uint64(l.Grid[0]) * uint64(l.Grid[1]) * uint64(l.Grid[2]); l.Together {
		t += int64(r.Barriers / (2 * groups) * barrierNs)
	}
	return t
}

// crash breaks the context. Its work is gone.
func (v *device) crash(f *machine.Fault) {
	v.sticky = f
	v.drv.report.Faults = append(v.drv.report.Faults, f)
	for _, s := range v.order {
		s.work = nil
	}
	v.order = nil
}

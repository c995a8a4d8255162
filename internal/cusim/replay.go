package cusim

import "github.com/govyre/vyre/internal/cusim/internal/machine"

// run is a launch of an executable under way. It is kept for the next one.
type run struct {
	active bool
	frames []frame
	waits  []int32 // by step: dependencies that have not ended
	piece  work    // of the step that runs
	at     int32   // that step, −1 for none
	pieces uint64  // so far
}

// frame is a block that runs: the whole graph, then the bodies in it.
type frame struct {
	owner int32   // the step that it is of, −1 without
	left  int     // steps that have not ended
	ready []int32 // steps whose dependencies have
}

// What pieces of a graph cost in virtual time.
const (
	nodeNs = 700  // a kernel, instead of what a launch costs
	loopNs = 1000 // looking at a conditional value
)

// enter begins block b, which is of step owner.
func (r *run) enter(p *plan, b, owner int32) {
	n := len(r.frames)
	if n < cap(r.frames) {
		r.frames = r.frames[:n+1]
	} else {
		r.frames = append(r.frames, frame{})
	}
	f := &r.frames[n]
	from, to := p.blocks[b].from, p.blocks[b].to
	f.owner, f.left, f.ready = owner, int(to-from), f.ready[:0]
	for i := from; i < to; i++ {
		if r.waits[i] = p.steps[i].deps; r.waits[i] == 0 {
			f.ready = append(f.ready, i)
		}
	}
}

// replay runs a piece of a graph on, or goes to the next one.
func (s *stream) replay(w *work) (spent int, done bool) {
	x, p, r := w.exec, w.plan, &w.exec.run
	if !r.active {
		s.now += launchNs
		r.active, r.at, r.pieces = true, -1, 0
		if len(r.waits) < len(p.steps) {
			r.waits = make([]int32, len(p.steps))
		}
		for _, v := range x.values {
			if v.assign {
				v.now = v.initial
			}
		}
		r.frames = r.frames[:0]
		r.enter(p, 0, -1)
	}
	if r.at >= 0 {
		spent, done = s.perform(&r.piece)
		if done && s.dev.sticky == nil {
			if r.piece.kind == kernel {
				s.now += nodeNs - launchNs
			}
			at := r.at
			r.at, r.piece = -1, work{}
			r.ended(p, at)
		}
		return spent, false
	}
	if r.pieces++; r.pieces > s.dev.drv.config.Budget {
		s.dev.crash(&machine.Fault{Kind: machine.Budget, Kernel: "a graph", Msg: "its loops do not end"})
		return 1, true
	}
	return 1, s.next(x, p)
}

// next starts the next step of a graph. It reports whether there is none.
func (s *stream) next(x *executable, p *plan) (done bool) {
	r := &x.run
	f := &r.frames[len(r.frames)-1]
	if f.left == 0 {
		return s.leave(x, p)
	}
	// The first one, or with a seed any.
	i := 0
	if rng := s.dev.drv.rng; rng != nil {
		i = rng.IntN(len(f.ready))
	}
	at := f.ready[i]
	f.ready = append(f.ready[:i], f.ready[i+1:]...)
	switch st := &p.steps[at]; {
	case st.cond != nil:
		s.now += loopNs
		if st.cond.now == 0 {
			r.ended(p, at)
			return false
		}
		f.ready = append(f.ready, at) // it is looked at once more when its body has ended
		r.enter(p, st.inner, at)
	case st.inner >= 0:
		r.enter(p, st.inner, at)
	default:
		r.at, r.piece = at, st.work
		if rng := s.dev.drv.rng; rng != nil && r.piece.kind == kernel {
			r.piece.launch.Seed = rng.Uint64() | 1
		}
	}
	return false
}

// ended notes that a step of the innermost block has ended.
func (r *run) ended(p *plan, at int32) {
	f := &r.frames[len(r.frames)-1]
	f.left--
	for _, n := range p.steps[at].next {
		if r.waits[n]--; r.waits[n] == 0 {
			f.ready = append(f.ready, n)
		}
	}
}

// leave ends the innermost block, and the launch with the outermost.
func (s *stream) leave(x *executable, p *plan) (done bool) {
	r := &x.run
	owner := r.frames[len(r.frames)-1].owner
	r.frames = r.frames[:len(r.frames)-1]
	if owner >= 0 {
		if p.steps[owner].cond == nil { // else it is among those that are ready
			r.ended(p, owner)
		}
		return false
	}
	r.active = false
	x.done++
	x.pending = append(x.pending[:0], x.pending[1:]...)
	return true
}

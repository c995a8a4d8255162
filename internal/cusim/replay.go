package cusim

import (
	"slices"

	"github.com/govyre/vyre/internal/cusim/internal/machine"
)

// run is a launch of an executable under way. It is kept for the next one.
type run struct {
	active bool
	frames []frame
	waits  []int32 // by step: dependencies that have not ended
	under  []piece // under way, of the innermost frame: with a seed several
	pieces uint64  // so far
}

// piece is a step that runs.
type piece struct {
	work
	at int32
}

// piecesAtOnce is how many steps run at the same time.
const piecesAtOnce = 8

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
		r.active, r.pieces, r.under = true, 0, r.under[:0]
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
	if i := s.turn(r, p); i >= 0 {
		return s.advance(r, p, i), false
	}
	if r.pieces++; r.pieces > s.dev.drv.config.Budget {
		s.dev.crash(&machine.Fault{Kind: machine.Budget, Kernel: "a graph", Msg: "its loops do not end"})
		return 1, true
	}
	return 1, s.next(x, p)
}

// turn returns which of the pieces under way runs on, -1 to begin another step. With a seed that is any; otherwise each runs
// to its end. A loop begins when nothing else of its graph is under way.
func (s *stream) turn(r *run, p *plan) int {
	rng := s.dev.drv.rng
	switch f := &r.frames[len(r.frames)-1]; {
	case len(r.under) == 0:
		return -1
	case rng == nil:
		return 0
	case len(r.under) < piecesAtOnce && f.begins(p) && rng.IntN(2) == 0:
		return -1
	}
	return rng.IntN(len(r.under))
}

// begins reports whether a step is ready that is one piece.
func (f *frame) begins(p *plan) bool {
	return slices.ContainsFunc(f.ready, func(at int32) bool { return p.steps[at].inner < 0 })
}

// advance runs a piece on. With a seed, and others under way, it gets through a few instructions at a time.
func (s *stream) advance(r *run, p *plan, i int) (spent int) {
	w := &r.under[i]
	w.few = 0
	if rng := s.dev.drv.rng; rng != nil && len(r.under) > 1 {
		w.few = 1 + rng.IntN(64)
	}
	spent, done := s.perform(&w.work)
	if done && s.dev.sticky == nil {
		if w.kind == kernel {
			s.now += nodeNs - launchNs
		}
		at := w.at
		r.under = slices.Delete(r.under, i, i+1)
		r.ended(p, at)
	}
	return spent
}

// stuck reports whether all that is under way waits for a change of memory, and nothing else can begin.
func (r *run) stuck(p *plan) bool {
	if len(r.under) == 0 || r.frames[len(r.frames)-1].begins(p) && len(r.under) < piecesAtOnce {
		return false
	}
	return !slices.ContainsFunc(r.under, func(w piece) bool { return w.kind != kernel || w.run == nil || !w.run.Stuck() })
}

// next starts the next step of a graph. It reports whether there is none.
func (s *stream) next(x *executable, p *plan) (done bool) {
	r := &x.run
	f := &r.frames[len(r.frames)-1]
	if f.left == 0 {
		return s.leave(x, p)
	}
	// The first one, or with a seed any.
	i, rng := 0, s.dev.drv.rng
	if rng != nil {
		i = rng.IntN(len(f.ready))
	}
	for len(r.under) > 0 && p.steps[f.ready[i]].inner >= 0 {
		i = (i + 1) % len(f.ready)
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
		r.under = append(r.under, piece{st.work, at})
		if w := &r.under[len(r.under)-1]; rng != nil && w.kind == kernel {
			w.launch.Seed = rng.Uint64() | 1
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

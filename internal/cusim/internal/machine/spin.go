package machine

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// A warp that goes around a loop, finds memory as it was and comes back to the registers it had, does so for ever
// unless somebody else changes something. When that is so of every warp that can run, nobody can go on. It
// is found out by comparing the state of a warp with an earlier one, in a window after every power of two of
// turns in which nothing changed, so that a long loop pays little for it.
const (
	firstWindow = 256 // turns
	windowTurns = 32  // the longest cycle that is seen
)

// spin is what is known of a warp's going around.
type spin struct {
	changes uint64 // of memory, when it was last seen to have changed
	turns   uint64 // since
	state   uint64 // at the start of the window
	found   bool
	line    int
	// rotate gives the warp's other paths their turn: one of them may be what this one waits for.
	rotate bool
}

// turned notes that the warp has jumped back.
func (w *warp) turned(in *inst) {
	s, now := &w.spin, w.k.mem.changes
	if s.changes != now {
		*s = spin{changes: now}
		return
	}
	s.turns++
	if s.turns < firstWindow {
		return
	}
	s.rotate = len(w.paths) > 1
	if s.found {
		return
	}
	switch start := uint64(1) << (bits.Len64(s.turns) - 1); {
	case s.turns == start:
		s.state = w.fingerprint()
	case s.turns-start <= windowTurns && s.state == w.fingerprint():
		s.found, s.line = true, in.src.Line
		w.g.m.settled()
	}
}

// fingerprint is a number that two states of a warp share only by chance. What memory holds is not in it.
func (w *warp) fingerprint() uint64 {
	const odd = 0x9E37_79B9_7F4A_7C15
	h := uint64(w.carry)
	for i := range w.regs {
		for _, v := range w.regs[i] {
			h = bits.RotateLeft64(h, 5) ^ v
			h *= odd
		}
	}
	for _, p := range w.preds {
		h = (bits.RotateLeft64(h, 5) ^ uint64(p)) * odd
	}
	places := uint64(0) // in any order: paths take turns
	for _, p := range w.paths {
		places += (uint64(p.pc)<<32 | uint64(p.mask)) * odd
	}
	return h ^ places
}

// settled looks whether every warp that can run goes around. Groups that have not begun may be what they wait
// for, so another one begins then; if there is none, the launch is stuck.
func (e *Execution) settled() {
	now := e.k.mem.changes
	for _, g := range e.groups {
		for _, w := range g.warps {
			if len(w.paths) > 0 && !(w.spin.found && w.spin.changes == now) {
				return
			}
		}
	}
	if e.begun < e.total {
		e.atOnce++
		return
	}
	e.stuck, e.stuckAt = true, now
}

// Stuck reports whether the launch cannot go on until memory is changed from outside.
func (e *Execution) Stuck() bool { return e.stuck && e.stuckAt == e.k.mem.changes }

// Deadlock is the fault of a launch that is stuck.
func (e *Execution) Deadlock() *Fault {
	lines := make(map[int]int)
	var first *Fault
	for _, g := range e.groups {
		for _, w := range g.warps {
			if len(w.paths) == 0 {
				continue
			}
			lines[w.spin.line]++
			if p := w.paths[0]; first == nil {
				in := w.k.code[p.pc].src
				first = &Fault{Kind: Deadlock, Kernel: w.k.source.Name, Line: w.spin.line, Inst: in.String(), Group: g.id,
					Thread: w.threadOf(bits.TrailingZeros32(p.mask))}
			}
		}
	}
	var parts []string
	for _, l := range sortedKeys(lines) {
		parts = append(parts, fmt.Sprintf("%d in the loop of line %d", lines[l], l))
	}
	for _, g := range e.groups {
		if s := g.stuck(); len(parts) < 8 && s != "" {
			parts = append(parts, fmt.Sprintf("in group %v %s", g.id, s))
		}
	}
	first.Msg = "nobody can go on: warps go around and nothing changes, " + strings.Join(parts, ", ")
	return first
}

func sortedKeys(m map[int]int) []int {
	var keys []int
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

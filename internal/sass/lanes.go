package sass

import (
	"fmt"
	"math"
	"math/bits"
)

// together are the instructions of lanes that look at each other. It is filled at the start, as operations is.
var together map[string]func(*warp, *split, uint32, *inst)

// flows are the instructions that set where a lane goes on.
var flows = map[string]bool{"BRA": true, "CALL": true, "RET": true, "EXIT": true}

// yields are those after which another split may have its turn.
var yields = map[string]bool{"YIELD": true, "NANOSLEEP": true}

func init() {
	together = map[string]func(*warp, *split, uint32, *inst){
		"BSSY": meetAgain, "BSYNC": meet, "BREAK": leaveMeeting, "WARPSYNC": waitForWarp, "BAR": waitForGroup,
		"YIELD": pause, "NANOSLEEP": pause,
		"VOTE": vote, "VOTEU": vote, "SHFL": shuffle, "MATCH": match, "REDUX": reduce, "R2UR": fromFirst,
	}
}

func pause(*warp, *split, uint32, *inst) {}

// meetAgain is BSSY: the lanes will wait for each other.
func meetAgain(w *warp, s *split, lanes uint32, in *inst) {
	w.each(lanes, func(t *thread) { t.waits[in.args[0].n] = lanes })
}

// meet is BSYNC. Who waits for nobody, or does not belong to those that meet, goes on.
func meet(w *warp, s *split, lanes uint32, in *inst) {
	n := in.args[len(in.args)-1].n
	var held uint32
	w.each(lanes, func(t *thread) { held |= b2u(t.waits[n]>>t.lane&1 != 0 && t.all(in.args[:len(in.args)-1])) << t.lane })
	if held != 0 {
		w.hold(s, held, atBranch, n, func(t *thread) uint32 { return t.waits[n] })
	}
}

// leaveMeeting is BREAK: the others do not wait for the lanes any more.
func leaveMeeting(w *warp, s *split, lanes uint32, in *inst) {
	n := in.args[len(in.args)-1].n
	var gone uint32
	w.each(lanes, func(t *thread) { gone |= b2u(t.all(in.args[:len(in.args)-1])) << t.lane })
	var met uint32
	w.each(gone, func(t *thread) { met |= t.waits[n] })
	w.each(met&w.alive, func(t *thread) { t.waits[n] &^= gone })
	w.each(gone, func(t *thread) { t.waits[n] = 0 })
	w.release()
}

// keepLanes is BMOV, which keeps the lanes that are waited for in a register, or takes them from there.
func keepLanes(t *thread, in *inst) {
	to, from := in.args[0], in.args[1]
	switch {
	case to.kind == register && from.kind == special:
		t.set(to, t.waits[from.n])
		if in.has("CLEAR") {
			t.waits[from.n] = 0
		}
	case to.kind == special && from.kind == register:
		t.waits[to.n] = t.value(from)
	default:
		t.err = &UnknownError{in.text}
	}
	t.only(in, "32", "CLEAR")
}

// waitForWarp is WARPSYNC, of all lanes or those of a mask. With COLLECTIVE they stay together until ENDCOLLECTIVE at least.
func waitForWarp(w *warp, s *split, lanes uint32, in *inst) {
	mask := func(t *thread) uint32 {
		if in.has("ALL") {
			return math.MaxUint32
		}
		return t.value(in.args[0])
	}
	w.each(lanes, func(t *thread) {
		if m := mask(t); m>>t.lane&1 == 0 {
			t.err = fmt.Errorf("it does not belong to the lanes %#x", m)
		}
		t.only(in, "ALL", "EXCLUSIVE", "COLLECTIVE")
	})
	w.hold(s, lanes, atWarp, 0, mask)
}

// vote is VOTE: which lanes have a predicate, and whether any or all do.
func vote(w *warp, s *split, lanes uint32, in *inst) {
	last := len(in.args) - 1
	yes := w.where(lanes, in.args[last])
	holds := yes != 0
	if in.has("ALL") {
		holds = yes == lanes
	}
	w.each(lanes, func(t *thread) {
		for _, o := range in.args[:last] {
			if o.kind == predicate {
				t.setFlag(o, holds)
			} else {
				t.set(o, yes)
			}
		}
		t.only(in, "ANY", "ALL")
	})
}

// shuffle is SHFL: a word of another lane, and whether that one is in the lane's segment. Of a lane that is not there it is
// arbitrary.
func shuffle(w *warp, s *split, lanes uint32, in *inst) {
	var words [32]uint32
	for i := range words {
		words[i] = arbitrary(i)
	}
	w.each(lanes, func(t *thread) { words[t.lane] = t.value(in.args[2]) })
	w.each(lanes, func(t *thread) {
		by, c := int(t.value(in.args[3])&31), t.value(in.args[4])
		segment := int(c >> 8 & 31)
		least := t.lane & segment
		bound := least | int(c&31)&^segment
		var from int
		var in1 bool
		switch in.mods[0] {
		case "UP":
			from = t.lane - by
			in1 = from >= bound
		case "DOWN":
			from = t.lane + by
			in1 = from <= bound
		case "BFLY":
			from = t.lane ^ by
			in1 = from <= bound
		case "IDX":
			from = least | by&^segment
			in1 = from <= bound
		default:
			t.err = &UnknownError{in.text}
		}
		if !in1 {
			from = t.lane
		}
		t.setFlag(in.args[0], in1)
		t.set(in.args[1], words[from])
	})
}

// match is MATCH: which lanes have the same value, or whether all do.
func match(w *warp, s *split, lanes uint32, in *inst) {
	from := in.args[len(in.args)-1]
	value := func(t *thread) uint64 {
		if in.has("U64") {
			return t.pair(from)
		}
		return uint64(t.value(from))
	}
	var values [32]uint64
	w.each(lanes, func(t *thread) { values[t.lane] = value(t) })
	w.each(lanes, func(t *thread) {
		var same uint32
		w.each(lanes, func(o *thread) { same |= b2u(values[o.lane] == values[t.lane]) << o.lane })
		if in.has("ALL") && same != lanes {
			same = 0
		}
		for _, o := range in.args[:len(in.args)-1] {
			if o.kind == predicate {
				t.setFlag(o, same == lanes)
			} else {
				t.set(o, same)
			}
		}
		t.only(in, "ANY", "ALL", "U64")
	})
}

// reduce is REDUX: of all lanes, into a register of the warp.
func reduce(w *warp, s *split, lanes uint32, in *inst) {
	first := w.first(lanes)
	v := first.value(in.args[1])
	w.each(lanes&(lanes-1), func(t *thread) {
		x := t.value(in.args[1])
		switch {
		case in.has("SUM"):
			v += x
		case in.has("OR"):
			v |= x
		case in.has("XOR"):
			v ^= x
		case in.has("MIN") && in.has("S32"):
			v = uint32(min(int32(v), int32(x)))
		case in.has("MAX") && in.has("S32"):
			v = uint32(max(int32(v), int32(x)))
		case in.has("MIN"):
			v = min(v, x)
		case in.has("MAX"):
			v = max(v, x)
		default:
			v &= x
		}
	})
	first.set(in.args[0], v)
	first.only(in, "SUM", "OR", "XOR", "MIN", "MAX", "S32")
}

// fromFirst is R2UR, of the first lane that is there.
func fromFirst(w *warp, s *split, lanes uint32, in *inst) {
	t := w.lanes[bits.TrailingZeros32(lanes)]
	t.set(in.args[0], t.value(in.args[1]))
	if len(in.args) != 2 || len(in.mods) > 0 {
		t.err = &UnknownError{in.text}
	}
}

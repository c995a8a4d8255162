package main

// A ladder keeps the work bounded that telling fields of values apart may be. When the steps of a rung are spent,
// fields of which calls have asked for many more objects than procedures name become one object for all values of their
// type, as in field-based analyses. All others stay what they are. Each rung demotes more fields than the one before.
type ladder struct {
	rung      int
	allowance int          // steps of a rung
	spent     int          // steps, beyond which the next rung is taken
	demoted   map[key]bool // fields that are one for all values of their type
	named     []int        // how many objects of each part procedures name
	overshot  bool         // one call has taken the steps of several rungs
}

// rungs say how many objects of a field there may be, beside those that procedures name: so many times those, and so
// many more.
var rungs = [...]struct{ times, more int }{{8, 64}, {4, 32}, {2, 16}, {1, 4}, {0, 0}}

// begin sets out what there is to spend.
func (h *heap) begin() {
	h.named, h.allowance = h.count(), 1_000_000+20*len(h.objects)
	h.spent = h.steps + h.allowance
	h.most = max(h.most, h.steps+4*(len(rungs)+1)*h.allowance)
}

// mostOver is how many times the steps of a rung one call may take beyond them. No rung is taken within a call, so a heap that
// makes too much in one is made anew.
const mostOver = 1

// overshoots reports whether a call takes too many steps.
func (h *heap) overshoots() bool { return h.isSpent() && h.steps > h.spent+mostOver*h.allowance }

// isSpent reports whether the steps of a rung are spent, and there is another.
func (h *heap) isSpent() bool { return h.spread && h.steps > h.spent && h.rung < len(rungs) }

// count is how many objects each part is, of those that are none of another.
func (h *heap) count() []int {
	n := make([]int, len(h.texts))
	for o := range h.objects {
		if at := &h.objects[o]; at.up == int32(o) && at.within != none {
			n[at.key]++
		}
	}
	return n
}

// climb demotes the fields of the next rung, if the steps of this one are spent.
func (h *heap) climb() bool {
	if !h.isSpent() {
		return false
	}
	h.demote()
	h.joinDemoted()
	h.spent = h.steps + h.allowance
	return true
}

// demote finds the fields of the next rung.
func (h *heap) demote() {
	r := rungs[h.rung]
	h.rung++
	for k, n := range h.count() {
		named := 0 // if only calls have asked for it
		if k < len(h.named) {
			named = h.named[k]
		}
		if h.texts[k].of != nil && n > r.times*named+r.more {
			h.demoted[key(k)] = true
		}
	}
}

// anew returns an empty heap on the next rung, with the same keys. Its demoted fields are one object from the beginning, so that no call
// makes all the others again.
func (h *heap) anew() *heap {
	h.demote()
	to := newHeap(false)
	to.keys, to.texts, to.structs, to.hidden, to.called = h.keys, h.texts, h.structs, h.hidden, h.called
	to.demoted, to.rung = h.demoted, h.rung
	return to
}

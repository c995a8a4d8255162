package native

import "slices"

// Scheduling for register pressure, within a block. Between what goes on elsewhere, stops or writes memory stand runs of instructions that only make registers of
// others and of what plain loads find. A load whose register one instruction reads goes right before that, which then may read
// memory. Where a run makes more values than there are registers for, such as sixteen sums that grow by turns, it is
// written for some of its results after the others: the sums of a part stay in registers to the end of the run, and
// what all of them need of shared memory is loaded again for each part.

// maxParts is how many parts a run is divided into at most.
const maxParts = 8

// schedule puts runs into an order that needs fewer registers.
func (f *function) schedule(most int) {
	if !loads(f.ins) {
		return
	}
	n := &ordering{function: f, most: most, reads: make([]int32, len(f.vregs)), defs: make([]int32, len(f.vregs)), at: make([]int32, len(f.vregs))}
	for i := range f.ins {
		for v := range f.ins[i].reads() {
			n.reads[v]++
		}
		for v := range f.ins[i].writes() {
			n.defs[v]++
		}
	}
	out := make([]ins, 0, len(f.ins))
	for i := 0; i < len(f.ins); {
		first := i
		for i < len(f.ins) && f.ins[i].quiet() {
			i++
		}
		if first < i {
			out = append(out, n.run(f.ins[first:i])...)
		}
		if i < len(f.ins) {
			out = append(out, f.ins[i])
			i++
		}
	}
	f.ins = out
}

// loads reports whether one of the instructions is a plain load.
func loads(list []ins) bool {
	for i := range list {
		if list[i].form == formLoad {
			return true
		}
	}
	return false
}

// quiet reports whether an instruction only makes a register.
func (in *ins) quiet() bool { return in.form > formMacro && in.form <= formMove }

// ordering is what schedule knows of registers.
type ordering struct {
	*function
	most  int
	reads []int32 // of each register: how many instructions read it, one that reads it twice counts twice
	defs  []int32 // how many write it
	at    []int32 // 1 more than where in the run it is written last; 0 for nowhere
}

// run returns a run in the order that it is to have.
func (n *ordering) run(list []ins) []ins {
	if !loads(list) {
		return list
	}
	defer func() {
		for i := range list {
			n.at[list[i].d] = 0
		}
	}()
	best := n.sink(list, n.ones(list))
	if len(list) <= n.most {
		return best
	}
	inner := n.inner(list)
	if n.pressure(best, inner) <= n.most {
		return best
	}
	ends, ok := n.results(list)
	if !ok {
		return best
	}
	for k := 2; k <= min(maxParts, len(ends)); k++ {
		divided, ok := n.divide(list, ends, k)
		if !ok {
			return best
		}
		if divided = n.sink(divided, nil); n.pressure(divided, inner) <= n.most && len(divided) < 2*len(list) {
			return divided
		}
	}
	return best
}

// ones finds the loads whose registers one instruction of the run reads and nothing else.
func (n *ordering) ones(list []ins) map[vreg]bool {
	out := map[vreg]bool{}
	for i := range list {
		if in := &list[i]; in.form == formLoad && n.reads[in.d] == 1 && n.defs[in.d] == 1 {
			out[in.d] = true
		}
	}
	return out
}

// sink moves loads to right before the first instruction that reads them: those of some registers, nil of all that are written
// once. A load stays where what it goes by is written again.
func (n *ordering) sink(list []ins, which map[vreg]bool) []ins {
	waiting := map[vreg]ins{}
	out := make([]ins, 0, len(list))
	release := func(ok func(vreg, ins) bool) {
		for i := range list { // in their order
			if in, there := waiting[list[i].d]; there && list[i].form == formLoad && ok(list[i].d, in) {
				out = append(out, in)
				delete(waiting, list[i].d)
			}
		}
	}
	for _, in := range list {
		if len(waiting) > 0 {
			if needed := slices.ContainsFunc([]vreg{in.a, in.b, in.c}, func(v vreg) bool { _, ok := waiting[v]; return ok }); needed {
				release(func(d vreg, _ ins) bool { return d == in.a || d == in.b || d == in.c })
			}
			for _, w := range waiting {
				if w.a == in.d {
					release(func(_ vreg, w ins) bool { return w.a == in.d })
					break
				}
			}
		}
		if in.form == formLoad && in.a != in.d && (which[in.d] || which == nil && n.written(in.d) == 1) {
			waiting[in.d] = in
			continue
		}
		out = append(out, in)
	}
	release(func(vreg, ins) bool { return true })
	return out
}

// written is how many instructions write a register, also of those that runs make.
func (n *ordering) written(v vreg) int32 {
	if int(v) >= len(n.defs) {
		return 1
	}
	return n.defs[v]
}

// inner finds what the run makes and nothing else reads.
func (n *ordering) inner(list []ins) map[vreg]bool {
	reads, out := map[vreg]int32{}, map[vreg]bool{}
	for i := range list {
		for v := range list[i].reads() {
			reads[v]++
		}
	}
	for i := range list {
		d := list[i].d
		out[d] = n.defs[d] == 1 && reads[d] == n.reads[d]
	}
	return out
}

// pressure is how many of the values live at once at most that the run makes and nothing else reads.
func (n *ordering) pressure(list []ins, inner map[vreg]bool) int {
	left := map[vreg]int32{}
	for i := range list {
		for v := range list[i].reads() {
			left[v]++
		}
	}
	alive, most := map[vreg]bool{}, 0
	for i := range list {
		in := &list[i]
		for v := range in.reads() {
			if left[v]--; left[v] == 0 {
				delete(alive, v)
			}
		}
		if left[in.d] > 0 && (inner[in.d] || int(in.d) >= len(n.defs)) {
			alive[in.d] = true
		}
		most = max(most, len(alive))
	}
	return most
}

// results finds the instructions of a run that make what others read after it; false if the run writes a register twice.
func (n *ordering) results(list []ins) (ends []int, ok bool) {
	inside := map[vreg]int32{}
	for i := len(list) - 1; i >= 0; i-- {
		in := &list[i]
		if n.at[in.d] != 0 {
			return nil, false
		}
		n.at[in.d] = int32(i + 1)
		if n.defs[in.d] > 1 || inside[in.d] < n.reads[in.d] {
			ends = append(ends, i)
		}
		for v := range in.reads() {
			inside[v]++
		}
	}
	slices.Reverse(ends)
	return ends, true
}

// divide writes a run for its results in k parts; false if that would read what is overwritten already.
func (n *ordering) divide(list []ins, ends []int, k int) ([]ins, bool) {
	size := (len(ends) + k - 1) / k
	done, again := make([]bool, len(list)), map[vreg]vreg{}
	overwritten := map[vreg]bool{}
	var out []ins
	for part := range slices.Chunk(ends, size) {
		wanted := make([]bool, len(list))
		for _, i := range part {
			wanted[i] = true
		}
		clear(again)
		for i := len(list) - 1; i >= 0; i-- {
			if !wanted[i] || done[i] && !list[i].repeatable() {
				wanted[i] = wanted[i] && !done[i]
				continue
			}
			for v := range list[i].reads() {
				if at := n.at[v]; at > 0 && int(at-1) < i {
					wanted[at-1] = true
				}
			}
		}
		for i, in := range list {
			if !wanted[i] {
				continue
			}
			for _, v := range []*vreg{&in.a, &in.b, &in.c} {
				if *v == noReg {
					continue
				}
				if at := n.at[*v]; at > 0 && int(at-1) >= i && overwritten[*v] { // what it was before the run
					return nil, false
				}
				if to, ok := again[*v]; ok {
					*v = to
				}
			}
			if done[i] {
				d := n.reg()
				n.vregs[d] = n.vregs[in.d]
				again[in.d], in.d = d, d
			} else {
				done[i], overwritten[in.d] = true, true
			}
			out = append(out, in)
		}
	}
	return out, !slices.Contains(done, false)
}

// repeatable reports whether an instruction is a load that may be done again: of shared memory, which nobody else writes
// meanwhile, or of a table.
func (in *ins) repeatable() bool {
	return in.form == formLoad && (in.access.o.Shared() || in.access.o.Table())
}

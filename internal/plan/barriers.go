package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/govyre/vyre/driver"
)

// Dependency is an ordered pair of waves: After must see what Before wrote, or must not overwrite what Before still
// reads. Naming a pair twice changes nothing.
type Dependency struct{ Before, After int }

// Barriers is the order of waves: groups with a barrier between one and the next.
type Barriers struct {
	Groups  [][]int // waves with no barrier between them, ascending; all in one backing array
	GroupOf []int   // of each wave
	Height  []int   // of each wave: dependencies on the longest path from it to a wave that nothing waits for

	Count    int // barriers of a straight run, one less than groups
	PerRound int // barriers of a round of a loop: the back edge needs one too

	members []int // what Groups are parts of
	sizes   []int // waves of each group
}

// BarrierPlanner orders waves. It keeps its working storage between calls; the zero value is ready. One goroutine uses
// it at a time.
type BarrierPlanner struct {
	start   []int32 // first place of each wave's row in after, and the end of the last row
	after   []int32 // row by row, the waves that wait for the row's wave
	waiting []int32 // dependencies of each wave that are not yet kept
	order   []int32 // waves as they became free: each behind all that it waits for
}

const barriersOp = "plan barriers"

// Plan puts waves 0 to waves-1 into the fewest groups that keep deps: a wave's group is the length of the longest path
// to it from a wave that waits for nothing. It takes time and space O(waves + dependencies), and allocates nothing when
// repeated with sizes not above earlier ones. After an error, into is empty.
//
// The layering is Kahn's (Topological sorting of large networks, 1962), a layer at a time.
//
// Errors: empty, bad_wave, self, cycle, overflow; all that there are, as driver.Problems.
func (p *BarrierPlanner) Plan(waves int, deps []Dependency, into *Barriers) error {
	return found(p.plan(waves, deps, into))
}

func (p *BarrierPlanner) plan(waves int, deps []Dependency, into *Barriers) driver.Problems {
	into.reset()
	ps := checkDependencies(waves, deps)
	if waves <= 0 || waves > math.MaxInt32 || len(deps) > math.MaxInt32 {
		return ps
	}
	p.rows(waves, deps)
	into.GroupOf = resize(into.GroupOf, waves)
	groups := p.layers(into.GroupOf)
	if left := waves - len(p.order); left > 0 {
		ps = append(ps, p.refuseCycle(waves, left, deps))
	}
	if len(ps) > 0 {
		into.reset()
		return ps
	}
	p.heights(into)
	into.arrange(groups)
	return nil
}

// checkDependencies finds what is wrong with single dependencies.
func checkDependencies(waves int, deps []Dependency) (ps driver.Problems) {
	switch {
	case waves <= 0:
		ps = append(ps, Refusal(barriersOp, driver.InvalidArgument, "waves", "there are no waves", "give at least one",
			Reason{Code: "empty", Index: -1}))
		waves = 0
	case waves > math.MaxInt32:
		return append(ps, Overflow(barriersOp, "waves", "waves", -1))
	case len(deps) > math.MaxInt32:
		return append(ps, Overflow(barriersOp, "dependencies", "dependencies", -1))
	}
	for i, d := range deps {
		switch {
		case !d.within(waves):
			ps = append(ps, Refusal(barriersOp, driver.InvalidArgument, fmt.Sprintf("dependency %d", i),
				fmt.Sprintf("%d→%d names a wave that is not one of %d", d.Before, d.After, waves), "waves count from 0",
				Reason{Code: "bad_wave", Index: i, Path: []int{d.Before, d.After}}))
		case d.Before == d.After:
			ps = append(ps, Refusal(barriersOp, driver.InvalidArgument, fmt.Sprintf("dependency %d", i),
				fmt.Sprintf("wave %d waits for itself", d.Before), "drop it; what a wave hands to its next round needs no dependency",
				Reason{Code: "self", Index: d.Before}))
		}
	}
	return ps
}

func (d Dependency) within(waves int) bool {
	return d.Before >= 0 && d.Before < waves && d.After >= 0 && d.After < waves
}

// sound reports whether d can be kept at all.
func (d Dependency) sound(waves int) bool { return d.within(waves) && d.Before != d.After }

// rows sorts the dependencies by the wave before, by counting, and counts those of the wave after.
func (p *BarrierPlanner) rows(waves int, deps []Dependency) {
	p.start = zeroed(p.start, waves+1)
	p.waiting = zeroed(p.waiting, waves)
	n := 0
	for _, d := range deps {
		if d.sound(waves) {
			p.start[d.Before]++
			p.waiting[d.After]++
			n++
		}
	}
	// A row's start is its end until the row is filled from behind.
	end := int32(0)
	for w := range p.start {
		end += p.start[w]
		p.start[w] = end
	}
	p.after = resize(p.after, n)
	for _, d := range deps {
		if d.sound(waves) {
			p.start[d.Before]--
			p.after[p.start[d.Before]] = int32(d.After)
		}
	}
}

// row returns the waves that wait for w.
func (p *BarrierPlanner) row(w int32) []int32 { return p.after[p.start[w]:p.start[w+1]] }

// layers frees waves a layer at a time, says in groupOf where each is and returns the number of layers. Waves of cycles,
// and those that wait for them, stay out of p.order.
func (p *BarrierPlanner) layers(groupOf []int) (groups int) {
	p.order = resize(p.order, len(p.waiting))[:0]
	for w, n := range p.waiting {
		if n == 0 {
			p.order = append(p.order, int32(w))
		}
	}
	for at := 0; at < len(p.order); groups++ {
		for end := len(p.order); at < end; at++ {
			w := p.order[at]
			groupOf[w] = groups
			for _, s := range p.row(w) {
				if p.waiting[s]--; p.waiting[s] == 0 {
					p.order = append(p.order, s)
				}
			}
		}
	}
	return groups
}

func (p *BarrierPlanner) heights(into *Barriers) {
	into.Height = zeroed(into.Height, len(p.order))
	for _, w := range slices.Backward(p.order) {
		for _, s := range p.row(w) {
			into.Height[w] = max(into.Height[w], into.Height[s]+1)
		}
	}
}

func (p *BarrierPlanner) refuseCycle(waves, left int, deps []Dependency) *driver.Error {
	path := p.cycle(waves, deps)
	return Refusal(barriersOp, driver.InvalidArgument, fmt.Sprintf("wave %d", path[0]),
		fmt.Sprintf("waves wait for each other: %s; %d of %d cannot be ordered", pathText(path), left, waves),
		"drop one of these dependencies, or make one wave of them",
		Reason{Code: "cycle", Index: -1, Numbers: []uint64{uint64(left)}, Path: path})
}

// cycle returns one cycle, from its smallest wave around to it. Every wave that is left waits for another that is left,
// so who goes back from any of them comes round.
func (p *BarrierPlanner) cycle(waves int, deps []Dependency) []int {
	before := make([]int, waves)
	for w := range before {
		before[w] = -1
	}
	from := waves
	for _, d := range deps {
		if d.sound(waves) && p.waiting[d.Before] > 0 && p.waiting[d.After] > 0 {
			if b := &before[d.After]; *b < 0 || d.Before < *b {
				*b = d.Before // the smallest, so that the order of deps does not matter
			}
			from = min(from, d.After)
		}
	}
	seen := make([]bool, waves)
	for ; !seen[from]; from = before[from] {
		seen[from] = true
	}
	path := []int{from}
	for w := before[from]; w != from; w = before[w] {
		path = append(path, w)
	}
	slices.Reverse(path)
	smallest := slices.Index(path, slices.Min(path))
	path = slices.Concat(path[smallest:], path[:smallest])
	return append(path, path[0])
}

// reset empties b and keeps its storage.
func (b *Barriers) reset() {
	b.Groups, b.GroupOf, b.Height = b.Groups[:0], b.GroupOf[:0], b.Height[:0]
	b.Count, b.PerRound = 0, 0
}

// arrange makes Groups of GroupOf. Waves are taken by ascending id, so they stand so in their group.
func (b *Barriers) arrange(groups int) {
	b.sizes = zeroed(b.sizes, groups)
	for _, g := range b.GroupOf {
		b.sizes[g]++
	}
	b.members = resize(b.members, len(b.GroupOf))
	b.Groups = resize(b.Groups, groups)
	at := 0
	for g, n := range b.sizes {
		b.Groups[g] = b.members[at : at : at+n]
		at += n
	}
	for w, g := range b.GroupOf {
		b.Groups[g] = append(b.Groups[g], w)
	}
	b.Count, b.PerRound = groups-1, groups
}

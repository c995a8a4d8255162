package ptx

import "slices"

// differing is a comparison that the assembler is not to merge with equal ones.
type differing struct {
	inst  int
	class int // at least 1; those of a class may be merged
}

// dominance tells which blocks are on every way to another.
type dominance struct {
	number []int // in a walk down the tree of dominators; 0: no way leads to the block
	size   []int // how many blocks a block dominates, itself among them
}

func (d *dominance) dominates(x, y int) bool {
	return d.number[x] <= d.number[y] && d.number[y] < d.number[x]+d.size[x]
}

// mostClasses is how many classes of a comparison are tried.
const mostClasses = 8

// apart parts equal comparisons into classes. The assembler makes one comparison of those of a class where the first
// dominates the others, and keeps its result from each to the next; in class 0 as they stand. A comparison is of the first
// class in which that result fits. O(comparisons · mostClasses · blocks between them).
func (a *ranges) apart(most int) []differing {
	if len(a.made) == 0 {
		return nil
	}
	d := a.dominance()
	order := make([]int, len(a.made))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return d.number[a.made[x].block] - d.number[a.made[y].block] })
	var list []differing
	before := make([]int, len(a.made)) // the one before of its class, from which it is dominated; -1: none
	last := make([][]int, len(a.made)) // by the first that is equal: of each class the last; -1: none
	for _, i := range order {
		at := a.made[i]
		if d.number[at.block] == 0 {
			continue
		}
		classes := last[at.first]
		class := 0
		for ; class < len(classes); class++ {
			l := classes[class]
			for l >= 0 && !d.dominates(a.made[l].block, at.block) {
				l = before[l] // nor does it dominate those that follow in order
			}
			classes[class] = l
			if class < mostClasses && (l < 0 || a.merges(a.made[l].block, at.block, most)) {
				break
			}
		}
		if class == len(classes) {
			classes = append(classes, -1)
			last[at.first] = classes
		}
		before[i], classes[class] = classes[class], i
		if class > 0 {
			list = append(list, differing{at.inst, class})
		}
	}
	return list
}

// merges counts the result of a comparison in one block up to another that makes it again, if it fits.
func (a *ranges) merges(first, again, most int) bool {
	if first == again {
		return true
	}
	x := lifetime{number: a.next, reads: &blockList{block: again}, writes: &blockList{block: first}}
	a.next++
	return a.fits(&x, most)
}

// dominance finds immediate dominators as by Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm. Blocks are in
// reverse postorder, because of the branches only those of loops lead up.
func (a *ranges) dominance() *dominance {
	above := make([]int, len(a.blocks)) // each block's immediate dominator
	for i := range above {
		above[i] = -1
	}
	above[0] = 0
	for changed := true; changed; {
		changed = false
		for b := 1; b < len(above); b++ {
			to := -1
			for l := a.blocks[b].from; l != nil; l = l.next {
				a.visits++
				x := l.block
				if above[x] < 0 {
					continue
				}
				for to >= 0 && x != to {
					a.visits++
					if x > to {
						x = above[x]
					} else {
						to = above[to]
					}
				}
				to = x
			}
			changed = changed || above[b] != to
			above[b] = to
		}
	}
	d := &dominance{number: make([]int, len(above)), size: make([]int, len(above))}
	for b := len(above) - 1; b >= 0; b-- {
		if d.size[b]++; b > 0 && above[b] >= 0 {
			d.size[above[b]] += d.size[b]
		}
	}
	next := make([]int, len(above)) // the number of the next block below
	d.number[0], next[0] = 1, 2
	for b := 1; b < len(above); b++ {
		if to := above[b]; to >= 0 {
			d.number[b], next[b] = next[to], next[to]+1
			next[to] += d.size[b]
		}
	}
	return d
}

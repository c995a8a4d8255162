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
	c := classes{a: a, d: d, leader: make([]int, len(a.made)), number: make([]uint32, len(a.made)), before: make([]int, len(a.made)), first: make([]int, len(a.made)), more: make(map[int][]int)}
	for i := range c.first {
		c.first[i] = -1
	}
	for _, i := range order {
		at := a.made[i]
		if d.number[at.block] == 0 {
			continue
		}
		class := 0
		for ; class < mostClasses; class++ {
			l := c.last(at, class)
			if l < 0 {
				c.begin(i)
				break
			}
			if c.merges(l, i, most) {
				break
			}
		}
		if class == mostClasses {
			class += len(c.more[at.first])
			c.begin(i)
		}
		c.add(i, class)
		if class > 0 {
			list = append(list, differing{at.inst, class})
		}
	}
	return list
}

// classes are lists of comparisons, each with those before it of its class that dominate it.
type classes struct {
	a      *ranges
	d      *dominance
	leader []int         // by comparison: the first of those that it is merged with
	number []uint32      // by that: of the lifetime of the result
	before []int         // by comparison: the one before it in its list; -1: none
	first  []int         // by the first that is equal: the last of class 0; -1: none
	more   map[int][]int // likewise, of class 1 and those after it
}

// last is the last comparison of a class that dominates one; -1: none. Those that do not dominate it dominate none that
// follows, in the order of the tree.
func (c *classes) last(at madeAt, class int) int {
	place := c.place(at.first, class)
	if place == nil {
		return -1
	}
	for *place >= 0 && !c.d.dominates(c.a.made[*place].block, at.block) {
		*place = c.before[*place]
	}
	return *place
}

// place is where the last comparison of a class is; nil: the class has none yet.
func (c *classes) place(first, class int) *int {
	if class == 0 {
		return &c.first[first]
	}
	if more := c.more[first]; class <= len(more) {
		return &more[class-1]
	}
	return nil
}

// add puts a comparison into a class.
func (c *classes) add(i, class int) {
	first := c.a.made[i].first
	place := c.place(first, class)
	if place == nil {
		c.more[first] = append(c.more[first], -1)
		place = c.place(first, len(c.more[first]))
	}
	c.before[i], *place = *place, i
}

// merges counts the result of comparison l up to i, which makes it again, if it fits.
func (c *classes) merges(l, i, most int) bool {
	first, again, leader := c.a.made[l].block, c.a.made[i].block, c.leader[l]
	if first != again {
		x := lifetime{number: c.number[leader], reads: &blockList{block: again}, writes: &blockList{block: first}}
		if !c.a.fits(&x, most) {
			c.begin(leader) // blocks that do not count it have the number
			return false
		}
	}
	c.leader[i] = leader
	return true
}

// begin gives a comparison's result a lifetime of its own.
func (c *classes) begin(i int) {
	c.leader[i], c.number[i] = i, c.a.next
	c.a.next++
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

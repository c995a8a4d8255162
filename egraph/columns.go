package egraph

// Class is the id of a class, and so the name of the term with which it began. Unions keep every id valid: Find returns
// the smallest id that is equal, the root.
type Class uint32

// None is not a class. Calls with a mistake in them return it.
const None Class = 1<<32 - 1

// noRow is not a row.
const noRow = 1<<32 - 1

// columns are the rows. A row is an index.
type columns struct {
	rowClass []Class
	rowHead  []Head
	rowFirst []uint32
	rowLen   []uint32
	kids     []Class // canonical after a rebuild
	given    []Class // as they were given, which proofs are about
	dead     []uint64
	fault    fault
}

// fault is a mistake that a test has put in, to see that another test notices.
type fault uint8

const (
	faultCompare fault = iota + 1 // rows are equal if their signatures are
	faultWork                     // a changed row is left out of the work list
	faultEarly                    // the parallel form stops a round early
	faultLarger                   // the larger root stays one
	faultWalk                     // no mistake: the parallel form does all rounds by passes over all rows
	faultStamp                    // a row that moved to another class counts as old
)

// children returns the children of a row, canonical after a rebuild.
func (c *columns) children(row uint32) []Class {
	first := c.rowFirst[row]
	return c.kids[first : first+c.rowLen[row]]
}

// original returns the children with which a row was made.
func (c *columns) original(row uint32) []Class {
	first := c.rowFirst[row]
	return c.given[first : first+c.rowLen[row]]
}

func (c *columns) isDead(row uint32) bool { return c.dead[row/64]>>(row%64)&1 != 0 }
func (c *columns) kill(row uint32)        { c.dead[row/64] |= 1 << (row % 64) }

// push appends a row.
func (c *columns) push(class Class, head Head, kids []Class) uint32 {
	row := uint32(len(c.rowHead))
	c.rowClass = append(c.rowClass, class)
	c.rowHead = append(c.rowHead, head)
	c.rowFirst = append(c.rowFirst, uint32(len(c.kids)))
	c.rowLen = append(c.rowLen, uint32(len(kids)))
	c.kids = append(c.kids, kids...)
	c.given = append(c.given, kids...)
	if row%64 == 0 {
		c.dead = append(c.dead, 0)
	}
	return row
}

// equal reports whether two rows have one head and the same children.
func (c *columns) equal(a, b uint32) bool { return c.is(a, c.rowHead[b], c.children(b)) }

// is reports whether a row has a head and children.
func (c *columns) is(row uint32, head Head, kids []Class) bool {
	if c.fault == faultCompare {
		return true
	}
	if c.rowHead[row] != head || c.rowLen[row] != uint32(len(kids)) {
		return false
	}
	for i, k := range c.children(row) {
		if k != kids[i] {
			return false
		}
	}
	return true
}

// fresh is ranges of rows.
type fresh struct {
	ranges [][2]int
	rows   int
}

func (f *fresh) add(row int) {
	f.rows++
	if n := len(f.ranges); n > 0 && f.ranges[n-1][1] == row {
		f.ranges[n-1][1]++
		return
	}
	f.ranges = append(f.ranges, [2]int{row, row + 1})
}

func (f *fresh) each(do func(lo, hi int)) {
	for _, r := range f.ranges {
		do(r[0], r[1])
	}
}

func (f *fresh) append(to []uint32) []uint32 {
	f.each(func(lo, hi int) {
		for row := lo; row < hi; row++ {
			to = append(to, uint32(row))
		}
	})
	return to
}

func (f *fresh) forget() { f.ranges, f.rows = f.ranges[:0], 0 }

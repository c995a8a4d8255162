package columns

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// A row is head, A, B, C. The head has the op, the type from bit TypeShift, the immediate from ImmShift, and in the top
// bit whether the row orders memory. Operands are ids of rows. What else A, B and C are, the op says: see the bits of
// its word.
const (
	None      = ^uint32(0)
	OpMask    = 1<<10 - 1
	TypeShift = 10
	TypeMask  = 1<<6 - 1
	ImmShift  = 16
	ImmMask   = 1<<15 - 1
	Orders    = 1 << 31

	// A tag is the region: twice its owner's row, plus 1 for the second one, or Body and the number of the program.
	Body = 1 << 31

	// HeadWords are those of a program: first row, rows, first word of lists, words of lists, visible objects.
	HeadWords = 8

	folded = None - 1 // in column leader: the value is known
	empty  = ^uint64(0)
)

// Bits of an op's word, above the number of operands in A, B and C.
const (
	Merges     = 1 << (2 + iota) // equal ones are one value
	Commutes                     // the first two operands may change places
	Convergent                   // equal ones of one region alone are
	Loads                        // B is its flags, and C the version of what it reads
	List                         // B is where its list is in "more": a length, and ids
	Owns                         // C is the row after its last region
	Repeats                      // it is a loop, whose list feeds the arguments behind it
	Argument                     // C is the loop that it is one of, or none
	Result                       // C is what it is a result of
	Root                         // it has an effect
	Writes                       // the object in its immediate
	Ends                         // it is the last row of its region
	Break                        // C is the block or loop that it leaves
	Continue                     // C is the loop that goes on
	Constant                     // A and B are its bits
)

// Epochs gives each load the version of its object, and begins column leader. A warp goes through a program, each lane
// with the version of one object; those above the 31st share one. A version is 1 + the row, counted in the program,
// behind which it begins: a write, what orders memory, the end of what owns regions, or a loop, for what is changed
// inside. The first way through finds that.
//
//vyre:kernel workgroup=256
func Epochs(t gpu.Thread, heads, ops []uint32, rows [][4]uint32, tag, leader, inside []uint32) {
	me := worker(t)
	if me >= uint32(len(heads))/HeadWords {
		return
	}
	first, n, visible := heads[me*HeadWords], heads[me*HeadWords+1], heads[me*HeadWords+4]
	for way := uint32(0); way < 2; way++ {
		now := uint32(0)
		for base := uint32(0); base < n; base += 32 {
			r := first + base + t.Lane()
			op, object, changes, opened := uint32(0), uint32(0), uint32(0), uint32(0)
			if base+t.Lane() < n {
				x := rows[r]
				op, object = ops[x[0]&OpMask], min(x[0]>>ImmShift&ImmMask, 31)
				if x[0]&Orders != 0 {
					changes = visible
				}
				if op&Writes != 0 {
					changes |= 1 << object
				}
				if op&Repeats != 0 && way == 1 {
					changes = inside[r]
				}
				if op&Ends != 0 && tag[r] < Body && rows[tag[r]>>1][3] == r+1 {
					opened = tag[r]>>1 - first + 1
				}
			}
			begun := uint32(0)
			for events := t.Ballot(changes != 0 || opened != 0); ; events &= events - 1 {
				at := uint32(31)
				if events != 0 {
					at = uint32(bits.TrailingZeros32(events))
				}
				version := gpu.Shuffle(t, now, object)
				if way == 1 && op&Loads != 0 && begun <= t.Lane() && t.Lane() <= at {
					rows[r][3] = version
				}
				if events == 0 {
					break
				}
				mine, owner := gpu.Shuffle(t, changes, at), gpu.Shuffle(t, opened, at)
				renew := mine>>t.Lane()&1 != 0 || owner != 0 && now > owner
				all := t.Ballot(owner != 0 && now > owner)
				if way == 0 && owner != 0 && t.Lane() == 0 {
					inside[first+owner-1] = all
				}
				if renew {
					now = base + at + 1
				}
				begun = at + 1
			}
			if way == 0 {
				leader[r] = r
			}
		}
		t.WarpBarrier()
	}
}

// key returns a row as rows are compared: those of a commutative op with their operands in order.
func key(x [4]uint32, op uint32) [4]uint32 {
	if op&Commutes != 0 && x[1] > x[2] {
		x[1], x[2] = x[2], x[1]
	}
	return x
}

func signature(x [4]uint32, tag uint32) uint32 {
	h := uint32(0xA24BAED4)
	for k := uint32(0); k < 4; k++ {
		h = bits.RotateLeft32(h^(x[k]+0x9E3779B9+h<<6+h>>2), 13) * 0x85EBCA6B
	}
	h = bits.RotateLeft32(h^(tag+0x9E3779B9+h<<6+h>>2), 13) * 0x85EBCA6B
	return h ^ h>>15
}

// equal reports whether row j has a key.
func equal(x [4]uint32, in, op, j uint32, rows [][4]uint32, tag []uint32) bool {
	y := key(rows[j], op)
	return x[0] == y[0] && x[1] == y[1] && x[2] == y[2] && x[3] == y[3] && in == tag[j]
}

// table is where the slots of a program begin, and how many there are: two a row.
func table(p uint32, heads []uint32) (first, size uint32) {
	return 2 * heads[p*HeadWords], 2 * ((heads[p*HeadWords+1] + 31) &^ 31)
}

// slot is where a signature is looked for first.
func slot(s, first, size uint32) uint32 {
	high, _ := bits.Mul32(s, size)
	return first + high
}

// workers is how many warps share the work of a round, and worker the number of this one. It has each so many chunks a
// time.
func workers(t gpu.Thread) uint32 { return t.Groups().X * (t.GroupSize().X / 32) }

func worker(t gpu.Thread) uint32 { return t.Group().X*(t.GroupSize().X/32) + t.Warp() }

// work is which of the next 32 chunks of a worker have programs in which the round before changed something: in the
// others nothing changes any more.
func work(t gpu.Thread, from uint32, chunk, busy []uint32) uint32 {
	c := from + t.Lane()*workers(t)
	return t.Ballot(c < uint32(len(chunk)) && busy[chunk[c]] != 0)
}

// at is the row of a lane in the first of those chunks.
func at(t gpu.Thread, from, left uint32) uint32 {
	return 32*(from+uint32(bits.TrailingZeros32(left))*workers(t)) + t.Lane()
}

// Insert puts the key of each row into the table, where the smallest row of a key stays. keep masks signatures.
//
//vyre:kernel workgroup=256
func Insert(t gpu.Thread, keep uint32, chunk, heads, ops []uint32, rows [][4]uint32, tag, busy, leader []uint32, slots []uint64) {
	for from := worker(t); from < uint32(len(chunk)); from += 32 * workers(t) {
		for left := work(t, from, chunk, busy); left != 0; left &= left - 1 {
			insert(at(t, from, left), keep, chunk, heads, ops, rows, tag, leader, slots)
		}
	}
}

func insert(r uint32, keep uint32, chunk, heads, ops []uint32, rows [][4]uint32, tag, leader []uint32, slots []uint64) {
	op := ops[rows[r][0]&OpMask]
	if op&Merges == 0 || leader[r] != r {
		return
	}
	x, in := key(rows[r], op), tag[r]
	first, size := table(chunk[r/32], heads)
	s := signature(x, in) & keep
	own := uint64(s)<<32 | uint64(r)
	for at := slot(s, first, size); ; at++ {
		if at == first+size {
			at = first
		}
		have := gpu.AtomicLoad(&slots[at])
		if have == empty {
			have = gpu.AtomicCompareExchange(&slots[at], empty, own)
			if have == empty {
				return
			}
		}
		if uint32(have>>32) == s && equal(x, in, op, uint32(have), rows, tag) {
			if own < have {
				gpu.AtomicMin(&slots[at], own)
			}
			return
		}
	}
}

// Lookup finds the leader of each row: the first one that is equal and dominates it. Of those in the regions around,
// that of the outermost is the first.
//
//vyre:kernel workgroup=256
func Lookup(t gpu.Thread, keep uint32, chunk, heads, ops []uint32, rows [][4]uint32, tag, busy, leader []uint32, slots []uint64, hit, changed []uint32) {
	for from := worker(t); from < uint32(len(chunk)); from += 32 * workers(t) {
		for left := work(t, from, chunk, busy); left != 0; left &= left - 1 {
			lookup(at(t, from, left), keep, chunk, heads, ops, rows, tag, leader, slots, hit, changed)
		}
	}
}

func lookup(r uint32, keep uint32, chunk, heads, ops []uint32, rows [][4]uint32, tag, leader []uint32, slots []uint64, hit, changed []uint32) {
	op := ops[rows[r][0]&OpMask]
	if op&Merges == 0 || leader[r] != r {
		return
	}
	x, best := key(rows[r], op), r
	first, size := table(chunk[r/32], heads)
	for in := tag[r]; ; in = tag[in>>1] {
		s := signature(x, in) & keep
		for at := slot(s, first, size); slots[at] != empty; {
			j := uint32(slots[at])
			if uint32(slots[at]>>32) == s && equal(x, in, op, j, rows, tag) {
				best = min(best, j)
				break
			}
			at++
			if at == first+size {
				at = first
			}
		}
		if in >= Body || op&Convergent != 0 {
			break
		}
	}
	if best != r {
		leader[r] = best
		gpu.AtomicStore(&hit[chunk[r/32]], 1)
		gpu.AtomicStore(&changed[0], 1)
	}
}

// of is the leader of an operand.
func of(v uint32, leader []uint32) uint32 {
	if l := leader[v]; l != folded {
		return l
	}
	return v
}

// Refresh ends a round: rows with a leader go, those with a known value become constants, operands are replaced by
// their leaders, and the table is empty again.
//
//vyre:kernel workgroup=256
func Refresh(t gpu.Thread, chunk, ops []uint32, rows [][4]uint32, tag, more, busy, leader []uint32, value, slots []uint64) {
	for from := worker(t); from < uint32(len(chunk)); from += 32 * workers(t) {
		for left := work(t, from, chunk, busy); left != 0; left &= left - 1 {
			refresh(at(t, from, left), chunk, ops, rows, tag, more, leader, value, slots)
		}
	}
}

func refresh(r uint32, chunk, ops []uint32, rows [][4]uint32, tag, more, leader []uint32, value, slots []uint64) {
	slots[2*r], slots[2*r+1] = empty, empty
	x, l := rows[r], leader[r]
	op := ops[x[0]&OpMask]
	if l == folded {
		rows[r] = [4]uint32{x[0]&(TypeMask<<TypeShift) | 1, uint32(value[r]), uint32(value[r] >> 32), None}
		tag[r] = Body | chunk[r/32]
		return
	}
	if l != r {
		rows[r][0] = 0
		return
	}
	for k := uint32(0); k < op&3; k++ {
		rows[r][1+k] = of(x[1+k], leader)
	}
	if op&List != 0 && x[2] != None {
		for k := x[2] + 1; k <= x[2]+more[x[2]]; k++ {
			more[k] = of(more[k], leader)
		}
	}
}

// alive reports whether a row is in a set, of which the 32 rows from base on are apart.
func alive(v, base, word uint32, live []uint32) bool {
	if v/32 != base/32 {
		word = gpu.AtomicLoad(&live[v/32])
	}
	return word>>(v%32)&1 != 0
}

// mark puts a row into the set, or returns its bit if it is one of those 32.
func mark(v, base uint32, live []uint32) uint32 {
	if v/32 == base/32 {
		return 1 << (v % 32)
	}
	gpu.AtomicOr(&live[v/32], 1<<(v%32))
	return 0
}

// fed is the argument or result that the first entry of a list feeds; none if it feeds the row itself.
func fed(r, op uint32, x [4]uint32, tag []uint32, rows [][4]uint32) uint32 {
	switch {
	case op&Repeats != 0:
		return r + 1
	case op&Continue != 0:
		return x[3] + 1
	case op&Break != 0:
		return rows[x[3]][3]
	case op&Ends != 0 && tag[r] < Body:
		return rows[tag[r]>>1][3]
	}
	return None
}

// Live finds what effects depend on, and counts it. A warp goes through a program from its end, and again for what only
// an earlier row can tell: that an argument is used, or a block stays. base becomes the number of live rows before each
// 32, place where in the lists of the program that of a row begins.
//
//vyre:kernel workgroup=256
func Live(t gpu.Thread, heads, ops []uint32, rows [][4]uint32, tag, more, live, base, place, out []uint32) {
	me := worker(t)
	if me >= uint32(len(heads))/HeadWords {
		return
	}
	first, n := heads[me*HeadWords], heads[me*HeadWords+1]
	for at := uint32(0); at < n; at += 32 {
		r := first + at + t.Lane()
		root := false
		if at+t.Lane() < n {
			x := rows[r]
			op := ops[x[0]&OpMask]
			root = op&Root != 0 || op&Argument != 0 && x[3] == None
		}
		if word := t.Ballot(root); t.Lane() == 0 {
			gpu.AtomicStore(&live[(first+at)/32], word)
			base[(first+at)/32] = word
		}
	}
	t.WarpBarrier()
	for again := true; again; {
		again = false
		for left := (n + 31) / 32; left > 0; left-- {
			at := first + 32*(left-1)
			r := at + t.Lane()
			op, region, feeds := uint32(0), uint32(Body), None
			var x [4]uint32
			if r < first+n {
				x = rows[r]
				op, region = ops[x[0]&OpMask], tag[r]
				feeds = fed(r, op, x, tag, rows)
			}
			before := uint32(0)
			if t.Lane() == 0 {
				before = base[at/32]
			}
			before = gpu.ReduceOr(t, before)
			word := gpu.ReduceOr(t, gpu.AtomicLoad(&live[at/32]))
			for {
				found := uint32(0)
				if op&(Break|Continue) != 0 && alive(x[3], at, word, live) {
					found |= mark(r, at, live)
				}
				if feeds != None && x[2] != None {
					for k := uint32(0); k < more[x[2]]; k++ {
						if alive(feeds+k, at, word, live) {
							found |= mark(more[x[2]+1+k], at, live)
						}
					}
				}
				if word>>t.Lane()&1 != 0 {
					for k := uint32(0); k < op&3; k++ {
						found |= mark(x[1+k], at, live)
					}
					if op&List != 0 && feeds == None && x[2] != None {
						for k := uint32(0); k < more[x[2]]; k++ {
							found |= mark(more[x[2]+1+k], at, live)
						}
					}
					if op&(Argument|Result) != 0 && x[3] != None {
						found |= mark(x[3], at, live)
					}
					if region < Body {
						found |= mark(region>>1, at, live)
					}
				}
				all := gpu.ReduceOr(t, found) | word
				if all == word {
					break
				}
				word = all
			}
			if t.Any((word&^before)>>t.Lane()&1 != 0 && op&(Argument|Owns) != 0) {
				again = true
			}
			if t.Lane() == 0 {
				gpu.AtomicStore(&live[at/32], word)
				base[at/32] = word
			}
			t.WarpBarrier()
		}
	}
	count, words := uint32(0), uint32(0)
	for at := first; at < first+n; at += 32 {
		r := at + t.Lane()
		word := gpu.ReduceOr(t, gpu.AtomicLoad(&live[at/32]))
		op, feeds := uint32(0), None
		var x [4]uint32
		if r < first+n {
			x = rows[r]
			op = ops[x[0]&OpMask]
			feeds = fed(r, op, x, tag, rows)
		}
		stays := op&Ends != 0 && (tag[r] >= Body || alive(tag[r]>>1, at, word, live))
		word |= t.Ballot(stays)
		length := uint32(0)
		if word>>t.Lane()&1 != 0 && op&List != 0 && x[2] != None {
			for k := uint32(0); k < more[x[2]]; k++ {
				if feeds == None || alive(feeds+k, at, word, live) {
					length++
				}
			}
			if length > 0 {
				length++
			}
		}
		place[r] = words + gpu.ExclusiveScanAdd(t, length)
		if length == 0 {
			place[r] = None
		}
		words += gpu.ReduceAdd(t, length)
		if t.Lane() == 0 {
			gpu.AtomicStore(&live[at/32], word)
			base[at/32] = count
		}
		count += uint32(bits.OnesCount32(word))
		t.WarpBarrier()
	}
	if t.Lane() == 0 {
		out[me*HeadWords+1], out[me*HeadWords+3], out[me*HeadWords+4] = count, words, heads[me*HeadWords+4]
	}
}

// Place tells where the rows and lists of each program begin. One workgroup does it.
//
//vyre:kernel workgroup=256
func Place(t gpu.Thread, out []uint32) {
	sums := gpu.Shared[uint32](t, 64)
	rows, words, size := uint32(0), uint32(0), t.GroupSize().X
	n := uint32(len(out)) / HeadWords
	for from := uint32(0); from < n; from += size {
		p := from + t.LocalIndex()
		a, b := uint32(0), uint32(0)
		if p < n {
			a, b = (out[p*HeadWords+1]+31)&^31, out[p*HeadWords+3]
		}
		before, listed := gpu.ExclusiveScanAdd(t, a), gpu.ExclusiveScanAdd(t, b)
		if t.Lane() == 31 {
			sums[2*t.Warp()], sums[2*t.Warp()+1] = before+a, listed+b
		}
		t.Barrier()
		for k := uint32(0); k < size/32; k++ {
			if k < t.Warp() {
				before, listed = before+sums[2*k], listed+sums[2*k+1]
			}
		}
		if p < n {
			out[p*HeadWords], out[p*HeadWords+2] = rows+before, words+listed
		}
		for k := uint32(0); k < size/32; k++ {
			rows, words = rows+sums[2*k], words+sums[2*k+1]
		}
		t.Barrier()
	}
}

// Compact moves the live rows to where they are in the dense arena, and keeps which row each was.
//
//vyre:kernel workgroup=256
func Compact(t gpu.Thread, chunk, heads, ops []uint32, rows [][4]uint32, tag, more, live, base, place, out []uint32, rows2 [][4]uint32, tag2, from, more2 []uint32) {
	r := t.Global().X
	if r >= uint32(len(rows)) || live[r/32]>>(r%32)&1 == 0 {
		return
	}
	p, x := chunk[r/32], rows[r]
	op, first := ops[x[0]&OpMask], out[p*HeadWords]
	to := first + rank(r, live, base)
	from[to] = r - heads[p*HeadWords]
	tag2[to] = tag[r]
	if tag[r] < Body {
		tag2[to] = 2*(first+rank(tag[r]>>1, live, base)) + tag[r]&1
	}
	feeds := fed(r, op, x, tag, rows)
	for k := uint32(0); k < op&3; k++ {
		x[1+k] = first + rank(x[1+k], live, base)
	}
	if op&List != 0 {
		list := x[2]
		x[2] = None
		if place[r] != None {
			x[2] = out[p*HeadWords+2] + place[r]
			n := uint32(0)
			for k := uint32(0); k < more[list]; k++ {
				if feeds == None || live[(feeds+k)/32]>>((feeds+k)%32)&1 != 0 {
					n++
					more2[x[2]+n] = first + rank(more[list+1+k], live, base)
				}
			}
			more2[x[2]] = n
		}
	}
	if op&(Owns|Argument|Result|Break|Continue) != 0 && x[3] != None {
		c := x[3]
		x[3] = first + rank(c, live, base)
		if op&(Argument|Result) != 0 { // numbered anew
			begin := c + 1
			if op&Result != 0 {
				begin = rows[c][3]
			}
			x[0] = x[0]&^(ImmMask<<ImmShift) | (rank(r, live, base)-rank(begin, live, base))<<ImmShift
		}
	}
	rows2[to] = x
}

// rank is how many rows of its program are live before a row.
func rank(r uint32, live, base []uint32) uint32 {
	return base[r/32] + uint32(bits.OnesCount32(live[r/32]&(1<<(r%32)-1)))
}

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

	// HeadWords are those of a program: first row, rows, first word of lists, words of lists, visible objects, which ids
	// the workgroup's size makes zero, first object, whether its columns are asked for.
	HeadWords = 8

	empty = ^uint64(0)
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
	Indexed                      // A is an index into the object in its immediate

	LanesShift = 20 // above it, the lanes of an access
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

// worker is the number of a warp, which has the program of that number.
func worker(t gpu.Thread) uint32 { return t.Group().X*(t.GroupSize().X/32) + t.Warp() }

// key returns a row as rows are compared: those of a commutative op with their operands in order.
func key(x [4]uint32, op uint32) [4]uint32 {
	if op&Commutes != 0 && x[1] > x[2] {
		x[1], x[2] = x[2], x[1]
	}
	return x
}

// signature is that of a key, and for what is convergent of the region.
func signature(x [4]uint32, in, op uint32) uint32 {
	h := uint32(0xA24BAED4)
	if op&Convergent != 0 {
		h ^= in
	}
	for k := uint32(0); k < 4; k++ {
		h = bits.RotateLeft32(h^(x[k]+0x9E3779B9+h<<6+h>>2), 13) * 0x85EBCA6B
	}
	return h ^ h>>15
}

// equal reports whether row j has a key.
func equal(x [4]uint32, in, op, j uint32, rows [][4]uint32, tag []uint32) bool {
	y := key(rows[j], op)
	return x[0] == y[0] && x[1] == y[1] && x[2] == y[2] && x[3] == y[3] && (op&Convergent == 0 || in == tag[j])
}

// encloses reports whether a region is the row's, or around it.
func encloses(region, in uint32, tag []uint32) bool {
	for in != region && in < Body {
		in = tag[in>>1]
	}
	return in == region
}

// Number finds the leader of each row: the first one that is equal and dominates it. A warp goes through a program, 32
// rows at a time, and until the leaders of these stay as they are; so operands in front of them are what they will be.
// Of each key the table has the last row that leads: the regions of others are over. keep masks signatures. rounds
// becomes how often any 32 rows were gone through, at most; the last time finds nothing.
//
//vyre:kernel workgroup=256
func Number(t gpu.Thread, keep uint32, heads, ops []uint32, rows [][4]uint32, tag, more, leader, rounds []uint32, slots []uint64) {
	me := worker(t)
	if me >= uint32(len(heads))/HeadWords {
		return
	}
	first, n := heads[me*HeadWords], heads[me*HeadWords+1]
	low, high, most := 2*first, 2*(first+(n+31)&^31), uint32(0)
	for at := first; at < first+n; at += 32 {
		r := at + t.Lane()
		op, in := uint32(0), uint32(Body)
		var x [4]uint32
		if r < first+n {
			x = rows[r]
			op, in = ops[x[0]&OpMask], tag[r]
		}
		merges := t.Ballot(op&Merges != 0)
		signed, best, moved, turns := uint32(0), r, op&Merges != 0, uint32(0)
		for again := true; again; moved = false {
			for k := uint32(0); k < op&3; k++ {
				v := leader[x[1+k]]
				moved = moved || v != x[1+k]
				x[1+k] = v
			}
			t.WarpBarrier() // the leaders are read
			if moved {
				rows[r] = x
				signed = signature(key(x, op), in, op) & keep
			}
			alike := gpu.Match(t, signed) & (1<<t.Lane() - 1) & merges
			t.WarpBarrier() // the rows are written
			found := best
			if op&Merges != 0 && best >= at {
				found = lead(r, at, signed, low, high, alike, moved, key(x, op), in, op, rows, tag, slots)
				leader[r] = found
			}
			again = t.Any(found != best)
			best = found
			turns++
			t.WarpBarrier() // the leaders are written
		}
		if op&Merges != 0 && best == r {
			enter(r, signed, low, high, key(x, op), in, op, rows, tag, slots)
		}
		if op&List != 0 && x[2] != None {
			for k := x[2] + 1; k <= x[2]+more[x[2]]; k++ {
				more[k] = leader[more[k]]
			}
		}
		most = max(most, turns)
		t.WarpBarrier()
	}
	if t.Lane() == 0 {
		rounds[me] = most
	}
}

// lead finds the leader of a row: in the table, which knows nothing new of a key that has not moved, or among the rows
// before it of these 32 that have its signature.
func lead(r, at, signed, low, high, alike uint32, moved bool, y [4]uint32, in, op uint32, rows [][4]uint32, tag []uint32, slots []uint64) uint32 {
	if moved {
		if w := look(r, signed, low, high, y, in, op, rows, tag, slots); w != r {
			return w
		}
	}
	for ; alike != 0; alike &= alike - 1 {
		if j := at + uint32(bits.TrailingZeros32(alike)); leads(j, y, in, op, rows, tag) {
			return j
		}
	}
	return r
}

// leads reports whether row j has a key, and may stand for a row in a region.
func leads(j uint32, y [4]uint32, in, op uint32, rows [][4]uint32, tag []uint32) bool {
	if !equal(y, in, op, j, rows, tag) {
		return false
	}
	return encloses(tag[j], in, tag)
}

// look finds the leader of a row among those of earlier 32; the row itself if there is none.
func look(r, s, low, high uint32, y [4]uint32, in, op uint32, rows [][4]uint32, tag []uint32, slots []uint64) uint32 {
	for at := slot(s, low, high); ; at++ {
		if at == high {
			at = low
		}
		have := gpu.AtomicLoad(&slots[at])
		if have == empty {
			return r
		}
		if uint32(have>>32) == s && equal(y, in, op, uint32(have), rows, tag) {
			if encloses(tag[uint32(have)], in, tag) {
				return uint32(have)
			}
			return r
		}
	}
}

// enter makes a row the one of its key that the table has, unless a later one of these 32 is.
func enter(r, s, low, high uint32, y [4]uint32, in, op uint32, rows [][4]uint32, tag []uint32, slots []uint64) {
	own := uint64(s)<<32 | uint64(r)
	for at := slot(s, low, high); ; at++ {
		if at == high {
			at = low
		}
		have := gpu.AtomicLoad(&slots[at])
		if have == empty {
			have = gpu.AtomicCompareExchange(&slots[at], empty, own)
			if have == empty {
				return
			}
		}
		if uint32(have>>32) == s && equal(y, in, op, uint32(have), rows, tag) {
			gpu.AtomicMax(&slots[at], own)
			return
		}
	}
}

// slot is where a signature is looked for first, of two places a row.
func slot(s, low, high uint32) uint32 {
	above, _ := bits.Mul32(s, high-low)
	return low + above
}

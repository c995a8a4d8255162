package columns

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

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
	for at := first; at < first+n; at += 32 {
		r := at + t.Lane()
		root := false
		if r < first+n {
			x := rows[r]
			op := ops[x[0]&OpMask]
			root = op&Root != 0 || op&Argument != 0 && x[3] == None
		}
		if word := t.Ballot(root); t.Lane() == 0 {
			gpu.AtomicStore(&live[at/32], word)
			base[at/32] = word
		}
	}
	t.WarpBarrier()
	for again := true; again; {
		again = false
		for left := (n + 31) / 32; left > 0; left-- {
			again = settle(t, first+32*(left-1), first+n, ops, rows, tag, more, live, base) || again
		}
	}
	count, words := uint32(0), uint32(0)
	for at := first; at < first+n; at += 32 {
		r := at + t.Lane()
		word, length := stays(t, at, first+n, ops, rows, tag, more, live)
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
		out[me*HeadWords+5], out[me*HeadWords+6], out[me*HeadWords+7] = heads[me*HeadWords+5], heads[me*HeadWords+6], heads[me*HeadWords+7]
	}
}

// settle marks what the live ones of 32 rows need, and reports whether among those found is what has operands behind it.
func settle(t gpu.Thread, at, end uint32, ops []uint32, rows [][4]uint32, tag, more, live, base []uint32) bool {
	r := at + t.Lane()
	op, region, feeds := uint32(0), uint32(Body), None
	var x [4]uint32
	if r < end {
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
	for grown := true; grown; {
		all := gpu.ReduceOr(t, needs(r, at, word, op, region, feeds, x, more, live)) | word
		grown = all != word
		word = all
	}
	if t.Lane() == 0 {
		gpu.AtomicStore(&live[at/32], word)
		base[at/32] = word
	}
	t.WarpBarrier()
	return t.Any((word&^before)>>t.Lane()&1 != 0 && op&(Argument|Owns) != 0)
}

// needs marks what a row needs, and returns the bits of the 32 from at on.
func needs(r, at, word, op, region, feeds uint32, x [4]uint32, more, live []uint32) (found uint32) {
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
	if word>>(r%32)&1 == 0 {
		return found
	}
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
	return found
}

// stays is which of 32 rows stay: live ones, and the ends of live regions. length is that of the row's list with its
// count, without what feeds dead rows.
func stays(t gpu.Thread, at, end uint32, ops []uint32, rows [][4]uint32, tag, more, live []uint32) (word, length uint32) {
	r := at + t.Lane()
	word = gpu.ReduceOr(t, gpu.AtomicLoad(&live[at/32]))
	op, feeds := uint32(0), None
	var x [4]uint32
	if r < end {
		x = rows[r]
		op = ops[x[0]&OpMask]
		feeds = fed(r, op, x, tag, rows)
	}
	word |= t.Ballot(op&Ends != 0 && (tag[r] >= Body || alive(tag[r]>>1, at, word, live)))
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
	return word, length
}

// Place tells where the rows and lists of each program that is asked for begin. One workgroup does it.
//
//vyre:kernel workgroup=256
func Place(t gpu.Thread, out []uint32) {
	sums := gpu.Shared[uint32](t, 64)
	rows, words, size := uint32(0), uint32(0), t.GroupSize().X
	n := uint32(len(out)) / HeadWords
	for from := uint32(0); from < n; from += size {
		p := from + t.LocalIndex()
		a, b := uint32(0), uint32(0)
		if p < n && out[p*HeadWords+7] != 0 {
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

// Compact moves the live rows of programs that are asked for to the dense arena, and keeps which row each was.
//
//vyre:kernel workgroup=256
func Compact(t gpu.Thread, chunk, heads, ops []uint32, rows [][4]uint32, tag, more, live, base, place, out []uint32, rows2 [][4]uint32, tag2, from, more2 []uint32) {
	r := t.Global().X
	if r >= uint32(len(rows)) || live[r/32]>>(r%32)&1 == 0 {
		return
	}
	p, x := chunk[r/32], rows[r]
	if heads[p*HeadWords+7] == 0 {
		return
	}
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

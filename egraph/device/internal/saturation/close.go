package saturation

import (
	"github.com/govyre/vyre/egraph/device/internal/closure"
	"github.com/govyre/vyre/gpu"
)

// Close gives each row with a child that stopped being a root a new key. The row of that is united with the old one, which
// is dead.
//
//vyre:kernel workgroup=256
func Close(t gpu.Thread, header, heads []uint32, keys []uint64, parent, stamp, count, constant, counters []uint32) {
	if header[Phase] != Closing {
		return
	}
	changed, used, full := uint32(0), uint32(0), uint32(0)
	for base := t.Group().X * 256; base < header[Slots]; base += t.Groups().X * 256 {
		s := base + t.Local().X
		count[s] = 0
		constant[s] = None
		was := gpu.AtomicLoad(&stamp[s])
		if was == 0 {
			continue
		}
		k := gpu.AtomicLoad(&keys[s])
		fresh := canonical(k, heads[Head(k)], parent)
		if fresh == k {
			continue
		}
		slot, made := insert(header, keys, fresh)
		if slot == None {
			full++
			continue
		}
		if made {
			gpu.AtomicStore(&stamp[slot], was&^When|header[Searches]+1)
			used++
		}
		gpu.AtomicStore(&stamp[s], 0)
		closure.Join(parent, s, slot)
		changed++
	}
	add(t, counters, Used, used)
	add(t, counters, Changed, changed)
	add(t, counters, Full, full)
}

// canonical is a key with roots for children.
func canonical(k uint64, head uint32, parent []uint32) uint64 {
	if head&Kids == 0 {
		return k
	}
	a, b := closure.Root(parent, First(k)), Second(k)
	if head&Kids == 2 {
		b = closure.Root(parent, b)
	}
	if head&Commutative != 0 {
		a, b = min(a, b), max(a, b)
	}
	return Key(Head(k), a, b)
}

// Group counts the rows of each class, and finds its constant. A row whose class has another root is new.
//
//vyre:kernel workgroup=256
func Group(t gpu.Thread, header, heads []uint32, keys []uint64, parent, stamp, root, count, constant, counters []uint32) {
	if t.Any(header[Phase] != Closing || counters[Changed] != 0) {
		return
	}
	anew := header[Act] >= Move
	for base := t.Group().X * 256; base < header[Slots]; base += t.Groups().X * 256 {
		s := base + t.Local().X
		r := s
		for p := gpu.AtomicLoad(&parent[r]); p != r; p = gpu.AtomicLoad(&parent[r]) {
			r = p
		}
		if r != s {
			gpu.AtomicStore(&parent[s], r)
		}
		when := stamp[s]
		if when == 0 {
			continue
		}
		if root[s] != r {
			root[s] = r
			if !anew {
				when = when&^When | header[Searches] + 1
				stamp[s] = when
			}
		}
		head := heads[Head(keys[s])]
		if when&When > header[Searches] {
			gpu.AtomicOr(&count[r], Fresh)
		}
		if head&Hidden != 0 {
			gpu.AtomicOr(&count[r], HiddenClass)
		}
		gpu.AtomicAdd(&count[r], 1)
		if head&Constant != 0 {
			gpu.AtomicMin(&constant[r], s)
		}
	}
}

// Reserve gives each class its part of the lists.
//
//vyre:kernel workgroup=256
func Reserve(t gpu.Thread, header []uint32, count, end []uint32, cost []uint64, chosen, counters []uint32) {
	if t.Any(header[Phase] != Closing || counters[Changed] != 0) {
		return
	}
	for base := t.Group().X * 256; base < header[Slots]; base += t.Groups().X * 256 {
		s := base + t.Local().X
		n := count[s]
		upto := gpu.ScanAdd(t, n&Counted)
		first := uint32(0)
		if t.Lane() == 31 && upto != 0 {
			first = gpu.AtomicAdd(&counters[Total], upto)
		}
		first = gpu.Shuffle(t, first, 31)
		if n != 0 {
			end[s] = first + upto - n&Counted
			cost[s] = empty
			chosen[s] = None
		}
	}
}

// Scatter lists the rows of each class, and counts pairs of constants that became equal.
//
//vyre:kernel workgroup=256
func Scatter(t gpu.Thread, header, heads, wanted []uint32, keys []uint64, parent, stamp, root, count, constant, end, list []uint32,
	listKey []uint64, counters, graphs []uint32) {
	if t.Any(header[Phase] != Closing || counters[Changed] != 0) {
		return
	}
	rows, found, clashes := uint32(0), uint32(0), uint32(0)
	for base := t.Group().X * 256; base < header[Slots]; base += t.Groups().X * 256 {
		s := base + t.Local().X
		when := stamp[s]
		if when == 0 {
			continue
		}
		k := keys[s]
		r, head, g := root[s], heads[Head(k)], when>>TagBits
		at := gpu.AtomicAdd(&end[r], 1)
		list[at] = s
		row, class, pair := uint32(0), uint32(0), uint32(0)
		if head&Hidden == 0 {
			row = 1
			if gpu.AtomicOr(&count[r], seen)&seen == 0 {
				class = 1
			}
		}
		if head&Constant != 0 && constant[r] != s {
			pair = 1
		}
		if len(graphs) == GraphWords {
			rows, found, clashes = rows+row, found+class, clashes+pair
		} else {
			several(graphs[g*GraphWords:], row, class, pair)
		}
		if when&When > header[Searches] {
			k |= New
		}
		listKey[at] = k
	}
	for i := t.Global().X; i < uint32(len(wanted)); i += t.Groups().X * 256 {
		if w := wanted[i]; w != None {
			wanted[i] = parent[w]
		}
	}
	if len(graphs) == GraphWords {
		add(t, graphs, live, rows)
		add(t, graphs, classes, found)
		add(t, graphs, clash, clashes)
	}
}

// several adds a row to the counts of one graph of many.
func several(graph []uint32, row, class, pair uint32) {
	if row != 0 {
		gpu.AtomicAdd(&graph[live], 1)
	}
	if class != 0 {
		gpu.AtomicAdd(&graph[classes], 1)
	}
	if pair != 0 {
		gpu.AtomicAdd(&graph[clash], 1)
	}
}

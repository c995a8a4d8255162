package saturation

import "github.com/govyre/vyre/gpu"

// Begin makes the table empty. Classes have numbers from 0 on.
//
//vyre:kernel workgroup=256
func Begin(t gpu.Thread, header []uint32, keys []uint64, parent, stamp, count, constant, counters []uint32) {
	for s := t.Global().X; s < header[Slots]; s += t.Groups().X * 256 {
		keys[s], parent[s], stamp[s], count[s], constant[s] = empty, s, 0, 0, None
	}
	if t.Global().X < CounterWords {
		counters[t.Global().X] = 0
	}
}

// Take lists the rows that were uploaded.
//
//vyre:kernel workgroup=256
func Take(t gpu.Thread, n uint32, heads, givenClass, givenTag []uint32, givenKey []uint64, count, chosen, list []uint32, listKey []uint64) {
	for i := t.Global().X; i < n; i += t.Groups().X * 256 {
		c, k := givenClass[i], givenKey[i]
		list[i] = c
		chosen[i] = givenTag[i]
		listKey[i] = k | New
		gpu.AtomicAdd(&count[c], 1)
		if heads[Head(k)]&Hidden != 0 {
			gpu.AtomicOr(&count[c], HiddenClass)
		}
	}
}

// Empty makes the table empty again, when the live rows are in the lists: of each, the class takes the place of the
// slot, and its graph is in the column of choices.
//
//vyre:kernel workgroup=256
func Empty(t gpu.Thread, header []uint32, keys []uint64, parent, stamp, root, constant, chosen, list []uint32) {
	if header[Act] != Move {
		return
	}
	for s := t.Global().X; s < header[Slots]; s += t.Groups().X * 256 {
		keys[s], parent[s], constant[s] = empty, s, None
	}
	for i := t.Global().X; i < header[Listed]; i += t.Groups().X * 256 {
		s := list[i]
		chosen[i] = stamp[s] >> TagBits
		list[i] = root[s]
	}
}

// Anchor takes a slot for each class of the lists, and leaves its number in the column of constants.
//
//vyre:kernel workgroup=256
func Anchor(t gpu.Thread, header []uint32, keys []uint64, stamp, count, constant, counters []uint32) {
	if header[Act] < Move {
		return
	}
	used, full := uint32(0), uint32(0)
	for base := t.Group().X * 256; base < header[Slots]; base += t.Groups().X * 256 {
		c := base + t.Local().X
		stamp[c] = 0
		if c >= header[Was] || count[c] == 0 {
			continue
		}
		slot, _ := insert(header, keys, anchor|uint64(c))
		if slot == None {
			full++
			continue
		}
		constant[c] = slot
		used++
	}
	add(t, counters, Used, used)
	add(t, counters, Full, full)
}

// Adopt puts the rows of the lists into the table. A class's anchor is its root, though its number may be greater.
//
//vyre:kernel workgroup=256
func Adopt(t gpu.Thread, n uint32, header, heads []uint32, keys []uint64, parent, stamp, root, constant, wanted, chosen,
	list []uint32, listKey []uint64, counters []uint32) {
	if header[Act] < Move {
		return
	}
	if header[Act] == Move {
		n = header[Listed]
	}
	used, full := uint32(0), uint32(0)
	for base := t.Group().X * 256; base < n; base += t.Groups().X * 256 {
		i := base + t.Local().X
		if i >= n {
			continue
		}
		k, c := listKey[i], constant[list[i]]
		when := uint32(1)
		if k&New != 0 {
			when = header[Searches] + 1
		}
		k &^= New
		if head := heads[Head(k)]; head&Kids != 0 {
			a, b := constant[First(k)], Second(k)
			if head&Kids == 2 {
				b = constant[b]
			}
			if head&Commutative != 0 {
				a, b = min(a, b), max(a, b)
			}
			k = Key(Head(k), a, b)
		}
		slot, _ := insert(header, keys, k)
		if slot == None {
			full++
			continue
		}
		parent[slot], root[slot], stamp[slot] = c, c, chosen[i]<<TagBits|when
		used++
	}
	for i := t.Global().X; i < uint32(len(wanted)); i += t.Groups().X * 256 {
		if wanted[i] != None {
			wanted[i] = constant[wanted[i]]
		}
	}
	add(t, counters, Used, used)
	add(t, counters, Full, full)
}

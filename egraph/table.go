package egraph

import "math/bits"

// table finds a row by its head and children. It is open addressing over a power of two of row ids, with a byte of the
// signature beside each: a signature is a hint, and columns decide.
type table struct {
	row  []uint32
	tag  []uint8 // empty, removed, or from 2 on a part of the signature
	used int     // slots that are not empty
	live int     // slots with a row
	weak uint32  // bits of signatures that tests take away
	full uint8   // 1/2^full of the slots stay empty
	bits uint8   // a page has 2^bits slots
}

const (
	empty   = 0
	removed = 1
)

// signature mixes a head, the number of children and each child, as the device does.
func signature(head Head, kids []Class) uint32 {
	h := mix(mix(0xA24BAED4, uint32(head)), uint32(len(kids)))
	for _, k := range kids {
		h = mix(h, uint32(k))
	}
	return h
}

func mix(h, v uint32) uint32 {
	return bits.RotateLeft32(h^(v+0x9E3779B9+h<<6+h>>2), 13) * 0x85EBCA6B
}

// Pages have 2^leastPage slots at least, and there are at most 2^mostPages of them: few enough to sort rows by page, and small
// enough that a page stays in the cache of a core.
const (
	leastPage = 12
	mostPages = 9
)

// reset makes the table empty, with a power of two of slots.
func (t *table) reset(slots int) {
	t.row, t.tag, t.used, t.live = make([]uint32, slots), make([]uint8, slots), 0, 0
	n := bits.Len(uint(slots)) - 1
	t.bits = uint8(min(n, max(leastPage, n-mostPages)))
}

// pages is the number of pages.
func (t *table) pages() int { return len(t.row) >> t.bits }

// pageOf is the page in which a signature is looked up first.
func (t *table) pageOf(sig uint32) int { return int(sig^sig>>15) & (len(t.row) - 1) >> t.bits }

// pageEnd is the end of the page of a slot.
func (t *table) pageEnd(slot int) int { return (slot>>t.bits + 1) << t.bits }

// room is how many slots are used before the table grows: seven of eight.
func (t *table) room() int { return len(t.row) - len(t.row)>>t.full }

// slots is the size of a table for so many rows.
func (t *table) slots(rows int) int {
	slots := len(t.row)
	for slots-slots>>t.full <= rows {
		slots *= 2
	}
	return slots
}

func (t *table) signature(c *columns, row uint32) uint32 {
	return signature(c.rowHead[row], c.children(row)) &^ t.weak
}

// place is the slot at which the search for a signature begins, and the tag that it has there.
func (t *table) place(sig uint32) (at int, tag uint8) {
	sig &^= t.weak
	return int(sig^sig>>15) & (len(t.row) - 1), uint8(sig>>24) | 2
}

func (t *table) of(c *columns, row uint32) (at int, tag uint8) { return t.place(t.signature(c, row)) }

// find returns the row that is equal to the given one, or noRow and the slot for it.
func (t *table) find(c *columns, row uint32) (slot int, was uint32) {
	return t.seek(c, c.rowHead[row], c.children(row))
}

// seek is find for a row that need not be there.
func (t *table) seek(c *columns, head Head, kids []Class) (slot int, was uint32) {
	at, tag := t.place(signature(head, kids))
	free := -1
	for ; ; at = (at + 1) & (len(t.row) - 1) {
		switch t.tag[at] {
		case tag:
			if r := t.row[at]; c.is(r, head, kids) {
				return at, r
			}
		case empty:
			if free < 0 {
				free = at
			}
			return free, noRow
		case removed:
			if free < 0 {
				free = at
			}
		}
	}
}

// put writes a row into the slot that find has returned for it.
func (t *table) put(c *columns, slot int, row uint32) {
	_, tag := t.of(c, row)
	if t.tag[slot] == empty {
		t.used++
	}
	t.row[slot], t.tag[slot] = row, tag
	if t.live++; t.used >= t.room() {
		t.rehash(c, t.live+1)
	}
}

// remove takes a row out, whose children are those with which it was put in. It may not be there.
func (t *table) remove(c *columns, row uint32) {
	at, tag := t.of(c, row)
	for ; t.tag[at] != empty; at = (at + 1) & (len(t.row) - 1) {
		if t.tag[at] == tag && t.row[at] == row {
			t.tag[at] = removed
			t.live--
			return
		}
	}
}

// rehash makes room for so many rows, and leaves out slots whose row was removed.
func (t *table) rehash(c *columns, rows int) {
	row, tag := t.row, t.tag
	t.reset(t.slots(rows))
	for i, r := range row {
		if tag[i] <= removed {
			continue
		}
		at, tag := t.of(c, r)
		for t.tag[at] != empty {
			at = (at + 1) & (len(t.row) - 1)
		}
		t.row[at], t.tag[at] = r, tag
		t.used++
		t.live++
	}
}

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

// reset makes the table empty, with a power of two of slots.
func (t *table) reset(slots int) {
	t.row, t.tag, t.used, t.live = make([]uint32, slots), make([]uint8, slots), 0, 0
}

// drop frees the slots; the table is to be made anew before it is used. So many rows will be in it.
func (t *table) drop(rows int) { t.row, t.tag, t.used, t.live = nil, nil, 0, rows }

// room is how many slots are used before the table grows: seven of eight.
func (t *table) room() int { return len(t.row) - len(t.row)>>t.full }

func (t *table) of(c *columns, row uint32) (at int, tag uint8) {
	return t.place(signature(c.rowHead[row], c.children(row)))
}

// place is the slot at which the search for a signature begins, and the tag that it has there.
func (t *table) place(sig uint32) (at int, tag uint8) {
	sig &^= t.weak
	return int(sig^sig>>15) & (len(t.row) - 1), uint8(sig>>24) | 2
}

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
	slots := len(t.row)
	for slots-slots>>t.full <= rows {
		slots *= 2
	}
	row, tag := t.row, t.tag
	t.reset(slots)
	for i, r := range row {
		if tag[i] <= removed {
			continue
		}
		at, tag := t.of(c, r)
		for t.tag[at] != empty {
			at = (at + 1) & (slots - 1)
		}
		t.row[at], t.tag[at] = r, tag
		t.used++
		t.live++
	}
}

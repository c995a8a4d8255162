package saturation

import "github.com/govyre/vyre/gpu"

// A key has a head from bit HeadShift on and two children of KidBits, or a payload in their place. In the lists the top
// bit says that the row is new.
const (
	KidBits   = 26
	KidMask   = 1<<KidBits - 1
	HeadShift = 2 * KidBits
	HeadMask  = 1<<11 - 1
	New       = 1 << 63
	MaxHeads  = HeadMask - 1 // the last two are of slots without a row

	empty  = ^uint64(0)
	anchor = uint64(HeadMask-1) << HeadShift
)

// None stands for the lack of a slot.
const None = ^uint32(0)

// Bits of a head, beside how many of its children are classes.
const (
	Kids        = 3
	Commutative = 1 << 2 // its children are in the order of their roots
	Hidden      = 1 << 3 // a part of a row or of a constant, which is not counted
	Constant    = 1 << 4 // all NaNs of a type are one
)

// Bits of the count of a class, beside the number of its rows.
const (
	Counted     = 1<<27 - 1
	Fresh       = 1 << 31 // a row of it is new
	HiddenClass = 1 << 30
	marked      = 1 << 29 // wanted for a term
	written     = 1 << 28
	seen        = 1 << 27 // when rows are scattered
)

// Head is the head of a key.
func Head(k uint64) uint32 { return uint32(k>>HeadShift) & HeadMask }

// First and Second are the children.
func First(k uint64) uint32  { return uint32(k>>KidBits) & KidMask }
func Second(k uint64) uint32 { return uint32(k) & KidMask }

// Key makes a key.
func Key(head, a, b uint32) uint64 {
	return uint64(head)<<HeadShift | uint64(a)<<KidBits | uint64(b)
}

// Probes bounds how far a key may be from its place. A table of which three quarters are taken has none that far.
const Probes = 2048

// insert returns the slot of a key, and whether it was put there now; None if the table is full.
func insert(header []uint32, keys []uint64, k uint64) (slot uint32, made bool) {
	h := k ^ k>>29
	h *= 0xBF58476D1CE4E5B9
	h ^= h >> 32
	mask := header[Slots] - 1
	at := uint32(h) & mask
	for range uint32(Probes) {
		have := gpu.AtomicLoad(&keys[at])
		if have == empty {
			have = gpu.AtomicCompareExchange(&keys[at], empty, k)
			if have == empty {
				return at, true
			}
		}
		if have == k {
			return at, false
		}
		at = (at + 1) & mask
	}
	return None, false
}

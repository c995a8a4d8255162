package kernels

import "github.com/govyre/vyre/gpu"

// Slot is a place of a hash table. Key 0 is no key.
type Slot struct{ Key, Value uint64 }

// Lookup finds keys in a hash table. Its number of slots is a power of two, and some are empty. A key is in the slot that
// its hash names, or in one after it with no empty one between. The value of a key that is not there is 0.
//
//vyre:kernel workgroup=256
func Lookup(t gpu.Thread, table []Slot, keys, values []uint64) {
	i := int(t.Global().X)
	if i >= len(keys) {
		return
	}
	values[i] = lookedUp(table, keys[i])
}

func lookedUp(table []Slot, key uint64) uint64 {
	mask := uint64(len(table)) - 1
	for at := hashed(key) & mask; ; at = (at + 1) & mask {
		slot := table[at]
		if slot.Key == key {
			return slot.Value
		}
		if slot.Key == 0 {
			return 0
		}
	}
}

// hashed is the last step of MurmurHash3 (Appleby, 2011).
func hashed(k uint64) uint64 {
	k = (k ^ k>>33) * 0xff51afd7ed558ccd
	k = (k ^ k>>33) * 0xc4ceb9fe1a85ec53
	return k ^ k>>33
}

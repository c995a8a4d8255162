package kernels

import "github.com/govyre/vyre/gpu"

// A bitonic sort of 2^m keys is a launch of BitonicTile, which sorts tiles of 2048, and then for every run
// length k from 4096 up: BitonicStep for distances down to 2048, BitonicMerge for the rest.

// BitonicTile sorts tiles of 2048 keys, alternately up and down.
//
//vyre:kernel workgroup=1024
func BitonicTile(t gpu.Thread, keys []uint32) {
	tile := gpu.Shared[uint32](t, 2048)
	l, base := t.Local().X, t.Group().X*2048
	tile[l], tile[l+1024] = keys[base+l], keys[base+l+1024]
	t.Barrier()
	for k := uint32(2); k <= 2048; k *= 2 {
		for j := k / 2; j > 0; j /= 2 {
			exchange(tile, base, l, j, k)
			t.Barrier()
		}
	}
	keys[base+l], keys[base+l+1024] = tile[l], tile[l+1024]
}

// BitonicMerge does the steps of distance 1024 and less for runs of length k.
//
//vyre:kernel workgroup=1024
func BitonicMerge(t gpu.Thread, k uint32, keys []uint32) {
	tile := gpu.Shared[uint32](t, 2048)
	l, base := t.Local().X, t.Group().X*2048
	tile[l], tile[l+1024] = keys[base+l], keys[base+l+1024]
	t.Barrier()
	for j := uint32(1024); j > 0; j /= 2 {
		exchange(tile, base, l, j, k)
		t.Barrier()
	}
	keys[base+l], keys[base+l+1024] = tile[l], tile[l+1024]
}

// exchange puts pair l of the keys at distance j in order: up where bit k of their place is clear.
func exchange(tile []uint32, base, l, j, k uint32) {
	i := 2*l - l&(j-1)
	a, b := tile[i], tile[i+j]
	if (a > b) == ((base+i)&k == 0) {
		tile[i], tile[i+j] = b, a
	}
}

// BitonicStep does one step at distance j, four pairs an invocation. j and k count vectors of four.
//
//vyre:kernel workgroup=256
func BitonicStep(t gpu.Thread, j, k uint32, keys [][4]uint32) {
	g := t.Global().X
	i := 2*g - g&(j-1)
	a, b := keys[i], keys[i+j]
	lo := [4]uint32{min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])}
	hi := [4]uint32{max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])}
	if i&k == 0 {
		keys[i], keys[i+j] = lo, hi
	} else {
		keys[i], keys[i+j] = hi, lo
	}
}

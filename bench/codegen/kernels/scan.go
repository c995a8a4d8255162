package kernels

import "github.com/govyre/vyre/gpu"

// The running sums of a buffer take three launches: sums of tiles of 4096 numbers, where each tile
// starts, then the tiles themselves. Tiles do not wait for one another, so all is read twice.

// ScanSums writes the sum of each tile.
//
//vyre:kernel workgroup=256
func ScanSums(t gpu.Thread, x [][4]uint32, sums []uint32) {
	part := gpu.Shared[uint32](t, 8)
	i := t.Group().X*1024 + t.Local().X
	a, b, c, d := x[i], x[i+256], x[i+512], x[i+768]
	v := total(a) + total(b) + (total(c) + total(d))
	s := gpu.ReduceAdd(t, v)
	if t.Lane() == 0 {
		part[t.Warp()] = s
	}
	t.Barrier()
	if t.Warp() == 0 {
		s = 0
		if t.Lane() < 8 {
			s = part[t.Lane()]
		}
		s = gpu.ReduceAdd(t, s)
		if t.Lane() == 0 {
			sums[t.Group().X] = s
		}
	}
}

func total(v [4]uint32) uint32 { return v[0] + v[1] + v[2] + v[3] }

// ScanStarts turns the sums into the sums of all tiles before. It is one workgroup, and nothing else runs
// meanwhile: so it takes 16384 at a time.
//
//vyre:kernel workgroup=1024
func ScanStarts(t gpu.Thread, sums [][4]uint32) {
	part := gpu.Shared[uint32](t, 32)
	var run uint32
	for base := uint32(0); base < uint32(len(sums)); base += 4096 {
		i := base + t.Warp()*128 + t.Lane()
		a, b, c, d := vector(sums, i), vector(sums, i+32), vector(sums, i+64), vector(sums, i+96)
		e, f, g, h := scanned(t, part, 32, run, a, b, c, d)
		setVector(sums, i, minus(e, a))
		setVector(sums, i+32, minus(f, b))
		setVector(sums, i+64, minus(g, c))
		setVector(sums, i+96, minus(h, d))
		run += part[31]
		t.Barrier() // part is written again
	}
}

// vector returns x[i], and zeros behind the end.
func vector(x [][4]uint32, i uint32) (v [4]uint32) {
	if i < uint32(len(x)) {
		v = x[i]
	}
	return v
}

// setVector sets x[i], if that is not behind the end.
func setVector(x [][4]uint32, i uint32, v [4]uint32) {
	if i < uint32(len(x)) {
		x[i] = v
	}
}

func minus(v, w [4]uint32) [4]uint32 {
	return [4]uint32{v[0] - w[0], v[1] - w[1], v[2] - w[2], v[3] - w[3]}
}

// ScanTiles writes the running sums of each tile from where it starts. It begins with the last tiles, which
// ScanSums has read last, so that some of them are still in the cache.
//
//vyre:kernel workgroup=256
func ScanTiles(t gpu.Thread, x, y [][4]uint32, starts []uint32) {
	scanTile(t, t.Groups().X-1-t.Group().X, x, y, starts)
}

func scanTile(t gpu.Thread, tile uint32, x, y [][4]uint32, starts []uint32) {
	part := gpu.Shared[uint32](t, 8)
	i := tile*1024 + t.Warp()*128 + t.Lane()
	a, b, c, d := x[i], x[i+32], x[i+64], x[i+96]
	a, b, c, d = scanned(t, part, 8, starts[tile], a, b, c, d)
	y[i], y[i+32], y[i+64], y[i+96] = a, b, c, d
}

// scanned returns the running sums, from start, of the numbers that a workgroup has: those of a warp before those of
// the next, in each warp those in a of all lanes before those in b, and so on. It leaves the running sums of its so many
// warps in part.
func scanned(t gpu.Thread, part []uint32, warps, start uint32, a, b, c, d [4]uint32) (_, _, _, _ [4]uint32) {
	a, b, c, d = running(a), running(b), running(c), running(d)
	i, j, k, l := gpu.ScanAdd(t, a[3]), gpu.ScanAdd(t, b[3]), gpu.ScanAdd(t, c[3]), gpu.ScanAdd(t, d[3])
	j += gpu.Shuffle(t, i, 31)
	k += gpu.Shuffle(t, j, 31)
	l += gpu.Shuffle(t, k, 31)
	if t.Lane() == 31 {
		part[t.Warp()] = l
	}
	t.Barrier()
	if t.Warp() == 0 {
		var s uint32
		if t.Lane() < warps {
			s = part[t.Lane()]
		}
		s = gpu.ScanAdd(t, s)
		if t.Lane() < warps {
			part[t.Lane()] = s
		}
	}
	t.Barrier()
	if t.Warp() > 0 {
		start += part[t.Warp()-1]
	}
	return plus(a, start+i-a[3]), plus(b, start+j-b[3]), plus(c, start+k-c[3]), plus(d, start+l-d[3])
}

// running returns the running sums of four numbers.
func running(v [4]uint32) [4]uint32 {
	v[1] += v[0]
	v[2] += v[1]
	v[3] += v[2]
	return v
}

func plus(v [4]uint32, s uint32) [4]uint32 { return [4]uint32{v[0] + s, v[1] + s, v[2] + s, v[3] + s} }

package gpu

// A subgroup op is reached by all lanes of a warp or by none. A lane that does not
// exist, in a short last warp, reads as zero.

// Ballot returns the lanes for which p holds, lane l in bit l.
func (t Thread) Ballot(p bool) uint32 {
	return uint32(t.inv.barrier(t.inv.warp(), "Ballot", toBits(p)<<t.inv.lane()))
}

// Any reports whether p holds for some lane of the warp.
func (t Thread) Any(p bool) bool { return t.inv.barrier(t.inv.warp(), "Any", toBits(p)) != 0 }

// All reports whether p holds for every lane of the warp.
func (t Thread) All(p bool) bool { return t.inv.barrier(t.inv.warp(), "All", toBits(!p)) == 0 }

// Elect reports true in lane 0 and false in the others.
func (t Thread) Elect() bool {
	t.inv.barrier(t.inv.warp(), "Elect", 0)
	return t.inv.lane() == 0
}

// Shuffle returns the v of the given lane, zero if there is no such lane. Every lane may ask for another.
func Shuffle[T Scalar](t Thread, v T, lane uint32) T {
	return fromBits[T](t.inv.read("Shuffle", toBits(v), lane))
}

// ShuffleXor returns the v of the lane whose number is this one's XOR m.
func ShuffleXor[T Scalar](t Thread, v T, m uint32) T {
	return fromBits[T](t.inv.read("ShuffleXor", toBits(v), t.inv.lane()^m))
}

// ShuffleUp returns the v of the lane d below, zero in the first d lanes.
func ShuffleUp[T Scalar](t Thread, v T, d uint32) T {
	from := uint32(warpSize) // no lane
	if d <= t.inv.lane() {
		from = t.inv.lane() - d
	}
	return fromBits[T](t.inv.read("ShuffleUp", toBits(v), from))
}

// ShuffleDown returns the v of the lane d above, zero where there is none.
func ShuffleDown[T Scalar](t Thread, v T, d uint32) T {
	from := uint32(warpSize) // no lane
	if d < warpSize {        // so the sum does not wrap
		from = t.inv.lane() + d
	}
	return fromBits[T](t.inv.read("ShuffleDown", toBits(v), from))
}

// Match returns the lanes whose v has the same bits as this one's, lane l in bit l.
func Match[T Word](t Thread, v T) uint32 {
	return uint32(t.inv.exchange("Match", toBits(v), matchLanes))
}

func matchLanes(lanes []uint64) {
	var out [warpSize]uint64
	for l, v := range lanes {
		for k, w := range lanes {
			if v == w {
				out[l] |= 1 << k
			}
		}
	}
	copy(lanes, out[:])
}

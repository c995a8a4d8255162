package driver

// LaneCount is how many rows of a batch run at the same time.
var LaneCount = laneCount

// ForceStaticKey makes all static sets of the pool have one key.
func (p *Pool) ForceStaticKey() {
	p.statics.key = func(uint64, [][]byte) [32]byte { return [32]byte{1} }
}

package allinputs

// Values are those of the leaves for an input, with which tests count differences.
func (p *Pair) Values(fixed []uint64, input uint64) []uint64 { return p.values(fixed, input) }

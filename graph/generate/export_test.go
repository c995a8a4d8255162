package generate

// KronOrder maps an id to its place in kron.
func KronOrder(scale, seed uint64, id uint32) uint32 {
	p := kronOrder(scale, seed)
	return p.of(id)
}

package graph

import "github.com/govyre/vyre/driver"

var Draw = draw

// KronOrder maps an id to its place in kron.
func KronOrder(scale, seed uint64, id uint32) uint32 {
	p := kronOrder(scale, seed)
	return p.of(id)
}

// Check looks for a broken invariant.
func (g *CSR) Check() error { return g.check() }

// OnRun calls f after each submission.
func (s *Session) OnRun(f func(driver.Result)) { s.ran = f }

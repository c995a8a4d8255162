package egraph

import "github.com/govyre/vyre/ir"

type analysis struct{ g *Graph }

func (a *analysis) grow(t ir.Type)    {}
func (a *analysis) made(row uint32)   {}
func (a *analysis) join(lo, hi Class) {}
func (a *analysis) step() bool        { return false }
func (a *analysis) rejoin()           {}
func (a *analysis) check() error      { return nil }

package cycles

import (
	"errors"

	"github.com/govyre/vyre/ir"
)

// Programs are the waves.
type Programs struct {
	Clear, Count, Sources, Peel *ir.Program
	Open, Colour, Roots, Gather *ir.Program
}

// Unpack returns the programs for a graph with masks or without.
func Unpack(masks bool) (p Programs, err error) {
	peel, colour, gather := PeelProgram, ColourProgram, GatherProgram
	if masks {
		peel, colour, gather = PeelOfKindsProgram, ColourOfKindsProgram, GatherOfKindsProgram
	}
	for _, u := range []struct {
		to      **ir.Program
		program func() (*ir.Program, error)
	}{
		{&p.Clear, ClearProgram}, {&p.Count, CountProgram}, {&p.Sources, SourcesProgram}, {&p.Peel, peel},
		{&p.Open, OpenProgram}, {&p.Colour, colour}, {&p.Roots, RootsProgram}, {&p.Gather, gather},
	} {
		program, failed := u.program()
		*u.to, err = program, errors.Join(err, failed)
	}
	return p, err
}

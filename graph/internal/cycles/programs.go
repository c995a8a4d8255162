package cycles

import (
	"errors"

	"github.com/govyre/vyre/ir"
)

// Programs are the waves.
type Programs struct {
	Clear, Count, Sources, Peel *ir.Program
	Begin, Sign, Name           *ir.Program // of strong components
}

// Unpack returns the programs for a graph with masks or without.
func Unpack(masks bool) (p Programs, err error) {
	peel := PeelProgram
	if masks {
		peel = PeelOfKindsProgram
	}
	for _, u := range []struct {
		to      **ir.Program
		program func() (*ir.Program, error)
	}{
		{&p.Clear, ClearProgram}, {&p.Count, CountProgram}, {&p.Sources, SourcesProgram}, {&p.Peel, peel},
		{&p.Begin, BeginProgram}, {&p.Sign, SignProgram}, {&p.Name, NameProgram},
	} {
		program, failed := u.program()
		*u.to, err = program, errors.Join(err, failed)
	}
	return p, err
}

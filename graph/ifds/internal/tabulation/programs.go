package tabulation

import (
	"errors"

	"github.com/govyre/vyre/ir"
)

// Programs are the waves.
type Programs struct{ Clear, Seed, Round, Count *ir.Program }

// Unpack returns the programs.
func Unpack() (p Programs, err error) {
	for _, u := range []struct {
		to      **ir.Program
		program func() (*ir.Program, error)
	}{{&p.Clear, ClearProgram}, {&p.Seed, SeedProgram}, {&p.Round, RoundProgram}, {&p.Count, CountProgram}} {
		program, failed := u.program()
		*u.to, err = program, errors.Join(err, failed)
	}
	return p, err
}

package paths

import (
	"errors"

	"github.com/govyre/vyre/ir"
)

// Programs are the waves.
type Programs struct {
	Clear, Seed, Round, Answer *ir.Program
	ListAll, Parents           *ir.Program
	Reset, Close, Seeds        *ir.Program // before arcs of weight 0
}

// Unpack returns the programs for distances of 64 bits, or of 32.
func Unpack(wide bool) (p Programs, err error) {
	word := "uint32"
	if wide {
		word = "uint64"
	}
	of := func(program func(string) (*ir.Program, error)) func() (*ir.Program, error) {
		return func() (*ir.Program, error) { return program(word) }
	}
	for _, u := range []struct {
		to      **ir.Program
		program func() (*ir.Program, error)
	}{
		{&p.Clear, of(ClearProgram)}, {&p.Seed, of(SeedProgram)}, {&p.Round, of(RoundProgram)}, {&p.Answer, of(AnswerProgram)},
		{&p.ListAll, ListAllProgram}, {&p.Parents, of(ParentsProgram)},
		{&p.Reset, ResetProgram}, {&p.Close, CloseProgram}, {&p.Seeds, CloseSeedsProgram},
	} {
		program, failed := u.program()
		*u.to, err = program, errors.Join(err, failed)
	}
	return p, err
}

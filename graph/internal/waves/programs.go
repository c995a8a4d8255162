package waves

import (
	"errors"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/kernel/packed"
)

// Programs are the waves of a search.
type Programs struct {
	Clear, Seed, Round, Stay, Drain, Answer, Next *ir.Program
}

// Unpack returns the programs for a graph with masks or without.
func Unpack(masks bool) (p Programs, err error) {
	round, stay, drain := roundProgram, stayProgram, drainProgram
	if masks {
		round, stay, drain = roundOfKindsProgram, stayOfKindsProgram, drainOfKindsProgram
	}
	for _, u := range []struct {
		to   **ir.Program
		text string
	}{{&p.Clear, clearProgram}, {&p.Seed, seedProgram}, {&p.Round, round}, {&p.Stay, stay}, {&p.Drain, drain}, {&p.Answer, answerProgram}, {&p.Next, nextProgram}} {
		program, failed := packed.Program(u.text)
		*u.to, err = program, errors.Join(err, failed)
	}
	return p, err
}

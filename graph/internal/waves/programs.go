package waves

import (
	"errors"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/kernel/packed"
)

// Programs are the waves of a search.
type Programs struct {
	Clear, Seed, Round, Stay, Drain, Answer, Next *ir.Program
	Lanes                                         Lanes
	Levels                                        Levels
}

// Levels are the waves of a search for levels, in both directions.
type Levels struct {
	Clear, Seed, Round *ir.Program
}

// Lanes are the waves of a search of many queries together.
type Lanes struct {
	Clear, Seed, Round, Answer *ir.Program
}

// Unpack returns the programs for a graph with masks or without; of lanes those with words of 64 bits, or of 32.
func Unpack(masks, wide bool) (p Programs, err error) {
	round, stay, drain, roundLevels := roundProgram, stayProgram, drainProgram, roundLevelsProgram
	clearLanes, seedLanes, roundLanes, answerLanes := clearLanesUint32Program, seedLanesUint32Program, roundLanesUint32Program, answerLanesUint32Program
	if wide {
		clearLanes, seedLanes, roundLanes, answerLanes = clearLanesUint64Program, seedLanesUint64Program, roundLanesUint64Program, answerLanesUint64Program
	}
	if masks {
		round, stay, drain, roundLevels = roundOfKindsProgram, stayOfKindsProgram, drainOfKindsProgram, roundLevelsOfKindsProgram
		if roundLanes = roundLanesOfKindsUint32Program; wide {
			roundLanes = roundLanesOfKindsUint64Program
		}
	}
	for _, u := range []struct {
		to   **ir.Program
		text string
	}{
		{&p.Clear, clearProgram}, {&p.Seed, seedProgram}, {&p.Round, round}, {&p.Stay, stay}, {&p.Drain, drain}, {&p.Answer, answerProgram}, {&p.Next, nextProgram},
		{&p.Lanes.Clear, clearLanes}, {&p.Lanes.Seed, seedLanes}, {&p.Lanes.Round, roundLanes}, {&p.Lanes.Answer, answerLanes},
		{&p.Levels.Clear, clearLevelsProgram}, {&p.Levels.Seed, seedLevelsProgram}, {&p.Levels.Round, roundLevels},
	} {
		program, failed := packed.Program(u.text)
		*u.to, err = program, errors.Join(err, failed)
	}
	return p, err
}

package waves

import (
	"errors"

	"github.com/govyre/vyre/ir"
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
	round, stay, drain, roundLevels, roundLanes := RoundProgram, StayProgram, DrainProgram, RoundLevelsProgram, RoundLanesProgram
	if masks {
		round, stay, drain, roundLevels, roundLanes = RoundOfKindsProgram, StayOfKindsProgram, DrainOfKindsProgram, RoundLevelsOfKindsProgram, RoundLanesOfKindsProgram
	}
	word := "uint32"
	if wide {
		word = "uint64"
	}
	of := func(f func(string) (*ir.Program, error)) func() (*ir.Program, error) {
		return func() (*ir.Program, error) { return f(word) }
	}
	err = unpack([]packedProgram{
		{&p.Clear, ClearProgram}, {&p.Seed, SeedProgram}, {&p.Round, round}, {&p.Stay, stay}, {&p.Drain, drain}, {&p.Answer, AnswerProgram}, {&p.Next, NextProgram},
		{&p.Lanes.Clear, of(ClearLanesProgram)}, {&p.Lanes.Seed, of(SeedLanesProgram)}, {&p.Lanes.Round, of(roundLanes)}, {&p.Lanes.Answer, of(AnswerLanesProgram)},
		{&p.Levels.Clear, ClearLevelsProgram}, {&p.Levels.Seed, SeedLevelsProgram}, {&p.Levels.Round, roundLevels},
	})
	return p, err
}

// Components are the waves of weak components.
type Components struct {
	Hook, LinkLast, Compress, Sample, ListRest, LinkRest *ir.Program
}

// UnpackComponents returns the programs for a graph with masks or without.
func UnpackComponents(masks bool) (p Components, err error) {
	rest := LinkRestProgram
	if masks {
		rest = LinkRestOfKindsProgram
	}
	err = unpack([]packedProgram{{&p.Hook, HookProgram}, {&p.LinkLast, LinkLastProgram}, {&p.Compress, CompressProgram},
		{&p.Sample, SampleProgram}, {&p.ListRest, ListRestProgram}, {&p.LinkRest, rest}})
	return p, err
}

// Labels are the waves of queries that labels answer.
type Labels struct {
	Clear, Mark, Answer, Next *ir.Program
}

// UnpackLabels returns the programs.
func UnpackLabels() (p Labels, err error) {
	err = unpack([]packedProgram{{&p.Clear, ClearProgram}, {&p.Mark, MarkLabelsProgram}, {&p.Answer, AnswerLabelsProgram}, {&p.Next, NextProgram}})
	return p, err
}

// Bits are the waves of sets of bits.
type Bits struct{ List, Round *ir.Program }

// UnpackBits returns the programs.
func UnpackBits() (p Bits, err error) {
	err = unpack([]packedProgram{{&p.List, ListAllProgram}, {&p.Round, RoundBitsProgram}})
	return p, err
}

// UnpackFacts returns the programs that begin a fixpoint of facts of 64 bits, or of 32.
func UnpackFacts(wide bool) (clear, seed *ir.Program, err error) {
	word := "uint32"
	if wide {
		word = "uint64"
	}
	err = unpack([]packedProgram{{&clear, func() (*ir.Program, error) { return ClearFactsProgram(word) }}, {&seed, func() (*ir.Program, error) { return SeedFactsProgram(word) }}})
	return clear, seed, err
}

// Parts are the waves of a graph in parts.
type Parts struct {
	Window, Open, Level, List, Count, Own, Round, Link, Compress *ir.Program
}

// UnpackParts returns the programs for a graph with masks or without, and with offsets of 64 bits or of 32.
func UnpackParts(masks, wide bool) (p Parts, err error) {
	round, link, word := RoundProgram, LinkRestProgram, "uint32"
	if masks {
		round, link = RoundOfKindsProgram, LinkRestOfKindsProgram
	}
	if wide {
		word = "uint64"
	}
	err = unpack([]packedProgram{{&p.Window, func() (*ir.Program, error) { return WindowProgram(word) }}, {&p.Open, OpenPartProgram}, {&p.Level, LevelPartProgram},
		{&p.List, ListPartProgram}, {&p.Count, CountPartsProgram}, {&p.Own, OwnLabelsProgram}, {&p.Round, round}, {&p.Link, link}, {&p.Compress, CompressProgram}})
	return p, err
}

// packedProgram is a program, and where it belongs.
type packedProgram struct {
	to      **ir.Program
	program func() (*ir.Program, error)
}

func unpack(list []packedProgram) (err error) {
	for _, u := range list {
		program, failed := u.program()
		*u.to, err = program, errors.Join(err, failed)
	}
	return err
}

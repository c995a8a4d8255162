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

// Levels are the waves of a search for levels, in both directions; Bits those for graphs that are wide.
type Levels struct {
	Clear, Seed, Round, Stay *ir.Program
	Bits                     LevelBits
}

// LevelBits are the waves of a search that has sets for what was found and for lists.
type LevelBits struct{ Clear, Seed, Round *ir.Program }

// Lanes are the waves of a search of many queries together.
type Lanes struct {
	Clear, Seed, Round, Answer *ir.Program
}

// Unpack returns the programs for a graph with masks or without; of lanes those with words of 64 bits, or of 32.
func Unpack(masks, wide bool) (p Programs, err error) {
	round, stay, drain, roundLanes := RoundProgram, StayProgram, DrainProgram, RoundLanesProgram
	roundLevels, stayLevels, roundBits := RoundLevelsProgram, StayLevelsProgram, RoundLevelBitsProgram
	if masks {
		round, stay, drain, roundLanes = RoundOfKindsProgram, StayOfKindsProgram, DrainOfKindsProgram, RoundLanesOfKindsProgram
		roundLevels, stayLevels, roundBits = RoundLevelsOfKindsProgram, StayLevelsOfKindsProgram, RoundLevelBitsOfKindsProgram
	}
	err = unpack([]packedProgram{
		{&p.Clear, ClearProgram}, {&p.Seed, SeedProgram}, {&p.Round, round}, {&p.Stay, stay}, {&p.Drain, drain}, {&p.Answer, AnswerProgram}, {&p.Next, NextProgram},
		{&p.Lanes.Clear, ofWord(ClearLanesProgram, wide)}, {&p.Lanes.Seed, ofWord(SeedLanesProgram, wide)}, {&p.Lanes.Round, ofWord(roundLanes, wide)}, {&p.Lanes.Answer, ofWord(AnswerLanesProgram, wide)},
		{&p.Levels.Clear, ClearLevelsProgram}, {&p.Levels.Seed, SeedLevelsProgram}, {&p.Levels.Round, roundLevels}, {&p.Levels.Stay, stayLevels},
		{&p.Levels.Bits.Clear, ClearLevelBitsProgram}, {&p.Levels.Bits.Seed, SeedLevelBitsProgram}, {&p.Levels.Bits.Round, roundBits},
	})
	return p, err
}

// Components are the waves of weak components.
type Components struct {
	Hook, LinkLast, Compress, Sample, ListRest, LinkRest *ir.Program
	LinkAll, Settle                                      *ir.Program
	Tally                                                Counts
}

// Counts are the waves that count components.
type Counts struct{ Tally, Most *ir.Program }

// UnpackCounts returns the programs.
func UnpackCounts() (p Counts, err error) {
	err = unpack([]packedProgram{{&p.Tally, TallyProgram}, {&p.Most, MostProgram}})
	return p, err
}

// UnpackComponents returns the programs for a graph with masks or without.
func UnpackComponents(masks bool) (p Components, err error) {
	rest := LinkRestProgram
	if masks {
		rest = LinkRestOfKindsProgram
	}
	err = unpack([]packedProgram{{&p.Hook, HookProgram}, {&p.LinkLast, LinkLastProgram}, {&p.Compress, CompressProgram},
		{&p.Sample, SampleProgram}, {&p.ListRest, ListRestProgram}, {&p.LinkRest, rest}, {&p.LinkAll, LinkAllProgram}, {&p.Settle, SettleProgram},
		{&p.Tally.Tally, TallyProgram}, {&p.Tally.Most, MostProgram}})
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

// Near are the waves of questions about nodes near others.
type Near struct{ Seed, Round, Tell *ir.Program }

// UnpackNear returns the programs.
func UnpackNear() (p Near, err error) {
	err = unpack([]packedProgram{{&p.Seed, SeedNearProgram}, {&p.Round, RoundNearProgram}, {&p.Tell, TellNearProgram}})
	return p, err
}

// UnpackFacts returns the programs that begin a fixpoint of facts of 64 bits, or of 32.
func UnpackFacts(wide bool) (clear, seed *ir.Program, err error) {
	err = unpack([]packedProgram{{&clear, ofWord(ClearFactsProgram, wide)}, {&seed, ofWord(SeedFactsProgram, wide)}})
	return clear, seed, err
}

// Parts are the waves of a graph in parts.
type Parts struct {
	Window, Open, Level, List, Count, Own, Round, Link, Compress *ir.Program
	Parents, Incoming, Peel, Sources                             *ir.Program
	Lanes                                                        PartLanes
}

// PartLanes are those of many queries together.
type PartLanes struct {
	Seed, Round, Close, Answer, Next *ir.Program
}

// UnpackParts returns the programs for a graph with masks or without, and with offsets of 64 bits or of 32; of lanes those with words
// of 64 bits, or of 32.
func UnpackParts(masks, wide, wideLanes bool) (p Parts, err error) {
	round, link, roundLanes := RoundProgram, LinkRestProgram, RoundLanesProgram
	parents, incoming, peel := ParentsPartProgram, IncomingPartProgram, PeelPartProgram
	if masks {
		round, link, roundLanes = RoundOfKindsProgram, LinkRestOfKindsProgram, RoundLanesOfKindsProgram
		parents, incoming, peel = ParentsPartOfKindsProgram, IncomingPartOfKindsProgram, PeelPartOfKindsProgram
	}
	err = unpack([]packedProgram{{&p.Window, ofWord(WindowProgram, wide)}, {&p.Open, OpenPartProgram}, {&p.Level, LevelPartProgram},
		{&p.List, ListPartProgram}, {&p.Count, CountPartsProgram}, {&p.Own, OwnLabelsProgram}, {&p.Round, round}, {&p.Link, link}, {&p.Compress, CompressProgram},
		{&p.Parents, parents}, {&p.Incoming, incoming}, {&p.Peel, peel}, {&p.Sources, SourcesPartProgram},
		{&p.Lanes.Seed, ofWord(SeedLanesProgram, wideLanes)}, {&p.Lanes.Round, ofWord(roundLanes, wideLanes)}, {&p.Lanes.Close, CloseLanesProgram},
		{&p.Lanes.Answer, ofWord(AnswerLaneProgram, wideLanes)}, {&p.Lanes.Next, NextProgram}})
	return p, err
}

// ofWord is a program for words of 64 bits, or of 32.
func ofWord(program func(string) (*ir.Program, error), wide bool) func() (*ir.Program, error) {
	word := "uint32"
	if wide {
		word = "uint64"
	}
	return func() (*ir.Program, error) { return program(word) }
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

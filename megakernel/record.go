package megakernel

import (
	"encoding/binary"
	"fmt"

	"github.com/govyre/vyre/driver"
)

// Status says how a run ended.
type Status uint32

// The ways to end.
const (
	Converged   Status = iota + 1 // a round left nothing to be done
	BudgetSpent                   // the rounds allowed were done and something is left; Resume goes on
)

func (s Status) String() string {
	switch s {
	case Converged:
		return "converged"
	case BudgetSpent:
		return "budget spent"
	}
	return fmt.Sprintf("status %d", uint32(s))
}

// Record is what a run says at its end, written by the device. It covers all slices, and all runs
// since the one that began with round 0.
type Record struct {
	Status     Status
	Rounds     uint32 // done; one that found all lists empty counts as none
	Changed    bool   // some round left something to be done
	Items      uint64 // that waves ran over, those of all rounds together
	Edges      uint64 // that expansion waves looked at
	Barriers   uint32 // of the grid that the first block passed
	TailRounds uint32 // done by one block alone
	TailStays  uint32 // times that one block went on alone
	Greatest   uint32 // items of the round that had most
	Results    uint64 // items appended to lists, and those that were there at first
}

// Words of the record, little endian.
const (
	wordMagic = iota // the number of the version below
	wordStatus
	wordRounds
	wordChanged
	wordFault
	wordFaultAt
	wordItems
	wordItemsHigh
	wordEdges
	wordEdgesHigh
	wordBarriers
	wordTailRounds
	wordTailStays
	wordGreatest
	wordResults
	wordResultsHigh
	recordWords
)

// magic is "VY" in the high half, the version of the record in the low one.
const magic = 0x5659_0001

// RecordBytes is the size of a record in device memory.
const RecordBytes = 4 * recordWords

// decode reads a record.
func decode(dev driver.Device, label string, b []byte) (Record, error) {
	word := func(k int) uint32 { return binary.LittleEndian.Uint32(b[4*k:]) }
	wide := func(k int) uint64 { return binary.LittleEndian.Uint64(b[4*k:]) }
	status := Status(word(wordStatus))
	if word(wordMagic) != magic || status < Converged || status > BudgetSpent {
		return Record{}, &driver.Error{Op: "run", Label: label, Device: dev.Name(), Kind: driver.Internal,
			Msg: fmt.Sprintf("the run left no record: it begins with %#x and has status %d", word(wordMagic), word(wordStatus))}
	}
	return Record{Status: status, Rounds: word(wordRounds), Changed: word(wordChanged) != 0,
		Items: wide(wordItems), Edges: wide(wordEdges), Barriers: word(wordBarriers),
		TailRounds: word(wordTailRounds), TailStays: word(wordTailStays), Greatest: word(wordGreatest),
		Results: wide(wordResults)}, nil
}

func (r Record) String() string {
	return fmt.Sprintf("%v after %d rounds: %d items, %d edges, greatest round %d, %d barriers, %d rounds in %d tail stays",
		r.Status, r.Rounds, r.Items, r.Edges, r.Greatest, r.Barriers, r.TailRounds, r.TailStays)
}

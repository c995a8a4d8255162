package megakernel

import (
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/ir"
)

// Wave is one step of an analysis.
type Wave struct {
	Program *ir.Program  // of package kernel, or of a builder
	Args    []driver.Arg // one a parameter, as in Sequence.Launch; Round{} and Vote{} in the places that they fill
	Domain  Domain       // what it runs over
	Bytes   Envelope     // what it needs of memory, for the plan; zero if that is not planned
	Phase   Phase        // when it runs
	Stay    *Stay        // the same wave for one block alone, if there is one
	Drain   *Drain       // the same wave without rounds, if there is one
}

// Dependency is an ordered pair of waves: After must see what Before wrote, or must not overwrite
// what Before still reads.
type Dependency = plan.Dependency

// Envelope is what a wave needs of memory.
type Envelope = plan.Envelope

// Reason stands in the chain of the package's errors and says which rule was broken, with its numbers.
type Reason = plan.Reason

// Phase says when a wave runs.
type Phase uint8

// The phases.
const (
	EveryRound Phase = iota
	Before           // once, before the first round
	After            // once, after the last round
)

func (p Phase) String() string {
	switch p {
	case EveryRound:
		return "every round"
	case Before:
		return "before"
	case After:
		return "after"
	}
	return fmt.Sprintf("phase %d", uint8(p))
}

// Round is the argument of a u32 parameter that takes the number of the round, from 0 on; of a wave that runs
// After, how many rounds were run, 0 in a drain.
type Round struct{ driver.Scalar }

// Size is the argument of a u32 parameter that takes the size of the wave's domain in the round.
type Size struct{ driver.Scalar }

// Vote is the argument of a []uint32 to which the wave adds how much it leaves to be done. The run
// ends after a round in which nobody added anything.
type Vote struct{ driver.Range }

// Edges is the argument of a []uint32 to which the wave adds, at element 0, how many arcs it looked
// at. The record has their sum.
type Edges struct{ driver.Range }

// Stay is a wave for one block alone: a kernel that calls arcs.Stay, with groups as large as the block.
// The cooperative topology has it for rounds in which little is to be done, if no other wave runs
// every round. It begins with the list that the wave left, and leaves the one that the wave goes on with. Rounds with lists of more
// than Most nodes are those of all blocks, whatever Options.Tail says.
type Stay struct {
	Program *ir.Program
	Args    []driver.Arg // one a parameter; Limit{}, Many{} and Result{}, too, in the places that they fill
	Most    uint32       // the longest list of a round that one block may do alone; 0 is any
}

// Limit is the argument of a stay's u32 parameter for the round to stop before.
type Limit struct{ driver.Scalar }

// Many is the argument of a stay's u32 parameter for the number of items that is too many for it.
type Many struct{ driver.Scalar }

// Result is the argument of a stay's []uint64 of arcs.StayWords words, which becomes values: words are
// stored only, at constant indices.
type Result struct{ driver.Range }

// Drain is a wave without rounds: a kernel that calls arcs.Drain. A plan of one such wave can be
// drained (see Drained). The list of the wave has the nodes to begin with.
type Drain struct {
	Program *ir.Program
	Args    []driver.Arg // one a parameter; Slots{} and Control{} in the places of the queue's fields
	Slots   uint64       // how many there are: what arcs.Slots returns
}

// Slots is the argument of a drain's []uint64 of slots, which the plan provides.
type Slots struct{ driver.Range }

// Control is the argument of a drain's []uint32 of control words, which the plan provides.
type Control struct{ driver.Range }

// MaxItems bounds a domain.
const MaxItems = 1 << 31

// Domain says over how many items, or workgroups, a wave runs.
type Domain struct {
	kind  domainKind
	count uint32       // of a fixed one; else the most that there may be
	words driver.Range // of others
}

type domainKind uint8

const (
	noDomain domainKind = iota
	fixed
	counted
	list
	spread
)

// Fixed is a domain of n.
func Fixed(n uint32) Domain { return Domain{kind: fixed, count: n} }

// Counted is a domain whose size stands in the u32 of word, a range of 4 bytes, at most most. Who
// writes the word is a wave of an earlier group, or of the round before.
func Counted(word driver.Range, most uint32) Domain {
	return Domain{kind: counted, count: most, words: word}
}

// List is a domain whose size is the length of a list that one round makes for the next. lengths is
// a range of three u32: round r runs over the number in word r%3, appends by adding to word
// (r+1)%3, and the loop clears word (r+2)%3. With two words, the one to clear would be the one
// that slow groups still read. Before a first run word 0 has the number of seeds, the others are 0.
func List(lengths driver.Range, most uint32) Domain {
	return Domain{kind: list, count: most, words: lengths}
}

// Spread is List for a wave that finds its items by itself: it runs once in every block that takes part
// in the round, and its invocations share the list by their ids and the argument Size{}. So they may
// help each other, by operations of warps and barriers of groups, which have the size of a block. It
// votes 1 for every item that it appends, so that where no other wave runs every round the sum of the
// votes is the size of the next domain.
func Spread(lengths driver.Range, most uint32) Domain {
	return Domain{kind: spread, count: most, words: lengths}
}

// lists reports whether the domain is the length of a list.
func (k domainKind) lists() bool { return k == list || k == spread }

func (d Domain) String() string {
	switch d.kind {
	case fixed:
		return fmt.Sprintf("fixed %d", d.count)
	case counted:
		return fmt.Sprintf("counted, at most %d", d.count)
	case spread:
		return fmt.Sprintf("spread over a list, at most %d", d.count)
	case list:
		return fmt.Sprintf("list, at most %d", d.count)
	}
	return "none"
}

// words is how many u32 a domain of the kind has in memory.
func (k domainKind) words() int64 {
	switch k {
	case counted:
		return 1
	case list, spread:
		return 3
	}
	return 0
}

// Package driven describes the search of a session to a caller that drives the rounds in its own way.
//
// A session drives its searches by one plan. Package internal/protocols compares that plan with other ways of driving
// the same kernels over the same memory. Session.Drive of package graph/session stages queries, and lends the search.
package driven

import (
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/megakernel"
)

// Search is the search of one query, and memory with several queries. It is valid until the function that it was passed
// to returns.
type Search struct {
	// Waves are those of the session, with its memory as arguments. One run of them answers the next query.
	Waves        []megakernel.Wave
	Dependencies []megakernel.Dependency
	Plan         *megakernel.Plan // of these waves, as the session made it

	Graph                       driver.Buffer // the graph on the device
	Image                       []byte        // the same on the host
	Seen, List, Lengths, Filter driver.Range  // see graph/internal/waves

	Restart func(*driver.Sequence) // records commands that forget all answers: the next run answers the first query
	Answers driver.Range           // of all queries
	// Set returns the answer of a query, by its number, from the bytes of Answers: bit v%8 of byte v/8 for node v.
	Set func(answers []byte, query int) []byte
}

// Round returns the wave of the rounds.
func (s *Search) Round() megakernel.Wave {
	for _, w := range s.Waves {
		if w.Phase == megakernel.EveryRound {
			return w
		}
	}
	panic("BUG: a search without rounds")
}

package device

import (
	"encoding/binary"
	"math/bits"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/egraph/device/internal/saturation"
)

// place is a column of a saturation.
type place int

// The columns, in their order in memory. What is uploaded lies together, to graphs, and what is read, from wanted to
// foundKey.
const (
	headBits   place = iota
	headCosts        // two words
	givenClass       // rows of the graphs
	givenTag         // their graphs
	givenKey         // two words
	givenKnown       // of rows that tell known bits, four words
	wanted           // classes whose terms are extracted
	goals            // two classes of each graph, if a run ends when these are equal
	headers
	graphs     // words of each
	foundClass // rows of the terms
	foundKey   // two words
	counters
	keys       // the table, two words a slot; the columns below have a slot's words too
	parents    // the forest of classes
	stamp      // graph of a row, and the search that is the first to see it
	root       // of a row's class
	count      // rows of a class, and what else is known of it
	end        // of a class in the list
	constant   // row of a class that is a constant
	list       // live rows by class
	listKeys   // two words
	cost       // of the cheapest tree of a class, two words
	chosen     // row of a class that its term begins with
	knownZeros // of a class, two words; the columns of known bits are empty unless a rule asks
	knownOnes
	learned // the search that is the first to see what was learned last of a class
	places

	followed // wanted and goals, with what is between
)

// maxFound is how many rows the extracted terms may have.
const maxFound = 1 << 14

// perRow is how many slots the table has for a row that the limit allows: most rows that a round makes are dead after
// it. leastSlots is how many it has at least. Tests change both.
var perRow, leastSlots int64 = 16, 1 << 12

// store is the memory of a saturation: the columns on the device, and on the host the words that are uploaded and read.
type store struct {
	rows   uint32        // that are uploaded
	slots  uint32        // of the table, when it has grown
	at     [places]int64 // in words
	len    [places]int64
	words  int64
	upload []uint32
	read   []uint32
	memory driver.Buffer
}

// lay lays the columns out for rows, so many classes that are asked for, and so many graphs, each with a limit of rows.
func (s *store) lay(r *givenRows, number, limit int) error {
	n, heads := int64(len(r.key)), int64(len(r.bits))
	need := max(perRow*min(int64(limit)*int64(number), 1<<saturation.KidBits/perRow), 4*(n+int64(r.next)), leastSlots)
	if need > 1<<saturation.KidBits {
		return refused("saturate", "%d rows and %d classes, at most %d together are possible",
			n, r.next, 1<<saturation.KidBits/4)
	}
	slots := power(need)
	s.rows, s.slots = uint32(n), uint32(slots)
	found := min(slots, maxFound)
	s.len = [places]int64{headBits: heads, headCosts: 2 * heads,
		givenClass: max(1, n), givenTag: max(1, n), givenKey: max(2, 2*n), givenKnown: max(2, 2*int64(len(r.known))),
		wanted: int64(max(1, len(r.asked))), goals: int64(max(1, len(r.goals))),
		headers: saturation.HeaderWords, graphs: int64(number) * saturation.GraphWords,
		foundClass: found, foundKey: 2 * found, counters: saturation.CounterWords}
	for p := keys; p < places; p++ {
		s.len[p] = slots
	}
	for _, p := range []place{keys, listKeys, cost, knownZeros, knownOnes} {
		s.len[p] = 2 * slots
	}
	if !r.asks {
		s.len[knownZeros], s.len[knownOnes], s.len[learned] = 2, 2, 1
	}
	for p := range places {
		s.at[p] = s.words
		s.words += (s.len[p] + align - 1) / align * align
	}
	s.upload = make([]uint32, s.at[graphs]+s.len[graphs])
	s.read = make([]uint32, s.at[foundKey]+s.len[foundKey]-s.at[wanted])
	return nil
}

// fill writes what is uploaded.
func (s *store) fill(r *givenRows) {
	to := func(p place) []uint32 { return s.upload[s.at[p]:][:s.len[p]] }
	wide := func(p place, list []uint64) {
		for i, v := range list {
			binary.NativeEndian.PutUint64(vyre.Bytes(to(p)[2*i:][:2]), v)
		}
	}
	copy(to(headBits), r.bits)
	wide(headCosts, r.costs)
	copy(to(givenClass), r.class)
	copy(to(givenTag), r.tag)
	wide(givenKey, r.key)
	wide(givenKnown, r.known)
	for i := s.at[wanted]; i < s.at[headers]; i++ {
		s.upload[i] = saturation.None
	}
	copy(to(wanted), r.asked)
	copy(to(goals), r.goals)
	h := to(headers)
	h[saturation.Act], h[saturation.Was] = saturation.Enter, r.next
	least := max(leastSlots, saturation.Roomy*int64(s.rows), 4*int64(r.next))
	h[saturation.Slots] = uint32(min(int64(s.slots), power(least)))
}

// power is the least power of two that is not less.
func power(n int64) int64 { return 1 << bits.Len64(uint64(n-1)) }

// column is the range of a column.
func (s *store) column(p place) driver.Range {
	if p == followed {
		return driver.Part(s.memory, 4*s.at[wanted], 4*(s.at[goals]+s.len[goals]-s.at[wanted]))
	}
	return driver.Part(s.memory, 4*s.at[p], 4*s.len[p])
}

// found is a column that was read.
func (s *store) found(p place) []uint32 { return s.read[s.at[p]-s.at[wanted]:][:s.len[p]] }

package closure

// HeaderWords is the length of the header: what a run came to, what the waves tell each other, and the unions of the first rounds.
const HeaderWords = 64

// Words of the header that say what a run came to.
const (
	Status    = iota // Fresh, Converged or Stopped
	Rounds           // of this run, the last, empty one among them
	Unions           // of its rounds
	Classes          // that are left
	Live             // rows that are the smallest of their key
	Refills          // how often the table was cleared and filled again
	Lookups          // low word of two: rows that were looked up
	_                // high word
	Pending          // classes that the pending unions took away
	Self             // pending unions of a class with itself
	Groups           // roots that have rows
	Used             // slots of the table that are taken
	firstWord        // from here on the waves' own
)

// Words that the waves tell each other. The word of a round is that of its parity: one wave clears it while the other uses
// the other one.
const (
	lengths  = firstWord + iota // of the work list, by parity
	_                           //
	united                      // in the round, by parity
	_                           //
	cleared                     // the round cleared the table and did nothing else
	last                        // no round may follow
	all                         // the list is all rows
	usedSeen                    // Used when the round began
)

// Log is where the unions of the first LogRounds rounds are.
const (
	Log       = 32
	LogRounds = HeaderWords - Log
)

// Values of Status.
const (
	Fresh     = iota // nothing ran yet
	Converged        // a round united nothing
	Stopped          // the rounds allowed were done
)

// What is staged for a run, before the pairs of classes.
const (
	StagedPairs = iota // how many pairs follow
	StagedMost         // rounds allowed; 0 is any number
	StagedAnew         // not 0 if it is unknown how far the run before came
	StagedHead  = 4
)

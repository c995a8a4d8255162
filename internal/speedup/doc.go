// Package speedup does the work that package evidence compares: the search of a graph from its seeds, again and again,
// by the protocols naive, strong, best other and resident.
//
//	name ──Parse, Load──▶ Work ──Measure──▶ rows
//
// A repetition is the same in all of them: set the state back, search to the fixed point, and add the digest of what was
// reached up in a slot of its own, on the device. Slots are read after the region, and each of them is compared with the
// digest of a search on one core; one that differs ends the measurement, and there is no row of it.
//
// Naive is a caller that keeps nothing and steers by what it reads. Its graph is one image, its state and its output
// are a buffer each; it allocates the three, uploads the image, and in every round uploads the frontier, launches, and
// reads the next frontier with the word that says whether it has any node. What it uploads lies in memory that the
// device reads directly.
//
// All others run the same waves, prepared by package megakernel. Strong launches the groups of a round and reads one
// word, in a loop here that waits once a round and for nothing else: what follows the last round of a repetition goes
// with the first round of the next. Best other is what was fastest of back-to-back launches, captured graphs and the
// loop of the device in a trial before the first sample. Resident is one launch a repetition, a drain, and all
// repetitions of a region are one submission.
//
// Start reading at work.go, then measure.go.
package speedup

//go:generate go run -tags bootstrap ../../cmd/vyre gen --programs .

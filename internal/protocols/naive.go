package protocols

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/megakernel"
)

// Words at the beginning of the state, which come to the device with each frontier.
const (
	lengthsWord = 0 // three; the round counts what it finds in the second one
	filterWord  = 3
	weightWord  = 4
	edgesWord   = 5
)

// naive is the protocol that keeps nothing on the device and decides on the host.
type naive struct {
	*bench
	kernel driver.Kernel      // a round
	state  *driver.HostMemory // the words, and the frontier
	seen   *driver.HostMemory // which nodes are reached
	size   int                // the argument with the length of the frontier
	known  []byte             // the nodes of all frontiers so far
	rounds uint64             // of the last repetition
}

func newNaive(b *bench) (_ *naive, err error) {
	n := &naive{bench: b, known: make([]byte, b.search.Seen.Len)}
	if n.kernel, err = b.dev.Compile(b.ctx, b.search.Round().Program, driver.Options{}); err != nil {
		return nil, err
	}
	b.closers = append(b.closers, n.kernel)
	n.size = slices.Index(b.search.Round().Args, driver.Arg(megakernel.Size{}))
	for _, m := range []struct {
		to    **driver.HostMemory
		bytes int64
	}{{&n.state, lineBytes + b.search.List.Len/2}, {&n.seen, b.search.Seen.Len}} {
		if *m.to, err = b.host(m.bytes); err != nil {
			return nil, err
		}
	}
	for range b.reps {
		m, err := b.host(b.search.Seen.Len)
		if err != nil {
			return nil, err
		}
		b.found = append(b.found, m.Bytes())
	}
	clear(n.state.Bytes()[:lineBytes])
	binary.LittleEndian.PutUint32(n.state.Bytes()[4*filterWord:], b.w.Filter)
	return n, nil
}

func (n *naive) do() error {
	for rep := range n.reps {
		if err := n.repetition(rep); err != nil {
			return err
		}
	}
	return nil
}

// answers are on the host already.
func (n *naive) answers() (func(repetition int) []byte, error) {
	return func(k int) []byte { return n.found[k] }, nil
}

// repetition allocates the graph, the state and the result, searches, and frees them.
func (n *naive) repetition(rep int) (err error) {
	r := &naiveSearch{naive: n}
	defer func() {
		for k := len(r.closers) - 1; k >= 0; k-- {
			err = errors.Join(err, r.closers[k].Close())
		}
	}()
	for _, b := range []struct {
		to    *driver.Buffer
		bytes int64
	}{{&r.graph, int64(len(n.image.Bytes()))}, {&r.state, lineBytes + n.search.List.Len}, {&r.result, n.search.Seen.Len}} {
		if *b.to, err = n.dev.Alloc(b.bytes, driver.AllocOptions{Label: "naive"}); err != nil {
			return err
		}
		r.closers = append(r.closers, *b.to)
	}
	return r.run(rep)
}

// naiveSearch is a repetition with its memory.
type naiveSearch struct {
	*naive
	graph, state, result driver.Buffer
	first                naiveRound
	rest                 [33]naiveRound // by the number of bits of the frontier's length
	closers              []interface{ Close() error }
}

// naiveRound is a round of a frontier of at most so many nodes.
type naiveRound struct {
	all    *driver.Sequence
	launch *driver.Step
}

func (n *naiveSearch) run(rep int) error {
	list := n.naive.state.Bytes()[lineBytes:]
	for k, v := range n.w.Seeds {
		binary.LittleEndian.PutUint32(list[4*k:], v)
	}
	copy(n.known, n.seeds())
	n.rounds = 0
	for length := len(n.w.Seeds); length > 0; length = n.next(list) {
		if err := n.round(length); err != nil {
			return err
		}
		n.rounds++
	}
	end := n.record("naive, end")
	end.Read(driver.All(n.result), n.found[rep])
	return n.naive.run(end)
}

func (n *naiveSearch) record(label string) *driver.Sequence {
	q := n.dev.NewSequence(label)
	n.closers = append(n.closers, q)
	return q
}

// round runs a round of a frontier that is on the host.
func (n *naiveSearch) round(length int) error {
	r := &n.rest[bits.Len(uint(length-1))]
	if n.rounds == 0 {
		r = &n.first
	}
	if r.all == nil {
		r.all = n.record("naive, round")
		if r == &n.first {
			r.all.Upload(driver.All(n.graph), n.image.Bytes(), driver.Always)
			r.all.Copy(driver.All(n.result), driver.Part(n.graph, n.graphBytes(), n.result.Len()))
		}
		most := min(1<<bits.Len(uint(length-1)), n.w.Graph.Nodes())
		staged := lineBytes + 4*int64(most)
		r.all.Upload(driver.Part(n.state, 0, staged), n.naive.state.Bytes()[:staged], driver.Always)
		r.launch = r.all.Launch(n.kernel, driver.Groups(uint32(n.dev.Caps().Units)), n.args()...)
		r.all.Read(driver.All(n.result), n.seen.Bytes())
		if err := r.all.Prepare(); err != nil {
			return err
		}
	}
	if err := r.launch.SetArg(n.size, driver.U32(uint32(length))); err != nil {
		return err
	}
	return n.naive.run(r.all)
}

// args are those of the session's round, with the memory of the repetition in the place of the session's. Each round is
// the first one of its list.
func (n *naiveSearch) args() (args []driver.Arg) {
	words := func(at, count int) driver.Range { return driver.Part(n.state, 4*int64(at), 4*int64(count)) }
	for _, a := range n.search.Round().Args {
		switch of := a.(type) {
		case megakernel.Round, megakernel.Size:
			a = driver.U32(0)
		case megakernel.Vote:
			a = words(weightWord, 1)
		case megakernel.Edges:
			a = words(edgesWord, 1)
		case driver.Range:
			switch of {
			case n.search.Seen:
				a = driver.All(n.result)
			case n.search.List:
				a = driver.Part(n.state, lineBytes, of.Len)
			case n.search.Lengths:
				a = words(lengthsWord, 3)
			case n.search.Filter:
				a = words(filterWord, 1)
			default:
				a = driver.Part(n.graph, of.Off, of.Len)
			}
		}
		args = append(args, a)
	}
	return args
}

// next lists the nodes that the last round reached.
func (n *naiveSearch) next(list []byte) (length int) {
	for from := 0; from < len(n.known); from += lineBytes {
		to := min(from+lineBytes, len(n.known))
		seen, known := n.seen.Bytes()[from:to], n.known[from:to]
		if bytes.Equal(seen, known) {
			continue
		}
		for at := 0; at < len(seen); at += 4 {
			fresh := binary.LittleEndian.Uint32(seen[at:]) &^ binary.LittleEndian.Uint32(known[at:])
			for ; fresh != 0; fresh &= fresh - 1 {
				binary.LittleEndian.PutUint32(list[4*length:], uint32(8*(from+at)+bits.TrailingZeros32(fresh)))
				length++
			}
		}
		copy(known, seen)
	}
	return length
}

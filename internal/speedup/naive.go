package speedup

import (
	"encoding/binary"
	"errors"

	"github.com/govyre/vyre/driver"
)

// naive is the protocol that keeps nothing on the device and steers by what it reads.
type naive struct {
	*session
	host   *driver.HostMemory // the frontier that goes there, and the next one with the word that comes back
	result *driver.HostMemory
	seeds  []byte // the first frontier
	rounds uint64 // of the last repetition
}

func newNaive(s *session) (*naive, error) {
	set := 4 * int64(s.w.setWords())
	n := &naive{session: s, seeds: make([]byte, set)}
	put(n.seeds, s.w.first())
	var err1, err2 error
	n.host, err1 = s.dev.AllocHost(set + 4)
	n.result, err2 = s.dev.AllocHost(set)
	for _, m := range []*driver.HostMemory{n.host, n.result} {
		if m != nil {
			s.closers = append(s.closers, m)
		}
	}
	return n, errors.Join(err1, err2)
}

func (n *naive) do() error {
	for rep := range n.reps {
		if err := n.repetition(rep); err != nil {
			return err
		}
	}
	return nil
}

// repetition allocates the graph, the state and the output, searches, and frees them.
func (n *naive) repetition(rep int) (err error) {
	var l layout
	set := n.w.setWords()
	frontier := l.part(set)
	next := l.part(set + 1) // the word that says whether there is any node follows
	var bufs [3]driver.Buffer
	defer func() {
		for _, b := range bufs {
			if b != nil {
				err = errors.Join(err, b.Close())
			}
		}
	}()
	for k, bytes := range []int64{int64(len(n.image.bytes.Bytes())), l.size, 4 * int64(set)} {
		if bufs[k], err = n.alloc(bytes, "naive"); err != nil {
			return err
		}
	}
	graph, state, output := bufs[0], bufs[1], bufs[2]
	search := &naiveSearch{naive: n, graph: graph, seen: driver.All(output), frontier: frontier.of(state), both: next.of(state)}
	return search.run(rep)
}

// naiveSearch is a repetition with its memory.
type naiveSearch struct {
	*naive
	graph          driver.Buffer
	seen, frontier driver.Range
	both           driver.Range // the next frontier and the word
}

func (n *naiveSearch) run(rep int) error {
	host := n.host.Bytes()
	set := len(host) - 4
	copy(host, n.seeds)
	binary.LittleEndian.PutUint32(host[set:], 1)
	open, round, end := n.dev.NewSequence("naive, first round"), n.dev.NewSequence("naive, round"), n.dev.NewSequence("naive, end")
	open.Upload(driver.All(n.graph), n.image.bytes.Bytes(), driver.Always)
	n.round(open, true)
	n.round(round, false)
	end.Fill(driver.All(n.turn), uint64(rep), 4)
	end.Launch(n.fold, driver.Groups(n.foldGroups()), n.seen, driver.All(n.turn), driver.All(n.slots))
	end.Read(n.seen, n.result.Bytes())
	err := n.rounds(open, round)
	if err == nil {
		err = n.session.run(end)
	}
	return errors.Join(err, open.Close(), round.Close(), end.Close())
}

// rounds goes on while a round found anything.
func (n *naiveSearch) rounds(q, next *driver.Sequence) error {
	host := n.host.Bytes()
	n.naive.rounds = 0
	for binary.LittleEndian.Uint32(host[len(host)-4:]) != 0 {
		if err := n.session.run(q); err != nil {
			return err
		}
		n.naive.rounds++
		q = next
	}
	return nil
}

// round records a round; the seeds of the first one are reached.
func (n *naiveSearch) round(q *driver.Sequence, first bool) {
	host := n.host.Bytes()
	q.Upload(n.frontier, host[:len(host)-4], driver.Always)
	if first {
		q.Copy(n.seen, n.frontier)
	}
	q.Fill(n.both, 0, 4)
	var args []driver.Arg
	if n.w.filtered() {
		args = append(args, driver.U32(n.w.Filter))
	}
	next := driver.Part(n.both.Buffer, n.both.Off, n.both.Len-4)
	changed := driver.Part(n.both.Buffer, next.Off+next.Len, 4)
	args = append(append(args, n.image.graph(n.graph)...), n.frontier, next, n.seen, changed)
	q.Launch(n.sweep, driver.Groups(uint32(n.w.Graph.Nodes()+255)/256), args...)
	q.Read(n.both, host)
}

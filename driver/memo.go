package driver

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/govyre/vyre/internal/metric"
)

// The most that a graph remembers.
const (
	maxMemoEntries = 32
	maxMemoBytes   = 8 << 20
)

// memo remembers results of a graph by its inputs. It has no lock, because only the holder of the sequence's flight uses
// it: a run from its claim until it has landed, Memoize, or a batch.
type memo struct {
	seed    maphash.Seed
	kept    []*remembered // as many as it has room for; then the oldest is at next
	next    int
	clock   uint64  // of the plan, when barred was found
	barred  error   // why what the setters made of the plan is not remembered, or nil
	outside []*Leaf // of buffers that the graph reads and does not own
	statics bool    // some inputs are Static

	able    bool        // the run that was claimed may be remembered
	sources [][]byte    // reused, for inputs and for outputs
	hit     int         // what the run in flight delivers: 1 + index into kept; 0 if it runs
	spare   *remembered // memory for the next
	missed  bool        // spare is what the run in flight will be remembered as, if it succeeds
}

// remembered is one result, with all that it depends on.
type remembered struct {
	hash    uint64
	inputs  []byte // one after the other
	outputs []byte // likewise
	// The versions of outside, and how often each input was touched. That counts for static ones, but not for those of a
	// row, which brings bytes of its own.
	versions []uint64
	row      bool
	loops    []LoopResult
}

// Memoize makes the graph remember up to so many results, of so many bytes of inputs and outputs together: at most 32,
// and 8 MiB. The oldest goes first. A run, or a row of a batch, with inputs that are remembered delivers the outputs of then:
// it launches nothing, changes nothing on the device, and its Result is Memoized. With 0 entries the graph forgets
// everything and remembers nothing any more, as at first.
//
// Equal inputs have to mean equal outputs. So kernels have to be Deterministic, with grids along x; the graph writes scratch
// memory alone, and reads none of it before it has written it. A kernel that only writes a buffer counts as writing
// all of it. What else it reads counts as an input by how often runs have written it. A graph that breaks this is
// refused. Setters of arguments, grids and counts make it forget, and as long as what they set breaks it, runs are not
// remembered. Static inputs are equal while they are not touched. A run that failed, trapped or was canceled is not
// remembered, and one that is started after others is run.
func (g *Graph) Memoize(entries int, bytes int64) error {
	if err := g.absent("memoize"); err != nil {
		return err
	}
	s := g.seq
	s.mu.Lock()
	defer s.mu.Unlock()
	no := func(kind Kind, fix, format string, args ...any) error {
		return s.core.Fail(&Error{Op: "memoize", Label: g.label, Device: s.core.name, Kind: kind, Msg: fmt.Sprintf(format, args...), Fix: fix})
	}
	switch {
	case s.closed || g.p.closed:
		return no(Closed, "", "graph was closed")
	case s.flying != nil:
		return no(Busy, "wait for it", "a run is in flight")
	case entries < 0 || entries > maxMemoEntries:
		return no(InvalidArgument, "", "a graph remembers 0 to %d results, not %d", maxMemoEntries, entries)
	case bytes < 0 || bytes > maxMemoBytes:
		return no(InvalidArgument, "", "a graph remembers 0 to %d bytes, not %d", maxMemoBytes, bytes)
	case entries == 0:
		g.p.memo = nil
		return nil
	}
	m := &memo{seed: maphash.MakeSeed()}
	for _, in := range s.inputs {
		m.statics = m.statics || in.mode == Static
	}
	if one := int64(s.bytesIn() + s.bytesOut()); one > 0 {
		if entries = int(min(int64(entries), bytes/one)); entries == 0 {
			return no(InvalidArgument, "make room for one, or run the graph as it is", "one result has %d bytes of inputs and outputs, more than the %d that may be remembered", one, bytes)
		}
	}
	m.kept = make([]*remembered, 0, entries)
	if m.settle(s); m.barred != nil {
		m.barred.(*Error).Label = g.label
		return s.core.Fail(m.barred)
	}
	g.p.memo = m
	return nil
}

// bytesIn counts the bytes of all inputs.
func (s *Sequence) bytesIn() (n int) {
	for _, in := range s.inputs {
		n += len(in.src)
	}
	return n
}

// bytesOut counts the bytes of all outputs.
func (s *Sequence) bytesOut() (n int) {
	for _, out := range s.outputs {
		n += len(out.dst)
	}
	return n
}

// settle looks at the plan as it is now.
func (m *memo) settle(s *Sequence) {
	s.plan.refresh()
	m.clock, m.barred = s.plan.Clock(), memoizable(s)
	m.kept, m.next, m.outside = m.kept[:0], 0, m.outside[:0]
	for _, u := range s.plan.Uses {
		if !u.Writes && !holdsOf(s).isScratch(u.Buffer) {
			m.outside = append(m.outside, u.Buffer.leaf())
		}
	}
}

// ready reports whether results may be remembered, of the plan as setters left it. What depends on what they changed is
// forgotten.
func (m *memo) ready(s *Sequence) bool {
	p := s.plan
	if p.Clock() == m.clock {
		return m.barred == nil
	}
	changed := p.Recounted > m.clock
	for l := range p.ChangedSince(m.clock) {
		if changed = changed || l.Changed > m.clock; changed {
			break
		}
	}
	if changed {
		m.settle(s)
	}
	m.clock = p.Clock()
	return m.barred == nil
}

// claim notes whether the run that is claimed, alone or after others, may be one that is remembered. The sequence is locked, for
// a Close takes its plan away.
func (m *memo) claim(s *Sequence, alone bool) {
	if m != nil {
		m.drop()
		m.able = m.ready(s) && alone && s.dev.Err() == nil
	}
}

// begin looks for the result of the run that has been claimed. It reports whether there is one: then nothing has to run.
func (m *memo) begin(s *Sequence) bool {
	if m == nil || !m.able {
		return false
	}
	m.sources = m.sources[:0]
	for _, in := range s.inputs {
		m.sources = append(m.sources, in.src)
	}
	hash := m.hashed(s, m.sources, false)
	if m.hit = m.find(s, hash, m.sources, false); m.hit == 0 {
		m.spare, m.missed = m.note(s, hash, m.sources, false), true
	}
	return m.hit > 0
}

// drop forgets about the run in flight.
func (m *memo) drop() {
	m.hit, m.missed = 0, false
}

// giveBack keeps the memory of a result that is not remembered for the next.
func (m *memo) giveBack(r *remembered) {
	if r != nil && m.spare == nil {
		m.spare = r
	}
}

// started notes that the run in flight was started, with how that went.
func (m *memo) started(err error) {
	if m != nil && (err != nil && !goesOn(err) || m.missed && !m.current(m.spare)) {
		m.drop()
	}
}

// ended notes that the run in flight is over, and remembers it if it succeeded.
func (m *memo) ended(s *Sequence, res *Result, err error) {
	if m == nil {
		return
	}
	if m.missed {
		r := m.spare
		m.spare, m.missed = nil, false
		m.keep(s, r, m.destinations(s), res, err)
	}
}

// remembers reports whether the run in flight is one that is remembered.
func (m *memo) remembers() bool { return m != nil && m.hit > 0 }

// deliver is the end of a run that was remembered.
func (m *memo) deliver(s *Sequence, res *Result) {
	m.kept[m.hit-1].deliver(m.destinations(s), res)
	m.hit = 0
}

// destinations lists where the run in flight delivers its outputs.
func (m *memo) destinations(s *Sequence) [][]byte {
	m.sources = m.sources[:0]
	for _, out := range s.outputs {
		m.sources = append(m.sources, out.dst)
	}
	return m.sources
}

func (r *remembered) deliver(outputs [][]byte, res *Result) {
	at := 0
	for _, out := range outputs {
		at += copy(out, r.outputs[at:])
	}
	res.Memoized, res.Loops = true, append(res.Loops, r.loops...)
}

// hashed is the hash of the inputs. It only rejects.
func (m *memo) hashed(s *Sequence, inputs [][]byte, row bool) (sum uint64) {
	for i, in := range inputs {
		if row || s.inputs[i].mode != Static {
			sum = sum*0x9E37_79B9_7F4A_7C15 + maphash.Bytes(m.seed, in)
		}
	}
	return sum
}

// find returns 1 + the index of the result of inputs with a hash, 0 if there is none.
func (m *memo) find(s *Sequence, hash uint64, inputs [][]byte, row bool) int {
	for i, r := range m.kept {
		if r.hash == hash && (r.row == row || !m.statics) && m.current(r) && m.equal(s, r, inputs, row) {
			return i + 1
		}
	}
	return 0
}

// equal reports whether the result is that of the inputs.
func (m *memo) equal(s *Sequence, r *remembered, inputs [][]byte, row bool) bool {
	at := 0
	for i, in := range s.inputs {
		end := at + len(inputs[i])
		if static := in.mode == Static && !row; static && in.changed != r.versions[len(m.outside)+i] || !static && !bytes.Equal(r.inputs[at:end], inputs[i]) {
			return false
		}
		at = end
	}
	return true
}

// current reports whether buffers of others are as they were.
func (m *memo) current(r *remembered) bool {
	for i, l := range m.outside {
		if l.now() != r.versions[i] {
			return false
		}
	}
	return true
}

// note is what will be remembered of a run that starts: the inputs as they are now.
func (m *memo) note(s *Sequence, hash uint64, inputs [][]byte, row bool) *remembered {
	r := m.spare
	if m.spare = nil; r == nil {
		r = &remembered{inputs: make([]byte, s.bytesIn()), outputs: make([]byte, s.bytesOut())}
	}
	r.hash, r.row = hash, row
	r.versions = r.versions[:0]
	for _, l := range m.outside {
		r.versions = append(r.versions, l.now())
	}
	at := 0
	for i, in := range s.inputs {
		at += copy(r.inputs[at:], inputs[i])
		r.versions = append(r.versions, in.changed)
	}
	return r
}

// keep remembers the result of a run that succeeded, in the place of the oldest where all are taken. A result with reports
// is not kept, because a device that watches the program has more to say of a run than its outputs.
func (m *memo) keep(s *Sequence, r *remembered, outputs [][]byte, res *Result, err error) {
	if err != nil || len(res.Reports) > 0 {
		m.giveBack(r)
		return
	}
	same := func(k *remembered) bool {
		return k.hash == r.hash && k.row == r.row && bytes.Equal(k.inputs, r.inputs) && slices.Equal(k.versions, r.versions)
	}
	if slices.ContainsFunc(m.kept, same) { // of another row of the batch
		m.giveBack(r)
		return
	}
	at := 0
	for _, out := range outputs {
		at += copy(r.outputs[at:], out)
	}
	r.loops = append(r.loops[:0], res.Loops...)
	s.tally.Count(metric.MemoStores, 1)
	if len(m.kept) < cap(m.kept) {
		m.kept = append(m.kept, r)
		return
	}
	m.giveBack(m.kept[m.next])
	m.kept[m.next] = r
	m.next = (m.next + 1) % len(m.kept)
}

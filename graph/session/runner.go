package session

import (
	"context"
	"errors"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/little"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// runner is what runs for a set, one after another: the memory that searches and analyses share, what was moved and counted, what may
// be under way, and what is closed with the session.
type runner struct {
	*resident
	scratch
	moved   moved
	totals  Totals
	groups  plan.Queries        // how the last batch was divided into searches
	last    settler             // what ran last of all that is kept
	coming  settler             // what comes to the device beside it; nil where nothing does
	ran     func(driver.Result) // is told of submissions; nil but in tests
	closers []closer            // nil if it is closed, or was never opened
}

// scratch is the list of a round, with its lengths, and the kinds of arcs that are allowed.
type scratch struct{ list, lengths, filter driver.Buffer }

// settler is what is kept and may be under way: a sequence, a plan, or a part.
type settler interface {
	Settle(ctx context.Context) error
}

type closer interface{ Close() error }

// wanted is memory that somebody is going to have.
type wanted struct {
	to    *driver.Buffer
	bytes int64
	label string
}

// moved is what a session has put on its device and read from there, and the buffers that it asked for, beside the control words that
// plans have and look at themselves.
type moved struct{ uploaded, read, buffers uint64 }

// since takes what a run moved into it: all since some time before.
func (m moved) since(before moved, r *Run) {
	r.Uploaded, r.Read = m.uploaded-before.uploaded, m.read-before.read
}

// write puts bytes on the device.
func (s *runner) write(ctx context.Context, to driver.Range, b []byte) error {
	err := driver.Write(ctx, to, b)
	if err == nil {
		s.moved.uploaded += uint64(len(b))
	}
	return err
}

// read reads bytes from there.
func (s *runner) read(ctx context.Context, from driver.Range, b []byte) error {
	err := driver.ReadInto(ctx, from, b)
	if err == nil {
		s.moved.read += uint64(len(b))
	}
	return err
}

// readWords reads a buffer of u32.
func (s *runner) readWords(ctx context.Context, from driver.Range) ([]uint32, error) {
	words := make([]uint32, from.Len/4)
	return words, s.readInto(ctx, from, words)
}

// readInto reads as many.
func (s *runner) readInto(ctx context.Context, from driver.Range, words []uint32) error {
	if little.Native {
		return s.read(ctx, from, little.Bytes(words))
	}
	host := make([]byte, from.Len)
	err := s.read(ctx, from, host)
	getWords(words, host)
	return err
}

// smallImage is how many bytes are copied in less time than further transfers take.
const smallImage = 1 << 20

// put uploads an image: a small one at once, of a large one, of which no copy is made, the arrays.
func (s *runner) put(ctx context.Context, m *image) error {
	if m.bytes() <= smallImage {
		host, err := m.host(ctx)
		if err != nil {
			return err
		}
		return s.write(ctx, driver.All(m.memory), host)
	}
	if err := m.turn(ctx); err != nil {
		return err
	}
	offsets, targets, masks, _ := m.layout()
	for _, a := range []struct {
		at    int64
		words []uint32
	}{{offsets, m.g.Offsets()}, {targets, m.g.Targets()}, {masks, m.g.Masks()}} {
		if len(a.words) == 0 {
			continue
		}
		if err := upload(ctx, m.g, m.memory, a.at, little.Bytes(a.words)); err != nil {
			return err
		}
		s.moved.uploaded += 4 * uint64(len(a.words))
	}
	return nil
}

// buffer allocates memory on the device.
func (s *runner) buffer(w wanted) (driver.Buffer, error) {
	b, err := s.dev.Alloc(w.bytes, driver.AllocOptions{Label: s.o.Label + " " + w.label})
	if err == nil {
		s.moved.buffers++
	}
	return b, err
}

// alloc allocates buffers that are closed with the session.
func (s *runner) alloc(list []wanted) error {
	for _, b := range list {
		var err error
		if *b.to, err = s.buffer(b); err != nil {
			return err
		}
		s.keep(*b.to)
	}
	return nil
}

// mostPinned is how much memory of the host a session takes out of the system's hands for what it reads.
const mostPinned = 256 << 20

// hostBytes is memory of the host that the device writes to without a copy in between, or any other if it is too much.
func (s *runner) hostBytes(n int64) []byte {
	if n <= mostPinned {
		if m, err := s.dev.AllocHost(n); err == nil {
			s.keep(m)
			return m.Bytes()
		}
	}
	return make([]byte, n)
}

// finish runs a plan to its end, or so many rounds as it may have.
func (s *runner) finish(ctx context.Context, p *megakernel.Plan) (Run, error) {
	s.last = p
	rec, err := p.Run(ctx)
	r := Run{Engine: WavesEngine, Topology: p.Topology(), Record: rec, Result: p.Result()}
	s.tell(r.Result)
	return r, err
}

// tell tells whoever listens of a submission.
func (s *runner) tell(r driver.Result) {
	if s.ran != nil {
		s.ran(r)
	}
}

// keep has something closed with the session, after all that is kept later.
func (s *runner) keep(c closer) { s.closers = append(s.closers, c) }

// drop closes what was kept.
func (s *runner) drop(c closer) error {
	s.closers = slices.DeleteFunc(s.closers, func(k closer) bool { return k == c })
	return c.Close()
}

// closeFrom closes all but the first few things that are kept.
func (s *runner) closeFrom(first int) (err error) {
	for k := len(s.closers) - 1; k >= first; k-- {
		err = errors.Join(err, s.closers[k].Close())
	}
	s.closers = s.closers[:min(first, len(s.closers))]
	return err
}

// kept is an analysis that is made when it is first asked for, and closed with the session.
type kept[P interface {
	comparable
	closer
}] struct{ made P }

// get returns it, made if it is not there. After an error nothing of it is left.
func (k *kept[P]) get(s *runner, make func() (P, error)) (P, error) {
	var none P
	if k.made == none {
		p, err := make()
		if err != nil {
			return none, err
		}
		k.made = p
		s.keep(p)
	}
	return k.made, nil
}

// drop closes it, so that the next question makes another one.
func (k *kept[P]) drop(s *runner) error {
	var none P
	p := k.made
	k.made = none
	return s.drop(p)
}

// groupByKinds puts queries together that allow the same kinds of arcs, up to so many.
func (s *runner) groupByKinds(queries []Query, most int) {
	s.groups = plan.Queries{Groups: s.groups.Groups[:0]}
	open := make(map[uint32]int) // groups that have room, by kinds
	for i, q := range queries {
		kinds := s.kinds(q)
		at, ok := open[kinds]
		if !ok || len(s.groups.Groups[at].Queries) == most {
			at = len(s.groups.Groups)
			open[kinds] = at
			s.groups.Groups = append(s.groups.Groups, plan.QueryGroup{})
		}
		s.groups.Groups[at].Queries = append(s.groups.Groups[at].Queries, i)
	}
}

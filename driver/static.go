package driver

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/govyre/vyre/internal/metric"
)

// StaticSet is one use of read-only buffers that hold given bytes.
type StaticSet struct {
	Buffers  []Buffer // one a payload; no launch may write them
	Hit      bool     // they were there
	Retained bool     // they stay after Release, for the next who asks

	entry    *staticEntry
	released bool
}

// staticEntry is what sets of equal payloads share.
type staticEntry struct {
	of       *statics
	key      [32]byte
	buffers  []Buffer
	shadow   [][]byte // host copies, unless digests are trusted
	bytes    int64
	refs     int
	retained bool
	used     uint64 // clock of the last use
}

// statics has the static sets of a pool. Its lock is held while a set is uploaded, so that
// equal sets are made once; reclaim passes by then.
type statics struct {
	pool    *Pool
	mu      sync.Mutex
	entries map[[32]byte][]*staticEntry // retained
	bytes   int64                       // of them
	loose   int64                       // bytes of the others
	refs    int
	clock   uint64
	key     func(domain uint64, payloads [][]byte) [32]byte
}

// Static returns buffers that hold exactly the payloads, in order. Payloads that a set of the
// domain has already are not uploaded. The caller releases the set.
func (p *Pool) Static(ctx context.Context, domain uint64, payloads ...[]byte) (*StaticSet, error) {
	if err := p.absent("static"); err != nil {
		return nil, err
	}
	s := &p.statics
	key := s.key(domain, payloads)
	s.mu.Lock()
	defer s.mu.Unlock()
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if closed {
		return nil, p.refuse("static", "", Closed, "", "pool was closed")
	}
	s.clock++
	for _, e := range s.entries[key] {
		if e.holds(payloads, p.o.TrustDigest) {
			e.refs, e.used, s.refs = e.refs+1, s.clock, s.refs+1
			p.core.Count(metric.StaticHits, 1)
			return &StaticSet{Buffers: e.buffers, Hit: true, Retained: true, entry: e}, nil
		}
	}
	p.core.Count(metric.StaticMisses, 1)
	e := &staticEntry{of: s, key: key, refs: 1, used: s.clock}
	for _, b := range payloads {
		e.bytes += int64(len(b))
	}
	if err := s.makeRoom(e); err != nil {
		return nil, err
	}
	if err := s.fill(ctx, e, payloads); err != nil {
		return nil, err
	}
	s.refs++
	p.core.Gauge(metric.StaticBytes, e.bytes)
	if !e.retained {
		s.loose += e.bytes
	} else {
		s.entries[key] = append(s.entries[key], e)
		s.bytes += e.bytes
		if !p.o.TrustDigest {
			for _, b := range payloads {
				e.shadow = append(e.shadow, bytes.Clone(b))
			}
			p.core.Gauge(metric.ShadowBytes, e.bytes)
		}
	}
	return &StaticSet{Buffers: e.buffers, Retained: e.retained, entry: e}, nil
}

// holds reports whether the entry has the payloads, whose digest it has.
func (e *staticEntry) holds(payloads [][]byte, trust bool) bool {
	return trust || slices.EqualFunc(e.shadow, payloads, bytes.Equal)
}

// makeRoom decides whether a new set is retained, and evicts what has to go for that: sets
// without a reference, the largest first, the least recently used of those first. If they
// would not do, none of them goes.
func (s *statics) makeRoom(e *staticEntry) error {
	free := s.pool.o.StaticBudget - s.bytes
	var victims []*staticEntry
	for _, list := range s.entries {
		for _, o := range list {
			if o.refs == 0 && !o.held() {
				victims = append(victims, o)
			}
		}
	}
	slices.SortFunc(victims, func(a, b *staticEntry) int { return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.used, b.used)) })
	n := 0
	for free < e.bytes && n < len(victims) {
		free += victims[n].bytes
		n++
	}
	if free < e.bytes {
		return nil
	}
	e.retained = true
	for _, v := range victims[:n] {
		s.pool.core.Count(metric.StaticEvictions, 1)
		if err := s.remove(v); err != nil {
			return err
		}
	}
	return nil
}

// fill allocates the buffers and uploads the payloads, all or nothing.
func (s *statics) fill(ctx context.Context, e *staticEntry, payloads [][]byte) error {
	sizes := make([]int64, len(payloads))
	for i, b := range payloads {
		sizes[i] = int64(len(b))
	}
	all, err := AllocAll(s.pool.dev, sizes...)
	if err != nil {
		return err
	}
	q := s.pool.dev.NewSequence("static")
	for i, b := range all {
		q.Upload(All(b), payloads[i], Always)
	}
	if len(all) > 0 {
		_, err = q.Once(ctx)
	}
	if err != nil {
		// The sequence has let go of them.
		_ = s.pool.free(all)
		return err
	}
	for _, b := range all {
		b.leaf().own("a pool's static set")
	}
	e.buffers = all
	return nil
}

// remove frees a retained entry without references.
func (s *statics) remove(e *staticEntry) error {
	list := slices.DeleteFunc(s.entries[e.key], func(o *staticEntry) bool { return o == e })
	if s.entries[e.key] = list; len(list) == 0 {
		delete(s.entries, e.key)
	}
	s.bytes -= e.bytes
	if e.shadow != nil {
		s.pool.core.Gauge(metric.ShadowBytes, -e.bytes)
	}
	return s.free(e)
}

func (s *statics) free(e *staticEntry) error {
	s.pool.core.Gauge(metric.StaticBytes, -e.bytes)
	for _, b := range e.buffers {
		b.leaf().own("")
	}
	return s.pool.free(e.buffers)
}

// Release ends a use of the set. It answers Busy while a prepared sequence refers to one of the
// buffers and they would be freed.
func (p *Pool) Release(set *StaticSet) error {
	if err := p.absent("release"); err != nil {
		return err
	}
	s := &p.statics
	s.mu.Lock()
	defer s.mu.Unlock()
	if set == nil {
		return p.refuse("release", "static set", InvalidArgument, "", "the set is nil")
	}
	e := set.entry
	if e != nil && e.of != s {
		return p.refuse("release", "static set", InvalidArgument, "release it where Static was called", "the set is of another pool")
	}
	if set.released || e == nil {
		return p.refuse("release", "static set", Closed, "", "the set was released")
	}
	if !e.retained {
		for _, b := range e.buffers {
			if _, holders := b.leaf().state(); holders != "" {
				return p.refuse("release", "static set", Busy, "close what holds it first", "a buffer of the set is held by %s", holders)
			}
		}
	}
	set.released = true
	e.refs--
	s.refs--
	if e.retained || e.refs > 0 {
		return nil
	}
	s.loose -= e.bytes
	return s.free(e)
}

// reclaim frees the sets without references, unless one is being made.
func (s *statics) reclaim() {
	if !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	for _, list := range s.entries {
		for _, e := range slices.Clone(list) {
			if e.refs == 0 && !e.held() {
				s.pool.core.Count(metric.StaticEvictions, 1)
				// Nobody refers to the buffers, so closing them is not refused.
				_ = s.remove(e)
			}
		}
	}
}

// held reports whether a sequence still refers to a buffer, although the set was released.
func (e *staticEntry) held() bool {
	return slices.ContainsFunc(e.buffers, func(b Buffer) bool {
		_, holders := b.leaf().state()
		return holders != ""
	})
}

// drop frees all sets; none is referred to.
func (s *statics) drop() error {
	var first error
	for _, list := range s.entries {
		for _, e := range slices.Clone(list) {
			if err := s.remove(e); first == nil {
				first = err
			}
		}
	}
	return first
}

// forget takes the sets off the books whose buffers the device has closed.
func (s *statics) forget() {
	for _, list := range s.entries {
		for _, e := range list {
			s.pool.core.Gauge(metric.StaticBytes, -e.bytes)
			if e.shadow != nil {
				s.pool.core.Gauge(metric.ShadowBytes, -e.bytes)
			}
		}
	}
	s.pool.core.Gauge(metric.StaticBytes, -s.loose)
	s.entries, s.bytes, s.loose = map[[32]byte][]*staticEntry{}, 0, 0
}

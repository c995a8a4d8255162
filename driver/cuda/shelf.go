package cuda

import (
	"math/bits"

	"github.com/govyre/vyre/driver"
)

// shelf keeps blocks that were given back, until somebody needs one of about their size. Small
// ones are kept by class; the few large ones in one list. Putting and taking allocates nothing
// once as many blocks as ever were on the shelf.
type shelf[B any] struct {
	classes [smallClasses]shelfNode[B] // heads of rings, newest first
	large   shelfNode[B]
	ages    shelfNode[B] // head of the ring of all, newest first
	spare   *shelfNode[B]
	bytes   int64
	blocks  int
	awaited int // blocks with uses

	counters *driver.Counters
}

// shelfNode is a block's place in two rings: of its class, and of all by age.
type shelfNode[B any] struct {
	block B
	size  int64    // a class
	fresh bool     // nothing has used the block since it was put
	uses  []runRef // runs that were not known to have ended when the block was given back

	next, prev     *shelfNode[B] // of the class; next alone of a spare node
	older, younger *shelfNode[B]
}

// smallClasses is the number of classes up to largeBytes: 8 of up to 4096 bytes, and 8 for
// each power of two beyond.
const smallClasses = 104

// classIndex numbers the classes up to largeBytes, ascending.
func classIndex(size int64) int {
	if size <= 4096 {
		return int(size/512) - 1
	}
	power := bits.Len64(uint64(size-1)) - 1 // size is beyond 1<<power
	return 8 + (power-12)*8 + int((size-1<<power)>>(power-3)) - 1
}

// maxLooks is how many blocks are looked at for one that can be had: the newest ones are the
// likeliest to be wanted on the stream that they were used on, and nothing is searched for
// longer than the driver takes.
const maxLooks = 8

func (s *shelf[B]) init(c *driver.Counters) {
	s.counters = c
	for i := range s.classes {
		head := &s.classes[i]
		head.next, head.prev = head, head
	}
	s.large.next, s.large.prev = &s.large, &s.large
	s.ages.older, s.ages.younger = &s.ages, &s.ages
}

func (s *shelf[B]) ring(size int64) *shelfNode[B] {
	if size > largeBytes {
		return &s.large
	}
	return &s.classes[classIndex(size)]
}

// put adds a block, which runs may still touch.
func (s *shelf[B]) put(b B, size int64, uses []runRef) *shelfNode[B] {
	n := s.spare
	if n == nil {
		n = &shelfNode[B]{}
	} else {
		s.spare = n.next
	}
	n.block, n.size, n.uses, n.fresh = b, size, uses, len(uses) == 0
	head := s.ring(size)
	n.next, n.prev = head.next, head
	n.next.prev, n.prev.next = n, n
	n.older, n.younger = s.ages.older, &s.ages
	n.older.younger, n.younger.older = n, n
	s.bytes += size
	s.blocks++
	if len(uses) > 0 {
		s.await(1)
	}
	return n
}

// remove takes a block off the shelf.
func (s *shelf[B]) remove(n *shelfNode[B]) (b B, size int64) {
	b, size = n.block, n.size
	n.prev.next, n.next.prev = n.next, n.prev
	n.younger.older, n.older.younger = n.older, n.younger
	s.bytes -= size
	s.blocks--
	if len(n.uses) > 0 {
		s.await(-1)
	}
	*n = shelfNode[B]{next: s.spare}
	s.spare = n
	return b, size
}

// take returns a block of the class size, or above largeBytes one that is at most an eighth
// larger, for use on a stream, or anywhere without one. It was used on that stream last, or
// nothing uses it.
func (s *shelf[B]) take(size int64, on *stream) (b B, got int64, ok bool) {
	head := s.ring(size)
	looks := 0
	for n := head.next; n != head && looks < maxLooks; n = n.next {
		if n.size < size || n.size-size > size/8 {
			continue // another large one
		}
		looks++
		if s.free(n) || follows(on, n.uses) {
			b, got = s.remove(n)
			return b, got, true
		}
	}
	return b, 0, false
}

// free reports whether no run uses the block any more.
func (s *shelf[B]) free(n *shelfNode[B]) bool {
	if len(n.uses) == 0 {
		return true
	}
	for _, u := range n.uses {
		if !u.ended() {
			return false
		}
	}
	n.uses = nil
	s.await(-1)
	return true
}

func (s *shelf[B]) await(n int) {
	s.awaited += n
	s.counters.Gauge(driver.Quarantined, int64(n))
}

// follows reports whether work on the stream comes after all the runs.
func follows(on *stream, uses []runRef) bool {
	if on == nil {
		return false
	}
	for _, u := range uses {
		if u.s != on {
			return false
		}
	}
	return true
}

// oldest returns the block that was given back first of those that nothing uses and that ok
// allows, or nil.
func (s *shelf[B]) oldest(ok func(*shelfNode[B]) bool) *shelfNode[B] {
	for n := s.ages.younger; n != &s.ages; n = n.younger {
		if s.free(n) && (ok == nil || ok(n)) {
			return n
		}
	}
	return nil
}

// uses appends the runs that blocks wait for.
func (s *shelf[B]) uses(all []runRef) []runRef {
	if s.awaited == 0 {
		return all
	}
	for n := s.ages.older; n != &s.ages; n = n.older {
		all = append(all, n.uses...)
	}
	return all
}

// refresh lets go of the runs that have ended.
func (s *shelf[B]) refresh() {
	for n := s.ages.older; n != &s.ages; n = n.older {
		s.free(n)
	}
}

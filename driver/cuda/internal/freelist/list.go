// Package freelist keeps memory that was given back, by size class, until somebody needs some of about
// its size.
//
//	in:  blocks that were given back, with whoever may still touch them
//	out: a block that fits, and that nobody else touches by the time it is used; or the one that nobody
//	     has wanted for longest, for the driver
//
// A block is on the list once. Sizes are classes. The caller's lock is held during every call.
package freelist

// User is what may touch a block after it was given back.
type User interface{ Ended() bool }

// List is of blocks B. Small ones are kept by class; the few large ones in one list. Putting and taking
// allocates nothing once as many blocks as ever were on the list.
type List[B any, U User] struct {
	classes [smallClasses]node[B, U] // heads of rings, newest first
	large   node[B, U]
	ages    node[B, U] // head of the ring of all, newest first
	spare   *node[B, U]
	bytes   int64
	blocks  int
	awaited int // blocks with users
}

// node is a block's place in two rings: of its class, and of all by age.
type node[B any, U User] struct {
	block B
	size  int64 // a class
	fresh bool  // nothing has used the block since it was put
	users []U   // that were not known to have ended when the block was given back

	next, prev     *node[B, U] // of the class; next alone of a spare node
	older, younger *node[B, U]
}

// maxLooks is how many blocks are looked at for one that can be had: the newest ones are the
// likeliest to be wanted on the stream that they were used on, and nothing is searched for
// longer than the driver takes.
const maxLooks = 8

// Reset makes the list empty, which it has to be made before its first use.
func (s *List[B, U]) Reset() {
	s.spare, s.bytes, s.blocks, s.awaited = nil, 0, 0, 0
	for i := range s.classes {
		head := &s.classes[i]
		head.next, head.prev = head, head
	}
	s.large.next, s.large.prev = &s.large, &s.large
	s.ages.older, s.ages.younger = &s.ages, &s.ages
}

func (s *List[B, U]) ring(size int64) *node[B, U] {
	if size > largeBytes {
		return &s.large
	}
	return &s.classes[classIndex(size)]
}

// Bytes returns the size of all blocks together.
func (s *List[B, U]) Bytes() int64 { return s.bytes }

// Len returns how many blocks there are.
func (s *List[B, U]) Len() int { return s.blocks }

// Awaited returns how many of them users may still touch.
func (s *List[B, U]) Awaited() int { return s.awaited }

// Put adds a block, which users may still touch.
func (s *List[B, U]) Put(b B, size int64, users []U) {
	n := s.spare
	if n == nil {
		n = &node[B, U]{}
	} else {
		s.spare = n.next
	}
	n.block, n.size, n.users, n.fresh = b, size, users, len(users) == 0
	head := s.ring(size)
	n.next, n.prev = head.next, head
	n.next.prev, n.prev.next = n, n
	n.older, n.younger = s.ages.older, &s.ages
	n.older.younger, n.younger.older = n, n
	s.bytes += size
	s.blocks++
	if len(users) > 0 {
		s.awaited++
	}
}

// remove takes a block off the list.
func (s *List[B, U]) remove(n *node[B, U]) (b B, size int64) {
	b, size = n.block, n.size
	n.prev.next, n.next.prev = n.next, n.prev
	n.younger.older, n.older.younger = n.older, n.younger
	s.bytes -= size
	s.blocks--
	if len(n.users) > 0 {
		s.awaited--
	}
	*n = node[B, U]{next: s.spare}
	s.spare = n
	return b, size
}

// Take returns a block of the class size, or above largeBytes one that is at most an eighth larger: one that
// nothing uses, or whose users the next one comes after by itself, if follows is there to say so.
func (s *List[B, U]) Take(size int64, follows func([]U) bool) (b B, got int64, ok bool) {
	head := s.ring(size)
	looks := 0
	for n := head.next; n != head && looks < maxLooks; n = n.next {
		if n.size < size || n.size-size > size/8 {
			continue // another large one
		}
		looks++
		if s.free(n) || follows != nil && follows(n.users) {
			b, got = s.remove(n)
			return b, got, true
		}
	}
	return b, 0, false
}

// free reports whether nobody uses the block any more.
func (s *List[B, U]) free(n *node[B, U]) bool {
	if len(n.users) == 0 {
		return true
	}
	for _, u := range n.users {
		if !u.Ended() {
			return false
		}
	}
	n.users = nil
	s.awaited--
	return true
}

// TakeOldest returns the block that was given back first of those that nothing uses and that allowed
// allows; fresh says that nothing has used it since.
func (s *List[B, U]) TakeOldest(allowed func(b B, size int64) bool) (b B, size int64, fresh, ok bool) {
	for n := s.ages.younger; n != &s.ages; n = n.younger {
		if s.free(n) && (allowed == nil || allowed(n.block, n.size)) {
			fresh = n.fresh
			b, size = s.remove(n)
			return b, size, fresh, true
		}
	}
	return b, 0, false, false
}

// DeleteFunc takes away the blocks for which del returns true.
func (s *List[B, U]) DeleteFunc(del func(B) bool) {
	for n := s.ages.older; n != &s.ages; {
		next := n.older
		if del(n.block) {
			s.remove(n)
		}
		n = next
	}
}

// Users returns who may still touch blocks.
func (s *List[B, U]) Users() (all []U) {
	if s.awaited == 0 {
		return nil
	}
	for n := s.ages.older; n != &s.ages; n = n.older {
		all = append(all, n.users...)
	}
	return all
}

// Refresh lets go of the users that have ended.
func (s *List[B, U]) Refresh() {
	for n := s.ages.older; n != &s.ages; n = n.older {
		s.free(n)
	}
}

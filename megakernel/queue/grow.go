package queue

import (
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

// ring is the memory that a capacity decides on, and what runs over it.
type ring struct {
	capacity        uint64
	plan            plan.Queue
	drain           plan.Drain // of launches that take a bounded number of items
	sequence, items driver.Buffer
	seq             *vyre.Sequence
}

// makeRoom brings back deferred items, to a ring of twice the capacity if there are bytes for it.
func (q *Queue) makeRoom() error {
	old := &q.ring
	in := q.request(q.get(wordTail)-q.get(wordHead)+q.get(wordDeferred), 0)
	in.ControlBytes += old.capacity * entryBytes
	need := in.Initial + in.MostChildren // with less, it may be that nothing goes on
	most := (in.Budget - min(in.ControlBytes, in.Budget)) / entryBytes
	in.Capacity = max(2*old.capacity, need)
	if in.Capacity > most && old.capacity >= need && most <= old.capacity {
		return q.bringBack(old)
	}
	if in.Capacity > most {
		in.Capacity = max(need, most)
	}
	p, err := plan.PlanQueue(in)
	if err != nil {
		return err
	}
	p.ResidentBytes -= old.capacity * entryBytes // of the old one, beside it
	if q.next, err = q.newRing(p); err != nil {
		return err
	}
	if err := q.bringBack(&q.next); err != nil {
		return err
	}
	q.moved()
	return nil
}

// bringBack puts deferred items behind the others, in the ring that there is or in a larger one. The last launch of it alone
// changes what a kernel sees of the queue.
func (q *Queue) bringBack(to *ring) error {
	q.state = unsure
	err := q.once(func(seq *vyre.Sequence) {
		if old := &q.ring; to != old {
			seq.Launch(q.own.move, q.groups(old.capacity), driver.All(q.control), driver.All(old.items), driver.All(to.items))
			seq.Launch(q.own.mark, q.groups(to.capacity), driver.All(q.control), driver.All(to.sequence))
		}
		q.restored(seq, to)
	})
	if err != nil {
		return err
	}
	q.state = halfway
	n := q.get(wordDeferred)
	q.set(wordTail, q.get(wordTail)+n) // as the kernel did
	q.set(wordRestored, q.get(wordRestored)+n)
	q.set(wordDeferred, 0)
	return nil
}

// moved takes the larger ring, in which the items are.
func (q *Queue) moved() {
	old := q.ring
	q.ring, q.next = q.next, ring{}
	q.plan, q.drain = q.ring.plan, q.ring.drain
	q.grown++
	q.keep(old.close())
}

// newRing allocates a ring, and prepares the launch that works on it.
func (q *Queue) newRing(p plan.Queue) (r ring, err error) {
	capacity := p.Capacity
	if capacity >= 1<<31 {
		return ring{}, q.refuse(driver.Unsupported, "capacity", fmt.Sprintf("%d items", capacity), "take items that stand for more")
	}
	r.capacity, r.plan = capacity, p
	if q.o.LaunchItems > 0 {
		if r.drain, err = plan.PlanDrain(capacity, uint64(q.o.LaunchItems)); err != nil {
			return ring{}, err
		}
	}
	defer func() {
		if err != nil {
			q.keep(r.close())
		}
	}()
	if r.sequence, err = q.alloc(8 * int64(capacity)); err != nil {
		return r, err
	}
	if r.items, err = q.alloc(16 * int64(capacity)); err != nil {
		return r, err
	}
	quota := uint64(NoQuota)
	if q.o.LaunchItems > 0 {
		quota = min(uint64(q.o.LaunchItems), capacity)
	}
	r.seq = q.dev.NewSequence(q.o.Label)
	r.seq.Fill(driver.Part(q.control, 8*wordQuota, 8), quota, 8)
	args := append(append([]vyre.Arg(nil), q.args...), driver.All(r.sequence), driver.All(r.items), driver.All(q.control), driver.All(q.deferred))
	r.seq.Launch(q.kernel, driver.Groups(uint32(q.blocks)), args...)
	r.seq.Read(driver.All(q.control), q.words[:])
	return r, r.seq.Prepare()
}

func (r *ring) close() error {
	var first error
	if r.seq != nil {
		first = r.seq.Close()
	}
	for _, b := range []driver.Buffer{r.sequence, r.items} {
		if b != nil {
			if err := b.Close(); first == nil {
				first = err
			}
		}
	}
	*r = ring{}
	return first
}

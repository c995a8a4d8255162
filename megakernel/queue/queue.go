package queue

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

// Options adjusts a queue.
type Options struct {
	Label       string // in errors
	Most        int    // greatest number of items that one may create
	Capacity    int    // items that there is room for at first; 0 is the initial ones and Expansion
	Expansion   int    // items that may be created before others are taken, where Capacity is 0
	Budget      int64  // bytes on the device at any time, those of a larger ring beside the old one too; 0 is any
	LaunchItems int    // items that a launch does at most; 0 is any
	Blocks      int    // of a launch; 0 is one a multiprocessor
}

// Queue works on items that create items, with a kernel that calls Run. It is used by one goroutine at a
// time.
type Queue struct {
	dev    vyre.Device
	o      Options
	kernel vyre.Kernel
	args   []vyre.Arg
	blocks int
	own    struct{ move, mark, restore vyre.Kernel }

	control, deferred driver.Buffer
	ring              ring
	next              ring // a larger one, while it is not known whether the items are there
	plan              plan.Queue
	drain             plan.Drain
	words             [8 * ControlWords]byte // Control, as far as the host knows it
	launches, grown   int
	result            vyre.Result
	state             state
	kept              error              // of what was given back on the way, for Close
	cancel            context.CancelFunc // of the launch in flight
}

// state says what may be done next.
type state uint8

const (
	empty    state = iota // Run
	halfway               // Resume, or Run
	inFlight              // the same: the context ended while a launch went on
	unsure                // the same, once the device was asked what was done
	closed
)

// entryBytes is the size of a slot.
const entryBytes = 8 + 16

// New returns a queue for a kernel whose last four parameters are the ring: sequence []uint64, items
// []queue.Item, control []uint64, deferred []queue.Item. The arguments are those of the others.
func New(ctx context.Context, dev vyre.Device, k vyre.Kernel, args []vyre.Arg, o Options) (*Queue, error) {
	q := &Queue{dev: dev, o: o, kernel: k, args: args}
	if err := q.check(); err != nil {
		return nil, err
	}
	if err := q.build(ctx); err != nil {
		_ = q.Close() // nobody else has what was made
		return nil, err
	}
	return q, nil
}

const op = "queue"

func (q *Queue) refuse(kind driver.Kind, path, msg, fix string) error {
	return &driver.Error{Op: op, Label: q.o.Label, Device: q.dev.Name(), Kind: kind, Path: path, Msg: msg, Fix: fix}
}

// check refuses kernels that cannot work on a queue, and options that mean nothing.
func (q *Queue) check() error {
	group := q.kernel.Workgroup()
	limit := q.kernel.Occupancy(0).Cooperative
	if q.blocks = q.o.Blocks; q.blocks == 0 {
		q.blocks = min(limit, q.dev.Caps().Units)
	}
	negative := q.o.Most < 0 || q.o.Capacity < 0 || q.o.Expansion < 0 || q.o.Budget < 0 || q.o.LaunchItems < 0 || q.o.Blocks < 0
	switch {
	case q.kernel.Flags()&driver.Resident == 0:
		return q.refuse(driver.InvalidArgument, "kernel", q.kernel.Label()+" is not cooperative, so nobody promises that all its groups run at once", "let it call queue.Run")
	case len(q.kernel.Signature()) != len(q.args)+4:
		return q.refuse(driver.InvalidArgument, "kernel", fmt.Sprintf("%s has %d parameters, and %d arguments beside the four of the ring", q.kernel.Label(), len(q.kernel.Signature()), len(q.args)),
			"end its parameters with sequence, items, control and deferred")
	case group[0]*group[1]*group[2]%32 != 0:
		return q.refuse(driver.InvalidArgument, "kernel", fmt.Sprintf("%s has groups of %d×%d×%d, which are no whole warps", q.kernel.Label(), group[0], group[1], group[2]), "compile it for a multiple of 32")
	case negative:
		return q.refuse(driver.InvalidArgument, "options", "a number is negative", "leave it out, or give what there is room for")
	case q.o.Most > 1<<26:
		return q.refuse(driver.Unsupported, "options", fmt.Sprintf("an item may create %d items", q.o.Most), "let it create at most 1<<26, which create the others")
	case q.blocks > limit || q.blocks == 0:
		return q.refuse(driver.InvalidArgument, "options", fmt.Sprintf("%d blocks, %d are resident at once", q.blocks, limit), "leave Blocks out")
	}
	return nil
}

// build makes what does not depend on the capacity.
func (q *Queue) build(ctx context.Context) (err error) {
	m, err := compileMove(ctx, q.dev)
	if err != nil {
		return err
	}
	q.own.move = m
	k, err := compileMark(ctx, q.dev)
	if err != nil {
		return err
	}
	q.own.mark = k
	r, err := compileRestore(ctx, q.dev)
	if err != nil {
		return err
	}
	q.own.restore = r
	if q.control, err = q.alloc(8 * ControlWords); err != nil {
		return err
	}
	q.deferred, err = q.alloc(q.deferredBytes())
	return err
}

// deferredBytes is room for what every warp takes at once.
func (q *Queue) deferredBytes() int64 {
	g := q.kernel.Workgroup()
	return 16 * int64(q.blocks) * int64(g[0]*g[1]*g[2])
}

// controlBytes is what is resident whatever the capacity.
func (q *Queue) controlBytes() uint64 { return 8*ControlWords + uint64(q.deferredBytes()) }

func (q *Queue) budget() uint64 {
	if q.o.Budget == 0 {
		return math.MaxUint64
	}
	return uint64(q.o.Budget)
}

func (q *Queue) alloc(bytes int64) (driver.Buffer, error) {
	return q.dev.Alloc(bytes, driver.AllocOptions{Label: q.o.Label})
}

// request is what the size of a ring is planned from.
func (q *Queue) request(initial, capacity uint64) plan.QueueRequest {
	return plan.QueueRequest{Initial: initial, Capacity: capacity, Expansion: uint64(q.o.Expansion), EntryBytes: entryBytes,
		ControlBytes: q.controlBytes(), Budget: q.budget(), MostChildren: uint64(q.o.Most)}
}

// Run works on items, and all that they create, until nothing is left, and says what was done. Items
// that were left by a run before are forgotten. An error loses nothing and does nothing twice: Resume goes on,
// where it is of the budget after SetBudget. The exceptions are in the package's documentation, under Errors.
func (q *Queue) Run(ctx context.Context, items []Item) (Record, error) {
	if q.state == closed {
		return Record{}, q.refuse(driver.Closed, "", "it was closed", "")
	}
	if q.ring.seq != nil { // what comes of a run in flight is forgotten
		q.giveUp()
		if err := q.ring.seq.Settle(ctx); err != nil {
			return Record{}, err
		}
	}
	q.state = empty
	q.keep(q.next.close())
	if err := q.fit(uint64(len(items))); err != nil {
		return Record{}, err
	}
	clear(q.words[:])
	q.set(wordTail, uint64(len(items)))
	q.set(wordLive, uint64(len(items)))
	q.set(wordMost, uint64(q.o.Most))
	q.launches, q.grown, q.result = 0, 0, vyre.Result{}
	seat := func(seq *vyre.Sequence) {
		seq.Upload(driver.All(q.control), q.words[:], driver.Always)
		if len(items) > 0 {
			seq.Upload(driver.Part(q.ring.items, 0, 16*int64(len(items))), vyre.Bytes(items), driver.Always)
		}
		seq.Launch(q.own.mark, q.groups(q.ring.capacity), driver.All(q.control), driver.All(q.ring.sequence))
		q.restored(seq, &q.ring)
	}
	if err := q.once(seat); err != nil {
		return Record{}, err // no item was begun
	}
	q.state = halfway
	return q.Resume(ctx)
}

// fit makes the ring that a run begins with, unless it is there.
func (q *Queue) fit(initial uint64) error {
	p, err := plan.PlanQueue(q.request(initial, uint64(q.o.Capacity)))
	if err != nil {
		return err
	}
	if q.ring.capacity != p.Capacity {
		q.keep(q.ring.close())
		if q.ring, err = q.newRing(p); err != nil {
			return err
		}
	}
	q.plan, q.drain = q.ring.plan, q.ring.drain
	return nil
}

// SetBudget changes the bytes that the queue may have.
func (q *Queue) SetBudget(bytes int64) { q.o.Budget = bytes }

// restored records the launch that puts deferred items into the ring, and counts its credits.
func (q *Queue) restored(seq *vyre.Sequence, r *ring) {
	seq.Launch(q.own.restore, driver.Groups(1), driver.All(r.sequence), driver.All(r.items), driver.All(q.control), driver.All(q.deferred))
}

// groups covers the slots of a ring, a few for each thread.
func (q *Queue) groups(capacity uint64) vyre.Grid {
	return driver.Groups(uint32(min(max(capacity/1024, 1), 1024)))
}

// once runs commands between two launches. They take no time to speak of, and a context that ended in the
// middle of them would leave open where the items are.
func (q *Queue) once(record func(*vyre.Sequence)) error {
	seq := q.dev.NewSequence(q.o.Label)
	record(seq)
	_, err := seq.Once(context.Background())
	return err
}

// keep keeps an error of giving something back for Close: it says nothing about the work.
func (q *Queue) keep(err error) {
	if q.kept == nil {
		q.kept = err
	}
}

// Result is what the last launch says of itself, with what detectors found in all launches of the run.
func (q *Queue) Result() vyre.Result { return q.result }

func (q *Queue) get(word int) uint64    { return binary.LittleEndian.Uint64(q.words[8*word:]) }
func (q *Queue) set(word int, v uint64) { binary.LittleEndian.PutUint64(q.words[8*word:], v) }

// Close gives back what the queue took of the device. Its error is the first one of giving anything back,
// also of what runs have given back on their way.
func (q *Queue) Close() error {
	q.state = closed
	q.giveUp()
	q.keep(q.ring.close())
	q.keep(q.next.close())
	for _, k := range []vyre.Kernel{q.own.move, q.own.mark, q.own.restore} {
		if k != nil {
			q.keep(k.Close())
		}
	}
	for _, b := range []driver.Buffer{q.control, q.deferred} {
		if b != nil {
			q.keep(b.Close())
		}
	}
	q.own.move, q.own.mark, q.own.restore, q.control, q.deferred = nil, nil, nil, nil, nil
	first := q.kept
	q.kept = nil
	return first
}

package cusim

import (
	"encoding/binary"

	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim/internal/machine"
)

// stream is work in order.
type stream struct {
	dev   *device
	work  []work
	now   int64 // virtual nanoseconds
	spare [][]byte
}

// work is one piece. It holds no function and no pointer of its own, so that enqueuing allocates nothing once a
// stream has had as much work before.
type work struct {
	kind     workKind
	dst, src cu.Ptr
	n        int64
	host     []byte // of a copy from or to the host
	word     [4]byte
	width    int // of the word

	event  *event
	serial uint64 // of the event's record
	fn     *function
	launch machine.Launch
	run    *machine.Execution // once it has begun
	stuck  int                // how often it was, asked after it
	few    int                // how far it gets at a time, if not as far as usual
	exec   *executable
	plan   *plan // what this launch of it runs
}

type workKind uint8

const (
	upload workKind = iota
	download
	move
	fill
	record
	waitFor
	kernel
	word
	replay  // a launch of an executable
	arrive  // memory of a pool is there
	retire  // and is no more
	nothing // takes time only
)

// depth is how much work a stream takes before who enqueues more waits.
const depth = 1024

// push adds work to a stream, once that has room.
func (s *stream) push(w work) {
	if len(s.work) >= depth {
		s.dev.await(s, func() bool { return len(s.work) < depth })
	}
	if len(s.work) == 0 {
		s.dev.order = append(s.dev.order, s)
	}
	s.work = append(s.work, w)
}

// pop takes the first piece away.
func (s *stream) pop() {
	n := copy(s.work, s.work[1:])
	s.work[n] = work{}
	if s.work = s.work[:n]; n > 0 {
		return
	}
	for i, o := range s.dev.order {
		if o == s {
			s.dev.order = append(s.dev.order[:i], s.dev.order[i+1:]...)
			return
		}
	}
}

// blockedBy is the stream that the first piece waits for, nil if it waits for none.
func (s *stream) blockedBy() *stream {
	switch w := &s.work[0]; {
	case w.kind == waitFor && w.event.done < w.serial:
		return w.event.stream
	case w.kind == replay && w.exec.done+1 != w.serial:
		return w.exec.pending[0]
	}
	return nil
}

// IdleBetweenCalls is true: work runs when a call waits for it or asks whether it has ended.
func (d *Driver) IdleBetweenCalls() bool { return true }

// step runs the stream's first piece, of a kernel a slice. It returns what that took of a query's patience.
func (s *stream) step() int {
	w := &s.work[0]
	spent, done := s.perform(w)
	if done && s.dev.sticky == nil {
		if w.kind == kernel {
			s.spare = append(s.spare, w.launch.Params)
		}
		s.pop()
	}
	return spent
}

// choose returns a stream whose work can go on: prefer if that can, or what it waits for. With a seed it is any.
func (v *device) choose(prefer *stream) *stream {
	if v.drv.rng != nil {
		at := v.drv.rng.IntN(len(v.order))
		for i := range v.order {
			if s := v.order[(at+i)%len(v.order)]; s.blockedBy() == nil {
				return s
			}
		}
	}
	s := prefer
	if s == nil || len(s.work) == 0 {
		s = v.order[0]
	}
	// What a stream waits for was enqueued before it began to wait, so this ends.
	for {
		by := s.blockedBy()
		if by == nil {
			break
		}
		s = by
	}
	if s.stuck() {
		for _, o := range v.order {
			if o.blockedBy() == nil && !o.stuck() {
				return o
			}
		}
	}
	return s
}

// stuck reports whether the first piece is a kernel, perhaps of a graph, that waits for a change of memory.
func (s *stream) stuck() bool {
	w := &s.work[0]
	if w.kind == replay {
		return w.exec.run.active && w.exec.run.stuck(w.plan)
	}
	return w.kind == kernel && w.run != nil && w.run.Stuck()
}

// maxStuck is how often somebody may ask after a kernel that is stuck, and let it be.
const maxStuck = 1000

// hopeless reports whether nothing will change what a stuck kernel waits for: no stream can go on, and who could
// enqueue something waits itself, or only asks and asks.
func (v *device) hopeless(w *work) bool {
	for _, s := range v.order {
		if s.blockedBy() == nil && !s.stuck() {
			return false
		}
	}
	w.stuck++
	return v.awaited || w.stuck > maxStuck
}

// drain runs all work of the device.
func (v *device) drain() { v.await(nil, func() bool { return len(v.order) == 0 }) }

// finish runs work until s has none.
func (v *device) finish(s *stream) { v.await(s, func() bool { return len(s.work) == 0 }) }

// await runs work until there is what somebody waits for, who cannot do anything else meanwhile.
func (v *device) await(prefer *stream, done func() bool) {
	v.awaited = true
	for !done() {
		v.choose(prefer).step()
	}
	v.awaited = false
}

// patience is how much work one query lets run.
const patience = sliceSteps

// stir runs some work, as time passes between two queries.
func (v *device) stir(prefer *stream) {
	if v.drv.rng != nil && v.drv.rng.IntN(4) == 0 {
		return
	}
	for spent := 0; spent < patience && len(v.order) > 0; {
		spent += v.choose(prefer).step()
	}
}

// at returns the stream of a handle; 0 is the legacy stream.
func (d *Driver) at(v *device, call string, h cu.Stream) (*stream, error) {
	if h == 0 || h == legacyStream {
		return v.legacy, nil
	}
	s := d.streams[h]
	if s == nil || s.dev != v {
		return nil, failed(call, invalidHandle)
	}
	return s, nil
}

// legacyStream is another handle of the stream that is 0.
const legacyStream cu.Stream = 1

// StreamCreate makes a stream.
func (d *Driver) StreamCreate(flags uint32) (cu.Stream, error) {
	const call = "cuStreamCreate"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.bound(call)
	if err == nil && flags&^cu.StreamNonBlocking != 0 {
		err = failed(call, invalidValue)
	}
	if err == nil {
		err = d.leave(call)
	}
	if err != nil {
		return 0, err
	}
	h := cu.Stream(d.handle())
	d.streams[h] = &stream{dev: v}
	return h, nil
}

// StreamDestroy ends a stream; work on it still runs.
func (d *Driver) StreamDestroy(h cu.Stream) error {
	const call = "cuStreamDestroy_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.bound(call)
	if err != nil {
		return err
	}
	if s := d.streams[h]; s == nil || s.dev != v {
		return failed(call, invalidHandle)
	}
	delete(d.streams, h)
	return d.leave(call)
}

// StreamSynchronize waits for all work of a stream.
func (d *Driver) StreamSynchronize(h cu.Stream) error {
	const call = "cuStreamSynchronize"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, s, err := d.place(call, h)
	if err != nil {
		return err
	}
	v.finish(s)
	if err := v.broken(call); err != nil {
		return err
	}
	v.settle()
	return d.leave(call)
}

// StreamQuery reports whether a stream has no work.
func (d *Driver) StreamQuery(h cu.Stream) (bool, error) {
	const call = "cuStreamQuery"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, s, err := d.place(call, h)
	if err != nil {
		return false, err
	}
	v.stir(s)
	if err := v.broken(call); err != nil {
		return false, err
	}
	return len(s.work) == 0, d.leave(call)
}

// StreamWaitEvent lets a stream wait for the last record of an event.
func (d *Driver) StreamWaitEvent(h cu.Stream, e cu.Event) error {
	const call = "cuStreamWaitEvent"
	d.mu.Lock()
	defer d.mu.Unlock()
	_, s, err := d.place(call, h)
	if err != nil {
		return err
	}
	ev := d.events[e]
	if ev == nil {
		return failed(call, invalidHandle)
	}
	if ev.issued > ev.done {
		s.push(work{kind: waitFor, event: ev, serial: ev.issued})
	}
	return d.leave(call)
}

// StreamWriteValue32 stores a word when the stream gets there.
func (d *Driver) StreamWriteValue32(h cu.Stream, at cu.Ptr, value uint32) error {
	const call = "cuStreamWriteValue32_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.Has(cu.MemOp) {
		return failed(call, cu.NotSupported)
	}
	v, s, err := d.place(call, h)
	if err != nil {
		return err
	}
	if at%4 != 0 || !v.mem.Holds(uint64(at), 4) {
		return failed(call, invalidValue)
	}
	w := work{kind: word, dst: at}
	binary.LittleEndian.PutUint32(w.word[:], value)
	s.push(w)
	return d.leave(call)
}

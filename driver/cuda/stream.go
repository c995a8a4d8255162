package cuda

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/driver/cuda/internal/pinned"
)

// stream is a queue of the GPU. Every run that goes there takes the stream's next ticket, and
// runs end in the order of their tickets. The last thing that a run enqueues is a store of its
// ticket's low half into the stream's word, so that the host sees the end without a call; on a
// driver that has no such store it is a record of the stream's mark.
type stream struct {
	dev    *Device
	handle cu.Stream
	word   *uint32 // pinned; nil without the store
	wordAt cu.Ptr  // where the GPU finds it
	users  int     // who has the stream; under streams.mu

	turn     gate          // held alone from a ticket to its flag
	issued   atomic.Uint64 // the last ticket
	enqueued atomic.Uint64 // the last ticket whose run is wholly in the stream
	ended    atomic.Uint64 // the last ticket known to have ended by other means than the word
	asked    atomic.Int64  // when the driver was asked about the stream, after start

	mu     sync.Mutex
	mark   cu.Event // behind all runs up to marked
	marked uint64
}

// start is what times of asked count from.
var start = time.Now()

// over reports whether a run has ended, as far as can be seen without a call.
func (s *stream) over(ticket uint64) bool {
	return s.finished(ticket) || s.dev.gpu.Lost()
}

// finished is over for a run that did not go with its device.
func (s *stream) finished(ticket uint64) bool {
	return s.word != nil && flagged(ticket, s.word, &s.issued) || s.ended.Load() >= ticket
}

// flagged loads the word before the last ticket: in between the word can only fall behind, so a
// run that is seen as ended has ended.
func flagged(ticket uint64, word *uint32, issued *atomic.Uint64) bool {
	w := atomic.LoadUint32(word)
	return ticketOver(ticket, issued.Load(), w)
}

// ticketOver reports whether a ticket has ended on a stream that has issued so many and whose word
// is this. Less than 2³² runs are between the two, whatever the age of the ticket, so the
// distance, and not the sign of a difference, says how far the word is behind.
func ticketOver(ticket, issued uint64, word uint32) bool {
	return ticket <= issued-uint64(uint32(issued)-word)
}

// end notes that runs up to a ticket have ended.
func (s *stream) end(ticket uint64) {
	for {
		was := s.ended.Load()
		if was >= ticket || s.ended.CompareAndSwap(was, ticket) {
			return
		}
	}
}

// ask asks the driver whether the runs have ended. The context is current. A fault of the
// device comes out as an error.
func (s *stream) ask() error {
	s.asked.Store(int64(time.Since(start)))
	last := s.enqueued.Load()
	var over bool
	var err error
	if s.word != nil {
		over, err = s.dev.gpu.Driver.StreamQuery(s.handle)
	} else {
		over, err = s.dev.gpu.Driver.EventQuery(s.mark)
	}
	if err == nil && over {
		s.end(last)
	}
	return err
}

// due reports whether the driver was not asked for a while.
func (s *stream) due() bool {
	const interval = time.Millisecond
	return time.Since(start)-time.Duration(s.asked.Load()) >= interval
}

// open takes the stream's turn and the next ticket, unless ctx ends or quit is closed before. The
// caller enqueues a run and closes it.
func (s *stream) open(ctx context.Context, quit <-chan struct{}) (ticket uint64, err error) {
	if err := s.turn.lock(ctx, quit, true); err != nil {
		return 0, err
	}
	return s.issued.Add(1), nil
}

// close ends the run of a ticket, and gives the turn away; written says that the word is on its way. If enqueuing failed, or does now, all
// that got into the stream ends before anyone may touch its memory.
func (s *stream) close(ticket uint64, failed, written bool) error {
	defer s.turn.unlock(true)
	var err error
	if !failed && !written {
		if s.word != nil {
			err = s.dev.gpu.Driver.StreamWriteValue32(s.handle, s.wordAt, uint32(ticket))
		} else if err = s.record(ticket); err == nil {
			s.enqueued.Store(ticket)
			return nil
		}
		failed = err != nil
	}
	if failed {
		s.settle(ticket)
	}
	s.enqueued.Store(ticket)
	return err
}

// settle waits for everything in the stream, and notes its end by hand. If it cannot be waited
// for, the device is lost, and whoever asks learns that.
func (s *stream) settle(ticket uint64) {
	d := s.dev
	if !d.gpu.Lost() {
		if err := d.gpu.Driver.StreamSynchronize(s.handle); err != nil {
			_ = d.Fail(d.gpu.ErrorOf("start", "", err)) // what made this necessary is reported
		}
	}
	if s.word != nil {
		atomic.StoreUint32(s.word, uint32(ticket))
	}
	s.end(ticket)
}

// record puts the mark behind what is in the stream.
func (s *stream) record(ticket uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.dev.gpu.Driver.EventRecord(s.mark, s.handle); err != nil {
		return err
	}
	s.marked = ticket
	return nil
}

// follow lets the stream wait for a run of another one, all of which is enqueued. The mark of
// that is recorded only now: most runs are never waited for by another stream.
func (s *stream) follow(o *stream, ticket uint64) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.marked < ticket {
		last := o.enqueued.Load()
		if err := s.dev.gpu.Driver.EventRecord(o.mark, o.handle); err != nil {
			return err
		}
		o.marked = last
	}
	s.dev.Count(driver.OrderWaits, 1)
	return s.dev.gpu.Driver.StreamWaitEvent(s.handle, o.mark)
}

// block sleeps until what is in the stream has ended. The context is current.
func (s *stream) block() error {
	last := s.enqueued.Load()
	if s.word != nil {
		if err := s.record(last); err != nil {
			return err
		}
	}
	if err := s.dev.gpu.Driver.EventSynchronize(s.mark); err != nil {
		return err
	}
	s.end(last)
	return nil
}

// streams hands out streams. They stay until the device closes: the buffers that runs have
// touched refer to them.
type streams struct {
	dev   *Device
	mu    sync.Mutex
	all   []*stream
	idle  []*stream     // without users
	most  int           // maxStreams, or less
	words pinned.Memory // wordBytes for each; nothing without the store
	at    cu.Ptr        // where the GPU finds them
}

// maxStreams is how many there are before several users share one.
const maxStreams = 128

// wordBytes keeps two words out of one cache line.
const wordBytes = 64

// init finds out whether a stream can tell the host that it got somewhere, by trying. Without
// that, events do; so what fails here is no reason not to open the device, unless it is lost.
func (p *streams) init() error {
	d := p.dev
	if !d.gpu.Driver.Has(cu.MemOp) {
		return nil
	}
	if err := d.gpu.Enter("open", d.Name()); err != nil {
		return err
	}
	defer d.gpu.Leave()
	words, err := d.pinned.Get(maxStreams * wordBytes)
	if err == nil {
		p.words = words
		p.at, err = d.gpu.Driver.MemHostGetDevicePointer(words.At)
	}
	if err == nil {
		err = p.try()
	}
	if err != nil {
		if e := d.gpu.ErrorOf("open", d.Name(), err); e.Sticky {
			return e
		}
	}
	if d.gpu.Caps.StreamFlag {
		return nil
	}
	for _, s := range p.all {
		s.word = nil
	}
	words, p.words = p.words, pinned.Memory{}
	if err := d.pinned.Put(words); err != nil {
		return d.gpu.ErrorOf("open", d.Name(), err)
	}
	return nil
}

// try ends a run of nothing, and looks whether the host sees that.
func (p *streams) try() error {
	s, err := p.get()
	if err != nil {
		return err
	}
	defer p.put(s)
	ticket, err := s.open(context.Background(), nil)
	if err == nil {
		err = s.close(ticket, false, false)
	}
	if err == nil {
		err = p.dev.gpu.Driver.StreamSynchronize(s.handle)
	}
	p.dev.gpu.Caps.StreamFlag = err == nil && flagged(ticket, s.word, &s.issued)
	s.end(ticket)
	return err
}

// get returns a stream. The context is current.
func (p *streams) get() (*stream, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		s := p.idle[n-1]
		p.idle = p.idle[:n-1]
		s.users = 1
		return s, nil
	}
	if len(p.all) < p.most {
		s, err := p.make()
		if err != nil {
			return nil, err
		}
		s.users = 1
		return s, nil
	}
	least := p.all[0]
	for _, s := range p.all {
		if s.users < least.users {
			least = s
		}
	}
	least.users++
	return least, nil
}

// make creates a stream. The caller has the lock.
func (p *streams) make() (*stream, error) {
	drv, s := p.dev.gpu.Driver, &stream{dev: p.dev}
	var err error
	if s.handle, err = drv.StreamCreate(cu.StreamNonBlocking); err != nil {
		return nil, err
	}
	if s.mark, err = drv.EventCreate(cu.EventBlockingSync | cu.EventDisableTiming); err != nil {
		_ = drv.StreamDestroy(s.handle) // the first error is the one to report
		return nil, err
	}
	if p.words.Size > 0 {
		offset := len(p.all) * wordBytes
		s.word = (*uint32)(unsafe.Add(p.words.At, offset)) // aligned, and outside Go's heap: the GPU stores there
		s.wordAt = p.at + cu.Ptr(offset)
		atomic.StoreUint32(s.word, 0)
	}
	p.all = append(p.all, s)
	return s, nil
}

// put gives a stream back. Runs of others may still be on it.
func (p *streams) put(s *stream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.users--; s.users == 0 {
		p.idle = append(p.idle, s)
	}
}

// drop destroys all streams; a lost context has done so.
func (p *streams) drop(note func(error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.dev.gpu.Lost() {
		for _, s := range p.all {
			note(p.dev.gpu.Driver.EventDestroy(s.mark))
			note(p.dev.gpu.Driver.StreamDestroy(s.handle))
		}
		note(p.dev.pinned.Put(p.words))
	} else {
		p.dev.pinned.Abandon(p.words)
	}
	p.all, p.idle, p.words = nil, nil, pinned.Memory{}
}

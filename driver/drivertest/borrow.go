package drivertest

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
)

// The other library is another device on the same GPU, or in the same process: it owns memory, and lends it.

// lender is a device that stands for another library, and its buffer.
type lender struct {
	*env
	buffer driver.Buffer
	loan   *driver.Loan
}

// lender opens one with the words.
func (e *env) lender(v ...uint32) *lender {
	e.Helper()
	dev, err := e.open(driver.OpenOptions{})
	e.must(err)
	l := &lender{env: &env{T: e.T, dev: dev, open: e.open}}
	l.buffer = l.words("theirs", v...)
	l.loan, err = driver.Lend(l.buffer, driver.Turns{})
	e.must(err)
	e.Cleanup(func() {
		e.must(l.loan.Close())
		e.must(l.buffer.Close())
		e.must(dev.Close())
		e.nothingLeft(dev)
	})
	return l
}

// owner counts how often it gets its memory back.
type owner struct{ released atomic.Int32 }

func (o *owner) Release() { o.released.Add(1) }

// borrow borrows all that a lender has.
func (e *env) borrow(l *lender) (driver.Buffer, *owner) {
	e.Helper()
	o := &owner{}
	b, err := driver.Borrow(e.dev, driver.Foreign{Address: l.loan.Address, Bytes: l.buffer.Len(), Label: "borrowed", Owner: o})
	e.must(err)
	return b, o
}

func (e *env) released(o *owner, want int32) {
	e.Helper()
	if n := o.released.Load(); n != want {
		e.Errorf("the owner was released %d times, want %d", n, want)
	}
}

// far: x = n, and x has to start at a multiple of 64.
const far = `
kernel @far workgroup(1) {
  param @x: buf<u32> wo align 64
  param %n: u32
  store @x[0_u32], %n
}`

var borrowTests = []test{
	// A kernel of ours works on memory of another library, which sees that, and keeps the memory.
	{"BorrowedMemoryIsUsedAndNotOwned", func(e *env) {
		l := e.lender(1, 2, 3, 4)
		k := e.compile(add)
		before := e.dev.Stats()
		b, o := e.borrow(l)
		for _, m := range []driver.Metric{metric.Buffers, metric.LiveBytes, metric.ReservedBytes, metric.DriverBytes} {
			e.same(m.String(), e.dev.Stats().Get(m), before.Get(m))
		}
		if b.Len() != 16 || b.Reserved() != 0 || b.Label() != "borrowed" || b.Device().Name() != e.dev.Name() {
			e.Errorf("buffer %q of %d bytes, %d reserved", b.Label(), b.Len(), b.Reserved())
		}
		if at, err := b.Address(); err != nil || at != l.loan.Address {
			e.Errorf("it is at %#x, %v; want %#x", at, err, l.loan.Address)
		}
		s, dst := e.dev.NewSequence("over borrowed memory"), make([]byte, 16)
		ours := s.Scratch(16)
		s.Launch(k, driver.Cover(4, 32), driver.All(b), driver.U32(10))
		s.Copy(driver.All(ours), driver.All(b))
		s.Fill(driver.Part(b, 0, 4), 7, 4)
		s.Upload(driver.Part(b, 4, 4), le(8), driver.Always)
		s.Read(driver.All(ours), dst)
		for i := range uint32(4) {
			e.run(s)
			if i == 0 {
				e.equal("what was copied", dst, le(11, 12, 13, 14))
			} else {
				e.equal("what was copied", dst, le(17, 18, 13+10*i, 14+10*i))
			}
		}
		e.equal("what the owner has", l.read(l.buffer), le(7, 8, 43, 44))
		e.fails(b.Close(), driver.Busy, `held by "over borrowed memory"`)
		e.released(o, 0)
		e.must(s.Close())
		e.must(b.Close())
		e.must(b.Close())
		e.released(o, 1)
		_, err := b.Address()
		e.fails(err, driver.Closed, `"borrowed"`)
		_, err = e.dev.Trim(0)
		e.must(err)
		e.equal("what the owner has after Close", l.read(l.buffer), le(7, 8, 43, 44))
		e.must(k.Close())
	}},
	{"MemcheckLeavesBorrowedMemoryAlone", func(e *env) {
		l := e.lender(1, 2, 3, 4)
		dev, err := e.open(driver.OpenOptions{Debug: "memcheck"})
		e.must(err)
		on := &env{T: e.T, dev: dev, open: e.open}
		// What is around the part that is borrowed is the owner's.
		b, err := driver.Borrow(dev, driver.Foreign{Address: l.loan.Address, Bytes: 8})
		e.must(err)
		s := dev.NewSequence("s")
		s.Fill(driver.All(b), 2, 4)
		on.run(s)
		e.must(errors.Join(s.Close(), b.Close(), dev.Close()))
		on.nothingLeft(dev)
		e.equal("what the owner has", l.read(l.buffer), le(2, 2, 3, 4))
	}},
	{"WhatCannotBeBorrowedIsRefused", func(e *env) {
		l := e.lender(make([]uint32, 64)...)
		at := l.loan.Address
		try := func(address uint64, n int64) error {
			b, err := driver.Borrow(e.dev, driver.Foreign{Address: address, Bytes: n, Label: "x", Owner: &owner{}})
			if err == nil {
				e.must(b.Close())
			}
			return err
		}
		e.fails(try(at, -1), driver.InvalidArgument, `borrow "x"`, "size is -1 bytes")
		e.fails(try(0, 4), driver.InvalidArgument, "0x0")
		e.fails(try(1<<64-16, 32), driver.InvalidArgument, "are no memory")
		e.fails(try(at+4, 4), driver.InvalidArgument, "is not a multiple of 16", "fix: borrow the whole allocation")
		e.must(try(0, 0)) // nothing is always there
		_, err := driver.Borrow(nil, driver.Foreign{Label: "x"})
		e.fails(err, driver.InvalidArgument, "the device is nil")

		ours := e.words("ours", 1, 2, 3, 4)
		own, err := ours.Address()
		e.must(err)
		e.fails(try(own, 16), driver.InvalidArgument, "share memory with")
		e.must(ours.Close())

		b, o := e.borrow(l)
		e.fails(try(at+32, 16), driver.InvalidArgument, `overlap those at`, `borrowed as "borrowed"`, "fix: borrow memory once")
		e.must(b.Close())
		e.released(o, 1)
		first, err := driver.Borrow(e.dev, driver.Foreign{Address: at, Bytes: 32})
		e.must(err)
		e.must(try(at+32, 16)) // beside it
		e.must(first.Close())

		dev, err := e.open(driver.OpenOptions{})
		e.must(err)
		e.must(dev.Close())
		_, err = driver.Borrow(dev, driver.Foreign{Address: at, Bytes: 4})
		e.fails(err, driver.Closed)
	}},
	{"AlignmentOfBorrowedMemoryIsChecked", func(e *env) {
		l := e.lender(make([]uint32, 64)...)
		k := e.compile(far)
		b, err := driver.Borrow(e.dev, driver.Foreign{Address: l.loan.Address + 16, Bytes: 128})
		e.must(err)
		s := e.dev.NewSequence("s")
		s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(5))
		e.fails(s.Prepare(), driver.InvalidArgument, "borrowed at an address", "alignment 64")
		e.must(s.Close())
		s = e.dev.NewSequence("s")
		s.Launch(k, driver.Groups(1), driver.Part(b, 48, 4), driver.U32(5))
		e.run(s)
		e.must(errors.Join(s.Close(), b.Close(), k.Close()))
		if got := l.read(l.buffer)[64:68]; got[0] != 5 {
			e.Errorf("the owner has % x", got)
		}
	}},
	// Whoever shares memory may write it without a word, so nothing is known of what is there.
	{"UploadsToSharedMemoryAreNotSkipped", func(e *env) {
		l := e.lender(0)
		b, _ := e.borrow(l)
		s := e.dev.NewSequence("s")
		s.Upload(driver.All(b), le(5), driver.IfChanged)
		for range 3 {
			e.run(s)
			e.equal("the memory", l.read(l.buffer), le(5))
			l.write(l.buffer, le(6))
		}
		e.must(errors.Join(s.Close(), b.Close()))

		ours, s := e.words("ours", 0), e.dev.NewSequence("s")
		s.Upload(driver.All(ours), le(5), driver.IfChanged)
		sent := func() uint64 { return e.counted(func() { e.run(s) }).Get(metric.Uploads) }
		e.same("uploads of the first run", sent(), 1)
		e.same("uploads of the second", sent(), 0)
		loan, err := driver.Lend(ours, driver.Turns{})
		e.must(err)
		e.same("uploads of a run while the memory is lent", sent(), 1)
		e.same("uploads of another", sent(), 1)
		e.must(loan.Close())
		e.same("uploads after the loan", sent(), 1)
		e.same("uploads of the last run", sent(), 0)
		e.must(errors.Join(s.Close(), ours.Close()))
	}},
	{"GraphsOverSharedMemoryRunAndAreNotRemembered", func(e *env) {
		l := e.lender(1, 2)
		k := e.compile(addTo)
		b, _ := e.borrow(l)
		ours := e.words("ours", 1, 2)
		for _, from := range []driver.Buffer{b, ours} {
			s, dst := e.dev.NewSequence("s"), make([]byte, 8)
			to := s.Scratch(8)
			s.Launch(k, driver.Cover(2, 32), driver.All(from), driver.All(to), driver.U32(1))
			s.Read(driver.All(to), dst)
			g := e.capture(s)
			if from == b {
				e.fails(g.Memoize(4, 1<<10), driver.Unsupported, "another library may write", `"borrowed"`)
			} else {
				e.must(g.Memoize(4, 1<<10))
				loan, err := driver.Lend(ours, driver.Turns{})
				e.must(err)
				for range 2 {
					if e.run(g).Memoized {
						e.Error("a result over lent memory was remembered")
					}
				}
				e.must(loan.Close())
				e.run(g)
				if !e.run(g).Memoized {
					e.Error("nothing is remembered after the loan")
				}
			}
			e.run(g)
			e.equal("what was read", dst, le(2, 3))
			rows := []driver.Row{{Outputs: [][]byte{make([]byte, 8)}}, {Outputs: [][]byte{make([]byte, 8)}}}
			_, err := g.RunBatch(ctx, rows)
			e.must(err)
			for _, r := range rows {
				e.equal("a row", r.Outputs[0], le(2, 3))
			}
			e.must(s.Close())
		}
		e.must(errors.Join(b.Close(), ours.Close(), k.Close()))
	}},
	{"LoansHoldTheBuffer", func(e *env) {
		b := e.words("ours", 1)
		first, err := driver.Lend(b, driver.Turns{})
		e.must(err)
		second, err := driver.Lend(b, driver.Turns{})
		e.must(err)
		if at, err := b.Address(); err != nil || first.Address != at || second.Address != at {
			e.Errorf("lent at %#x and %#x, it is at %#x, %v", first.Address, second.Address, at, err)
		}
		e.must(first.Close())
		e.must(first.Close())
		e.fails(b.Close(), driver.Busy, `close "ours"`, "another library, to which it is lent")
		e.must(second.Close())
		e.must(b.Close())
		_, err = driver.Lend(b, driver.Turns{})
		e.fails(err, driver.Closed, `lend "ours"`)
		_, err = driver.Lend(nil, driver.Turns{})
		e.fails(err, driver.InvalidArgument, "the buffer is nil")
		_, err = driver.Lend(struct{ driver.Buffer }{}, driver.Turns{})
		e.fails(err, driver.InvalidArgument, "holds no buffer")

		s := e.dev.NewSequence("s")
		_, err = driver.Lend(s.Scratch(4), driver.Turns{})
		e.fails(err, driver.InvalidArgument, "scratch memory belongs to its sequence")
		e.must(s.Close())
		pool := e.dev.NewPool(driver.PoolOptions{})
		set, err := pool.Static(ctx, 1, le(1))
		e.must(err)
		_, err = driver.Lend(set.Buffers[0], driver.Turns{})
		e.fails(err, driver.InvalidArgument, "read only")
		e.must(pool.Release(set))
		p, err := pool.Get(4)
		e.must(err)
		third, err := driver.Lend(p, driver.Turns{})
		e.must(err)
		e.fails(pool.Put(p), driver.Busy, "another library")
		e.must(third.Close())
		e.must(pool.Put(p))
		e.must(pool.Close())
	}},
	// A device that closes gives back what it has borrowed, and takes back what it has lent.
	{"CloseOfTheDeviceEndsLoans", func(e *env) {
		l := e.lender(1)
		dev, err := e.open(driver.OpenOptions{})
		e.must(err)
		on := &env{T: e.T, dev: dev, open: e.open}
		b, o := on.borrow(l)
		loan, err := driver.Lend(on.words("ours", 1), driver.Turns{})
		e.must(err)
		s := dev.NewSequence("s")
		s.Fill(driver.All(b), 3, 4)
		_, err = s.Start(ctx)
		e.must(err)
		e.must(dev.Close())
		on.nothingLeft(dev)
		e.released(o, 1)
		e.must(loan.Close())
		e.must(b.Close())
		e.released(o, 1)
		e.equal("what the owner has", l.read(l.buffer), le(3))
	}},
}

// borrows uses memory of a lender on a device, and lends memory of that, while the device may close.
func borrows(dev driver.Device, from driver.Buffer, o *owner) (err error) {
	at, err := from.Address()
	if err != nil {
		return err
	}
	b, err := driver.Borrow(dev, driver.Foreign{Address: at, Bytes: from.Len(), Owner: o})
	if err != nil {
		return err
	}
	was := o.released.Load()
	s := dev.NewSequence("borrows")
	s.Fill(driver.All(b), 1, 4)
	_, err = s.Run(ctx)
	err = errors.Join(err, s.Close(), b.Close())
	// Where the device is being closed, that may be what gives the owner its memory back, soon.
	for until := time.Now().Add(10 * time.Second); o.released.Load() == was && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
	}
	if n := o.released.Load(); n != was+1 {
		return errors.Join(err, fmt.Errorf("the owner was released %d times", n-was))
	}
	if err != nil {
		return err
	}
	ours, err := dev.Alloc(64, driver.AllocOptions{Label: "lent"})
	if err != nil {
		return err
	}
	loan, err := driver.Lend(ours, driver.Turns{})
	if err == nil {
		err = loan.Close()
	}
	return errors.Join(err, ours.Close())
}

package drivertest

import (
	"bytes"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
)

// get takes buffers from a pool that the test has a right to.
func (e *env) get(p *driver.Pool, sizes ...int64) []driver.Buffer {
	e.Helper()
	all, err := p.GetAll(sizes...)
	e.must(err)
	return all
}

func (e *env) static(p *driver.Pool, payloads ...[]byte) *driver.StaticSet {
	e.Helper()
	set, err := p.Static(ctx, 7, payloads...)
	e.must(err)
	for i, b := range set.Buffers {
		e.equal("static bytes", e.read(b), payloads[i])
	}
	return set
}

func fill(n int, v byte) []byte { return bytes.Repeat([]byte{v}, n) }

var poolTests = []test{
	{"PoolKeepsWhatFitsItsBudget", func(e *env) {
		live := func() uint64 { return e.dev.Stats().Get(metric.LiveBytes) }
		before := live()
		p := e.dev.NewPool(driver.PoolOptions{Budget: 64})
		b := e.get(p, 64, 64)
		e.same("live after two", live()-before, 128)
		e.must(p.Put(b[0]))
		e.same("live after one is idle", live()-before, 128)
		e.must(p.Put(b[1]))
		e.same("live after one was evicted", live()-before, 64)
		e.must(p.Close())
		e.same("live after Close", live(), before)
	}},
	{"NoPoolIsRefused", func(e *env) {
		for _, p := range []*driver.Pool{nil, new(driver.Pool)} {
			refused := func(err error) {
				e.Helper()
				e.fails(err, driver.InvalidArgument, "the pool is nil", "NewPool")
			}
			_, err := p.Get(4)
			refused(err)
			_, err = p.GetAll(4, 4)
			refused(err)
			_, err = p.Static(ctx, 1, le(1))
			refused(err)
			refused(p.Put(e.words("b", 1)))
			refused(p.Release(&driver.StaticSet{}))
			refused(p.Close())
		}
	}},
	{"PoolGivesNobodyWhatWasClosedWhileIdle", func(e *env) {
		p := e.dev.NewPool(driver.PoolOptions{})
		all := e.get(p, 8, 8, 8)
		for _, b := range all {
			e.must(p.Put(b))
		}
		e.must(all[0].Close())
		e.must(all[2].Close())
		for range 2 {
			b := e.get(p, 8)[0]
			e.write(b, le(1, 2))
			e.equal("buffer", e.read(b), le(1, 2))
			e.must(b.Close())
		}
		e.must(p.Close())
	}},
	{"LimitsBelowZeroAreRefused", func(e *env) {
		for what, o := range map[string]driver.OpenOptions{"MemoryLimit": {MemoryLimit: -1}, "IdleLimit": {IdleLimit: -1}, "CloseTimeout": {CloseTimeout: -1}} {
			_, err := e.open(o)
			e.fails(err, driver.InvalidArgument, what+" of -1", "leave it 0")
		}
	}},
	{"PoolGivesWayWhereMemoryIsShort", func(e *env) {
		dev, err := e.open(driver.OpenOptions{MemoryLimit: 1 << 20})
		e.must(err)
		p := dev.NewPool(driver.PoolOptions{Budget: 1 << 20})
		idle := (&env{T: e.T, dev: dev}).get(p, 600<<10)
		e.must(p.Put(idle[0]))
		b, err := dev.Alloc(700<<10, driver.AllocOptions{})
		e.must(err)
		e.same("retries", dev.Stats().Get(metric.OOMRetries), 1)
		_, err = dev.Alloc(700<<10, driver.AllocOptions{})
		e.fails(err, driver.OutOfMemory, "requested 716800 bytes")
		e.must(b.Close())
		e.must(p.Close())
		e.must(dev.Close())
		e.nothingLeft(dev)
	}},
	{"RoomIsWhatAllocHas", func(e *env) {
		const limit, some = 1 << 20, 256 << 10
		dev, err := e.open(driver.OpenOptions{MemoryLimit: limit})
		e.must(err)
		room := func() uint64 {
			n, err := dev.Room()
			e.must(err)
			return uint64(n)
		}
		e.same("room", room(), limit)
		a, err := dev.Alloc(some, driver.AllocOptions{})
		e.must(err)
		e.same("room beside a buffer", room(), limit-some)
		_, err = dev.Alloc(limit-some+1, driver.AllocOptions{})
		e.fails(err, driver.OutOfMemory, "requested 786433 bytes")
		b, err := dev.Alloc(limit-some, driver.AllocOptions{})
		e.must(err)
		e.same("room where all is taken", room(), 0)
		e.must(a.Close())
		e.same("room with idle memory", room(), some)
		e.must(b.Close())
		e.must(dev.Close())
		if _, err := dev.Room(); err == nil {
			e.Error("a closed device has room")
		}
		e.nothingLeft(dev)
	}},
	{"PoolEvictsTheLargestFirst", func(e *env) {
		p := e.dev.NewPool(driver.PoolOptions{Budget: 100})
		b := e.get(p, 64, 32, 48, 101)
		for _, x := range b {
			e.must(p.Put(x))
		}
		ids := map[uint64]bool{b[1].ID(): true, b[2].ID(): true}
		for _, x := range e.get(p, 32, 48, 63, 64, 101) {
			if ids[x.ID()] != (x.Len() == 32 || x.Len() == 48) {
				e.Errorf("the buffer of %d bytes is kept: %v", x.Len(), ids[x.ID()])
			}
			e.must(p.Put(x))
		}
		e.must(p.Close())
	}},
	{"PoolTakesBackOnlyWhatIsItsOwn", func(e *env) {
		p := e.dev.NewPool(driver.PoolOptions{})
		foreign := e.buffer("foreign", 8, 0)
		e.fails(p.Put(foreign), driver.InvalidArgument, "not from this pool")
		e.fails(p.Put(nil), driver.InvalidArgument, "nil")
		b := e.get(p, 8)[0]
		s := e.dev.NewSequence("holder")
		s.Fill(driver.All(b), 1, 1)
		e.must(s.Prepare())
		e.fails(p.Put(b), driver.Busy, `"holder"`)
		e.fails(p.Close(), driver.Busy, "1 buffers")
		e.must(s.Close())
		e.must(p.Put(b))
		e.fails(p.Put(b), driver.InvalidArgument, "put back already")
		e.must(p.Close())
		e.must(p.Close())
		_, err := p.Get(8)
		e.fails(err, driver.Closed, "pool was closed")
	}},
	{"WarmPoolAllocatesNothing", func(e *env) {
		p := e.dev.NewPool(driver.PoolOptions{})
		e.must(p.Put(e.get(p, 100)[0]))
		n := testing.AllocsPerRun(100, func() {
			b, err := p.Get(100)
			if err == nil {
				err = p.Put(b)
			}
			if err != nil {
				e.Fatal(err)
			}
		})
		if n != 0 {
			e.Errorf("taking and putting back allocates %v times", n)
		}
		e.must(p.Close())
	}},
	{"StaticBytesAreUploadedOnce", func(e *env) {
		p := e.dev.NewPool(driver.PoolOptions{})
		a, b := fill(256, 0xA5), fill(512, 0x5A)
		changed := bytes.Clone(b)
		changed[511] = 0
		for _, c := range []struct {
			name     string
			payloads [][]byte
			uploaded uint64
		}{{"first", [][]byte{a, b}, 768}, {"again", [][]byte{a, b}, 0}, {"one byte changed", [][]byte{a, changed}, 768}, {"other order", [][]byte{b, a}, 768}} {
			var set *driver.StaticSet
			st := e.counted(func() { set = e.static(p, c.payloads...) })
			e.same(c.name+": bytes uploaded", st.Get(metric.UploadBytes), c.uploaded)
			if set.Hit != (c.uploaded == 0) || !set.Retained {
				e.Errorf("%s: hit %v, retained %v", c.name, set.Hit, set.Retained)
			}
			e.must(p.Release(set))
			e.fails(p.Release(set), driver.Closed, "was released")
			e.fails(p.Release(nil), driver.InvalidArgument, "the set is nil")
			other := driver.NewPool(e.dev, driver.PoolOptions{})
			theirs, err := other.Static(ctx, 1, le(1))
			e.must(err)
			e.fails(p.Release(theirs), driver.InvalidArgument, "of another pool")
			e.must(other.Release(theirs))
			e.must(other.Close())
		}
		e.same("bytes of sets", e.dev.Stats().Get(metric.StaticBytes), 3*768)
		e.same("bytes of host copies", e.dev.Stats().Get(metric.ShadowBytes), 3*768)
		e.must(p.Close())
		e.same("bytes of sets after Close", e.dev.Stats().Get(metric.StaticBytes), 0)
		e.same("bytes of host copies after Close", e.dev.Stats().Get(metric.ShadowBytes), 0)
	}},
	{"StaticSetsInUseAreNotEvicted", func(e *env) {
		for _, held := range []bool{false, true} {
			p := e.dev.NewPool(driver.PoolOptions{StaticBudget: 1024})
			bytesP, bytesQ, bytesR := fill(600, 1), fill(300, 2), fill(500, 3)
			setP, setQ := e.static(p, bytesP), e.static(p, bytesQ)
			e.must(p.Release(setQ))
			if !held {
				e.must(p.Release(setP))
			}
			setR := e.static(p, bytesR)
			if setR.Retained != !held {
				e.Errorf("with the first set held %v, the last one is retained: %v", held, setR.Retained)
			}
			if held {
				e.equal("the set in use", e.read(setP.Buffers[0]), bytesP)
				e.must(p.Release(setP))
			}
			e.must(p.Release(setR))
			for name, payload := range map[string][]byte{"small": bytesQ, "kept": map[bool][]byte{true: bytesP, false: bytesR}[held]} {
				set := e.static(p, payload)
				if !set.Hit {
					e.Errorf("with the first set held %v, the %s one is gone", held, name)
				}
				e.must(p.Release(set))
			}
			e.must(p.Close())
		}
	}},
	{"NothingWritesStaticBuffers", func(e *env) {
		p := e.dev.NewPool(driver.PoolOptions{})
		set := e.static(p, le(1, 2))
		b := set.Buffers[0]
		k := e.compile(add)
		s := e.dev.NewSequence("writer")
		s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1))
		s.Fill(driver.All(b), 0, 1)
		s.Upload(driver.All(b), le(3, 4), driver.Always)
		e.fails(s.Prepare(), driver.InvalidArgument, "is read only")
		e.fails(b.Close(), driver.Busy, "static set")
		e.fails(p.Close(), driver.Busy, "1 static sets")
		e.must(p.Release(set))
		e.must(p.Close())
	}},
}

package drivertest

import (
	"github.com/govyre/vyre/driver"
)

var cachesTests = []test{
	{"CachesAreNamedAndFlushed", func(e *env) {
		p := e.program(add)
		for range 2 {
			k, err := e.dev.Compile(ctx, p, driver.Options{})
			e.must(err)
			for range 3 {
				_, err = driver.Dispatch(ctx, k, driver.Groups(1), driver.InOut(le(1)), driver.U32(1))
				e.must(err)
			}
			if c := e.cache("shapes"); c.Entries != 1 || c.Hits%2 != 0 || c.Misses*2 != c.Hits || c.Limit <= 0 && e.dev.Caps().TotalMemory > 0 {
				e.Errorf("shapes are %+v", c)
			}
			e.must(k.Close())
		}
		pool := e.dev.NewPool(driver.PoolOptions{Budget: 1 << 20, StaticBudget: 1 << 20})
		b, err := pool.Get(256)
		e.must(err)
		e.must(pool.Put(b))
		set, err := pool.Static(ctx, 1, make([]byte, 128))
		e.must(err)
		if c := e.cache("pools"); c.Entries != 1 || c.Bytes != 256 || c.Limit != 1<<20 || c.Misses != 1 {
			e.Errorf("pools are %+v", c)
		}
		e.must(e.dev.Flush())
		if c := e.cache("statics"); c.Entries != 1 || c.Bytes != 128 || c.Misses != 1 {
			e.Errorf("statics in use are %+v", c)
		}
		e.must(pool.Release(set))
		if c := e.cache("kernels"); c.Entries > 0 || c.Hits != 1 || c.Misses != 1 || c.Evictions != 1 {
			e.Errorf("kernels are %+v", c)
		}
		e.must(e.dev.Flush())
		for _, name := range []string{"kernels", "shapes", "pools", "statics", "memory", "staging", "tuning"} {
			if c := e.cache(name); c.Entries != 0 || c.Bytes != 0 {
				e.Errorf("after a flush there is %+v", c)
			}
		}
		e.must(pool.Close())
	}},
	{"FlushLeavesWhatIsInUse", func(e *env) {
		k, x := e.compile(add), e.words("x", 0)
		s := e.dev.NewSequence("s")
		s.Launch(k, driver.Groups(1), driver.All(x), driver.U32(1))
		s.Read(driver.All(x), make([]byte, 4))
		p, err := s.Start(ctx)
		e.must(err)
		e.must(e.dev.Flush())
		_, err = p.Wait(ctx)
		e.must(err)
		e.must(e.dev.Flush())
		e.run(s)
		if c := e.cache("kernels"); c.Entries != 1 || c.Evictions != 0 {
			e.Errorf("kernels are %+v", c)
		}
		e.equal("x", e.read(x), le(2))
	}},
	{"FlushOfAClosedDevice", func(e *env) {
		dev, err := e.open(driver.OpenOptions{})
		e.must(err)
		e.must(dev.Close())
		e.fails(dev.Flush(), driver.Closed)
		if n := len(dev.Caches()); n != 9 {
			e.Errorf("there are %d caches", n)
		}
	}},
}

// cache returns the cache of a name.
func (e *env) cache(name string) driver.Cache {
	e.Helper()
	for _, c := range e.dev.Caches() {
		if c.Name == name {
			return c
		}
	}
	e.Fatalf("no cache is named %s", name)
	return driver.Cache{}
}

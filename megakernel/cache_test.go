package megakernel_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// compiles is how many kernels the device was asked for.
func compiles(dev driver.Device) uint64 {
	s := dev.Stats()
	return s.Get(metric.CompilesMemory) + s.Get(metric.CompilesDisk) + s.Get(metric.CompilesFresh)
}

// TestCacheKeepsKernelsOfEqualPlans counts compilations: one for each miss, none for a hit.
func TestCacheKeepsKernelsOfEqualPlans(t *testing.T) {
	for _, name := range devices() {
		for _, top := range append(topologies[:len(topologies):len(topologies)], megakernel.Auto) {
			t.Run(name+"/"+top.String(), func(t *testing.T) {
				dev := open(t, name)
				g := random(4, 300, 4)
				m := g.upload(t, dev)
				c := megakernel.NewCache(dev, 0)
				defer c.Close()
				before := compiles(dev)
				var kernels uint64
				for k := range 3 {
					p, err := megakernel.New(t.Context(), dev, reach(g, m, 5), nil, megakernel.Options{Topology: top, Cache: c, Costs: &plan.Costs{}})
					if err != nil {
						t.Fatal(err)
					}
					if rec, err := p.Run(t.Context()); err != nil || rec.Status != megakernel.Converged {
						t.Fatalf("%+v, %v", rec, err)
					}
					if err := p.Close(); err != nil {
						t.Fatal(err)
					}
					s := c.Stats()
					if k == 0 {
						kernels = s.Misses
					}
					if n := compiles(dev) - before; n != s.Misses || s.Misses != kernels || s.Hits != uint64(k)*kernels || kernels == 0 {
						t.Errorf("plan %d: %d compilations, %+v", k, n, s)
					}
				}
			})
		}
	}
}

// TestCacheTellsPlansApart changes one thing at a time, each of which programs depend on.
func TestCacheTellsPlansApart(t *testing.T) {
	dev := open(t, "cpu")
	g := random(4, 300, 4)
	m := g.upload(t, dev)
	c := megakernel.NewCache(dev, 0)
	defer c.Close()
	misses := func(o megakernel.Options, change func(w []megakernel.Wave)) uint64 {
		t.Helper()
		before := c.Stats().Misses
		waves := reach(g, m, 5)
		if change != nil {
			change(waves)
		}
		o.Cache = c
		p, err := megakernel.New(t.Context(), dev, waves, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		p.Close()
		return c.Stats().Misses - before
	}
	o := megakernel.Options{Topology: megakernel.Cooperative}
	if misses(o, nil) != 1 || misses(o, nil) != 0 {
		t.Fatal("an equal plan is not found")
	}
	for what, changed := range map[string]func() uint64{
		"tail": func() uint64 {
			return misses(megakernel.Options{Topology: megakernel.Cooperative, Tail: megakernel.TailNever}, nil)
		},
		"threads": func() uint64 {
			return misses(megakernel.Options{Topology: megakernel.Cooperative, Threads: 512}, func(w []megakernel.Wave) {
				large := programsOf(512)
				w[1].Program, w[1].Stay.Program = large["ReachRound"], large["ReachStay"]
			})
		},
		"threshold": func() uint64 {
			return misses(megakernel.Options{Topology: megakernel.Cooperative, TailEnter: 7}, nil)
		},
		"stay": func() uint64 { return misses(o, func(w []megakernel.Wave) { w[1].Stay = nil }) },
		"label": func() uint64 {
			return misses(megakernel.Options{Topology: megakernel.Cooperative, Label: "another"}, nil)
		},
		"topology":  func() uint64 { return misses(megakernel.Options{Topology: megakernel.HostLoop}, nil) },
		"optimiser": func() uint64 { return misses(megakernel.Options{Topology: megakernel.Cooperative, Optimise: "0"}, nil) },
		"scalar": func() uint64 {
			return misses(o, func(w []megakernel.Wave) { w[0].Args[0] = driver.U32(6) })
		},
		"domain": func() uint64 {
			return misses(o, func(w []megakernel.Wave) { w[0].Domain = megakernel.Fixed(11) })
		},
	} {
		if changed() == 0 {
			t.Errorf("a plan with another %s has the same kernels", what)
		}
		if changed() != 0 {
			t.Errorf("a plan with another %s is not found the second time", what)
		}
	}
	// What only the run depends on does not matter.
	if misses(megakernel.Options{Topology: megakernel.Cooperative, MaxRounds: 7, SliceRounds: 3}, nil) != 0 {
		t.Error("another budget of rounds has other kernels")
	}
	other := open(t, "cpu")
	if _, err := megakernel.New(t.Context(), other, reach(g, m, 5), nil, megakernel.Options{Cache: c}); err == nil || !strings.Contains(err.Error(), "the cache is one of") {
		t.Errorf("a cache of another device: %v", err)
	}
}

// TestCacheIsSharedByGoroutines makes one cold plan from many goroutines.
//
//ci:race Goroutines|AnyCall
func TestCacheIsSharedByGoroutines(t *testing.T) {
	dev := open(t, "cpu")
	g := random(4, 300, 4)
	m := g.upload(t, dev)
	c := megakernel.NewCache(dev, 0)
	defer c.Close()
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			p, err := megakernel.New(t.Context(), dev, reach(g, m, 5), nil, megakernel.Options{Topology: megakernel.Cooperative, Cache: c})
			if err != nil {
				t.Error(err)
				return
			}
			p.Close()
		})
	}
	wait.Wait()
	if s := c.Stats(); s.Misses != 1 || s.Hits != 15 {
		t.Errorf("%+v", s)
	}
}

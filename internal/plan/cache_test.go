package plan_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

// key returns the key of a letter.
func key(letter rune) plan.Key { return plan.Key{31: byte(letter)} }

// letters gets a key for each letter and releases it at once; values are letters of 10 bytes.
func letters(t *testing.T, c *plan.Cache[string], text string) {
	t.Helper()
	for _, l := range text {
		e, err := c.Get(t.Context(), key(l), func() (string, uint64, error) { return string(l), 10, nil })
		if err != nil || e.Value() != string(l) {
			t.Fatalf("%c: %v, %v", l, e, err)
		}
		e.Release()
	}
}

func TestTheOldestIsEvicted(t *testing.T) {
	var dropped []string
	c := plan.NewCache(2, func(s string) { dropped = append(dropped, s) })
	letters(t, c, "abac")
	if got, want := c.Stats(), (plan.CacheStats{Hits: 1, Misses: 3, Evictions: 1, Entries: 2, Bytes: 20}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	letters(t, c, "b")
	if got := c.Stats().Misses; got != 4 {
		t.Errorf("%d misses, want b missed again", got)
	}
	if want := []string{"b", "a"}; !reflect.DeepEqual(dropped, want) {
		t.Errorf("dropped %q, want %q", dropped, want)
	}
	c.Close()
	if got := c.Stats(); got.Entries != 0 || got.Bytes != 0 || len(dropped) != 4 {
		t.Errorf("after Close: %+v, dropped %q", got, dropped)
	}
}

func TestWhatIsInUseIsNotEvicted(t *testing.T) {
	var dropped []string
	c := plan.NewCache(1, func(s string) { dropped = append(dropped, s) })
	a, err := c.Get(t.Context(), key('a'), func() (string, uint64, error) { return "a", 1, nil })
	if err != nil {
		t.Fatal(err)
	}
	letters(t, c, "b")
	if want := []string{"b"}; !reflect.DeepEqual(dropped, want) || c.Stats().Entries != 1 {
		t.Errorf("dropped %q, want %q: a is older, but in use", dropped, want)
	}
	letters(t, c, "a")
	c.Close()
	if len(dropped) != 1 {
		t.Errorf("dropped %q with a in use", dropped)
	}
	a.Release()
	if want := []string{"b", "a"}; !reflect.DeepEqual(dropped, want) {
		t.Errorf("dropped %q, want %q", dropped, want)
	}
}

func TestACacheOfNoEntriesKeepsNothing(t *testing.T) {
	drops := 0
	c := plan.NewCache(0, func(string) { drops++ })
	letters(t, c, "aaa")
	if got, want := c.Stats(), (plan.CacheStats{Misses: 3, Evictions: 3}); got != want || drops != 3 {
		t.Errorf("got %+v with %d drops, want %+v", got, drops, want)
	}
}

func TestAHotCacheDoesNotGrow(t *testing.T) {
	c := plan.NewCache[string](plan.DefaultCapacity, nil)
	rounds := 1_000_000
	if testing.Short() {
		rounds = 10_000
	}
	build := func() (string, uint64, error) { return "a", 1, nil }
	ctx := t.Context()
	get := func() {
		e, err := c.Get(ctx, key('a'), build)
		if err != nil {
			t.Fatal(err)
		}
		e.Release()
	}
	if n := testing.AllocsPerRun(rounds, get); n != 0 {
		t.Errorf("%v allocations a hit", n)
	}
	if got := c.Stats(); got.Entries != 1 || got.Misses != 1 || got.Hits != uint64(rounds) {
		t.Errorf("%+v", got)
	}
}

//ci:race OneBuild|FailedBuild|GaveUp|Hammer
func TestOneBuildForAllWhoWait(t *testing.T) {
	c := plan.NewCache[int](4, nil)
	var builds atomic.Int32
	var all sync.WaitGroup
	begin := make(chan struct{})
	for range 64 {
		all.Go(func() {
			<-begin
			e, err := c.Get(t.Context(), key('a'), func() (int, uint64, error) { return int(builds.Add(1)), 1, nil })
			if err != nil || e.Value() != 1 {
				t.Errorf("%v, %v", e, err)
				return
			}
			e.Release()
		})
	}
	close(begin)
	all.Wait()
	if got := c.Stats(); got.Misses != 1 || got.Hits != 63 || builds.Load() != 1 {
		t.Errorf("%+v after %d builds", got, builds.Load())
	}
}

func TestAFailedBuildIsNotKept(t *testing.T) {
	c := plan.NewCache[string](4, nil)
	broken := errors.New("broken")
	if _, err := c.Get(t.Context(), key('a'), func() (string, uint64, error) { return "", 0, broken }); err != broken {
		t.Errorf("error is %v", err)
	}
	letters(t, c, "a")
	if got, want := c.Stats(), (plan.CacheStats{Misses: 2, Entries: 1, Bytes: 10}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// building starts a build in a goroutine and returns when it is under way; how it ended is sent.
func building(ctx context.Context, c *plan.Cache[string], build func() (string, uint64, error)) (ended chan error) {
	started, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				ended <- errors.New("panicked")
			}
		}()
		_, err := c.Get(ctx, key('a'), func() (string, uint64, error) {
			close(started)
			return build()
		})
		ended <- err
	}()
	<-started
	return ended
}

func TestWhoeverWaitsTakesOverFromABuilderThatGaveUp(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func() (string, uint64, error)
	}{
		{"its context ended", func() (string, uint64, error) { return "", 0, context.Canceled }},
		{"it panicked", func() (string, uint64, error) { panic("oh") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			cache := plan.NewCache[string](4, nil)
			ctx, cancel := context.WithCancel(t.Context())
			leave := make(chan struct{})
			ended := building(ctx, cache, func() (string, uint64, error) { <-leave; return c.end() })
			got := make(chan string)
			go func() {
				e, err := cache.Get(t.Context(), key('a'), func() (string, uint64, error) { return "second", 1, nil })
				if err != nil {
					got <- err.Error()
					return
				}
				got <- e.Value()
			}()
			cancel()
			close(leave)
			if err := <-ended; err == nil {
				t.Error("the first build ended well")
			}
			if s := <-got; s != "second" {
				t.Errorf("got %q", s)
			}
		})
	}
}

func TestAContextEndsTheWaitAndNotTheBuild(t *testing.T) {
	c := plan.NewCache[string](4, nil)
	leave := make(chan struct{})
	ended := building(t.Context(), c, func() (string, uint64, error) { <-leave; return "a", 1, nil })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Get(ctx, key('a'), func() (string, uint64, error) { panic("two builds") })
	if !errors.Is(err, driver.Canceled) || !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	close(leave)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestHammerCache(t *testing.T) {
	var live atomic.Int64
	c := plan.NewCache(4, func(alive *atomic.Bool) {
		if !alive.Swap(false) {
			t.Error("dropped twice")
		}
		live.Add(-1)
	})
	rounds := 20000
	if testing.Short() {
		rounds = 1000
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 1))
			for range rounds {
				e, err := c.Get(t.Context(), key(rune('a'+r.IntN(9))), func() (*atomic.Bool, uint64, error) {
					if r.IntN(9) == 0 {
						return nil, 0, errors.New("no")
					}
					live.Add(1)
					alive := new(atomic.Bool)
					alive.Store(true)
					return alive, 3, nil
				})
				if err != nil {
					continue
				}
				if !e.Value().Load() {
					t.Error("dropped in use")
				}
				e.Release()
			}
		})
	}
	all.Wait()
	if s := c.Stats(); s.Entries > 4 || int64(s.Entries) != live.Load() || s.Bytes != 3*uint64(s.Entries) {
		t.Errorf("%+v with %d values alive", s, live.Load())
	}
	if c.Close(); live.Load() != 0 {
		t.Errorf("%d values are alive after Close", live.Load())
	}
}

func TestDecisionsAreKeptByBuckets(t *testing.T) {
	var groups plan.Groups
	if err := new(plan.GroupPlanner).Plan(plan.GroupRequest{Waves: []plan.Envelope{{1024, 512, 256}, {2048, 1024, 512}},
		Graph: 48000, Budget: 131072, Readback: 1 << 20, ScratchFactor: 4}, &groups); err != nil {
		t.Fatal(err)
	}
	d := plan.NewDecisions(plan.DefaultCapacity)
	for _, density := range []float64{.90, .91} {
		got, err := d.Select(t.Context(), key('a'), key('s'), plan.SelectRequest{
			Sample: plan.Sample{DispatchNS: 1000, Density: density, ReadbackBytes: groups.Readback}, Nodes: 1000, Edges: 4000,
			OverheadNS: 250, Fusion: .95, Required: groups.Required, Budget: 131072, Device: everything})
		if err != nil || got.Topology != plan.Cooperative {
			t.Errorf("topology is %v, %v", got.Topology, err)
		}
	}
	if got := d.Stats(); got.Hits != 1 || got.Misses != 1 {
		t.Errorf("%+v, want one miss and one hit", got)
	}
}

func TestDecisionsLeanTowardsTheLastAboutTheSubject(t *testing.T) {
	d := plan.NewDecisions(8)
	choose := func(subject rune, density float64) plan.Shape {
		got, err := d.Select(t.Context(), key(subject), key(subject), atDensity(density))
		if err != nil {
			t.Fatal(err)
		}
		return got.Shape
	}
	if got := choose('a', .06); got != plan.Sparse {
		t.Fatalf("shape is %v", got)
	}
	if got := choose('a', .14); got != plan.Sparse {
		t.Errorf("shape is %v, want sparse to stay", got)
	}
	if got := choose('b', .14); got != plan.Hybrid {
		t.Errorf("shape of another subject is %v, want hybrid", got)
	}
}

func TestGraphsOfDifferentWidthsDoNotShareAPlan(t *testing.T) {
	var k plan.Keyer
	c := plan.NewCache[int](8, nil)
	for _, bytes := range []uint64{4, 8} {
		id := identity()
		id.EdgeBytes = bytes
		e, err := c.Get(t.Context(), k.Key(&id), func() (int, uint64, error) { return 0, 0, nil })
		if err != nil {
			t.Fatal(err)
		}
		e.Release()
	}
	if got := c.Stats().Misses; got != 2 {
		t.Errorf("%d misses, want 2", got)
	}
}

func TestADecisionThatIsKeptAllocatesNothing(t *testing.T) {
	d := plan.NewDecisions(8)
	in, ctx := fused(), t.Context()
	if n := testing.AllocsPerRun(10, func() {
		if _, err := d.Select(ctx, key('a'), key('s'), in); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

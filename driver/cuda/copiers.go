package cuda

import (
	"sync"
	"time"

	"github.com/govyre/vyre/driver/cuda/internal/pause"
)

// copiers are goroutines that help to copy host memory: one processor does not keep up with
// the bus. They start with the first large transfer. To be woken takes a goroutine longer than a
// chunk takes the bus, so it is called once, takes chunk after chunk by itself, and sleeps again
// only when a transfer has had nothing for it for a while.
type copiers struct {
	start sync.Once
	n     int            // how many there are
	calls chan *conveyor // each asks one of them to come
	ended sync.WaitGroup
}

// copierCount is how many help who enqueues, where so many goroutines run. More than 12 only take room in
// the ring, and time of the memory, from the GPU.
func copierCount(procs int) int { return min(procs*3/4, 12) }

// copierPatience is how long one waits for another chunk. The GPU frees, or fills, several meanwhile
// unless it has other work in front.
const copierPatience = time.Millisecond

func (c *copiers) begin() {
	c.calls = make(chan *conveyor, 2*c.n) // no conveyor has more than n calls out
	for range c.n {
		c.ended.Add(1)
		go func() {
			defer c.ended.Done()
			for g := range c.calls {
				c.help(g)
				g.helpers.Add(-1)
			}
		}()
	}
}

// call lets so many, if there are that many, help with a conveyor's transfer. One goroutine at a time calls for a conveyor.
func (c *copiers) call(g *conveyor, wanted int64) {
	wanted = min(wanted, int64(c.n))
	if int64(g.helpers.Load()) >= wanted {
		return
	}
	c.start.Do(c.begin)
	for int64(g.helpers.Load()) < wanted {
		g.helpers.Add(1)
		c.calls <- g
	}
}

// help copies chunks of a conveyor's transfer while there are any, and nobody else calls.
func (c *copiers) help(g *conveyor) {
	var p pause.Pause
	for {
		if n, ok := g.claim(); ok {
			g.copy(n)
			if len(c.calls) > 0 {
				return // the other conveyor has its share
			}
			p = pause.Pause{}
			continue
		}
		if g.left() <= 0 || p.Spin() >= copierPatience {
			return
		}
	}
}

// stop ends the goroutines. Nothing is copied any more.
func (c *copiers) stop() {
	c.start.Do(func() {})
	if c.calls != nil {
		close(c.calls)
	}
	c.ended.Wait()
}

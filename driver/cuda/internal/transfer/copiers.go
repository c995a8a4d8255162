package transfer

import (
	"time"

	"github.com/govyre/vyre/driver/cuda/internal/pause"
)

// copierCount is how many help who enqueues, where so many goroutines run. More than 12 only take room in
// the ring, and time of the memory, from the GPU.
func copierCount(procs int) int { return min(procs*3/4, 12) }

// copierPatience is how long one waits for another chunk. The GPU frees, or fills, several meanwhile
// unless it has other work in front.
const copierPatience = time.Millisecond

func (r *Rings) begin() {
	r.calls = make(chan *Ring, 2*r.Copiers) // no ring has more calls out than there are copiers
	for range r.Copiers {
		r.ended.Add(1)
		go func() {
			defer r.ended.Done()
			for g := range r.calls {
				r.help(g)
				g.helpers.Add(-1)
			}
		}()
	}
}

// call lets so many, if there are that many, help with a ring's transfer. One goroutine at a time calls for a ring.
func (r *Rings) call(g *Ring, wanted int64) {
	wanted = min(wanted, int64(r.Copiers))
	if int64(g.helpers.Load()) >= wanted {
		return
	}
	r.start.Do(r.begin)
	for int64(g.helpers.Load()) < wanted {
		g.helpers.Add(1)
		r.calls <- g
	}
}

// help copies chunks of a ring's transfer while there are any, and nobody else calls.
func (r *Rings) help(g *Ring) {
	var p pause.Pause
	for {
		if n, ok := g.claim(); ok {
			g.copy(n)
			if len(r.calls) > 0 {
				return // the other ring has its share
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
func (r *Rings) stop() {
	r.start.Do(func() {})
	if r.calls != nil {
		close(r.calls)
	}
	r.ended.Wait()
}

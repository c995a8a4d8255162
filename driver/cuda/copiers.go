package cuda

import (
	"runtime"
	"sync"
)

// copiers are goroutines that help to copy host memory: one processor does not keep up with
// the bus. They start with the first large copy and sleep between copies.
type copiers struct {
	start sync.Once
	n     int // how many copy at once, with the caller
	jobs  chan copyJob
	ended sync.WaitGroup
}

type copyJob struct {
	dst, src []byte
	done     *sync.WaitGroup
}

// copierCount is how many copy at once where so many goroutines run.
func copierCount(procs int) int { return min(max(procs/2, 1), 8) }

// leastPart is what waking somebody pays for.
const leastPart = 512 << 10

func (c *copiers) begin() {
	if c.n == 0 {
		c.n = copierCount(runtime.GOMAXPROCS(0))
	}
	c.jobs = make(chan copyJob, c.n)
	for range c.n - 1 {
		c.ended.Add(1)
		go func() {
			defer c.ended.Done()
			for j := range c.jobs {
				copy(j.dst, j.src)
				j.done.Done()
			}
		}()
	}
}

// copy copies len(dst) bytes. done is the caller's, for that time.
func (c *copiers) copy(dst, src []byte, done *sync.WaitGroup) {
	c.start.Do(c.begin)
	part := max((len(dst)+c.n-1)/c.n, leastPart)
	part = (part + 63) &^ 63
	for len(dst) > part && c.n > 1 {
		done.Add(1)
		c.jobs <- copyJob{dst[:part], src[:part], done}
		dst, src = dst[part:], src[part:]
	}
	copy(dst, src)
	done.Wait()
}

// stop ends the goroutines. Nothing is copied any more.
func (c *copiers) stop() {
	c.start.Do(func() {})
	if c.jobs != nil {
		close(c.jobs)
	}
	c.ended.Wait()
}

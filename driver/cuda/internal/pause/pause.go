// Package pause is how a goroutine waits for what the GPU, or another goroutine, is about to do: it
// looks all the time, lets others run, or sleeps, and in that order.
//
// A waiter first looks all the time, for a short run ends before a thread could be put to sleep and
// woken, which takes a tenth of a millisecond where a virtual machine's host is told of both. How long
// depends on how long its waits have been: one that is expected to end is seen through, and what cannot
// be expected costs a few microseconds.
package pause

import (
	"runtime"
	"time"
)

const (
	spinLeast    = 20 * time.Microsecond
	spinMost     = 2 * waitLong
	spinHopeless = 5 * time.Microsecond // when waits are long anyway
	waitLong     = 2 * time.Millisecond // from here on
	spinYield    = 10 * time.Microsecond
	spinYieldOne = 5 * time.Microsecond // if nothing else can run meanwhile
)

// SpinFor returns how long to spin where waits take so long on average.
func SpinFor(average time.Duration) time.Duration {
	if average > waitLong {
		return spinHopeless
	}
	return min(max(2*average, spinLeast), spinMost)
}

// YieldEvery returns how long to spin before others are let run.
func YieldEvery() time.Duration {
	if runtime.GOMAXPROCS(0) == 1 {
		return spinYieldOne
	}
	return spinYield
}

// Sleep sleeps between two looks, after so long a wait.
func Sleep(passed time.Duration) { sleep(sleepFor(passed)) }

func sleepFor(passed time.Duration) time.Duration {
	const least, most, fraction = 20 * time.Microsecond, 500 * time.Microsecond, 32
	return min(max(passed/fraction, least), most)
}

// Pause is one wait, from its first Spin or Rest on.
type Pause struct {
	begin time.Time
	yield time.Duration // when to let others run
}

// Spin returns at once, or after others ran. It tells how long the pause has been.
func (p *Pause) Spin() time.Duration {
	if p.begin.IsZero() {
		*p = Pause{time.Now(), spinYield}
		return 0
	}
	passed := time.Since(p.begin)
	if passed >= p.yield {
		runtime.Gosched()
		p.yield = passed + spinYield
	}
	return passed
}

// Rest is for a goroutine that is locked to its thread, which would be parked by letting others
// run: it returns at once, or after a sleep if the pause has been long.
func (p *Pause) Rest() {
	if p.begin.IsZero() {
		p.begin = time.Now()
	} else if passed := time.Since(p.begin); passed > spinMost {
		Sleep(passed)
	}
}

package conform

import (
	"context"
	"math/rand/v2"
)

// choices is the stream of decisions that a random program is made of. Those that are given are taken first. When they
// have ended, recording draws others at random; replaying gives 0, always the simplest decision. So any stream is a
// program, a shorter stream or smaller numbers make a smaller program, and of programs shrinking needs to know only
// where their parts begin.
type choices struct {
	rng    *rand.Rand // nil when nothing is recorded
	stream []uint16
	pos    int
	parts  []int // positions at which a formula or a statement begins, and the last ends
}

// part begins a part of the program: what follows may be left out, up to the next one.
func (c *choices) part() {
	if c.pos < len(c.stream) || c.rng != nil {
		c.parts = append(c.parts, c.pos)
	}
}

// pick returns a number below n.
func (c *choices) pick(n int) int {
	if n <= 1 {
		return 0
	}
	if n > 1<<16 { // a decision has 16 bits
		return (c.pick((n-1)>>16+1)<<16 | c.pick(1<<16)) % n
	}
	if c.pos >= len(c.stream) {
		if c.rng == nil {
			return 0
		}
		c.stream = append(c.stream, uint16(c.rng.IntN(n)))
	}
	v := int(c.stream[c.pos])
	c.pos++
	return v % n
}

// chance is true once in n times.
func (c *choices) chance(n int) bool { return c.pick(n) == n-1 }

// atFront is how many decisions are lowered before anything else: how many shapes there are is among them.
const atFront = 24

// Shrink looks for a smaller program that still fails: it lowers the first decisions, drops parts of the program, then
// runs of decisions, then lowers single ones, until nothing helps or the tries are used up. What has
// fewer decisions and more rows is no smaller program: another kind may make many rows of few. fails must give the same answer
// for the same program. When ctx ends nothing more is tried. It returns the smallest program found, r itself if none.
func Shrink(ctx context.Context, r *RandomProgram, tries int, fails func(*RandomProgram) bool) *RandomProgram {
	best := r
	try := func(stream []uint16) bool {
		if ctx.Err() != nil {
			tries = 0 // a try makes a program, which takes long enough for thousands to outlast the run
		}
		if tries <= 0 {
			return false
		}
		tries--
		cand := FromChoices(stream)
		if cand.smaller(best) && cand.Program.Rows() <= best.Program.Rows() && fails(cand) {
			best = cand
			return true
		}
		return false
	}
	cut := func(from, to int) bool {
		return try(append(append([]uint16{}, best.choices[:from]...), best.choices[to:]...))
	}
	// cutParts drops runs of so many parts: the last first, since none rests on a later one.
	cutParts := func(n int) {
		for i := len(best.parts) - 1 - n; i >= 0 && tries > 0; i = min(i, len(best.parts)-1) - n {
			cut(best.parts[i], best.parts[i+n])
		}
	}
	lower := func(at int) bool {
		for _, v := range []uint16{0, best.choices[at] / 2, best.choices[at] - 1} {
			if v >= best.choices[at] {
				continue
			}
			low := append([]uint16{}, best.choices...)
			low[at] = v
			if try(low) {
				return true
			}
		}
		return false
	}
	for at := 0; at < min(atFront, len(best.choices)); at++ {
		for lower(at) {
		}
	}
	for n := len(best.parts) / 2; n >= 1; n /= 2 {
		cutParts(n)
	}
	for improved := true; improved && tries > 0; {
		improved = false
		for size := max(1, len(best.choices)/2); size >= 1 && tries > 0; size /= 2 {
			for at := 0; at+size <= len(best.choices); {
				if cut(at, at+size) {
					improved = true
				} else {
					at += size
				}
			}
		}
		for at := 0; at < len(best.choices) && tries > 0; at++ {
			improved = lower(at) || improved
		}
	}
	return best
}

// smaller orders programs by length of the stream, then by its numbers.
func (r *RandomProgram) smaller(than *RandomProgram) bool {
	if len(r.choices) != len(than.choices) {
		return len(r.choices) < len(than.choices)
	}
	for i, v := range r.choices {
		if v != than.choices[i] {
			return v < than.choices[i]
		}
	}
	return false
}

package graph

import (
	"fmt"
	"slices"
)

// Strings is a list of texts that takes two allocations, or none if it is a part of a file. The zero value is empty.
type Strings struct {
	ends  []uint64 // one more than there are texts, the first 0
	bytes []byte
}

// NewStrings makes a list.
func NewStrings(texts []string) Strings {
	if len(texts) == 0 {
		return Strings{}
	}
	s := Strings{ends: make([]uint64, 1, len(texts)+1)}
	var end uint64
	for _, t := range texts {
		end += uint64(len(t))
		s.ends = append(s.ends, end)
	}
	s.bytes = slices.Grow(s.bytes, int(end))
	for _, t := range texts {
		s.bytes = append(s.bytes, t...)
	}
	return s
}

// Len returns how many texts there are.
func (s Strings) Len() int { return max(len(s.ends), 1) - 1 }

// At returns text i, and an empty one where there is none.
func (s Strings) At(i int) string {
	if i < 0 || i >= s.Len() {
		return ""
	}
	from, to := s.ends[i], s.ends[i+1]
	if from > to || to > uint64(len(s.bytes)) { // a file that was not verified
		return ""
	}
	return string(s.bytes[from:to])
}

// check looks for an end that is before another, or beyond the bytes.
func (s Strings) check(p *polls) error {
	var last uint64
	for i, e := range s.ends {
		if p.Ended() {
			return p.err()
		}
		if e < last || i == 0 && e != 0 || e > uint64(len(s.bytes)) {
			return fmt.Errorf("end %d is %d after %d, and there are %d bytes", i, e, last, len(s.bytes))
		}
		last = e
	}
	if last != uint64(len(s.bytes)) {
		return fmt.Errorf("the last end is %d, and there are %d bytes", last, len(s.bytes))
	}
	return nil
}

// Collector makes Strings of texts that come one after another, so that they are never all there twice.
type Collector struct {
	made Strings
	n    int
}

// Collect begins a list that will have n texts; other numbers only take more time.
func Collect(n int) *Collector {
	return &Collector{n: n, made: Strings{ends: make([]uint64, 1, n+1)}}
}

// Reserve makes room for so many bytes of texts, which takes less time than room that grows. Fewer or more are no mistake.
func (c *Collector) Reserve(bytes int) {
	c.made.bytes = slices.Grow(c.made.bytes, max(bytes-len(c.made.bytes), 0))
}

// Add appends a text, which it copies.
func (c *Collector) Add(text []byte) {
	s := &c.made
	if has, most := len(s.bytes), cap(s.bytes); most-has < len(text) {
		// Room for all that are still to come, if they are as long as those before, and at least a quarter more.
		all := float64(has+len(text)) / float64(len(s.ends)) * float64(c.n)
		s.bytes = slices.Grow(s.bytes, max(len(text), has/4, int(1.05*all)-has))
	}
	s.bytes = append(s.bytes, text...)
	s.ends = append(s.ends, uint64(len(s.bytes)))
}

// Strings ends the list.
func (c *Collector) Strings() Strings {
	if len(c.made.ends) == 1 {
		return Strings{}
	}
	return c.made
}

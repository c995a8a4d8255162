// Package spans has the times of waves inside a launch: how a kernel records them, and the file that shows them.
//
//	a kernel ──trace rows──▶ driver.Result.Traces ──Read──▶ Span ──▶ File.Write ──▶ ui.perfetto.dev
//
// A span is the time that one group of a launch took for one wave in one round, by the timer of the device. A kernel
// records it as a trace of three values whose message has the wave's Name.
//
// Kernels record spans only if their device is watched while they are made. Package driver says so by Watch, and package
// megakernel asks On. A kernel that was made without has no instruction for it.
package spans

import (
	"fmt"
	"strings"
	"sync"
)

// Name is what spans are of.
type Name struct {
	Plan string // of which the wave is a part
	Wave string
	When When
	File string // of the wave's function, with its first line; empty if unknown
	Line int
}

// When says where a wave stands.
type When uint8

// The places of waves.
const (
	Before When = iota
	InRound
	After
)

// Message is the message of a trace row that records spans.
func (n Name) Message() string {
	return fmt.Sprintf("span %d %d %q %q %q", n.When, n.Line, n.Plan, n.Wave, n.File)
}

// Parse reads such a message. It reports false for any other.
func Parse(message string) (n Name, ok bool) {
	if !strings.HasPrefix(message, "span ") {
		return n, false
	}
	_, err := fmt.Sscanf(message, "span %d %d %q %q %q", &n.When, &n.Line, &n.Plan, &n.Wave, &n.File)
	return n, err == nil && n.When <= After
}

// Round is the name of a round of the wave.
func (n Name) Round(round uint32) string {
	switch n.When {
	case Before:
		return "before the rounds"
	case After:
		return "after the rounds"
	}
	return fmt.Sprintf("round %d", round)
}

// Span is what one group took for one wave in one round.
type Span struct {
	Group      uint64 // number of the group in the grid
	Round      uint32
	Begin, End uint64 // nanoseconds of the device's timer
}

// Groups bounds how many groups of a launch record spans; those are spread over the grid.
const Groups = 32

// PerLaunch is how many spans of a launch have room. Those of all rounds of a loop share it.
const PerLaunch = 1 << 16

// Read reads the values of a trace, of a group's first invocation in a grid that has one axis.
func Read(global uint64, groupSize int, values [3]uint64) Span {
	return Span{Group: global / uint64(groupSize), Round: uint32(values[0]), Begin: values[1], End: max(values[1], values[2])}
}

var watched sync.Map // capabilities of devices

// Watch says whether kernels that are made for a device record spans. The device is known by its capabilities, a pointer that what
// wraps it returns too.
func Watch(caps any, on bool) {
	if on {
		watched.Store(caps, nil)
	} else {
		watched.Delete(caps)
	}
}

// On reports whether they do.
func On(caps any) bool {
	_, on := watched.Load(caps)
	return on
}

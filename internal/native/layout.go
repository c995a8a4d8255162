package native

import "github.com/govyre/vyre/internal/native/internal/amd64"

// Frames are memory that machine code knows by address. The frame of a group has what all of its vectors share, the
// frame of a vector what it keeps while others run.

// Offsets in the frame of a group.
const (
	groupCount  = 0  // vectors, times 32
	groupPolls  = 8  // rounds of loops until the code returns to Go
	groupVector = 16 // the vector that stopped, times 32; groupEnd if none did
	groupMore   = 24 // groups along x that follow in this run, where vectors run one after the other
	groupWaits  = 32 // vectors that have come to a barrier of the group which has no outcome
	groupEnded  = 40 // vectors that have ended, where they wait for each other
	groupHead   = 64
)

// groupEnd in groupVector: all vectors have run.
const groupEnd = ^uint64(0)

// Offsets in the frame of a vector.
const (
	vectorResume = 0  // where it goes on
	vectorStatus = 8  // why it stopped
	vectorRow    = 12 // at which row
	vectorLeft   = 16 // of the first vector of a warp: how many of them have still to come to where they meet
	vectorTeam   = 20 // likewise: how many there are
	vectorArgs   = 64 // operands of a row that it stops at: three of 64 bytes
	vectorMask   = vectorArgs + 3*64
	vectorResult = vectorMask + 32
	vectorLanes  = vectorResult + 64 // what ops lane by lane work on: index, two operands of 128 and the result
	vectorIndex  = vectorLanes
	vectorX      = vectorIndex + 64
	vectorZ      = vectorX + 128
	vectorOut    = vectorZ + 128
	vectorSaved  = vectorOut + 128 // machine registers, while it is stopped; then what has no register
)

// status is why a vector stopped.
type status uint32

const (
	running  status = iota // it did not, or it may go on
	ended                  // no lane is left
	polled                 // it has run for long
	assisted               // Go has to compute a row, or to note a trap
	atWarp                 // it waits for the vectors of its warp
	atGroup                // it waits for those of the group
	atGrid                 // it waits for those of other groups
)

// area hands out room in a frame.
type area struct{ size int32 }

func (a *area) take(n int32) int32 {
	at := a.size
	a.size += (n + 31) &^ 31
	return at
}

// layout is how the frames of a kernel are divided.
type layout struct {
	lanes    int // invocations that a vector has: eight, or one
	vectors  int // of a group
	frames   int // that a group has for its vectors: whole warps, where those of a warp meet
	step     int // vectors that code is for at once
	group    area
	vector   area
	objects  []int32            // by object: where the group's frame has address and length
	locals   []int32            // by object: where the vector's frame has a local array
	generals [allRegisters]bool // general registers that are handed out, where code is for one invocation at a time
	counter  amd64.Reg          // the one that is left for counting rounds; AX: none is
	numbered bool               // the number of the vector is in groupVector all the time, and in no register
	meets    bool               // the vectors of a warp meet
	alone    bool               // vectors run one after the other and need one frame in all
}

// single says whether code is for one invocation at a time.
func (l *layout) single() bool { return l.lanes == 1 }

// stride is the bytes from the frame of a vector to the next.
func (l *layout) stride() int32 {
	if l.alone {
		return 0
	}
	return (l.vector.size + 63) &^ 63
}

// bytes is what a group takes: of vectors that are one invocation there is one frame.
func (l *layout) bytes() int {
	if l.single() {
		return int(l.group.size) + int(l.vector.size)
	}
	return int(l.group.size) + l.frames*int(l.vector.size)
}

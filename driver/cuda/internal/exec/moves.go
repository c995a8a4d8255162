package exec

import (
	_ "embed"
	"unsafe"

	"github.com/govyre/vyre/internal/cu"
)

// movesText is a module with the kernel that makes small moves, and the one that fills with eight bytes.
//
//go:embed moves.ptx
var movesText string

const (
	moveEntry  = "vy_move"
	fill8Entry = "vy_fill8"
)

const (
	// moveMost is what a graph moves by a kernel. Between a copy engine and the units that compute lie
	// several microseconds; one group has 16 KiB under way at a time.
	moveMost = 16 << 10
	// movesAtOnce is how many moves a launch takes: the parameters of vy_move have that much room.
	movesAtOnce = 8
	moveThreads = 1024
	// fillThreads is the size of a group of vy_fill8, and fillGroups how many of them there are at most for
	// each unit: as many as are resident.
	fillThreads = 256
	fillGroups  = 8
)

// move is a copy, a fill, or a look at the GPU's clock, as vy_move takes it.
type move struct {
	to, from uint64 // from is the eight bytes of a fill
	bytes    uint64
	how      uint32
	after    uint32 // 1 if it has to come after the moves before it
}

// What a move does.
const (
	moveCopy uint32 = iota
	moveFill
	moveTime
	moveLap // stores the clock at from, and adds the time since what was there to the row at to, and bytes to how often
)

// move makes a move of a fill.
func (f *fill) move() move {
	value := f.value
	for w := f.width * 8; w < 64; w *= 2 {
		value = value&(1<<w-1) | value<<w
	}
	return move{to: uint64(f.to), from: value, bytes: uint64(f.bytes), how: moveFill}
}

// conflicts reports whether the order of two moves matters.
func (m *move) conflicts(o *move) bool {
	if m.how >= moveTime || o.how >= moveTime {
		return true
	}
	meet := func(a, an, b, bn uint64) bool { return a < b+bn && b < a+an }
	return meet(m.to, m.bytes, o.to, o.bytes) ||
		o.how == moveCopy && meet(m.to, m.bytes, o.from, o.bytes) ||
		m.how == moveCopy && meet(m.from, m.bytes, o.to, o.bytes)
}

// moves are made by one launch.
type moves struct {
	list [movesAtOnce]move
	n    uint32
}

// add reports false if there is no room.
func (g *moves) add(m move) bool {
	if g.n == movesAtOnce {
		return false
	}
	for i := range g.list[:g.n] {
		if m.conflicts(&g.list[i]) {
			m.after = 1
		}
	}
	g.list[g.n] = m
	g.n++
	return true
}

// launch describes the launch. The driver copies the values while the node is added, which is
// before anything here is collected.
func (g *moves) launch(own *own) (*cu.Launch, error) {
	f, err := own.get(moveEntry)
	if err != nil {
		return nil, err
	}
	most := uint64(0)
	for _, m := range g.list[:g.n] {
		most = max(most, m.bytes)
	}
	threads := min(max((uint32(most)/16+31)&^31, 32), moveThreads)
	return &cu.Launch{Function: f, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{threads, 1, 1},
		Params: pointers(unsafe.Pointer(&g.list), unsafe.Pointer(&g.n))}, nil
}

package cuda

import (
	_ "embed"
	"slices"
	"time"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/driver/cuda/internal/memory"
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
)

// fillMove makes a move of a fill.
func fillMove(to cu.Ptr, value uint64, width int, bytes int64) move {
	for w := width * 8; w < 64; w *= 2 {
		value = value&(1<<w-1) | value<<w
	}
	return move{to: uint64(to), from: value, bytes: uint64(bytes), how: moveFill}
}

// conflicts reports whether the order of two moves matters.
func (m *move) conflicts(o *move) bool {
	if m.how == moveTime || o.how == moveTime {
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
	t    touches
}

// add reports false if there is no room.
func (g *moves) add(m move, t touches) bool {
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
	g.t.all = g.t.all || t.all
	g.t.list = append(g.t.list, t.list...)
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

// stamps is what the GPU's clock said in a run of a graph: before the run, before the work, after it, and
// after the run. It lies in staging.
type stamps [4]uint64

// Places in stamps.
const (
	stampBegin = iota
	stampFrom
	stampTo
	stampEnd
)

// between returns the time from one stamp to another.
func (s *stamps) between(from, to int) (time.Duration, bool) {
	if s[from] == 0 || s[to] < s[from] {
		return 0, false
	}
	return time.Duration(s[to] - s[from]), true
}

// byKernel reports whether a fill is one of eight bytes that no fill of the driver makes, whose values
// are of four at most.
func byKernel(c *driver.FillCmd) bool { return c.Width == 8 && uint32(c.Value) != uint32(c.Value>>32) }

// hasPairs reports whether there is such a fill among commands.
func hasPairs(cmds []driver.Cmd) bool {
	return slices.ContainsFunc(cmds, func(c driver.Cmd) bool {
		switch c := c.(type) {
		case *driver.FillCmd:
			return byKernel(c)
		case *driver.LoopCmd:
			return hasPairs(c.Body)
		}
		return false
	})
}

// fillOf returns any other fill as the driver takes it.
func fillOf(c *driver.FillCmd) cu.Fill {
	width := min(c.Width, 4)
	value := uint32(c.Value) & (1<<(8*width) - 1)
	return cu.Fill{Dst: memory.AddressOf(c.Dst), Value: value, Width: width, N: c.Dst.Len / int64(width)}
}

// pairs launches vy_fill8.
type pairs struct {
	call   cu.Launch
	most   int64 // groups
	values [3]uint64
	ptrs   [3]unsafe.Pointer
}

func newPairs(d *Device, s cu.Stream) (*pairs, error) {
	f, err := d.movers.get(fill8Entry)
	if err != nil {
		return nil, err
	}
	p := &pairs{most: int64(d.gpu.Caps.Units) * fillGroups}
	for i := range p.values {
		p.ptrs[i] = unsafe.Pointer(&p.values[i])
	}
	p.call = cu.Launch{Function: f, Block: [3]uint32{fillThreads, 1, 1}, Stream: s, Params: &p.ptrs[0]}
	return p, nil
}

// fill describes the launch of a fill, until the next one.
func (p *pairs) fill(c *driver.FillCmd) *cu.Launch {
	n := c.Dst.Len / 8
	p.values = [3]uint64{uint64(memory.AddressOf(c.Dst)), c.Value, uint64(n)}
	p.call.Grid = [3]uint32{uint32(min((n+fillThreads-1)/fillThreads, p.most)), 1, 1}
	return &p.call
}

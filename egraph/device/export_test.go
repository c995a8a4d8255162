package device

import (
	"context"
	"math"
	"slices"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device/internal/closure"
	"github.com/govyre/vyre/egraph/device/internal/saturation"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/megakernel"
)

// Tuning changes what only tests change. Keep masks signatures, and 0 keeps all bits; Full is how many slots may be
// taken.
type Tuning struct {
	Keep, Full uint32
	Altered    map[string]*ir.Program
}

// OpenTuned is Open with those changes.
func OpenTuned(ctx context.Context, dev vyre.Device, im *Image, u Tuning) (*Session, error) {
	if u.Keep == 0 {
		u.Keep = math.MaxUint32
	}
	return open(ctx, dev, im, tuning{keep: u.Keep, full: u.Full, altered: u.Altered})
}

// BuildWith is Build with a table of so many slots, a power of two.
func BuildWith(g *egraph.Graph, slots uint64) (*Image, error) { return sourceOf(g).image(slots) }

// BuildChanged is Build of changed columns.
func BuildChanged(g *egraph.Graph, change func(c *egraph.Columns, pending *[][2]egraph.Class)) (*Image, error) {
	s := sourceOf(g)
	change(&s.Columns, &s.pending)
	return s.image(0)
}

// Child is the range of child k of a row of up to three children, on the device.
func (s *Session) Child(row, k int) driver.Range {
	return driver.Part(s.image, 4*(s.im.l.at[rows]+int64(4*row+1+k)), 4)
}

// Words returns everything that was read.
func (r *Result) Words() []uint32 {
	if r.rows {
		return r.of.read
	}
	return r.of.read[len(r.of.read)-r.of.readWords(false):]
}

// Reports returns what the detectors of the device found in the last call.
func (s *Session) Reports() []driver.Report { return s.reports }

// Explain says what the plan of a topology is.
func (s *Session) Explain(how megakernel.Topology) string { return s.plans[how].Explain() }

// Order is the place of a head in the order of terms, and a constant's bits behind it.
func (s *Saturation) Order(h egraph.HeadInfo, from [3]ir.Type, kids int) [2]uint64 {
	switch y := s.symbols; {
	case h.Op == ir.OpConst:
		return [2]uint64{uint64(h.Type), quiet(h.Type, h.Bits)}
	case kids == 0:
		return [2]uint64{uint64(y.rank[y.by(h, 0)]), uint64(slices.Index(y.leaves, h))}
	default:
		return [2]uint64{uint64(y.ids[symbol{h, from, kids}])}
	}
}

// Log has live rows and classes after each round, from before the first one on.
func (s *Saturation) Log() (log [][2]int) {
	h := s.store.found(headers)
	for n := range min(s.store.found(graphs)[saturation.Rounds]+1, saturation.LogRounds) {
		log = append(log, [2]int{int(h[saturation.LogAt+2*n]), int(h[saturation.LogAt+2*n+1])})
	}
	return log
}

// Moves is how often the table was made anew in the last run.
func (s *Saturation) Moves() int { return int(s.store.found(headers)[saturation.Moves]) }

// Found returns what the detectors of the device found in the last run.
func (s *Saturation) Found() []driver.Report { return s.reports }

// Narrow gives the next saturations tables of so many slots for each row that the limit allows, and 64 at least.
func Narrow(t interface{ Cleanup(func()) }, per int64) {
	was, least := perRow, leastSlots
	t.Cleanup(func() { perRow, leastSlots = was, least })
	perRow, leastSlots = per, 64
}

// Signature is the hash of a row that the table is probed with: a head, whose top bit says that it is commutative,
// and children.
func Signature(head uint32, children []uint32) uint32 {
	h := closure.Mix(closure.Mix(closure.Begin, head), uint32(len(children)))
	for _, c := range children {
		h = closure.Mix(h, c)
	}
	return h
}

// Transfer is a program that computes the known bits of an op: invocation i those of the values 3i, 3i+1 and 3i+2. nil if there
// are none.
func Transfer(op ir.Op, t ir.Type, from [3]ir.Type) (*ir.Program, error) {
	b := build.New("transfer", build.Workgroup(64))
	e := &emitter{codec: codec{b}}
	e.zeros, e.ones = b.Buffer("zeros", ir.U64, ir.RW), b.Buffer("ones", ir.U64, ir.RW)
	to := [2]ir.Object{b.Buffer("toZeros", ir.U64, ir.WO), b.Buffer("toOnes", ir.U64, ir.WO)}
	var kids []build.Value
	for k := range op.Info().Args {
		kids = append(kids, b.Add(b.Mul(b.Global(0), b.U32(3)), b.U32(uint32(k))))
	}
	y := symbol{HeadInfo: egraph.HeadInfo{Op: op, Type: t}, from: from, kids: len(kids)}
	known, ok := e.transfer(y, kids)
	if !ok {
		return nil, nil
	}
	b.Store(to[0], b.Global(0), known.zeros)
	b.Store(to[1], b.Global(0), known.ones)
	return b.Program()
}

// Mistakes that programs of rules and of folding can have.
const (
	NoFault      = mistake(0)
	FaultCompare = faultCompare
	FaultJoin    = faultJoin
	FaultFold    = faultFold
	FaultLearned = faultLearned
	FaultForget  = faultForget
	FaultCarry   = faultCarry
	FaultOrder   = faultOrder
)

// Mistake is one of them.
type Mistake = mistake

// Alter changes the kernels of the next saturations, and the programs that are written for them.
func Alter(t interface{ Cleanup(func()) }, kernels map[string]*ir.Program, m Mistake) {
	t.Cleanup(func() { altered, fault = nil, 0 })
	altered, fault = kernels, m
}

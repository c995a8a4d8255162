package driver

import (
	"bytes"

	"github.com/govyre/vyre/internal/metric"
)

// Residency remembers, for one runner, what its uploads left on the device, and decides
// which of them a run has to send.
//
// An upload may be skipped only if its input is unchanged, the run that sent it succeeded,
// and nothing has written its buffer since. The mark that says so is taken back before
// staging changes and set again only by a wait that succeeded: a run that fails anywhere in
// between leaves nothing that claims to be on the device.
type Residency struct {
	Send []bool // decided by Begin, an upload each
	// Bare says of each upload that the next run sends it without a staging copy. The device
	// sets it; without staging it is true for good.
	Bare    []bool
	plan    *Plan
	staging [][]byte // the bytes sent last
	marks   []mark
	whole   bool
	compare bool // inputs are few enough to be compared
}

// IdentityLimit bounds the bytes of a plan's IfChanged inputs that a run compares with those
// sent last: beyond it, comparing costs as much as sending, and they all count as changed.
const IdentityLimit = 4 << 20

type mark struct {
	valid   bool
	sent    bool     // by the run in flight
	copied  bool     // staging has the bytes
	version uint64   // of the buffer, after the run that sent the bytes had been entered
	changed []uint64 // of each input, at that time
}

// NewResidency returns the memory of a runner that has sent nothing. staging gives, for every
// upload of the plan, host memory of its size that the device sends from, or nil. whole makes the
// decision one for all uploads that are not Always: a graph is compiled with them and without.
func NewResidency(p *Plan, staging [][]byte, whole bool) *Residency {
	r := &Residency{plan: p, whole: whole, staging: staging, Send: make([]bool, len(p.Uploads)),
		Bare: make([]bool, len(p.Uploads)), marks: make([]mark, len(p.Uploads))}
	var compared int64
	for i, u := range p.Uploads {
		r.marks[i].changed = make([]uint64, len(u.Inputs))
		r.Bare[i] = staging[i] == nil
		if u.Mode == IfChanged {
			compared += u.Dst.Len
		}
	}
	r.compare = compared <= IdentityLimit
	return r
}

// Begin decides what the run about to start sends, copies those bytes into staging, and
// gives the buffers that the run writes their next version. The caller keeps other runs
// from being started over the same buffers meanwhile. It counts what the run leaves out, and reports
// whether nothing but Always uploads is sent.
func (r *Residency) Begin() (resident bool) {
	resident = true
	for i, u := range r.plan.Uploads {
		r.Send[i] = u.Mode == Always || !r.unchanged(u, &r.marks[i])
		resident = resident && (u.Mode == Always || !r.Send[i])
	}
	for _, u := range r.plan.Uses {
		if u.Writes {
			u.Advance()
		}
	}
	for i, u := range r.plan.Uploads {
		m := &r.marks[i]
		if r.whole && !resident {
			r.Send[i] = true
		}
		// What another command of the run writes over may be another one's once a setter has been called.
		m.sent, m.version = r.Send[i] && u.private, u.Dst.Buffer.leaf().now()
		if !r.Send[i] {
			r.plan.Tally.Count(metric.UploadsSkipped, 1)
			r.plan.Tally.Count(metric.UploadBytesSkipped, uint64(u.Dst.Len))
			continue
		}
		m.valid = false
		m.copied = !r.Bare[i]
		if m.copied {
			for _, p := range u.Pieces {
				copy(r.staging[i][p.At:p.At+p.Len], p.Input.src[p.From:])
			}
		}
		for j, in := range u.Inputs {
			m.changed[j] = in.changed
		}
	}
	switch {
	case !r.whole:
	case resident:
		r.plan.Tally.Count(metric.ReplaysResident, 1)
	default:
		r.plan.Tally.Count(metric.ReplaysFull, 1)
	}
	return resident
}

func (r *Residency) unchanged(u *UploadCmd, m *mark) bool {
	if !m.valid || !u.private || m.version != u.Dst.Buffer.leaf().now() {
		return false
	}
	for j, in := range u.Inputs {
		if in.changed != m.changed[j] {
			return false
		}
	}
	if u.Mode == Static {
		return true
	}
	if !r.compare || !m.copied || r.Bare[u.Index] {
		return false
	}
	for _, p := range u.Pieces {
		if !bytes.Equal(r.staging[u.Index][p.At:p.At+p.Len], p.Input.src[p.From:p.From+p.Len]) {
			return false
		}
	}
	return true
}

// End closes the run that Begin opened: what it sent is on the device if it succeeded, and
// what it did not send is trusted no longer if it failed.
func (r *Residency) End(succeeded bool) {
	for i := range r.marks {
		m := &r.marks[i]
		m.valid = succeeded && (m.valid || m.sent)
	}
}

package exec

import (
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/memory"
	"github.com/govyre/vyre/internal/cu"
)

// kind is what an operation does.
type kind uint8

const (
	kindLaunch kind = iota
	kindFill
	kindCopy
	kindUpload
	kindRead
	kindRepeat
	kindWhile
	kindMark     // looks at the clock
	kindLap      // reads the clock around a command
	kindControls // sends what the control records of loops start from
	kindReports  // fetches what the run reports
)

// verbs are what errors say that an operation does.
var verbs = [...]string{kindLaunch: "launch", kindFill: "fill", kindCopy: "copy", kindUpload: "upload", kindRead: "read",
	kindRepeat: "loop", kindWhile: "loop", kindMark: "start", kindLap: "start", kindControls: "start", kindReports: "start"}

// op is one operation of a run: a command with its addresses and byte counts, or one that the runner adds.
// What setters may change is looked up where they change it.
type op struct {
	kind   kind
	mark   mark // of kindMark
	launch *launch
	fill   *fill
	copy   *cu.Copy
	up     *driver.UploadCmd
	down   *driver.ReadCmd
	loop   *loop
	lap    *lap

	cmd  driver.Cmd // nil without a command: the operation comes after all before it and before all after it
	path string     // of the command
}

// loop is a Repeat or a While.
type loop struct {
	*driver.LoopCmd
	body    []op
	idle    bool // nothing but loops is in it
	control int  // index of its control record; -1 without one
}

// lower makes operations of commands. Loops that the device may decide on get control records; inside says that
// one of them is around the commands.
func (r *lowered) lower(cmds []driver.Cmd, inside bool) []op {
	ops := make([]op, 0, len(cmds))
	for _, c := range cmds {
		o := op{cmd: c}
		if r.laps != nil {
			ops = append(ops, r.laps.before(c))
		}
		switch c := c.(type) {
		case *driver.FillCmd:
			o.kind, o.path, o.fill = kindFill, c.Path, &fill{memory.AddressOf(c.Dst), c.Value, c.Width, c.Dst.Len}
		case *driver.UploadCmd:
			o.kind, o.path, o.up = kindUpload, c.Path, c
		case *driver.CopyCmd:
			o.kind, o.path, o.copy = kindCopy, c.Path, &cu.Copy{Dst: memory.AddressOf(c.Dst), Src: memory.AddressOf(c.Src), Bytes: c.Dst.Len}
		case *driver.ReadCmd:
			o.kind, o.path, o.down = kindRead, c.Path, c
		case *driver.LaunchCmd:
			o.kind, o.path, o.launch = kindLaunch, c.Path, &r.launches[c.Index]
		case *driver.LoopCmd:
			o.kind, o.path, o.loop = kindRepeat, c.Path, &loop{LoopCmd: c, control: -1}
			if c.While {
				o.kind = kindWhile
			}
			inside := inside || c.Lowering == driver.LoopGraph
			if inside {
				o.loop.control = len(r.loops)
				r.loops = append(r.loops, o.loop)
			}
			o.loop.body = r.lower(c.Body, inside)
			o.loop.idle = !some(o.loop.body, func(o *op) bool { return o.loop == nil && o.lap == nil })
		}
		ops = append(ops, o)
		if r.laps != nil {
			ops = append(ops, r.laps.after(c))
		}
	}
	return ops
}

// frame puts what makes the records ready before the operations of a plan, what fetches them after these, and
// marks of the clock between.
func (r *lowered) frame(cmds []op) []op {
	p, each := r.plan, 1 // operations of a command
	if r.laps != nil {
		each = 3
	}
	ops := make([]op, 0, len(cmds)+8)
	marked := func(m mark, here bool) {
		switch {
		case !here || p.NoDeviceTime || len(cmds) == 0:
		case r.laps != nil:
			ops = append(ops, r.laps.place(lap{row: -1, mark: m}))
		default:
			ops = append(ops, op{kind: kindMark, mark: m})
		}
	}
	for _, f := range r.records.cleared() {
		ops = append(ops, op{kind: kindFill, fill: f})
	}
	if len(r.loops) > 0 {
		ops = append(ops, op{kind: kindControls})
	}
	marked(markBegin, p.TimeTransfers)
	for i, o := range cmds {
		marked(markFrom, i == each*p.TimedFrom)
		ops = append(ops, o)
		marked(markTo, i == each*p.TimedTo-1)
	}
	marked(markEnd, p.TimeTransfers)
	if r.records.reported() > 0 {
		ops = append(ops, op{kind: kindReports})
	}
	return ops
}

// sink takes operations: the stream does them one after the other, a graph gets nodes for them.
type sink interface {
	// sends reports whether an upload is among what is taken.
	sends(*driver.UploadCmd) bool
	launch(*op) error
	fill(*op) error
	copy(cu.Copy, *op) error
	// hosted is a copy from, or to, a part of the user's memory.
	hosted(c cu.Copy, o *op, part int) error
	mark(mark) error
	// lap reads the clock around a command.
	lap(*lap) error
	// loop takes all rounds of one.
	loop(*op) error
}

// emit gives a sink what an operation is made of.
func (r *lowered) emit(o *op, to sink) error {
	t := &r.transfers
	switch o.kind {
	case kindLaunch:
		return to.launch(o)
	case kindFill:
		return to.fill(o)
	case kindCopy:
		return to.copy(*o.copy, o)
	case kindUpload:
		if to.sends(o.up) {
			return t.upload(o, to)
		}
		return nil
	case kindRead:
		return t.read(o, to)
	case kindRepeat, kindWhile:
		if o.kind == kindRepeat && o.loop.idle {
			return nil
		}
		return to.loop(o)
	case kindMark:
		return to.mark(o.mark)
	case kindLap:
		if o.lap.up == nil || to.sends(o.lap.up) {
			return to.lap(o.lap)
		}
	case kindControls:
		return to.copy(cu.Copy{Dst: r.records.controlAt(0), SrcHost: unsafe.Pointer(&t.controls[0]), Bytes: int64(len(t.controls))}, o)
	case kindReports:
		return to.copy(cu.Copy{DstHost: unsafe.Pointer(&t.reports[0]), Src: r.records.fetchAt(), Bytes: int64(len(t.reports))}, o)
	}
	return nil
}

// some reports whether an operation among these, or in their loops, is such.
func some(ops []op, such func(*op) bool) bool {
	for i := range ops {
		if o := &ops[i]; such(o) || o.loop != nil && some(o.loop.body, such) {
			return true
		}
	}
	return false
}

// nodesOf returns how many nodes of a graph operations become, saturated. Those that read the clock do not count: a plan has the graphs
// that it would have if it were not measured.
func nodesOf(ops []op) uint64 {
	total := uint64(0)
	for i := range ops {
		n, o := uint64(1), &ops[i]
		switch {
		case o.lap != nil:
			n = 0
		case o.launch != nil && o.launch.barrier >= 0:
			n = 2
		case o.loop != nil:
			body := nodesOf(o.loop.body)
			if n = driver.Mul(o.loop.Count, body); o.kind == kindWhile || n > unrolledNodes && o.loop.control >= 0 {
				n = body + 3
			}
		}
		total += min(n, 1<<62-total)
	}
	return total
}

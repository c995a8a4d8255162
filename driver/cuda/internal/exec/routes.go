package exec

import (
	"fmt"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/memory"
	"github.com/govyre/vyre/driver/cuda/internal/pinned"
	"github.com/govyre/vyre/internal/cu"
)

// route is the way of a transfer between host memory and the device.
type route uint8

const (
	staged  route = iota // through the runner's staging: a copy by the host, at Start or in Wait
	direct               // the GPU takes the bytes from pinned memory, or leaves them there
	chunked              // in chunks, by a staging ring of the device
)

// transfers has what a runner moves between the host and the device: the routes of its uploads and reads, and
// staging for them and for what else the GPU and the host tell each other.
type transfers struct {
	r        *runner
	resident *driver.Residency
	mem      pinned.Memory
	at       cu.Ptr          // where the GPU finds mem, for a graph
	more     []pinned.Memory // got after Prepare, for a setter

	looped   []bool   // by Plan.Uploads: it is in a loop
	up, down []route  // of Plan.Uploads and Plan.Reads
	rerouted uint64   // the Plan.Clock when one of them last became another one
	slow     bool     // one of them is in chunks
	staged   [][]byte // by Plan.Uploads: what a run sends, where that has a place in staging
	fetched  [][]byte // by Plan.Reads: what Wait delivers, likewise

	controls []byte // what the control records of loops start from
	reports  []byte // the records, as a run has left them
	flag     []byte // of the host's loop under way
	arrived  []byte // at the barrier of a launch that is watched
}

// init obtains one block of pinned memory and divides it. Items start at multiples of 64
// bytes, so that none shares a cache line with another. A small transfer has its place there
// whatever its route is now: a setter may change that. stamped asks for stamps of the clock.
func (t *transfers) init(stamped bool) error {
	r := t.r
	p, total := r.plan, int64(0)
	// What places hold is only known with the memory, so each is entered here, and filled in below.
	type place struct {
		to    *[]byte
		at, n int64
	}
	var places []place
	reserve := func(to *[]byte, n int64) {
		if n > 0 {
			places = append(places, place{to, total, n})
			total += (n + 63) &^ 63
		}
	}
	t.up, t.down = make([]route, len(p.Uploads)), make([]route, len(p.Reads))
	t.staged, t.fetched = make([][]byte, len(p.Uploads)), make([][]byte, len(p.Reads))
	t.looped = loopedUploads(p)
	for i, u := range p.Uploads {
		if u.Dst.Len <= r.x.Rings.Staged || t.looped[i] || r.captured && !uploadsDirectly(u) {
			reserve(&t.staged[i], u.Dst.Len)
		}
	}
	for i, rd := range p.Reads {
		if rd.Src.Len <= r.x.Rings.Staged || r.captured && !readsDirectly(rd) {
			reserve(&t.fetched[i], rd.Src.Len)
		}
	}
	if r.captured {
		if err := mayKeep(total); err != nil {
			return err
		}
	}
	reserve(&t.reports, r.records.reported())
	if len(p.Whiles) > 0 {
		reserve(&t.flag, 4)
	}
	reserve(&t.arrived, barrierBytes)
	reserve(&t.controls, int64(len(r.loops))*controlBytes)
	var stamps []byte
	if stamped {
		reserve(&stamps, stampBytes)
	}
	var err error
	if t.mem, err = r.x.Pinned.Get(total); err != nil {
		return r.x.Pinned.Error("prepare", total, err)
	}
	if r.replays() || stamped {
		if t.at, err = r.x.GPU.Driver.MemHostGetDevicePointer(t.mem.At); err != nil {
			return err
		}
	}
	all := t.mem.Bytes(total)
	for _, p := range places {
		*p.to = all[p.at : p.at+p.n : p.at+p.n]
	}
	if stamped {
		r.clock.stamps = (*[marks]uint64)(unsafe.Pointer(&stamps[0]))
	}
	t.resident = driver.NewResidency(p, t.staged, r.captured)
	return t.choose()
}

// reach returns where the GPU finds a place in staging; 0 if it is in other memory.
func (t *transfers) reach(p unsafe.Pointer) cu.Ptr {
	if at := uintptr(p) - uintptr(t.mem.At); t.at != 0 && at < uintptr(t.mem.Size) {
		return t.at + cu.Ptr(at)
	}
	return 0
}

// uploadsDirectly reports whether all bytes of an upload lie in pinned memory.
func uploadsDirectly(u *driver.UploadCmd) bool {
	for _, in := range u.Inputs {
		if h := in.Host(); h == nil || !h.Direct() {
			return false
		}
	}
	return true
}

func readsDirectly(rd *driver.ReadCmd) bool {
	for _, v := range rd.Views {
		if h := v.Output.Host(); h == nil || !h.Direct() {
			return false
		}
	}
	return true
}

// loopedUploads tells which uploads are in a loop. The device may decide on that, so they are
// staged whatever they are from.
func loopedUploads(p *driver.Plan) []bool {
	looped := make([]bool, len(p.Uploads))
	for i := range looped {
		looped[i] = true
	}
	for _, c := range p.Cmds {
		if u, ok := c.(*driver.UploadCmd); ok {
			looped[u.Index] = false
		}
	}
	return looped
}

// graphStaged bounds what a graph, whose copies cannot wait for the host, keeps for them.
const graphStaged = 256 << 20

func mayKeep(total int64) error {
	if total <= graphStaged {
		return nil
	}
	return &driver.Error{Kind: driver.Unsupported, Msg: fmt.Sprintf("%d bytes of transfers would have to pass through the memory of the graph, %d may", total, graphStaged),
		Fix: "let them come from host memory of the device"}
}

// choose finds the route of every transfer, after setters changed where bytes are.
func (t *transfers) choose() error {
	p := t.r.plan
	t.slow = false
	pick := func(way *route, isDirect bool, place *[]byte, n int64) (err error) {
		was := *way
		switch {
		case isDirect:
			*way = direct
		case *place != nil:
			*way = staged
		case t.r.captured:
			// It was direct when the graph was captured.
			if *place, err = t.widen(n); err != nil {
				return err
			}
			*way = staged
		default:
			*way, t.slow = chunked, true
		}
		if *way != was {
			t.rerouted = p.Clock()
		}
		return nil
	}
	for i, u := range p.Uploads {
		if err := pick(&t.up[i], !t.looped[i] && uploadsDirectly(u), &t.staged[i], u.Dst.Len); err != nil {
			return err
		}
		t.resident.Bare[i] = t.up[i] != staged
	}
	for i, rd := range p.Reads {
		if err := pick(&t.down[i], readsDirectly(rd), &t.fetched[i], rd.Src.Len); err != nil {
			return err
		}
	}
	return nil
}

// widen obtains another place in staging.
func (t *transfers) widen(n int64) ([]byte, error) {
	total := t.mem.Size + n
	for _, m := range t.more {
		total += m.Size
	}
	if err := mayKeep(total); err != nil {
		return nil, err
	}
	if err := t.r.thread.Bind("start", t.r.plan.Label); err != nil {
		return nil, err
	}
	m, err := t.r.x.Pinned.Get(n)
	if err != nil {
		return nil, t.r.x.Pinned.Error("start", n, err)
	}
	t.more = append(t.more, m)
	return m.Bytes(n), nil
}

// upload gives a sink the copies of an upload. One in chunks is the ring's, which enqueues them by itself.
func (t *transfers) upload(o *op, to sink) error {
	u := o.up
	at := memory.AddressOf(u.Dst)
	switch t.up[u.Index] {
	case staged:
		return to.copy(cu.Copy{Dst: at, SrcHost: unsafe.Pointer(&t.staged[u.Index][0]), Bytes: u.Dst.Len}, o)
	case chunked:
		return t.r.x.Rings.Up.Upload(&t.r.Submitter, u)
	}
	for i, p := range u.Pieces {
		if err := to.hosted(cu.Copy{Dst: at + cu.Ptr(p.At), SrcHost: pieceAt(p), Bytes: p.Len}, o, i); err != nil {
			return err
		}
	}
	return nil
}

// read gives a sink the copies of a read.
func (t *transfers) read(o *op, to sink) error {
	rd := o.down
	at := memory.AddressOf(rd.Src)
	switch t.down[rd.Index] {
	case staged:
		return to.copy(cu.Copy{DstHost: unsafe.Pointer(&t.fetched[rd.Index][0]), Src: at, Bytes: rd.Src.Len}, o)
	case chunked:
		return t.r.x.Rings.Down.Read(&t.r.Submitter, rd)
	}
	for i, v := range rd.Views {
		if err := to.hosted(cu.Copy{DstHost: viewAt(v), Src: at + cu.Ptr(v.Off), Bytes: int64(len(v.Output.Bytes()))}, o, i); err != nil {
			return err
		}
	}
	return nil
}

func pieceAt(p driver.Piece) unsafe.Pointer { return unsafe.Pointer(&p.Input.Bytes()[p.From]) }
func viewAt(v driver.View) unsafe.Pointer   { return unsafe.Pointer(unsafe.SliceData(v.Output.Bytes())) }

// uploads returns how many copies an upload is.
func (t *transfers) uploads(u *driver.UploadCmd) uint64 {
	if t.up[u.Index] == direct {
		return uint64(len(u.Pieces))
	}
	return 1
}

// reads returns how many copies a read is, of how many bytes, and how many of these nobody asked for.
func (t *transfers) reads(rd *driver.ReadCmd) (copies, bytes, gap uint64) {
	if t.down[rd.Index] != direct {
		return 1, uint64(rd.Src.Len), uint64(rd.Gap)
	}
	for _, v := range rd.Views {
		bytes += uint64(len(v.Output.Bytes()))
	}
	return uint64(len(rd.Views)), bytes, 0
}

// deliver copies what reads left in staging to where it belongs. Other routes end there.
func (t *transfers) deliver() {
	for i, rd := range t.r.plan.Reads {
		if t.down[i] != staged {
			continue
		}
		for _, v := range rd.Views {
			copy(v.Output.Bytes(), t.fetched[i][v.Off:])
		}
	}
}

// drop gives staging back. Nothing of it is in use.
func (t *transfers) drop() (first error) {
	for _, m := range append(t.more, t.mem) {
		if err := t.r.x.Pinned.Put(m); first == nil {
			first = err
		}
	}
	t.more = nil
	return first
}

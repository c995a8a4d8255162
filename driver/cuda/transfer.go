package cuda

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/driver/cuda/internal/memory"
)

// route is the way of a transfer between host memory and the device.
type route uint8

const (
	staged  route = iota // through the runner's staging: a copy by the host, at Start or in Wait
	direct               // the GPU takes the bytes from pinned memory, or leaves them there
	chunked              // in chunks, by a conveyor of the device
)

// stagedBytes is the size up to which a transfer has a place in staging.
const stagedBytes = 256 << 10

// stage obtains one block of pinned memory and divides it. Items start at multiples of 64
// bytes, so that none shares a cache line with another. A small transfer has its place there
// whatever its route is now: a setter may change that.
func (r *runner) stage() error {
	var total int64
	place := func(n int64) (at int64) {
		at = total
		total += (n + 63) &^ 63
		return at
	}
	p := r.plan
	r.up, r.down = make([]route, len(p.Uploads)), make([]route, len(p.Reads))
	r.staged, r.fetched = make([][]byte, len(p.Uploads)), make([][]byte, len(p.Reads))
	up, down := make([]int64, len(p.Uploads)), make([]int64, len(p.Reads))
	r.looped = loopedUploads(p)
	for i, u := range p.Uploads {
		if up[i] = -1; u.Dst.Len <= r.dev.stagedTo || r.looped[i] || r.captured && !uploadsDirectly(u) {
			up[i] = place(u.Dst.Len)
		}
	}
	for i, rd := range p.Reads {
		if down[i] = -1; rd.Src.Len <= r.dev.stagedTo || r.captured && !readsDirectly(rd) {
			down[i] = place(rd.Src.Len)
		}
	}
	if r.captured {
		if err := r.mayKeep(total); err != nil {
			return err
		}
	}
	reports, flag := place(r.records.reported()), int64(0)
	if len(p.Whiles) > 0 {
		flag = place(4)
	}
	arrived := place(4)
	images := int64(len(r.numbered)) * controlBytes
	image := place(images)
	clock := int64(-1)
	if r.replays() && !p.NoDeviceTime || slices.ContainsFunc(r.stretches, func(st *stretch) bool { return st.timed }) {
		clock = place(int64(unsafe.Sizeof(stamps{})))
	}
	var err error
	if r.staging, err = r.dev.pinned.Get(total); err != nil {
		return r.dev.pinned.Error("prepare", total, err)
	}
	if total > 0 && (r.replays() || clock >= 0) {
		if r.stagingAt, err = r.dev.gpu.Driver.MemHostGetDevicePointer(r.staging.At); err != nil {
			return err
		}
	}
	all := r.staging.Bytes(total)
	part := func(at, n int64) []byte {
		if at < 0 {
			return nil
		}
		return all[at : at+n : at+n]
	}
	for i, u := range p.Uploads {
		r.staged[i] = part(up[i], u.Dst.Len)
	}
	for i, rd := range p.Reads {
		r.fetched[i] = part(down[i], rd.Src.Len)
	}
	r.arrived = part(arrived, 4)
	r.reports, r.image = part(reports, r.records.reported()), part(image, images)
	if len(p.Whiles) > 0 {
		r.flag = part(flag, 4)
	}
	if clock >= 0 {
		r.stamps = (*stamps)(unsafe.Pointer(&all[clock]))
	}
	return nil
}

// reach returns where the GPU finds a place in staging; 0 if it is in other memory.
func (r *runner) reach(p unsafe.Pointer) cu.Ptr {
	if at := uintptr(p) - uintptr(r.staging.At); r.stagingAt != 0 && at < uintptr(r.staging.Size) {
		return r.stagingAt + cu.Ptr(at)
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

func (r *runner) mayKeep(total int64) error {
	if total <= graphStaged {
		return nil
	}
	return &driver.Error{Kind: driver.Unsupported, Msg: fmt.Sprintf("%d bytes of transfers would have to pass through the memory of the graph, %d may", total, graphStaged),
		Fix: "let them come from host memory of the device"}
}

// choose finds the route of every transfer, after setters changed where bytes are. The context
// is current.
func (r *runner) choose() error {
	p := r.plan
	r.slow = false
	var err error
	pick := func(isDirect bool, place *[]byte, n int64) route {
		if isDirect {
			return direct
		}
		if *place == nil && r.captured {
			// It was direct when the graph was captured.
			if *place, err = r.widen(n); err != nil {
				return direct
			}
		}
		if *place == nil {
			r.slow = true
			return chunked
		}
		return staged
	}
	for i, u := range p.Uploads {
		r.up[i] = pick(!r.looped[i] && uploadsDirectly(u), &r.staged[i], u.Dst.Len)
		r.resident.Bare[i] = r.up[i] != staged
	}
	for i, rd := range p.Reads {
		r.down[i] = pick(readsDirectly(rd), &r.fetched[i], rd.Src.Len)
	}
	if err == nil {
		r.chosen = p.Rehosted
	}
	return err
}

// rechoose is choose for a Start.
func (r *runner) rechoose() error {
	if err := r.thread.Bind("start", r.plan.Label); err != nil {
		return err
	}
	// What comes next needs the thread, too.
	if err := r.choose(); err != nil {
		r.thread.Release()
		return r.dev.gpu.Complete("start", r.plan.Label, err)
	}
	return nil
}

// widen obtains another place in staging.
func (r *runner) widen(n int64) ([]byte, error) {
	total := r.staging.Size + n
	for _, m := range r.more {
		total += m.Size
	}
	if err := r.mayKeep(total); err != nil {
		return nil, err
	}
	m, err := r.dev.pinned.Get(n)
	if err != nil {
		return nil, r.dev.pinned.Error("start", n, err)
	}
	r.more = append(r.more, m)
	return m.Bytes(n), nil
}

// upload enqueues an upload.
func (r *runner) upload(c *driver.UploadCmd) error {
	d, s, to := r.dev, r.Stream.Handle, memory.AddressOf(c.Dst)
	r.plan.Tally.Count(driver.UploadBytes, uint64(c.Dst.Len))
	switch r.up[c.Index] {
	case staged:
		r.plan.Tally.Count(driver.Uploads, 1)
		return d.gpu.Driver.MemcpyHtoDAsync(to, unsafe.Pointer(&r.staged[c.Index][0]), c.Dst.Len, s)
	case chunked:
		r.plan.Tally.Count(driver.Uploads, 1)
		return d.uphill.upload(r, c)
	}
	for _, p := range c.Pieces {
		r.plan.Tally.Count(driver.Uploads, 1)
		if err := d.gpu.Driver.MemcpyHtoDAsync(to+cu.Ptr(p.At), unsafe.Pointer(&p.Input.Bytes()[p.From]), p.Len, s); err != nil {
			return err
		}
	}
	return nil
}

// read enqueues a read.
func (r *runner) read(c *driver.ReadCmd) error {
	d, s, from := r.dev, r.Stream.Handle, memory.AddressOf(c.Src)
	if r.down[c.Index] != direct {
		r.plan.Tally.Count(driver.Reads, 1)
		r.plan.Tally.Count(driver.ReadBytes, uint64(c.Src.Len))
		r.plan.Tally.Count(driver.ReadGapBytes, uint64(c.Gap))
		if r.down[c.Index] == chunked {
			return d.downhill.read(r, c)
		}
		return d.gpu.Driver.MemcpyDtoHAsync(unsafe.Pointer(&r.fetched[c.Index][0]), from, c.Src.Len, s)
	}
	for _, v := range c.Views {
		to := v.Output.Bytes()
		r.plan.Tally.Count(driver.Reads, 1)
		r.plan.Tally.Count(driver.ReadBytes, uint64(len(to)))
		if err := d.gpu.Driver.MemcpyDtoHAsync(unsafe.Pointer(&to[0]), from+cu.Ptr(v.Off), int64(len(to)), s); err != nil {
			return err
		}
	}
	return nil
}

// fetch copies what reads left in staging to where it belongs. Other routes end there.
func (r *runner) fetch() {
	for i, rd := range r.plan.Reads {
		if r.down[i] != staged {
			continue
		}
		for _, v := range rd.Views {
			copy(v.Output.Bytes(), r.fetched[i][v.Off:])
		}
	}
}

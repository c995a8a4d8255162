package driver

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/identity"
	"github.com/govyre/vyre/internal/imagecache"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/ir"
)

// Tuning is the outcome of Tune.
type Tuning struct {
	Workgroup  [3]uint32       `json:"workgroup"` // the choice
	Candidates []TuneCandidate `json:"candidates"`
	Driver     int             `json:"driver"` // Caps.DriverVersion
	File       string          `json:"-"`      // where it is kept; empty if it is not
}

// TuneCandidate is a group size that was measured.
type TuneCandidate struct {
	Workgroup [3]uint32     `json:"workgroup"`
	Median    time.Duration `json:"median_ns"` // of the launch alone, on the device's clock
	Runs      int           `json:"samples"`
}

// tuningKey is what a decision about a program depends on: the options but for the group, and about how many items.
func tuningKey(c *Caps, p *ir.Program, o Options, items uint64) [32]byte {
	choice, err := compile.Parse(o.Optimise)
	if err != nil {
		return [32]byte{} // Compile refuses it, so nothing is kept under this key
	}
	digest := p.Digest()
	how := fmt.Appendf(nil, "passes=%v;regs=%d;line=%t", choice, o.MaxRegisters, o.LineInfo)
	if g, err := o.Generation(p, c); err == nil && g != "" {
		how = fmt.Appendf(how, ";matrix=%s", g)
	}
	return identity.Key("vyre.tune.v2", uint64(bits.Len64(max(items, 1))-1), 0, digest[:],
		how,
		fmt.Appendf(nil, "%s|%s|%d|%d", c.Model, cmp.Or(o.Target, c.Target), c.Units, c.DriverVersion))
}

// maxMeasured bounds the bytes of all that was measured: some ten thousand decisions.
const maxMeasured = 8 << 20

// measured is what a device knows that was measured on it, or on its like: in files that processes share, one a
// decision. Whatever goes wrong with these is counted, and nothing is kept.
type measured struct {
	open sync.Once
	disk *imagecache.Cache // nil keeps nothing

	mu    sync.Mutex
	sizes map[[32]byte][3]uint32 // of groups, by the key of their tuning
	use   cacheUse               // of sizes
}

// mostSizes bounds what is remembered of programs, which may be gone.
const mostSizes = 4096

// store returns the files; nil if there are none.
func (c *Core) store() *imagecache.Cache {
	m := &c.measured
	m.open.Do(func() {
		at, err := c.cache.DiskCache()
		if err == nil && at.Root == "" {
			return
		}
		bound := int64(maxMeasured)
		if at.Bytes > 0 {
			bound = min(bound, at.Bytes)
		}
		if err == nil {
			m.disk, err = imagecache.OpenKind(imagecache.Measured, at.Root, bound)
		}
		if err != nil {
			c.Count(metric.CacheWriteErrors, 1)
		}
	})
	return m.disk
}

// load reads what was kept under a key; read refuses what is not that.
func (c *Core) load(key [32]byte, read func([]byte) error) bool {
	disk := c.store()
	if disk == nil {
		return false
	}
	found, err := disk.Load(key)
	if err == nil && found.Image != nil {
		if err = read(found.Image); err == nil {
			return true
		}
		disk.Remove(key)
	}
	if err != nil {
		c.Count(metric.CacheCorrupt, 1)
	}
	return false
}

// keepMeasured keeps something under a key, and returns the file; empty if it is not kept.
func (c *Core) keepMeasured(key [32]byte, payload []byte) string {
	disk := c.store()
	if disk == nil {
		return ""
	}
	removed, err := disk.Store(key, payload)
	c.Count(metric.CacheEvictions, uint64(removed))
	if err != nil {
		c.Count(metric.CacheWriteErrors, 1)
		return ""
	}
	if again, err := disk.Load(key); err != nil || !bytes.Equal(again.Image, payload) {
		return "" // the bound is too small for it
	}
	return disk.Path(key)
}

// sizeOf returns the group size that is known for a key. The files are asked once.
func (c *Core) sizeOf(key [32]byte) (workgroup [3]uint32, known bool) {
	m := &c.measured
	m.mu.Lock()
	workgroup, known = m.sizes[key]
	m.mu.Unlock()
	if m.use.ask(known); known {
		return workgroup, true
	}
	var t Tuning
	if !c.load(key, t.decode) {
		return workgroup, false
	}
	c.noteSize(key, t.Workgroup)
	return t.Workgroup, true
}

// noteSize remembers a group size.
func (c *Core) noteSize(key [32]byte, workgroup [3]uint32) {
	m := &c.measured
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sizes == nil || len(m.sizes) >= mostSizes {
		m.use.evictions.Add(uint64(len(m.sizes)))
		m.sizes = make(map[[32]byte][3]uint32)
	}
	m.sizes[key] = workgroup
}

// encode returns the bytes that are kept, numbers with spaces between them: the driver and the chosen group, and then the
// group, the time and the runs of each candidate.
func (t *Tuning) encode() (b []byte) {
	add := func(n ...int64) {
		for _, v := range n {
			b = append(strconv.AppendInt(b, v, 10), ' ')
		}
	}
	add(int64(t.Driver), int64(t.Workgroup[0]), int64(t.Workgroup[1]), int64(t.Workgroup[2]))
	for _, c := range t.Candidates {
		add(int64(c.Workgroup[0]), int64(c.Workgroup[1]), int64(c.Workgroup[2]), int64(c.Median), int64(c.Runs))
	}
	return b
}

// decode reads what encode wrote, and nothing else.
func (t *Tuning) decode(b []byte) error {
	var n []int64
	for _, w := range strings.Fields(string(b)) {
		v, err := strconv.ParseInt(w, 10, 64)
		if err != nil {
			return err
		}
		n = append(n, v)
	}
	if len(n)%5 != 4 {
		return fmt.Errorf("%d numbers", len(n))
	}
	group := func(n []int64) [3]uint32 { return [3]uint32{uint32(n[0]), uint32(n[1]), uint32(n[2])} }
	t.Driver, t.Workgroup = int(n[0]), group(n[1:])
	for n = n[4:]; len(n) > 0; n = n[5:] {
		t.Candidates = append(t.Candidates, TuneCandidate{Workgroup: group(n), Median: time.Duration(n[3]), Runs: int(n[4])})
	}
	if !bytes.Equal(t.encode(), b) {
		return errors.New("it is not written as it should be")
	}
	chosen := false
	for i, c := range t.Candidates {
		if c.Workgroup[0] == 0 || c.Workgroup != along(int(c.Workgroup[0])) || c.Median < 0 || c.Runs < 1 ||
			slices.ContainsFunc(t.Candidates[:i], func(o TuneCandidate) bool { return o.Workgroup == c.Workgroup }) {
			return fmt.Errorf("candidate %d is %+v", i, c)
		}
		chosen = chosen || c.Workgroup == t.Workgroup
	}
	if !chosen {
		return fmt.Errorf("group %v was not measured", t.Workgroup)
	}
	return nil
}

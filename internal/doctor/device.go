package doctor

import (
	"cmp"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/imagecache"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// otherChecks are those of a device that is no GPU.
var otherChecks = []check{
	{"device", nil, (*exam).device},
	{"memory", []string{"device"}, (*exam).memory},
	{"compile", []string{"device"}, (*exam).compile},
	{"launch + wait", []string{"device", "compile"}, (*exam).launch},
	{"graph", []string{"device", "compile", "launch + wait"}, (*exam).graph},
	{"while node", []string{"device", "compile", "launch + wait"}, (*exam).while},
	{"grid barrier", []string{"device", "compile", "launch + wait"}, (*exam).barrier},
	{"copies", []string{"device"}, (*exam).copies},
	{"caches", []string{"device"}, (*exam).caches},
	{"environment", nil, (*exam).environment},
}

func (e *exam) device() finding {
	dev, err := driver.Open(e.name, driver.OpenOptions{})
	if err != nil {
		return failed(err)
	}
	e.dev = dev
	chosen := ""
	if e.absent {
		chosen = `, which "auto" opens where there is no GPU`
	}
	if why := dev.Caps().Reason; why != "" {
		return warning("", "%s%s; the interpreter runs kernels: %s", dev.Name(), chosen, why)
	}
	return good("%s%s; kernels are compiled for %s", dev.Name(), chosen, dev.Caps().Target)
}

func (e *exam) context() finding {
	begin := time.Now()
	dev, err := cuda.Open(cuda.Options{Driver: e.handed, Kind: e.kind, Selector: e.selector, Name: e.model, Simulated: e.kind == cudasim.Name})
	if err != nil {
		return failed(err)
	}
	e.dev = dev
	return good("%s opened in %v", dev.Name(), short(time.Since(begin)))
}

// sampleBytes is what is allocated to see that memory can be had.
const sampleBytes = 64 << 20

func (e *exam) memory() finding {
	room, err := e.dev.Room()
	if err != nil {
		return failed(err)
	}
	b, err := e.dev.Alloc(sampleBytes, driver.AllocOptions{Label: "doctor"})
	if err == nil {
		err = b.Close()
	}
	if err != nil {
		f := failed(err)
		f.found += ", with " + size(room) + " free"
		return f
	}
	c, pool := e.dev.Caps(), ""
	if c.Target != "" && e.drv != nil && !c.MemPools {
		pool = ", without a pool of the driver"
	}
	return good("%s free of %s; %s allocated%s", size(room), size(c.TotalMemory), size(sampleBytes), pool)
}

func (e *exam) pinned() finding {
	limit := "a limit of locked memory that the system does not tell"
	if n, unlimited, ok := lockedLimit(); unlimited {
		limit = "no limit of locked memory"
	} else if ok {
		limit = "a limit of locked memory of " + size(int64(min(n, 1<<62)))
	}
	const bytes = 1 << 20
	m, err := e.dev.AllocHost(bytes)
	if err == nil {
		err = m.Close()
	}
	if err != nil {
		f := failed(err)
		f.found += ", with " + limit
		return f
	}
	return good("%s pinned, with %s", size(bytes), limit)
}

// compile compiles the sample, which most other checks launch.
func (e *exam) compile() finding {
	begin := time.Now()
	k, err := e.kernel("saxpy")
	if err != nil {
		return failed(err)
	}
	took := time.Since(begin)
	e.saxpy = k
	a, from := k.Artifact(), ""
	if e.kept = a.Origin == "disk"; e.kept {
		from = ", from the cache"
	}
	return good("%s in %v%s: %s", k.Label(), short(took), from, artifact(a))
}

// artifact says what the kernel was compiled to.
func artifact(a driver.Artifact) string {
	var parts []string
	if a.Text != "" {
		parts = append(parts, "text of "+size(int64(len(a.Text))))
	}
	if a.Image != nil {
		parts = append(parts, "machine code of "+size(int64(len(a.Image))))
	}
	if a.Registers > 0 {
		parts = append(parts, fmt.Sprintf("%d registers, %d local and %d shared bytes", a.Registers, a.Local, a.Shared))
	}
	return cmp.Or(strings.Join(parts, ", "), "interpreted")
}

// kernel compiles one of the programs. Kernels are closed with the device.
func (e *exam) kernel(name string) (driver.Kernel, error) {
	ps, err := text.Parse("doctor", programs)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	i := slices.IndexFunc(ps, func(p *ir.Program) bool { return p.Name() == name })
	return e.dev.Compile(e.ctx, ps[i], driver.Options{})
}

// cache says where compiled kernels are kept, and whether the sample was.
func (e *exam) cache() finding {
	const another = "set " + driver.EnvCacheDir + " to a directory of your own"
	at, err := driver.OpenOptions{}.DiskCache()
	switch {
	case err != nil:
		return failed(err)
	case at.Root == "" && at.Chosen:
		return good("nothing is kept, because %s is %s", driver.EnvCacheDir, driver.CacheOff)
	case at.Root == "":
		return warning(another, "nothing is kept, because the user has no directory for caches")
	case e.handed != nil && !at.Chosen:
		return good("nothing is kept, because the GPU is simulated and %s names no directory", driver.EnvCacheDir)
	}
	disk, err := imagecache.Open(at.Root, at.Bytes)
	if err != nil {
		return warning(another, "nothing is kept: %v", err)
	}
	if err := disk.Writable(); err != nil {
		return warning("make it writable, or "+another, "nothing new is kept in %s: %v", disk.Root(), err)
	}
	n, bytes, err := disk.Usage()
	if err != nil {
		return warning(another, "%s cannot be read: %v", disk.Root(), err)
	}
	sample := "the sample was loaded as text"
	if e.kept {
		sample = "the sample was one of them"
	}
	return good("%s of user %s, writable, kept images: %d, %s of at most %s; %s", disk.Root(), owner(), n, size(bytes), size(cmp.Or(at.Bytes, imagecache.DefaultBytes)), sample)
}

// caches says what the device keeps for later, and gives it back.
func (e *exam) caches() finding {
	var parts []string
	for _, c := range e.dev.Caches() {
		if c.Entries == 0 && c.Hits+c.Misses == 0 {
			continue
		}
		part := fmt.Sprintf("%s %d", c.Name, c.Entries)
		if c.Bytes > 0 {
			part += " of " + size(c.Bytes)
		}
		parts = append(parts, part+fmt.Sprintf(" (%d found, %d not)", c.Hits, c.Misses))
	}
	if err := e.dev.Flush(); err != nil {
		return failed(err)
	}
	return good("%s", cmp.Or(strings.Join(parts, ", "), "nothing is kept"))
}

// owner is the user of the process, whose the cache is: another's is refused.
func owner() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return strconv.Itoa(os.Geteuid())
}

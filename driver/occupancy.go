package driver

// Occupancy says how many groups of a kernel run at once.
type Occupancy struct {
	Groups      int    // on one unit; 0 if the kernel cannot run
	Limit       string // what bounds it: "groups", "warps", "registers", "shared", or why it cannot run
	TenThousand int    // share of the unit's warps in use, in 1/10000
	Cooperative int    // groups that are resident together on the whole device
}

// How registers are handed out: to warps, in units of 256, from four files; every file serves a quarter of the warps.
const (
	warpSize   = 32
	registerBy = 256
	files      = 4
)

// Occupy computes the occupancy of groups of the given size that take regs registers a
// thread and shared bytes a group. On hardware the driver's own answer is the authority; this
// is the model used without hardware, and the same arithmetic.
func Occupy(c *Caps, regs, shared, threads int) Occupancy {
	if threads < 1 || threads > c.MaxThreadsPerGroup {
		return Occupancy{Limit: "threads"}
	}
	if shared > c.SharedOptin {
		return Occupancy{Limit: "shared"}
	}
	warps := ceilDiv(threads, warpSize)
	o := Occupancy{Groups: c.MaxGroupsPerUnit, Limit: "groups"}
	bound := func(n int, what string) {
		if n < o.Groups {
			o.Groups, o.Limit = n, what
		}
	}
	bound(c.MaxThreadsPerUnit/warpSize/warps, "warps")
	if c.RegsUnit > 0 {
		if regs > registersFor(c, uint64(threads)) {
			return Occupancy{Limit: "registers"}
		}
		if perWarp := warpRegisters(regs); perWarp > 0 {
			bound(files*(c.RegsUnit/files/perWarp)/warps, "registers")
		}
	}
	if taken := sharedTaken(c, shared); taken > 0 {
		bound(c.SharedPerUnit/taken, "shared")
	}
	o.TenThousand = o.Groups * warps * 10000 / (c.MaxThreadsPerUnit / warpSize)
	o.Cooperative = o.Groups * c.Units
	return o
}

// CanOverlap reports whether a group of one kernel and one of another fit a unit of a device together, and if not what
// blocks: "unsupported" if the device never runs two kernels at once, "unrunnable" if one of them does not run at all,
// else "warps", "registers" or "shared". As Occupy, it is a model.
func CanOverlap(c *Caps, a, b Requirement) (ok bool, blocks string) {
	if !c.ConcurrentKernels {
		return false, "unsupported"
	}
	var warps, registers, shared int
	for _, q := range []Requirement{a, b} {
		threads := int(min(q.threads(), 1<<31-1))
		if len(Diagnose(c, q).Failures) > 0 || Occupy(c, q.Registers, q.Shared, threads).Groups == 0 {
			return false, "unrunnable"
		}
		n := ceilDiv(threads, warpSize)
		warps += n
		registers += ceilDiv(n, files) * warpRegisters(q.Registers) // of the file that serves most of its warps
		shared += sharedTaken(c, q.Shared)
	}
	switch {
	case warps > c.MaxThreadsPerUnit/warpSize:
		return false, "warps"
	case c.RegsUnit > 0 && registers > c.RegsUnit/files:
		return false, "registers"
	case shared > c.SharedPerUnit:
		return false, "shared"
	}
	return true, ""
}

// warpRegisters is what a warp takes whose threads have so many.
func warpRegisters(regs int) int { return ceilDiv(warpSize*regs, registerBy) * registerBy }

// sharedTaken is what a group takes that has so many bytes of shared memory.
func sharedTaken(c *Caps, shared int) int {
	granule := 128
	if c.Major > 0 && c.Major < 8 {
		granule = 256
	}
	return ceilDiv(shared+c.SharedReserved, granule) * granule
}

// registersFor is how many registers a thread may take in a group of so many.
func registersFor(c *Caps, threads uint64) int {
	warps := max(1, (threads+warpSize-1)/warpSize)
	perWarp := uint64(max(0, c.RegsGroup)) / ((warps + files - 1) / files * files) / registerBy * registerBy
	return min(c.RegsMax, int(perWarp/warpSize))
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

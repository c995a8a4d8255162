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
		if perWarp := ceilDiv(warpSize*regs, registerBy) * registerBy; perWarp > 0 {
			bound(files*(c.RegsUnit/files/perWarp)/warps, "registers")
		}
	}
	granule := 128
	if c.Major > 0 && c.Major < 8 {
		granule = 256
	}
	if taken := ceilDiv(shared+c.SharedReserved, granule) * granule; taken > 0 {
		bound(c.SharedPerUnit/taken, "shared")
	}
	o.TenThousand = o.Groups * warps * 10000 / (c.MaxThreadsPerUnit / warpSize)
	o.Cooperative = o.Groups * c.Units
	return o
}

// registersFor is how many registers a thread may take in a group of so many.
func registersFor(c *Caps, threads uint64) int {
	warps := max(1, (threads+warpSize-1)/warpSize)
	perWarp := uint64(max(0, c.RegsGroup)) / ((warps + files - 1) / files * files) / registerBy * registerBy
	return min(c.RegsMax, int(perWarp/warpSize))
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

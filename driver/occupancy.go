package driver

// Occupancy says how many groups of a kernel run at once.
type Occupancy struct {
	Groups      int    // on one unit; 0 if the kernel cannot run
	Limit       string // what bounds it: "groups", "warps", "registers", "shared", or why it cannot run
	TenThousand int    // share of the unit's warps in use, in 1/10000
	Cooperative int    // groups that are resident together on the whole device
}

// Occupy computes the occupancy of groups of the given size that take regs registers a
// thread and shared bytes a group. On hardware the driver's own answer is the authority; this
// is the model used without hardware, and the same arithmetic.
func Occupy(c *Caps, regs, shared, threads int) Occupancy {
	const warp = 32
	if threads < 1 || threads > c.MaxThreadsPerGroup {
		return Occupancy{Limit: "threads"}
	}
	if shared > c.SharedOptin {
		return Occupancy{Limit: "shared"}
	}
	warps := ceilDiv(threads, warp)
	o := Occupancy{Groups: c.MaxGroupsPerUnit, Limit: "groups"}
	bound := func(n int, what string) {
		if n < o.Groups {
			o.Groups, o.Limit = n, what
		}
	}
	bound(c.MaxThreadsPerUnit/warp/warps, "warps")
	if c.RegsUnit > 0 {
		// Registers are handed out to warps in units of 256, from four files; every file
		// serves a quarter of the warps.
		perWarp := ceilDiv(warp*regs, 256) * 256
		if regs > c.RegsMax || perWarp*ceilDiv(warps, 4)*4 > c.RegsGroup {
			return Occupancy{Limit: "registers"}
		}
		if perWarp > 0 {
			bound(4*(c.RegsUnit/4/perWarp)/warps, "registers")
		}
	}
	granule := 128
	if c.Major > 0 && c.Major < 8 {
		granule = 256
	}
	if taken := ceilDiv(shared+c.SharedReserved, granule) * granule; taken > 0 {
		bound(c.SharedPerUnit/taken, "shared")
	}
	o.TenThousand = o.Groups * warps * 10000 / (c.MaxThreadsPerUnit / warp)
	o.Cooperative = o.Groups * c.Units
	return o
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

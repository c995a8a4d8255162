package gpu

// Thread is the handle of one invocation: its ids, and the point of access to what
// it shares with others. It is a small value; a kernel receives it as its first
// parameter and passes it on to helpers. It must not leave the invocation it belongs to.
type Thread struct{ inv *invocation }

// Local returns the id of the invocation in its group; each axis is below GroupSize.
func (t Thread) Local() Vec3 { return t.inv.local }

// Group returns the id of the group in the grid; each axis is below Groups.
func (t Thread) Group() Vec3 { return t.inv.group.id }

// GroupSize returns the number of invocations of a group along each axis.
func (t Thread) GroupSize() Vec3 { return t.inv.group.run.size }

// Groups returns the number of groups of the grid along each axis.
func (t Thread) Groups() Vec3 { return t.inv.group.run.groups }

// Global returns the id of the invocation in the grid: Group times GroupSize plus Local.
// No axis wraps, since a launch has at most 2³² invocations along an axis.
func (t Thread) Global() Vec3 {
	g, s, l := t.inv.group.id, t.inv.group.run.size, t.inv.local
	return Vec3{g.X*s.X + l.X, g.Y*s.Y + l.Y, g.Z*s.Z + l.Z}
}

// GlobalIndex returns the linear id of the invocation in the grid, x fastest, modulo 2⁶⁴.
func (t Thread) GlobalIndex() uint64 {
	r, g := t.inv.group.run, t.Global()
	x := uint64(r.groups.X) * uint64(r.size.X)
	y := uint64(r.groups.Y) * uint64(r.size.Y)
	return uint64(g.X) + x*(uint64(g.Y)+y*uint64(g.Z))
}

// LocalIndex returns the linear id of the invocation in its group, x fastest.
func (t Thread) LocalIndex() uint32 { return t.inv.linear }

// Lane returns the position of the invocation in its warp: LocalIndex modulo 32.
func (t Thread) Lane() uint32 { return t.inv.lane() }

// Warp returns the number of the warp in its group: LocalIndex divided by 32.
func (t Thread) Warp() uint32 { return t.inv.linear / warpSize }

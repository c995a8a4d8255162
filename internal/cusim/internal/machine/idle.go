package machine

import "slices"

// A cooperative launch of large groups on a large device takes a hundred MiB for what its warps know, and a device has the
// kernels of many programs loaded: those that were launched last keep what their next launch needs.

// idle is what launches that have ended keep.
type idle struct {
	list  []*Execution // one of a kernel at most, the oldest first
	bytes int
}

// mostIdle bounds what is kept, unless the last launch alone takes more.
const mostIdle = 256 << 20

// keep keeps a launch that has ended for its kernel's next one, and drops the oldest ones that there is no room for.
func (i *idle) keep(e *Execution) {
	if e.k.idle != nil { // of another shape
		i.drop(e.k.idle)
	}
	e.k.idle = e
	i.list = append(i.list, e)
	for i.bytes += e.bytes(); i.bytes > mostIdle && len(i.list) > 1; {
		i.drop(i.list[0])
	}
}

// drop takes a launch out of what is kept.
func (i *idle) drop(e *Execution) {
	at := len(i.list) - 1
	for i.list[at] != e { // it is mostly the last one
		at--
	}
	i.list = slices.Delete(i.list, at, at+1)
	i.bytes -= e.bytes()
	e.k.idle = nil
}

// bytes is what the groups of a launch that has ended take.
func (e *Execution) bytes() int {
	const ofSlot, ofLocal = 32*8 + 4, 2 * 32 // values and which are defined; bytes and which are known
	warps := int(e.threads+31) / 32
	return len(e.spare) * (warps*(ofSlot*e.k.own+ofLocal*e.k.local) + 2*(e.k.extern+e.l.Shared))
}

package gpu

import (
	"fmt"
	"runtime"
	"strings"
)

// site is a call of a barrier or subgroup op in the kernel.
type site struct {
	op    string
	pc    uintptr
	first uint32 // groups that meet there; 0 if it is not about the first ones
}

// callSite returns the position from which the public function was called that called its caller.
func callSite() uintptr {
	var pc [1]uintptr
	runtime.Callers(4, pc[:]) // past Callers, callSite, its caller, the public function
	return pc[0]
}

// same reports whether two sites are one place in the source. The compiler may have made
// several calls of it, by inlining the function around it, so the line decides.
func (s site) same(o site) bool {
	return s.first == o.first && (s.pc == o.pc || s.op == o.op && position(s.pc) == position(o.pc))
}

func (s site) String() string { return s.op + " at " + position(s.pc) }

func position(pc uintptr) string {
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// census counts invocations by what they do.
type census struct {
	total int
	order []string
	count map[string]int
	first map[string]string
}

func (c *census) add(i *invocation, withGroup bool) {
	c.total++
	what := "returned"
	if !i.returned.Load() {
		what = "wait in " + i.at.String()
	}
	if c.count == nil {
		c.count, c.first = map[string]int{}, map[string]string{}
	}
	if c.count[what]++; c.count[what] == 1 {
		c.order = append(c.order, what)
		c.first[what] = "local " + coords(i.local)
		if withGroup {
			c.first[what] = "group " + coords(i.group.id) + " " + c.first[what]
		}
	}
}

func (c *census) String() string {
	var b strings.Builder
	for _, what := range c.order {
		fmt.Fprintf(&b, "\n\t%d of %d %s, first %s", c.count[what], c.total, what, c.first[what])
	}
	return b.String()
}

// misuse describes a group in which nobody can go on.
func (g *group) misuse() error {
	g.settle()
	var c census
	for l := range g.inv {
		c.add(&g.inv[l], false)
	}
	return fmt.Errorf("gpu: group %s: its invocations do not all reach the same barrier or subgroup op:%v", coords(g.id), &c)
}

// misuse describes a grid in which no group can go on.
func (r *run) misuse() error {
	var c census
	for _, g := range r.grid.groups {
		g.settle()
		for l := range g.inv {
			c.add(&g.inv[l], true)
		}
	}
	what := "the groups of the grid do not all reach the same grid barrier"
	if len(r.grid.firsts) > 0 {
		what = "the first groups of the grid do not all reach the same barrier"
	}
	return fmt.Errorf("gpu: %s:%v", what, &c)
}

// settle makes what the waiting members wrote before they waited visible to the caller.
func (g *group) settle() {
	g.all.mu.Lock()
	g.all.mu.Unlock() //lint:ignore SA2001 taking the lock is what orders the writes
	for w := range g.warps {
		g.warps[w].mu.Lock()
		g.warps[w].mu.Unlock() //lint:ignore SA2001 as above
	}
}

// coords is the form in which ids appear in messages.
func coords(v Vec3) string { return fmt.Sprintf("(%d,%d,%d)", v.X, v.Y, v.Z) }

// kernelPanic is what Run panics with when an invocation has panicked. It unwraps to the
// value of that panic if that is an error.
type kernelPanic struct {
	group, local Vec3
	value        any
	stack        []byte // of the invocation: by the time Run panics its goroutine is gone
}

func (p *kernelPanic) Error() string {
	return fmt.Sprintf("gpu: group %s local %s: %v\n\n%s", coords(p.group), coords(p.local), p.value, p.stack)
}

func (p *kernelPanic) Unwrap() error {
	err, _ := p.value.(error)
	return err
}

package launch

import (
	"fmt"
	"unsafe"

	"github.com/govyre/vyre/ir"
)

// Contract is what a program demands of its launches.
type Contract struct {
	kernel string
	params []ir.Param
	size   [3]uint32 // of a group
	rest   *ir.Array // the shared array whose length comes with the launch, nil if there is none
}

// ContractOf returns the contract of a sealed program.
func ContractOf(p *ir.Program) Contract {
	c := Contract{kernel: p.Name(), params: p.Params(), size: p.Workgroup()}
	arrays := p.Arrays()
	for i := range arrays {
		if arrays[i].Len == ir.RestLen {
			c.rest = &arrays[i]
		}
	}
	return c
}

// refuse makes the error of a launch that breaks the contract.
func (c *Contract) refuse(param, fix, format string, args ...any) error {
	return &ContractError{Kernel: c.kernel, Param: param, Msg: fmt.Sprintf(format, args...), Fix: fix}
}

// Check holds a launch against the contract; the error is a *ContractError.
func (c *Contract) Check(l *Launch) error {
	if err := c.checkGrid(l.Grid); err != nil {
		return err
	}
	if len(l.Args) != len(c.params) {
		return c.refuse("", "", "%d arguments for %d parameters", len(l.Args), len(c.params))
	}
	for i := range c.params {
		if err := c.checkArg(&c.params[i], &l.Args[i]); err != nil {
			return err
		}
	}
	for i := range c.params {
		for j := range i {
			if overlap(&c.params[i], &c.params[j], l.Args[i].Mem, l.Args[j].Mem) {
				return c.refuse(c.params[i].Name, "give each its own memory",
					"the memory of %s overlaps that of %s, and not both are read-only", c.params[i].Name, c.params[j].Name)
			}
		}
	}
	return c.checkRest(l.Rest)
}

// maxGroups are the largest group counts along an axis, of every device.
var maxGroups = [3]uint32{1<<31 - 1, 65535, 65535}

func (c *Contract) checkGrid(grid [3]uint32) error {
	for axis, n := range grid {
		if n > maxGroups[axis] {
			return c.refuse("", "put the long axis on x", "grid %d×%d×%d exceeds %d groups on axis %c",
				grid[0], grid[1], grid[2], maxGroups[axis], 'x'+rune(axis))
		}
		if total := uint64(n) * uint64(c.size[axis]); total > 1<<32 {
			return c.refuse("", "", "%d groups of %d are %d invocations on axis %c, more than 2³²", n, c.size[axis], total, 'x'+rune(axis))
		}
	}
	return nil
}

func (c *Contract) checkArg(p *ir.Param, a *Arg) error {
	if !p.IsBuffer() {
		t := p.Type.Value()
		if wrapped := widen(p.Type, a.Bits); a.Mem != nil || wrapped != a.Bits {
			return c.refuse(p.Name, "", "bits %#x for scalar %s are not a %s widened to %s", a.Bits, p.Name, p.Type, t)
		}
		return nil
	}
	size := uint64(p.Bytes())
	align := size
	if p.Record != nil {
		align = 1 << p.Record.Align
	}
	n := uint64(len(a.Mem))
	switch {
	case n%size != 0:
		return c.refuse(p.Name, "", "%d bytes for buffer %s are not a multiple of %d, the bytes of a %s", n, p.Name, size, p.ElemName())
	case n/size > p.MaxLen:
		return c.refuse(p.Name, "declare a larger bound", "%d elements for buffer %s, its bound is %d", n/size, p.Name, p.MaxLen)
	case n > 0 && uintptr(unsafe.Pointer(&a.Mem[0]))%uintptr(align) != 0:
		// Elements are accessed by loads and stores of their width. What the program may
		// assume beyond that, for vectors, matters to hardware only.
		return c.refuse(p.Name, "start it at an element's multiple", "buffer %s starts at an address that is not a multiple of %d", p.Name, align)
	}
	return nil
}

// checkRest checks the length of the shared array whose length comes with the launch.
func (c *Contract) checkRest(n int) error {
	switch {
	case n < 0:
		return c.refuse("", "", "%d elements for the rest of shared memory", n)
	case n > 0 && c.rest == nil:
		return c.refuse("", "leave Rest at 0", "%d elements for a shared array that the program does not have", n)
	case c.rest != nil && uint64(n) > 1<<31/uint64(c.rest.Type.Size()):
		return c.refuse(c.rest.Name, "", "%d elements for shared array %s, more than 2 GiB", n, c.rest.Name)
	}
	return nil
}

// widen keeps the low bits of a value of element type t and extends them as a load does.
func widen(t ir.Type, v uint64) uint64 { return t.Extend(v & t.Mask()) }

func overlap(p, q *ir.Param, a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 || p.Access == ir.RO && q.Access == ir.RO {
		return false
	}
	x, y := uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&b[0]))
	return x < y+uintptr(len(b)) && y < x+uintptr(len(a))
}

package machine

import (
	"encoding/binary"
	"math/bits"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// access is how an instruction gets at memory.
type access struct {
	space  asm.Space
	base   int32 // slot of the address, or −1: the address is a constant
	off    uint64
	bytes  int // of an element
	vec    int
	narrow bool    // the address has 32 bits
	slots  []int32 // of the elements' registers
	wide   []int   // their widths, to which signed elements extend; 0: as they are
	nc     bool
	order  ordering
}

// place fills in where an address operand leads.
func (dec *decoder) place(x *access, src *asm.Inst, o *asm.Operand) {
	x.space, x.base, x.off = src.Space(), -1, o.Bits
	switch {
	case o.Reg != asm.NoReg:
		x.base = dec.slot[o.Reg]
		x.narrow = dec.k.Regs[o.Reg].Type.Bits() == 32
	case o.Var != nil:
		x.off = dec.symbol(o)
		if o.Var.Passed {
			x.space = asm.Local
		}
	}
	x.bytes, x.vec, x.order = src.Type.Bytes(), src.Vec(), orderingOf(src)
}

func (dec *decoder) access(in *inst, src *asm.Inst) {
	x := &access{nc: src.Has("nc")}
	value, place := &src.Args[0], &src.Args[1]
	if src.Op == "st" {
		value, place = place, value
	}
	dec.place(x, src, place)
	list := []asm.Operand{*value}
	if value.Kind == asm.IsVec {
		list = value.Vec
	}
	for i := range list {
		wide := 0
		if src.Type.Signed() {
			wide = dec.width(&list[i], src.Type)
		}
		x.wide = append(x.wide, wide)
		if src.Op == "st" {
			x.slots = append(x.slots, dec.value(&list[i]))
		} else {
			x.slots = append(x.slots, dec.dest(&list[i]))
		}
	}
	in.x = x
	if in.run = runLoad; src.Op == "st" {
		in.run = runStore
	}
	if x.space == asm.Param {
		in.run = runParam
	}
}

// address is where lane l accesses memory.
func (w *warp) address(x *access, l int) uint64 {
	if x.base < 0 {
		return x.off
	}
	a := w.at(x.base)[l] + x.off
	if x.narrow {
		a &= maskOf(32)
	}
	return a
}

// cell is bytes of memory.
type cell struct {
	data  []byte
	known []byte      // 1 for every byte that has been written; nil: all have
	of    *allocation // of global memory
	at    int         // where it lies in that or in the group's shared memory
	local bool
}

// mark notes that the bytes were written.
func (c cell) mark() {
	if c.known == nil {
		return
	}
	for i, k := range c.known {
		if k != 0 {
			continue
		}
		c.known[i] = 1
		if c.of != nil {
			c.of.unknown--
		}
	}
	if c.of != nil && c.of.unknown == 0 {
		c.of.written = nil
	}
}

// memory returns the n bytes that lane l accesses.
func (w *warp) memory(in *inst, x *access, l int, n int) cell {
	addr := w.address(x, l)
	if addr&uint64(n-1) != 0 {
		w.fault(Misaligned, in, 1<<l, "address %#x is not a multiple of %d", addr, n)
	}
	space := x.space
	if space == asm.Generic {
		switch {
		case addr-sharedWindow < windowBytes:
			space, addr = asm.Shared, addr-sharedWindow
		case addr-localWindow < windowBytes:
			space, addr = asm.Local, addr-localWindow
		}
	}
	switch space {
	case asm.Shared:
		s := w.g.shared
		at := addr - sharedBase
		if at >= uint64(len(s)) || at+uint64(n) > uint64(len(s)) {
			w.fault(IllegalAddress, in, 1<<l, "%d bytes at shared address %#x: shared memory has %d bytes from %#x", n, addr, len(s), sharedBase)
		}
		return cell{data: s[at : at+uint64(n)], known: w.g.known[at : at+uint64(n)], at: int(at)}
	case asm.Local:
		size := uint64(w.k.local)
		at := addr - localBase
		if at >= size || at+uint64(n) > size {
			w.fault(IllegalAddress, in, 1<<l, "%d bytes at local address %#x: an invocation has %d bytes from %#x", n, addr, size, localBase)
		}
		at += uint64(l) * size
		return cell{data: w.local[at : at+uint64(n)], known: w.known[at : at+uint64(n)], local: true}
	}
	a := w.g.m.last
	if a == nil || a.freed || !a.holds(addr, n) {
		if a = w.k.mem.find(addr); a == nil || a.freed || !a.holds(addr, n) {
			w.fault(IllegalAddress, in, 1<<l, "%d bytes at %#x: %s", n, addr, w.k.mem.around(addr, n))
		}
		if w.g.m.last = a; a.host || w.g.m.races != nil {
			w.g.m.last = nil // no short way to it
		}
		if a.host { // whom nobody sees changing it
			w.k.mem.changes++
		}
	}
	at := addr - a.base
	c := cell{data: a.data[at : at+uint64(n)], of: a, at: int(at)}
	if a.written != nil {
		c.known = a.written[at : at+uint64(n)]
	}
	return c
}

// near returns the element that lane l accesses if it lies in the allocation that was accessed last and there
// is nothing to note about it; else nil. It is memory for the access that most are.
func (w *warp) near(x *access, l int) []byte {
	a := w.g.m.last
	if a == nil || a.written != nil || x.space != asm.Global || x.vec > 1 || x.base < 0 {
		return nil
	}
	at := w.at(x.base)[l] + x.off - a.base
	if at&uint64(x.bytes-1) != 0 || at >= uint64(len(a.data)) || at+uint64(x.bytes) > uint64(len(a.data)) {
		return nil
	}
	return a.data[at : at+uint64(x.bytes)]
}

// element reads an element of memory.
func element(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func setElement(b []byte, v uint64) {
	switch len(b) {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// everyByte is an element of marks that all say "written".
func everyByte(n int) uint64 { return 0x0101_0101_0101_0101 & maskOf(8*n) }

func runLoad(w *warp, in *inst, m uint32) {
	x := in.x.(*access)
	if x.base >= 0 {
		w.needs(in, x.base, m, "address")
	}
	n := x.bytes
	for rest := m; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest) & 31
		if at := w.near(x, l); at != nil && x.slots[0] >= 0 && x.wide[0] == 0 {
			w.at(x.slots[0])[l] = element(at)
			continue
		}
		c := w.memory(in, x, l, n*x.vec)
		if r := w.g.m.races; r != nil && !c.local {
			r.access(w, in, x, l, n*x.vec, c, false, false)
		}
		for i, s := range x.slots {
			if c.known != nil && !w.k.carries && element(c.known[i*n:i*n+n]) != everyByte(n) {
				w.found(UndefinedMemory, in, 1<<l, "nothing wrote the %d bytes at %#x", n, w.address(x, l)+uint64(i*n))
			}
			if s < 0 {
				continue
			}
			v := element(c.data[i*n : i*n+n])
			if wide := x.wide[i]; wide != 0 {
				v = uint64(signExtended(v, 8*n)) & maskOf(wide)
			}
			w.at(s)[l] = v
		}
	}
	for _, s := range x.slots {
		if s >= 0 {
			w.defined(s, m, all)
		}
	}
}

func runStore(w *warp, in *inst, m uint32) {
	x := in.x.(*access)
	if x.base >= 0 {
		w.needs(in, x.base, m, "address")
	}
	for _, s := range x.slots {
		w.needs(in, s, m, "stored value")
	}
	w.k.mem.changes++
	n := x.bytes
	for rest := m; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest) & 31
		if at := w.near(x, l); at != nil {
			setElement(at, w.at(x.slots[0])[l])
			continue
		}
		c := w.memory(in, x, l, n*x.vec)
		changes := false
		for i, s := range x.slots {
			to := c.data[i*n : i*n+n]
			changes = changes || element(to) != w.at(s)[l]&maskOf(8*n)
			setElement(to, w.at(s)[l])
		}
		if r := w.g.m.races; r != nil && !c.local {
			r.access(w, in, x, l, n*x.vec, c, true, changes)
		}
		c.mark()
	}
}

// runParam reads parameters, which are the same for every lane unless its address is not.
func runParam(w *warp, in *inst, m uint32) {
	x := in.x.(*access)
	if x.base < 0 {
		w.param(in, x, m, x.off)
	} else {
		w.needs(in, x.base, m, "address")
		for rest := m; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			w.param(in, x, 1<<l, w.address(x, l))
		}
	}
	for _, s := range x.slots {
		if s >= 0 {
			w.defined(s, m, all)
		}
	}
}

// param reads parameters at off for the lanes in m.
func (w *warp) param(in *inst, x *access, m uint32, off uint64) {
	n, params := x.bytes, w.g.m.l.Params
	at := int(off)
	if off > uint64(len(params)) || at+n*x.vec > len(params) || at%(n*x.vec) != 0 {
		w.fault(IllegalAddress, in, m, "%d bytes at %d of the parameters, which have %d", n*x.vec, int64(off), len(params))
	}
	for i, s := range x.slots {
		if s < 0 {
			continue
		}
		v := element(params[at+i*n : at+i*n+n])
		if wide := x.wide[i]; wide != 0 {
			v = uint64(signExtended(v, 8*n)) & maskOf(wide)
		}
		for rest := m; rest != 0; rest &= rest - 1 {
			w.at(s)[bits.TrailingZeros32(rest)&31] = v
		}
	}
}

package interp

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/ir"
)

// Kernel is a program decoded for the interpreter. It is immutable and may be shared
// between goroutines; every Run takes its state from a pool that the Kernel keeps.
type Kernel struct {
	p        *ir.Program
	contract launch.Contract
	shape    *shape
	code     []instr
	slots    int32    // of a warp
	depth    int32    // deepest structured op
	bank     []ir.Row // rows whose values are known before the first group starts
	slotOf   []int32  // by row

	objs      []object
	buffers   int    // objects before it are buffer parameters
	shared    uint64 // bytes of the shared arrays of known length
	rest      int    // object whose length comes with the launch, or −1
	locals    uint64 // bytes of the local arrays of a warp
	warps     int    // of a group
	size      [3]uint32
	groupSize int
	localID   [3][]lanes // by axis and warp
	rules     *rules

	products bool // has matrix products

	stale  []bool // by object: it is read by loads that may be stale; nil if none is
	firsts bool   // has barriers of first groups

	states sync.Pool // of *flight
}

// object is what the engine has to know about a buffer or an array.
type object struct {
	ir.ObjectInfo
	elem ir.Type
	size uint64 // bytes of an element
	len  uint64 // elements of an array; of a buffer: the largest that it can have
	at   uint64 // offset in the group's shared memory, or in the warp's local memory

	table []uint64 // contents of a table, in words so that its elements are aligned
}

// Prepare decodes a program once, for any number of launches.
func Prepare(p *ir.Program) (*Kernel, error) { return prepare(p, &standard, true) }

// prepare decodes p under rules. Unless share is set, every value has a slot of its own.
func prepare(p *ir.Program, rules *rules, share bool) (*Kernel, error) {
	if one := uint16(1); *(*byte)(unsafe.Pointer(&one)) != 1 { // the order of bytes is asked of the host
		return nil, errors.New("the interpreter reads buffers in place and needs a little-endian host")
	}
	if p == nil || p.Rows() == 0 {
		return nil, errors.New("no program to prepare; fix: pass one that was sealed")
	}
	k := &Kernel{p: p, contract: launch.ContractOf(p), rules: rules, shape: newShape(p), size: p.Workgroup(), groupSize: p.GroupSize(), stale: staleObjects(p),
		firsts: len(p.FirstGroups()) > 0}
	k.warps = (k.groupSize + 31) / 32
	if k.groupSize == 0 || k.warps > 32 {
		return nil, fmt.Errorf("kernel %s: a workgroup of %d invocations; the limit is 1024", p.Name(), k.groupSize)
	}
	k.layOut()
	k.numberInvocations()
	decode(k, share)
	return k, nil
}

// Program returns the program that k was prepared from.
func (k *Kernel) Program() *ir.Program { return k.p }

// layOut places shared and local arrays, each aligned to 16 bytes, and copies tables to where they are aligned.
func (k *Kernel) layOut() {
	k.rest = -1
	for i, o := range k.p.Objects() {
		ob := object{ObjectInfo: o, elem: o.Type(), size: uint64(o.Type().Size())}
		switch {
		case o.Param != nil:
			ob.len = o.MaxLen()
			k.buffers = i + 1
		case o.Array.Len == ir.RestLen:
			k.shared = align16(k.shared)
			ob.at = k.shared
			k.rest = i
		case o.Array.Shared:
			ob.len, ob.at = o.Array.Len, align16(k.shared)
			k.shared = ob.at + ob.len*ob.size
		case o.Table():
			ob.len, ob.table = o.Array.Len, make([]uint64, align16(uint64(len(o.Array.Table)))/8)
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&ob.table[0])), len(o.Array.Table)), o.Array.Table)
		default:
			ob.len, ob.at = o.Array.Len, align16(k.locals)
			k.locals = ob.at + 32*ob.len*ob.size
		}
		k.objs = append(k.objs, ob)
	}
}

func align16(n uint64) uint64 { return (n + 15) &^ 15 }

// numberInvocations tabulates the local ids, which every group has in common.
func (k *Kernel) numberInvocations() {
	for axis := range k.localID {
		k.localID[axis] = make([]lanes, k.warps)
	}
	for l := range k.warps * 32 {
		id := launch.Local(uint32(l), k.size)
		for axis := range id {
			k.localID[axis][l/32][l%32] = uint64(id[axis])
		}
	}
}

// lanesOf returns the mask of the lanes that exist in warp w of a group.
func (k *Kernel) lanesOf(w int) uint32 {
	if n := k.groupSize - 32*w; n < 32 {
		return 1<<n - 1
	}
	return ^uint32(0)
}

package build

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/finding"
)

// access emits an op on an object.
func (b *Builder) access(op ir.Op, o ir.Object, f ir.Flags, in ...Value) Value {
	t, ok := b.elem(o)
	if !ok || !b.ok(in...) {
		return noValue
	}
	info := op.Info()
	val := t.Value() | info.Vec
	if info.Vec != 0 && !val.Valid() {
		return b.fail("VY111", "the vector of "+op.String(), val, "is wider than 16 bytes")
	}
	if !b.want(op, val, b.objectName(o), in...) {
		return noValue
	}
	res := ir.None
	if info.Result.Kind == ir.ResultElem {
		res = val
	}
	v := b.emit(op, res, uint32(o), in...)
	b.flags[v] = f
	return v
}

// objectName names an object that exists.
func (b *Builder) objectName(o ir.Object) string {
	if ob := b.objs[o]; ob.array {
		return b.arrays[ob.index].Name
	} else {
		return b.params[ob.index].Name
	}
}

// Load reads element i of an object; zero out of bounds.
func (b *Builder) Load(o ir.Object, i Value) Value { return b.access(ir.OpLoad, o, 0, i) }

// Store writes element i of an object; nothing out of bounds.
func (b *Builder) Store(o ir.Object, i, v Value) { b.access(ir.OpStore, o, 0, i, v) }

// LoadVec reads the n elements from n·i on, n being 2 or 4.
func (b *Builder) LoadVec(o ir.Object, i Value, n int) Value {
	switch n {
	case 2:
		return b.access(ir.OpLoadV2, o, 0, i)
	case 4:
		return b.access(ir.OpLoadV4, o, 0, i)
	}
	return b.fail("VY111", "the vector of load", finding.Plural(n, "element"), "is neither 2 nor 4")
}

// StoreVec writes a vector to the elements from n·i on.
func (b *Builder) StoreVec(o ir.Object, i, v Value) {
	switch {
	case !b.ok(v):
	case b.Type(v).Lanes() == 2:
		b.access(ir.OpStoreV2, o, 0, i, v)
	case b.Type(v).Lanes() == 4:
		b.access(ir.OpStoreV4, o, 0, i, v)
	default:
		b.fail("VY111", "the vector of store", b.Type(v), "is no vector")
	}
}

// Vec makes a vector of two or four values of one type.
func (b *Builder) Vec(vals ...Value) Value {
	if !b.ok(vals...) {
		return noValue
	}
	if len(vals) != 2 && len(vals) != 4 {
		return b.fail("VY111", "the result of vec", finding.Plural(len(vals), "element"), "is neither 2 nor 4")
	}
	t := b.Type(vals[0])
	for _, v := range vals {
		if b.Type(v) != t {
			return b.fail("VY102", "vec", t, b.Type(v))
		}
	}
	vt := t | ir.V2
	if len(vals) == 4 {
		vt = t | ir.V4
	}
	if !vt.Valid() {
		return b.fail("VY111", "the result of vec", fmt.Sprintf("%d of %s", len(vals), t), "is wider than 16 bytes, or of no scalars")
	}
	return b.emitList(ir.OpVec, vt, 0, vals)
}

// Elem takes lane k of a vector.
func (b *Builder) Elem(v Value, k uint32) Value {
	if !b.ok(v) {
		return noValue
	}
	t := b.Type(v)
	if !t.IsVector() || int(k) >= t.Lanes() {
		return b.fail("VY109", "element", "elem", fmt.Sprint(k), "that of a vector which has it; this is "+t.String())
	}
	return b.emit(ir.OpElem, t.Elem(), k, v)
}

// Prefetch asks for element i of a buffer to be brought near.
func (b *Builder) Prefetch(o ir.Object, i Value) { b.access(ir.OpPrefetch, o, 0, i) }

// CopyAsync copies bytes, 4, 8 or 16, from a buffer to a shared array, to arrive at any time before a wait for its batch returns. The
// indices count as many bytes. What the buffer does not have arrives as zero; what the array does not have is dropped.
func (b *Builder) CopyAsync(dst ir.Object, i Value, src ir.Object, j Value, bytes int) {
	if bytes != 4 && bytes != 8 && bytes != 16 {
		b.fail("VY109", "number of bytes", "copy_async", fmt.Sprint(bytes), "4, 8 or 16")
		return
	}
	op := ir.OpCopyAsync4 + ir.Op(bytes>>3)
	_, has := b.elem(dst)
	_, have := b.elem(src)
	if has && have && b.want(op, ir.None, b.objectName(dst), i, j) {
		b.emit(op, ir.None, ir.MakeCopy(dst, src), i, j)
	}
}

// CopyCommit closes the batch of the copies since the last one.
func (b *Builder) CopyCommit() { b.emit(ir.OpCopyCommit, ir.None, 0) }

// CopyWait waits until at most n batches of this invocation are pending, the youngest ones.
func (b *Builder) CopyWait(n uint32) { b.emit(ir.OpCopyWait, ir.None, n) }

// Hint gives the load or store just emitted a cache hint.
func (b *Builder) Hint(h ir.Hint) {
	if n := len(b.op) - 1; n >= 0 && b.op[n].Info().Attr&ir.Hinted != 0 {
		b.flags[n] = b.flags[n].WithHint(h)
	}
}

// Checked says of the load or store just emitted that it may be out of bounds, and is meant to be checked.
func (b *Builder) Checked() {
	if n := len(b.op) - 1; n >= 0 && b.op[n].Info().Attr&ir.Hinted != 0 {
		b.flags[n] |= ir.Checked
	}
}

// Unroll gives the loop of l the hint to unroll n times.
func (b *Builder) Unroll(l Label, n int) {
	op := b.scopes[l.scope].op
	b.flags[op] = b.flags[op].WithUnroll(n)
}

// Atomic emits an atomic op on element i of an object and returns the old value, if
// the op has one.
func (b *Builder) Atomic(op ir.Op, o ir.Object, order ir.Order, scope ir.Scope, i Value, vals ...Value) Value {
	info := op.Info()
	if info == nil || info.Attr&ir.Atomic == 0 {
		return b.fail("VY006", op, "an order and a scope", "none")
	}
	if info.Orders>>order&1 == 0 {
		return b.fail("VY302", op, order, finding.Orders(info.Orders))
	}
	return b.access(op, o, ir.MakeFlags(order, scope), append([]Value{i}, vals...)...)
}

// AtomicAdd adds v to element i and returns the old value.
func (b *Builder) AtomicAdd(o ir.Object, i, v Value, order ir.Order, scope ir.Scope) Value {
	return b.Atomic(ir.OpAtomicAdd, o, order, scope, i, v)
}

// AtomicCas puts new where expected stands and returns what was there.
func (b *Builder) AtomicCas(o ir.Object, i, expected, new Value, order ir.Order, scope ir.Scope) Value {
	return b.Atomic(ir.OpAtomicCas, o, order, scope, i, expected, new)
}

// LoadStale reads element i of a buffer, or what it held before: some value that it had since the last barrier that
// orders the access after a write of it.
func (b *Builder) LoadStale(o ir.Object, i Value) Value { return b.access(ir.OpLoadStale, o, 0, i) }

// Fence orders the accesses of this invocation.
func (b *Builder) Fence(order ir.Order, scope ir.Scope) {
	if ir.OpFence.Info().Orders>>order&1 == 0 {
		b.fail("VY302", ir.OpFence, order, finding.Orders(ir.OpFence.Info().Orders))
		return
	}
	v := b.emit(ir.OpFence, ir.None, 0)
	b.flags[v] = ir.MakeFlags(order, scope)
}

// WarpBarrier waits for the lanes of the warp.
func (b *Builder) WarpBarrier() { b.emit(ir.OpBarrierWarp, ir.None, 0) }

// Barrier waits for the workgroup.
func (b *Builder) Barrier() { b.emit(ir.OpBarrierWG, ir.None, 0) }

// GridBarrier waits for the grid and makes the launch cooperative.
func (b *Builder) GridBarrier() { b.emit(ir.OpBarrierGrid, ir.None, 0) }

// Trap records {code, v} and fails the launch where cond holds; the invocation goes on.
func (b *Builder) Trap(cond, v Value, code uint32, msg string) {
	if !b.want(ir.OpTrap, ir.None, "", cond, v) {
		return
	}
	b.message(b.emit(ir.OpTrap, ir.None, code, cond, v), msg)
}

// Trace appends up to three scalars to the trace of the launch.
func (b *Builder) Trace(tag uint32, msg string, vals ...Value) {
	if !b.ok(vals...) {
		return
	}
	if len(vals) > 3 {
		b.fail("VY006", ir.OpTrace, finding.Plural(len(vals), "operand"), finding.ListLengths(ir.OpTrace.Info()))
		return
	}
	b.message(b.emitList(ir.OpTrace, ir.None, tag, vals), msg)
}

func (b *Builder) message(v Value, msg string) {
	if msg == "" {
		return
	}
	if b.messages == nil {
		b.messages = make(map[Value]string)
	}
	b.messages[v] = msg
}

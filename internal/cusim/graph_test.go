package cusim_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"unsafe"

	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
)

// next takes 1 from the word at p, and lets a loop go on while it is not 0.
const loopText = `.version 6.3
.target sm_75
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry next(.param .u64 h, .param .u64 p)
{
	.reg .b32 %r<3>; .reg .b64 %rd<3>;
	ld.param.u64 %rd1, [h];
	ld.param.u64 %rd2, [p];
	ld.global.u32 %r1, [%rd2];
	sub.u32 %r1, %r1, 1;
	st.global.u32 [%rd2], %r1;
	{
		.param .b64 a; .param .b32 b;
		st.param.b64 [a+0], %rd1;
		st.param.b32 [b+0], %r1;
		call.uni cudaGraphSetConditional, (a, b);
	}
	ret;
}
`

// words are n words of device memory.
func (b *bench) words(p cu.Ptr, n int) []uint32 {
	b.Helper()
	out := make([]byte, 4*n)
	b.ok(b.MemcpyDtoHAsync(at(out), p, int64(len(out)), b.stream))
	list := make([]uint32, n)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(out[4*i:])
	}
	return list
}

// chain is a graph whose nodes run one after another.
type chain struct {
	*bench
	g    cu.Graph
	last []cu.GraphNode
}

func (b *bench) chain() *chain { return &chain{b, one(b.GraphCreate())(b), nil} }

func (c *chain) then(n cu.GraphNode, err error) cu.GraphNode {
	c.Helper()
	c.ok(err)
	c.last = []cu.GraphNode{n}
	return n
}

func (c *chain) context() cu.Context { return c.Current() }

func (c *chain) fill(p cu.Ptr, v uint32) cu.GraphNode {
	c.Helper()
	return c.then(c.GraphAddMemsetNode(c.g, c.last, &cu.Fill{Dst: p, Value: v, Width: 4, N: 1, Context: c.context()}))
}

func (c *chain) add(p cu.Ptr) cu.GraphNode {
	c.Helper()
	return c.then(c.GraphAddKernelNode(c.g, c.last, c.call("addOne", 1, 32, p, 1)))
}

func (c *chain) exec() cu.GraphExec {
	c.Helper()
	return one(c.GraphInstantiate(c.g))(c.bench)
}

func TestGraphRunsInTheOrderOfItsStream(t *testing.T) {
	for seed := range uint64(5) {
		b := open(t, cusim.Config{Seed: seed})
		p := one(b.MemAlloc(8))(b)
		host := b.pinned(4)
		host[0] = 7
		c := b.chain()
		c.then(b.GraphAddMemcpyNode(c.g, nil, &cu.Copy{Dst: p, SrcHost: at(host), Bytes: 4, Context: c.context()}))
		c.add(p)
		c.then(b.GraphAddMemcpyNode(c.g, c.last, &cu.Copy{Dst: p + 4, Src: p, Bytes: 4, Context: c.context()}))
		c.add(p)
		x := c.exec()
		b.ok(b.GraphDestroy(c.g))
		b.ok(b.GraphUpload(x, b.stream))
		b.ok(b.GraphLaunch(x, b.stream))
		b.ok(b.LaunchKernel(b.call("addOne", 1, 32, p+4, 1)))
		if got := b.words(p, 2); got[0] != 9 || got[1] != 9 {
			t.Errorf("seed %d: got %v, want [9 9]", seed, got)
		}
		b.ok(b.GraphExecDestroy(x))
	}
}

func TestNodesWaitForWhatTheyDependOn(t *testing.T) {
	for seed := range uint64(12) {
		b := open(t, cusim.Config{Seed: seed})
		p := one(b.MemAlloc(16))(b)
		c := b.chain()
		var fills []cu.GraphNode
		for i := range cu.Ptr(3) {
			c.last = nil
			fills = append(fills, c.fill(p+4*i, uint32(i)))
		}
		c.last = fills
		for i := range cu.Ptr(3) {
			c.then(b.GraphAddKernelNode(c.g, fills, b.call("addOne", 1, 32, p+4*i, 1)))
		}
		b.ok(b.GraphLaunch(c.exec(), b.stream))
		if got := b.words(p, 3); got[0] != 1 || got[1] != 2 || got[2] != 3 {
			t.Errorf("seed %d: got %v", seed, got)
		}
	}
}

func TestLaunchesOfOneExecutableDoNotOverlap(t *testing.T) {
	for seed := range uint64(8) {
		b := open(t, cusim.Config{Seed: seed})
		p := one(b.MemAlloc(4))(b)
		other := one(b.StreamCreate(0))(b)
		b.ok(b.MemsetD32Async(p, 0, 1, b.stream))
		b.ok(b.StreamSynchronize(b.stream))
		c := b.chain()
		c.add(p)
		c.add(p)
		x := c.exec()
		b.ok(b.GraphLaunch(x, other))
		b.ok(b.GraphLaunch(x, b.stream))
		b.ok(b.GraphLaunch(x, other))
		b.ok(b.StreamSynchronize(b.stream))
		b.ok(b.StreamSynchronize(other))
		if got := b.words(p, 1)[0]; got != 6 {
			t.Errorf("seed %d: got %d, want 6", seed, got)
		}
	}
}

func TestChangeIsForLaterLaunches(t *testing.T) {
	b := open(t, cusim.Config{})
	p := one(b.MemAlloc(16))(b)
	host := b.pinned(8)
	copy(host, "\x01\x00\x00\x00\x02\x00\x00\x00")
	b.ok(b.MemsetD32Async(p, 0, 4, b.stream))
	c := b.chain()
	up := c.then(b.GraphAddMemcpyNode(c.g, nil, &cu.Copy{Dst: p, SrcHost: at(host), Bytes: 4, Context: c.context()}))
	add := c.add(p)
	c.fill(p+12, 5)
	x := c.exec()
	b.ok(b.GraphLaunch(x, b.stream))
	// The launch has not run yet, and keeps what it had.
	b.ok(b.GraphExecMemcpyNodeSetParams(x, up, &cu.Copy{Dst: p + 4, SrcHost: at(host[4:]), Bytes: 4, Context: c.context()}))
	b.ok(b.GraphExecKernelNodeSetParams(x, add, b.call("addOne", 1, 32, p+8, 1)))
	b.ok(b.StreamSynchronize(b.stream))
	if got := b.words(p, 4); got[0] != 2 || got[1] != 0 || got[2] != 0 || got[3] != 5 {
		t.Errorf("the first launch left %v", got)
	}
	b.ok(b.GraphLaunch(x, b.stream))
	if got := b.words(p, 4); got[0] != 2 || got[1] != 2 || got[2] != 1 || got[3] != 5 {
		t.Errorf("the second launch left %v", got)
	}
}

func TestChangesThatNeedANewExecutableAreRefused(t *testing.T) {
	b := open(t, cusim.Config{})
	p := one(b.MemAlloc(64))(b)
	c := b.chain()
	cp := c.then(b.GraphAddMemcpyNode(c.g, nil, &cu.Copy{Dst: p, Src: p + 4, Bytes: 4, Context: c.context()}))
	add := c.add(p)
	x := c.exec()
	host := b.pinned(4)
	for name, err := range map[string]error{
		"another function": b.GraphExecKernelNodeSetParams(x, add, b.call("wait", 1, 32, p, 1)),
		"another kind":     b.GraphExecKernelNodeSetParams(x, cp, b.call("addOne", 1, 32, p, 1)),
		"another side":     b.GraphExecMemcpyNodeSetParams(x, cp, &cu.Copy{Dst: p, SrcHost: at(host), Bytes: 4, Context: c.context()}),
		"no node":          b.GraphExecKernelNodeSetParams(x, 0, b.call("addOne", 1, 32, p, 1)),
		"empty grid":       b.GraphExecKernelNodeSetParams(x, add, b.call("addOne", 0, 32, p, 1)),
	} {
		t.Run(name, func(*testing.T) { b.is(err, 1) })
	}
	b.ok(b.MemsetD32Async(p, 3, 2, b.stream))
	b.ok(b.GraphLaunch(x, b.stream))
	if got := b.words(p, 1)[0]; got != 4 {
		t.Errorf("refused changes left traces: got %d, want 4", got)
	}
}

// loop is a loop in c whose body is filled by f.
func (c *chain) loop(text string, initial uint32, f func(body *chain, h cu.Conditional)) {
	c.Helper()
	h := one(c.GraphConditionalHandleCreate(c.g, c.context(), initial, cu.CondAssignDefault))(c.bench)
	n, body, err := c.GraphAddWhileNode(c.g, c.last, h, c.context())
	c.then(n, err)
	f(&chain{c.bench, body, nil}, h)
}

// next is a launch of the loop's kernel.
func (c *chain) next(f cu.Function, h cu.Conditional, p cu.Ptr) {
	c.Helper()
	values := &[2]uint64{uint64(h), uint64(p)}
	list := &[2]unsafe.Pointer{unsafe.Pointer(&values[0]), unsafe.Pointer(&values[1])}
	c.then(c.GraphAddKernelNode(c.g, c.last, &cu.Launch{Function: f, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Params: &list[0]}))
}

func (b *bench) loader() cu.Function {
	b.Helper()
	m := one(b.ModuleLoadDataEx([]byte(loopText+"\x00"), &cu.JIT{}))(b)
	return one(b.ModuleGetFunction(m, "next"))(b)
}

func TestLoopRunsWhileItsValueIsNotZero(t *testing.T) {
	for seed := range uint64(4) {
		b := open(t, cusim.Config{Seed: seed})
		f := b.loader()
		p := one(b.MemAlloc(8))(b)
		c := b.chain()
		c.fill(p, 5)
		c.fill(p+4, 100)
		c.loop(loopText, 1, func(body *chain, h cu.Conditional) {
			body.add(p + 4)
			body.next(f, h, p)
		})
		c.add(p + 4)
		x := c.exec()
		for range 2 {
			b.ok(b.GraphLaunch(x, b.stream))
			if got := b.words(p, 2); got[0] != 0 || got[1] != 106 {
				t.Errorf("seed %d: got %v, want [0 106]", seed, got)
			}
		}
		_, err := b.GraphInstantiate(c.g)
		b.is(err, 1) // a loop is in one executable at a time
		b.ok(b.GraphExecDestroy(x))
		b.ok(b.GraphExecDestroy(c.exec()))
	}
}

func TestLoopMayNeverBegin(t *testing.T) {
	b := open(t, cusim.Config{})
	p := one(b.MemAlloc(4))(b)
	c := b.chain()
	c.fill(p, 1)
	c.loop(loopText, 0, func(body *chain, _ cu.Conditional) { body.add(p) })
	b.ok(b.GraphLaunch(c.exec(), b.stream))
	if got := b.words(p, 1)[0]; got != 1 {
		t.Errorf("got %d, want 1", got)
	}
}

func TestLoopThatNeverEndsTimesOut(t *testing.T) {
	b := open(t, cusim.Config{Budget: 1000})
	p := one(b.MemAlloc(4))(b)
	c := b.chain()
	c.loop(loopText, 1, func(body *chain, _ cu.Conditional) { body.fill(p, 1) })
	b.ok(b.GraphLaunch(c.exec(), b.stream))
	b.is(b.StreamSynchronize(b.stream), 702)
}

func TestLoopsNest(t *testing.T) {
	b := open(t, cusim.Config{})
	f := b.loader()
	p := one(b.MemAlloc(12))(b)
	c := b.chain()
	c.fill(p, 3)
	c.fill(p+8, 0)
	inner := one(b.GraphConditionalHandleCreate(c.g, c.context(), 1, cu.CondAssignDefault))(b)
	c.loop(loopText, 1, func(body *chain, h cu.Conditional) {
		body.fill(p+4, 2)
		// Its value is 0 when it has run once, so it does nothing in the rounds that follow.
		n, in, err := b.GraphAddWhileNode(body.g, body.last, inner, c.context())
		body.then(n, err)
		twice := &chain{b, in, nil}
		twice.add(p + 8)
		twice.next(f, inner, p+4)
		body.next(f, h, p)
	})
	b.ok(b.GraphLaunch(c.exec(), b.stream))
	if got := b.words(p, 3); got[0] != 0 || got[1] != 2 || got[2] != 2 {
		t.Errorf("got %v, want [0 2 2]", got)
	}
}

func TestBadGraphsAreRefused(t *testing.T) {
	b := open(t, cusim.Config{})
	f := b.loader()
	p := one(b.MemAlloc(16))(b)
	c, other := b.chain(), b.chain()
	foreign := other.add(p)
	ctx := c.context()
	own := c.add(p)
	c.last = nil
	refused := func(name string, want cu.Result, err error) {
		t.Helper()
		t.Run(name, func(*testing.T) { b.Helper(); b.is(err, want) })
	}
	_, err := b.GraphAddKernelNode(c.g, []cu.GraphNode{foreign}, b.call("addOne", 1, 32, p, 1))
	refused("a dependency in another graph", 1, err)
	_, err = b.GraphAddKernelNode(c.g, []cu.GraphNode{own, own}, b.call("addOne", 1, 32, p, 1))
	refused("a dependency twice", 1, err)
	pageable := make([]byte, 4)
	_, err = b.GraphAddMemcpyNode(c.g, nil, &cu.Copy{Dst: p, SrcHost: at(pageable), Bytes: 4, Context: ctx})
	refused("memory that is not pinned", 1, err)
	_, err = b.GraphAddMemcpyNode(c.g, nil, &cu.Copy{Dst: p, Src: p + 4, Bytes: 13, Context: ctx})
	refused("a copy across the end", 1, err)
	_, err = b.GraphAddMemcpyNode(c.g, nil, &cu.Copy{Dst: p, Src: p + 4, Bytes: 4})
	refused("no context", 1, err)
	_, err = b.GraphAddMemsetNode(c.g, nil, &cu.Fill{Dst: p, Width: 3, N: 1, Context: ctx})
	refused("a fill of three bytes", 1, err)
	h := one(b.GraphConditionalHandleCreate(c.g, ctx, 1, 0))(b)
	_, body, err := b.GraphAddWhileNode(c.g, nil, h, ctx)
	b.ok(err)
	_, _, err = b.GraphAddWhileNode(c.g, nil, h, ctx)
	refused("a handle for two nodes", 1, err)
	refused("the body of a node destroyed", 1, b.GraphDestroy(body))
	_, err = b.GraphInstantiate(body)
	refused("the body of a node alone", 1, err)
	spare := b.chain()
	unused := one(b.GraphConditionalHandleCreate(spare.g, ctx, 1, 0))(b)
	_, err = b.GraphInstantiate(spare.g)
	refused("a value without a node", 1, err)
	_, _, err = b.GraphAddWhileNode(other.g, nil, unused, ctx)
	refused("a loop with the value of another graph", 1, err)
	_, body, err = b.GraphAddWhileNode(spare.g, nil, unused, ctx)
	b.ok(err)
	inner := one(b.GraphConditionalHandleCreate(body, ctx, 1, 0))(b)
	_, _, err = b.GraphAddWhileNode(spare.g, nil, inner, ctx)
	refused("a loop with the value of a body in it", 1, err)
	_, _, err = b.GraphAddWhileNode(body, nil, inner, ctx)
	b.ok(err)
	host := b.pinned(4)
	_, err = b.GraphAddMemcpyNode(body, nil, &cu.Copy{Dst: p, SrcHost: at(host), Bytes: 4, Context: ctx})
	b.ok(err)
	_, err = b.GraphInstantiate(spare.g)
	refused("memory without a device address in a body", 1, err)
	big := b.chain()
	n := big.then(b.GraphAddKernelNode(big.g, nil, b.call("addOne", 17, 256, p, 1)))
	b.ok(b.GraphKernelNodeSetCooperative(n))
	_, err = b.GraphInstantiate(big.g)
	refused("more groups than run at once", 720, err)
	// Outside of its graph a handle means nothing.
	alone := b.chain()
	alone.fill(p, 1)
	alone.next(f, h, p)
	b.ok(b.GraphLaunch(alone.exec(), b.stream))
	refused("a handle of another graph", 719, b.StreamSynchronize(b.stream))
}

func TestGraphsAreCountedUntilTheyEnd(t *testing.T) {
	b := open(t, cusim.Config{})
	p := one(b.MemAlloc(4))(b)
	c := b.chain()
	c.loop(loopText, 1, func(body *chain, _ cu.Conditional) { body.fill(p, 1) })
	x := c.exec()
	if left := b.Left(); !strings.Contains(left, "1 graphs, 1 executable graphs") {
		t.Errorf("left: %s", left)
	}
	b.ok(b.GraphDestroy(c.g))
	b.ok(b.GraphExecDestroy(x))
	if left := b.Left(); strings.Contains(left, "graphs") {
		t.Errorf("left: %s", left)
	}
}

func TestGroupsMayBeMissing(t *testing.T) {
	groups := []cu.Group{cu.Coop, cu.MemOp, cu.Pool, cu.Graphing, cu.Cond, cu.Loading, cu.Pointer}
	b := open(t, cusim.Config{Lacks: groups})
	for _, g := range groups {
		if b.Has(g) {
			t.Errorf("it has group %d", g)
		}
	}
	_, err := b.GraphCreate()
	b.is(err, cu.NotSupported)
	_, err = b.MemPoolCreate(0)
	b.is(err, cu.NotSupported)
	b.is(b.StreamWriteValue32(b.stream, 4, 4), cu.NotSupported)
	b.is(b.FuncLoad(b.function("addOne")), cu.NotSupported)
	_, err = b.PointerGetAttributes(4)
	b.is(err, cu.NotSupported)
}

func TestWarmGraphsAllocateNothing(t *testing.T) {
	b := open(t, cusim.Config{})
	f := b.loader()
	p := one(b.MemAlloc(8))(b)
	host := b.pinned(4)
	word := one(b.MemHostGetDevicePointer(at(b.mapped(4))))(b)
	c := b.chain()
	up := c.then(b.GraphAddMemcpyNode(c.g, nil, &cu.Copy{Dst: p, SrcHost: at(host), Bytes: 4, Context: c.context()}))
	add := c.add(p)
	c.fill(p+4, 3)
	c.loop(loopText, 1, func(body *chain, h cu.Conditional) { body.next(f, h, p+4) })
	x := c.exec()
	l := b.call("addOne", 1, 32, p, 1)
	cp := &cu.Copy{Dst: p, SrcHost: at(host), Bytes: 4, Context: c.context()}
	if n := testing.AllocsPerRun(10, func() {
		b.ok(b.GraphExecKernelNodeSetParams(x, add, l))
		b.ok(b.GraphExecMemcpyNodeSetParams(x, up, cp))
		b.ok(b.GraphLaunch(x, b.stream))
		b.ok(b.StreamWriteValue32(b.stream, word, 1))
		b.ok(b.StreamSynchronize(b.stream))
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Two kernels without edges between them run at the same time with a seed: a word that both add to without atomics loses
// some of it in some order, and none without a seed or with an edge.
func TestBranchesOfAGraphInterleave(t *testing.T) {
	lost := func(seed uint64, edge bool) (n int) {
		b := open(t, cusim.Config{Seed: seed})
		p := one(b.MemAlloc(4))(b)
		for range 8 {
			b.ok(b.MemsetD32Async(p, 0, 1, b.stream))
			c := b.chain()
			c.add(p)
			if !edge {
				c.last = nil
			}
			c.add(p)
			b.ok(b.GraphLaunch(c.exec(), b.stream))
			if b.words(p, 1)[0] != 2 {
				n++
			}
		}
		return n
	}
	interleaved := 0
	for seed := range uint64(10) {
		if n := lost(seed, true); n > 0 {
			t.Errorf("seed %d: %d of 8 launches whose kernels depend on each other interleave", seed, n)
		}
		if n := lost(seed, false); seed > 0 {
			interleaved += n
		} else if n > 0 {
			t.Error("kernels interleave without a seed")
		}
	}
	if interleaved == 0 {
		t.Error("kernels of two branches never interleave")
	}
}

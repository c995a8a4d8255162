//go:build !vyre_nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cu

import (
	"runtime"
	"unsafe"
)

func (l *library) GraphCreate() (Graph, error) {
	v, err := l.word(fnGraphCreate, 0)
	return Graph(v), err
}

func (l *library) GraphDestroy(g Graph) error { return l.do(fnGraphDestroy, uintptr(g)) }

// add calls f, which adds a node that the frame describes: with its address, then what else there is.
func (l *library) add(f fn, fr *frame, g Graph, deps []GraphNode, words ...uintptr) (GraphNode, error) {
	fr.out[0] = 0
	fr.args[0], fr.args[1] = address(&fr.out[0]), uintptr(g)
	fr.args[2], fr.args[3] = address(unsafe.SliceData(deps)), uintptr(len(deps))
	n := copy(fr.args[4:], words)
	err := l.try(f, fr, 4+n)
	runtime.KeepAlive(deps)
	v := GraphNode(fr.out[0])
	l.frames.Put(fr)
	return v, err
}

func (l *library) GraphAddKernelNode(g Graph, deps []GraphNode, k *Launch) (GraphNode, error) {
	fr := l.frame()
	fr.kernel(k)
	n, err := l.add(fnGraphAddKernelNode, fr, g, deps, address(&fr.node[0]))
	runtime.KeepAlive(k)
	return n, err
}

func (l *library) GraphAddMemcpyNode(g Graph, deps []GraphNode, c *Copy) (GraphNode, error) {
	fr := l.frame()
	fr.copy(c)
	n, err := l.add(fnGraphAddMemcpyNode, fr, g, deps, address(&fr.node[0]), uintptr(c.Context))
	runtime.KeepAlive(c)
	return n, err
}

func (l *library) GraphAddMemsetNode(g Graph, deps []GraphNode, f *Fill) (GraphNode, error) {
	fr := l.frame()
	fr.fill(f)
	return l.add(fnGraphAddMemsetNode, fr, g, deps, address(&fr.node[0]), uintptr(f.Context))
}

func (l *library) GraphKernelNodeSetCooperative(n GraphNode) error {
	fr := l.frame()
	a := node[launchAttribute](fr)
	*a = launchAttribute{}
	a.value[0] = 1 // an int in the byte order of every machine that has the driver
	fr.args[0], fr.args[1], fr.args[2] = uintptr(n), attributeCooperative, address(&a.value[0])
	return l.call(fnGraphKernelNodeSetAttribute, fr, 3)
}

func (l *library) GraphConditionalHandleCreate(g Graph, c Context, initial, flags uint32) (Conditional, error) {
	v, err := l.word(fnGraphConditionalHandleCreate, uintptr(g), uintptr(c), uintptr(initial), uintptr(flags))
	return Conditional(v), err
}

func (l *library) GraphAddWhileNode(g Graph, deps []GraphNode, h Conditional, c Context) (GraphNode, Graph, error) {
	fr := l.frame()
	p := node[nodeParams](fr)
	*p = nodeParams{kind: nodeConditional, conditional: conditionalParams{handle: uint64(h), kind: condWhile, size: 1, context: uintptr(c)}}
	fr.out[0] = 0
	fr.args[0], fr.args[1] = address(&fr.out[0]), uintptr(g)
	fr.args[2], fr.args[3], fr.args[4] = address(unsafe.SliceData(deps)), uintptr(len(deps)), address(&fr.node[0])
	err := l.try(fnGraphAddNode, fr, 5)
	runtime.KeepAlive(deps)
	n, body := GraphNode(fr.out[0]), Graph(0)
	if err == nil {
		// The driver's array, outside of Go's heap.
		body = Graph(**(**uintptr)(unsafe.Pointer(&p.conditional.bodies)))
	}
	l.frames.Put(fr)
	return n, body, err
}

func (l *library) GraphInstantiate(g Graph) (GraphExec, error) {
	v, err := l.word(fnGraphInstantiate, uintptr(g), 0)
	return GraphExec(v), err
}

func (l *library) GraphExecDestroy(e GraphExec) error { return l.do(fnGraphExecDestroy, uintptr(e)) }

func (l *library) GraphUpload(e GraphExec, s Stream) error {
	return l.do(fnGraphUpload, uintptr(e), uintptr(s))
}

func (l *library) GraphLaunch(e GraphExec, s Stream) error {
	return l.do(fnGraphLaunch, uintptr(e), uintptr(s))
}

func (l *library) GraphExecKernelNodeSetParams(e GraphExec, n GraphNode, k *Launch) error {
	fr := l.frame()
	fr.kernel(k)
	err := l.set(fnGraphExecKernelNodeSetParams, fr, e, n)
	runtime.KeepAlive(k)
	return err
}

func (l *library) GraphExecMemcpyNodeSetParams(e GraphExec, n GraphNode, c *Copy) error {
	fr := l.frame()
	fr.copy(c)
	err := l.set(fnGraphExecMemcpyNodeSetParams, fr, e, n, uintptr(c.Context))
	runtime.KeepAlive(c)
	return err
}

// set calls f, which changes a node to what the frame describes.
func (l *library) set(f fn, fr *frame, e GraphExec, n GraphNode, words ...uintptr) error {
	fr.args[0], fr.args[1], fr.args[2] = uintptr(e), uintptr(n), address(&fr.node[0])
	return l.call(f, fr, 3+copy(fr.args[3:], words))
}

// kernel describes a launch in the frame.
func (fr *frame) kernel(k *Launch) {
	*node[kernelParams](fr) = kernelParams{function: uintptr(k.Function), grid: k.Grid, block: k.Block, shared: k.Shared, params: address(k.Params)}
}

// copy describes a copy in the frame: a box one row high and deep.
func (fr *frame) copy(c *Copy) {
	p := node[copyParams](fr)
	*p = copyParams{bytes: uintptr(c.Bytes), height: 1, depth: 1}
	p.src.at(c.Src, c.SrcHost)
	p.dst.at(c.Dst, c.DstHost)
}

func (p *place) at(device Ptr, host unsafe.Pointer) {
	if host != nil {
		p.memory, p.host = memoryHost, uintptr(host)
		return
	}
	p.memory, p.device = memoryDevice, uint64(device)
}

// fill describes a fill in the frame.
func (fr *frame) fill(f *Fill) {
	*node[memsetParams](fr) = memsetParams{dst: uint64(f.Dst), value: f.Value, width: uint32(f.Width), n: uintptr(f.N), height: 1}
}

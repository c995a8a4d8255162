package cu

import "unsafe"

// Graphs builds graphs of work node by node, and launches what they are instantiated to. All of
// it is in the group Graphing, except for what says otherwise.
//
// A node runs when those that it depends on have run. Parameters of kernels are copied by the
// call that gets them; memory of the host that a copy names is used by every launch, so it is
// pinned and stays.
type Graphs interface {
	GraphCreate() (Graph, error)
	// GraphDestroy ends a graph; what was instantiated from it stays.
	GraphDestroy(Graph) error

	// GraphAddKernelNode adds a launch. Its stream does not count.
	GraphAddKernelNode(g Graph, deps []GraphNode, l *Launch) (GraphNode, error)
	GraphAddMemcpyNode(g Graph, deps []GraphNode, c *Copy) (GraphNode, error)
	GraphAddMemsetNode(g Graph, deps []GraphNode, f *Fill) (GraphNode, error)
	// GraphKernelNodeSetCooperative says that the groups of a kernel run at once.
	GraphKernelNodeSetCooperative(GraphNode) error

	// GraphConditionalHandleCreate makes a value that kernels of the graph set with the device
	// function cudaGraphSetConditional. It belongs to one node of the graph, or of a body in it; a
	// graph with one that has no node cannot be instantiated. It is in the group Cond.
	GraphConditionalHandleCreate(g Graph, c Context, initial uint32, flags uint32) (Conditional, error)
	// GraphAddWhileNode adds a node that runs its body while the value is not 0. The caller fills
	// the body, which belongs to the node: with kernels, copies, fills, child graphs and
	// conditional nodes. Memory of the host that is copied there has a device address (HostDeviceMap).
	// It is in the group Cond.
	GraphAddWhileNode(g Graph, deps []GraphNode, h Conditional, c Context) (node GraphNode, body Graph, err error)

	// GraphInstantiate makes an executable of a graph as it is now. Of one with conditional nodes there is
	// one at a time.
	GraphInstantiate(Graph) (GraphExec, error)
	GraphExecDestroy(GraphExec) error
	// GraphUpload brings an executable to the device ahead of its first launch.
	GraphUpload(GraphExec, Stream) error
	// GraphLaunch runs an executable in the order of the stream, and after its launch before this.
	GraphLaunch(GraphExec, Stream) error
	// GraphRun makes the calls of a run from one thread, CtxSetCurrent, GraphLaunch and StreamWriteValue32, until one fails. It returns
	// how many did not.
	GraphRun(*GraphRun) (made int, err error)

	// The following change a node of an executable for the launches after this. They fail with
	// result 1 where only a new executable could have the change.
	GraphExecKernelNodeSetParams(e GraphExec, n GraphNode, l *Launch) error
	GraphExecMemcpyNodeSetParams(e GraphExec, n GraphNode, c *Copy) error
}

// GraphRun is what a run of a graph takes: the context to make current, what to launch and where, and the word that is
// written after it.
type GraphRun struct {
	Context Context
	Exec    GraphExec
	Stream  Stream
	Word    Ptr
	Value   uint32
}

// Copy is a copy as a node. A side is on the device unless the host's address is set.
type Copy struct {
	Dst, Src         Ptr
	DstHost, SrcHost unsafe.Pointer
	Bytes            int64
	Context          Context
}

// Fill stores a value N times, as a node.
type Fill struct {
	Dst     Ptr
	Value   uint32
	Width   int // bytes of the value: 1, 2 or 4
	N       int64
	Context Context
}

//go:build !vyre_nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cu

//lint:file-ignore U1000 the driver reads fields that no line here names

// The structures that the driver's functions take, laid out as its header has them for 64-bit
// machines. Addresses are words: what they lead to is kept alive by the caller.

// kernelParams describes a kernel node (CUDA_KERNEL_NODE_PARAMS_v2).
type kernelParams struct {
	function uintptr
	grid     [3]uint32
	block    [3]uint32
	shared   uint32
	params   uintptr // an address of each value
	extra    uintptr
	kernel   uintptr
	context  uintptr
}

// memsetParams describes a fill (CUDA_MEMSET_NODE_PARAMS).
type memsetParams struct {
	dst    uint64
	pitch  uintptr
	value  uint32
	width  uint32 // bytes of the value
	n      uintptr
	height uintptr
}

// place is one side of a copy.
type place struct {
	x, y, z, level uintptr
	memory         uint32 // which of the addresses counts
	host           uintptr
	device         uint64
	array          uintptr
	reserved       uintptr
	pitch, height  uintptr
}

// The kinds of memory of a place (CUmemorytype).
const (
	memoryHost   = 1
	memoryDevice = 2
)

// copyParams describes a copy (CUDA_MEMCPY3D).
type copyParams struct {
	src, dst             place
	bytes, height, depth uintptr
}

// conditionalParams describes a node whose body runs while a value is not 0
// (CUDA_CONDITIONAL_NODE_PARAMS).
type conditionalParams struct {
	handle  uint64
	kind    uint32
	size    uint32  // bodies
	bodies  uintptr // the driver's array of them, once there is the node
	context uintptr
}

// condWhile is a kind of conditional node (CUgraphConditionalNodeType).
const condWhile = 1

// nodeParams describes a node of any type (CUgraphNodeParams).
type nodeParams struct {
	kind        uint32
	_           [3]uint32
	conditional conditionalParams
	_           [232 - 32]byte // larger types of node
	_           uint64
}

// nodeConditional is a type of node (CUgraphNodeType).
const nodeConditional = 13

// poolProps describes a pool (CUmemPoolProps).
type poolProps struct {
	allocation uint32
	handles    uint32 // none: not shared with other processes
	location   uint32
	device     int32
	security   uintptr
	most       uintptr // 0: as much as there is
	usage      uint16
	_          [54]byte
}

// A pool of ordinary memory of a device (CUmemAllocationType, CUmemLocationType).
const (
	allocationPinned = 1
	locationDevice   = 1
)

// launchAttribute is a property of a launch (CUlaunchAttribute); nodes take its value alone.
type launchAttribute struct {
	id    uint32
	_     uint32
	value [64]byte
}

// attributeCooperative has an int as its value (CUlaunchAttributeID).
const attributeCooperative = 2

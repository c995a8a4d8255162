package cu

import "unsafe"

// Driver is the CUDA driver API. Methods are named for the functions they call, without the
// prefix and version suffix; what those document holds here. Every error is a *CallError.
type Driver interface {
	// Path says which library this is, for messages.
	Path() string
	// Has reports whether the driver offers a group of functions beyond the ones every
	// driver has.
	Has(Group) bool

	Init() error
	DriverGetVersion() (int, error)
	DeviceGetCount() (int, error)
	DeviceGet(ordinal int) (Device, error)
	DeviceGetName(Device) (string, error)
	DeviceGetUuid(Device) (UUID, error)
	DeviceTotalMem(Device) (int64, error)
	DeviceGetAttribute(Attribute, Device) (int, error)

	DevicePrimaryCtxRetain(Device) (Context, error)
	DevicePrimaryCtxRelease(Device) error
	DevicePrimaryCtxReset(Device) error
	CtxSetCurrent(Context) error
	CtxPushCurrent(Context) error
	CtxPopCurrent() (Context, error)

	MemGetInfo() (free, total int64, err error)
	MemAlloc(bytes int64) (Ptr, error)
	MemFree(Ptr) error
	// MemHostAlloc returns pinned memory that Go's heap knows nothing of.
	MemHostAlloc(bytes int64, flags uint32) (unsafe.Pointer, error)
	MemFreeHost(unsafe.Pointer) error
	// MemHostGetDevicePointer returns where kernels and StreamWriteValue32 find memory that was
	// pinned with HostDeviceMap.
	MemHostGetDevicePointer(unsafe.Pointer) (Ptr, error)
	MemHostRegister(p unsafe.Pointer, bytes int64, flags uint32) error
	MemHostUnregister(unsafe.Pointer) error

	// PointerGetAttributes says where an address points; the zero Memory is one that the driver does not know. It is in the group
	// Pointer.
	PointerGetAttributes(Ptr) (Pointee, error)

	MemcpyHtoDAsync(dst Ptr, src unsafe.Pointer, bytes int64, s Stream) error
	MemcpyDtoHAsync(dst unsafe.Pointer, src Ptr, bytes int64, s Stream) error
	MemcpyDtoDAsync(dst, src Ptr, bytes int64, s Stream) error
	MemsetD8Async(dst Ptr, value uint8, n int64, s Stream) error
	MemsetD16Async(dst Ptr, value uint16, n int64, s Stream) error
	MemsetD32Async(dst Ptr, value uint32, n int64, s Stream) error

	// ModuleLoadDataEx loads an image, or text that ends with a zero byte, and compiles that.
	// What the compiler says comes in the JIT's logs, also when it fails.
	ModuleLoadDataEx(image []byte, jit *JIT) (Module, error)
	ModuleUnload(Module) error
	ModuleGetFunction(m Module, name string) (Function, error)
	FuncGetAttribute(FuncAttribute, Function) (int, error)
	FuncSetAttribute(f Function, a FuncAttribute, value int) error
	// FuncLoad brings the code to the device, which the driver otherwise does at the first launch.
	// It is in the group Loading.
	FuncLoad(Function) error
	OccupancyMaxActiveBlocksPerMultiprocessor(f Function, threads int, dynamicShared int) (int, error)

	// LinkCreate begins a link. The driver writes to the logs until LinkDestroy; the JIT gets what
	// they hold with each call about the link.
	LinkCreate(*JIT) (LinkState, error)
	// LinkAddData compiles text that ends with a zero byte. The name appears in messages.
	LinkAddData(l LinkState, text []byte, name string) error
	// LinkComplete returns the image, which belongs to the driver and is valid until LinkDestroy.
	LinkComplete(LinkState) ([]byte, error)
	LinkDestroy(LinkState) error

	LaunchKernel(*Launch) error
	// LaunchKernels makes launches in their order, until one is refused. It returns how many were not.
	LaunchKernels([]*Launch) (started int, err error)
	// LaunchCooperativeKernel is in the group Coop.
	LaunchCooperativeKernel(*Launch) error

	StreamCreate(flags uint32) (Stream, error)
	StreamDestroy(Stream) error
	StreamSynchronize(Stream) error
	// StreamQuery reports whether all work of the stream has ended; not yet is no error.
	StreamQuery(Stream) (bool, error)
	StreamWaitEvent(Stream, Event) error
	// StreamWriteValue32 stores a word at a device address, a multiple of 4, when the stream gets there:
	// who sees it there sees all memory operations before it. It is in the group MemOp.
	StreamWriteValue32(s Stream, at Ptr, v uint32) error
	EventCreate(flags uint32) (Event, error)
	EventDestroy(Event) error
	EventRecord(Event, Stream) error
	// EventQuery reports whether the work before the event has ended; not yet is no error.
	EventQuery(Event) (bool, error)
	EventSynchronize(Event) error
	EventElapsedTime(start, end Event) (milliseconds float32, err error)

	Pools
	Graphs
}

// Watcher is what a Driver also is if it checks what kernels do, which no GPU's does. Who hands parts of
// allocations out and loads texts tells it, so that it knows bounds and can say names and places.
type Watcher interface {
	// Watch says that of the allocation at p the first bytes are in use from now on, with undefined
	// contents. 0 says that nobody uses it.
	Watch(p Ptr, bytes int64, label string)
	// Locate says what a line of a module's text was made from, for reports.
	Locate(m Module, source func(line int) string)
	// Carries says that the kernels of a module take bytes from one place to another, as a copy does:
	// bytes that nothing wrote, too.
	Carries(m Module)
}

// Idle is what a Driver also is whose devices do nothing between calls, as no GPU's does: who waits for one has to ask, and
// looking at memory meanwhile is in vain.
type Idle interface {
	// IdleBetweenCalls says that work goes on only while a call waits for it or asks after it.
	IdleBetweenCalls() bool
}

// Pools allocates in the order of streams. All of it is in the group Pool.
type Pools interface {
	// MemPoolCreate makes a pool in the memory of the device.
	MemPoolCreate(Device) (MemPool, error)
	// MemPoolDestroy ends a pool; what is allocated from it stays until it is freed.
	MemPoolDestroy(MemPool) error
	// MemPoolTrimTo gives memory that is not in use back until keep bytes of it are left.
	MemPoolTrimTo(p MemPool, keep int64) error
	MemPoolSetAttribute(p MemPool, a MemPoolAttribute, v uint64) error
	MemPoolGetAttribute(p MemPool, a MemPoolAttribute) (uint64, error)
	// MemAllocFromPoolAsync returns memory that work may use after this point of the stream.
	MemAllocFromPoolAsync(bytes int64, p MemPool, s Stream) (Ptr, error)
	// MemFreeAsync frees memory of a pool at this point of the stream.
	MemFreeAsync(Ptr, Stream) error
}

// Group is a set of functions that drivers may lack.
type Group uint8

// The groups.
const (
	Core     Group = iota // without it there is no driver
	Coop                  // cooperative launches
	MemOp                 // values written by streams
	Pool                  // memory pools
	Graphing              // graphs
	Cond                  // conditional nodes in them
	Loading               // functions loaded ahead of their first launch
	Pointer               // where addresses point
	numGroups
)

// Launch is one launch of a function, laid out once and used again and again.
type Launch struct {
	Function Function
	Grid     [3]uint32
	Block    [3]uint32
	Shared   uint32 // dynamic bytes
	Stream   Stream
	// Params points to a pointer to the value of each parameter. Both levels must stay where
	// they are during the call; Go's heap does not move.
	Params *unsafe.Pointer
}

// JIT is what goes into and comes out of a compilation by the driver.
type JIT struct {
	// Target is the compute capability times ten that a link compiles for, plus TargetSpecific
	// if it may use what only this one has; 0 is that of the current device.
	Target   int
	LineInfo bool

	Info, Errors string // what the compiler said
}

// TargetSpecific marks a target such as 9.0a.
const TargetSpecific = 0x10000

package gpu

// Vec3 is an id or a size along three axes.
type Vec3 struct{ X, Y, Z uint32 }

// Integer is any integer type but uintptr. int and uint mean 64 bits on every device.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint
}

// Float is a float type that has arithmetic operators; Float16 and BFloat16 compute through methods.
type Float interface{ ~float32 | ~float64 }

// Number is any type that + takes.
type Number interface{ Integer | Float }

// Word is an integer of 32 or 64 bits: what atomics and wide arithmetic work on.
type Word interface {
	~int32 | ~int64 | ~int | ~uint32 | ~uint64 | ~uint
}

// Scalar is any type that a buffer or a shared array may hold.
type Scalar interface {
	Number | ~bool | Float16 | BFloat16
}

// Order is the memory order of an atomic or a fence. Natively every atomic is
// sequentially consistent, whatever its order.
type Order uint8

// The memory orders, weakest first; Acquire and Release are not comparable.
const (
	Relaxed Order = iota
	Acquire
	Release
	AcqRel
	SeqCst
)

// CacheHint advises a device's caches about one load or store. It changes no result.
type CacheHint uint8

// The hints.
const (
	HintStream CacheHint = iota + 1 // read or written once: what is kept should rather be something else
	HintKeep                        // soon needed again: what is given up should rather be something else
	HintL2                          // of no use to this multiprocessor again: it stays in the cache of all
)

// Scope says which invocations an order is about.
type Scope uint8

// The memory scopes. An atomic on a shared array has scope Workgroup.
const (
	Workgroup Scope = iota // the invocations of one group
	Device                 // every invocation on the device
	System                 // the host and other devices too
)

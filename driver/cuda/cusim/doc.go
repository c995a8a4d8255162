// Package cusim is a CUDA driver without a GPU: it implements cu.Driver, and runs the very PTX that a GPU
// would get.
//
//	d := cusim.New(cusim.Config{})                  // one device of each model
//	dev, err := cuda.Open(cuda.Options{Driver: d})  // or driver.Open("cuda-sim"), with driver/cudasim imported
//
//	cu.Driver calls ──▶ checks: handles, context of the thread, ranges, limits
//	                        │
//	        streams ◀───────┘  work waits until somebody waits for it or asks after it
//	           │
//	           ├──▶ copies, fills, events     on package machine's Memory
//	           ├──▶ kernels                   text ─asm.Parse─▶ machine.Load ─▶ machine.Execution
//	           └──▶ executable graphs         a step of a plan after the other, each one of the above
//
// # What it is faithful in
//
// Calls check their arguments as the driver does; those that need a context want it current on the
// operating system's thread. Work is asynchronous: it runs, a piece at a time, when a call waits for
// it or asks whether it has ended. Pinned memory is not clear at first; it is read and written when the copy runs, other memory
// during the call. A kernel that breaks a rule of package machine ends with the result that a GPU
// would report, and the context does not survive it; the error carries the fault with its line of the text.
// Memory is accounted to the byte; that of pools is there from the turn of its allocation in a stream to the
// turn of its free. Who hands parts of allocations out says so (cu.Watcher), and what lies between them is
// out of bounds. A launch that cannot end because everyone waits is a deadlock, told with where. Links
// give images that load on the devices they are for, and on no others. A function takes as many registers as are live at
// once in its text, which is near what an assembler gives it; occupancy follows from that. Time is virtual: a launch, a copied byte and an executed
// instruction cost fixed times, so that what events measure repeats exactly.
//
// # Who imports it
//
// A program that runs without a GPU imports driver/cudasim, which registers this driver as a device. Tests import cusim
// itself, for what a device has no name for: a model of their choice, little memory, calls that fail (Faults, EachCall), and
// what was never given back (Left).
//
// # Concurrency
//
// Any goroutine may call. All calls take one lock, and kernels run under it.
//
// # Not here
//
// The text (asm), its execution (machine), the device that uses the driver (driver/cuda).
//
// Start reading at config.go, then stream.go; for graphs graph.go, executable.go, replay.go.
package cusim

// Package cusim is a CUDA driver without a GPU. It implements cu.Driver, and runs the same PTX as a GPU.
//
//	d := cusim.New(cusim.Config{})                  // one device of each of Models
//	dev, err := cuda.Open(cuda.Options{Driver: d})  // or driver.Open("cuda-sim"), with driver/cudasim imported
//
//	cu.Driver calls ──▶ checks: handles, context of the thread, ranges, limits
//	                        │
//	        streams ◀───────┘  work waits until a call waits for it or asks after it
//	           │
//	           ├──▶ copies, fills, events     on package machine's Memory
//	           ├──▶ kernels                   text ─asm.Parse─▶ machine.Load ─▶ machine.Execution
//	           └──▶ executable graphs         steps of a plan that are ready, each one of the above
//
// # Behaviour
//
//   - Calls check their arguments as the driver does. A call that needs a context wants it current on the operating
//     system's thread.
//   - Work is asynchronous: it runs, a piece at a time, when a call waits for it or asks whether it has ended.
//   - With a seed, streams take turns in an order that it draws, and so do the branches of a graph: kernels of several
//     branches interleave after few instructions. Without one, each goes as far as it can.
//   - Pinned memory is not clear at first. It is read and written when the copy runs, other memory during the
//     call.
//   - A kernel that breaks a rule of package machine ends with a GPU's result, and the context does not survive
//     it. The error carries the fault with its line of the text.
//   - Memory is accounted to the byte. Memory of pools exists from the turn of its allocation in a stream to the
//     turn of its free. A caller that hands out parts of allocations reports them (cu.Watcher), and the gaps
//     between them are out of bounds.
//   - A launch that cannot end because all threads wait is a deadlock, and the error names the place.
//   - Links give images that load only on their own devices.
//   - A function takes as many registers as are live at once in its text, which is near an assembler's number.
//     Occupancy follows from that.
//   - Time is virtual: a launch, a copied byte and an executed instruction have fixed costs, so that times of
//     events repeat exactly.
//
// # Users
//
// A program that runs without a GPU imports driver/cudasim, which registers this driver as a device. Tests import
// cusim itself to choose a model, little memory, or calls that fail (Faults, EachCall), and to see leaks (Left).
//
// # Concurrency
//
// Any goroutine may call. All calls take one lock, and kernels run under it.
//
// # Not here
//
// The text (asm), its execution (machine), the device that uses the driver (driver/cuda).
//
// Start reading at config.go, then stream.go. For graphs read graph.go, executable.go, replay.go.
package cusim

// Package primary has the primary context of a GPU while a device is open: what every part of the
// device needs to make a call, and to say what became of it.
//
//	in:  the driver, the GPU's number and capabilities, the device's counters and name
//	out: a context that is current on the caller's thread, from Enter to Leave;
//	     errors of calls as errors of the device
//
// # Invariants
//
// A goroutine is locked to its thread from Enter to Leave. An error that the context does not
// survive marks it lost, once: from then on every Enter answers so without a call, and everything
// that was made in the context counts as gone with it. Whoever Close of the device does not wait
// for uses Hold, or Closing: the context is given back only when none of them has it.
package primary

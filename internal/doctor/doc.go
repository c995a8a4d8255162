// Package doctor looks at a machine from the driver's library up to a captured loop, for `vyre doctor`.
//
//	in:  the name of a device, or none for the one that "auto" is
//	out: a Check for each thing that has to be right, in an order in which earlier ones explain later ones
//
// A check that needs what an earlier one found missing does not run, and names that one. The checks of a GPU first ask the
// driver without a context, so that they explain why a device does not open. A device that is no GPU has fewer checks.
//
// # Invariants
//
// A check FAILs if programs cannot run on the device, or would compute something else. What makes them slower, or keeps a
// part of the package from use, is a warning. A machine without a GPU is healthy unless somebody named a GPU: the GPU's
// absence is then a warning, and the checks go on with device cpu.
//
// Nothing of the machine changes, but for folders of the cache and the image of one sample in it.
//
// Start reading at doctor.go, then machine.go, device.go and work.go, in the order of the checks.
package doctor

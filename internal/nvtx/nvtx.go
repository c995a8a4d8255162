// Package nvtx marks ranges of time for NVIDIA's profilers, through the library that they put
// between themselves and a program. A program that is not profiled does not need it, and a
// machine without the profilers' toolkit does not have it.
//
//	label ──Start──▶ nvtxRangeStartA ──▶ a bar in the profiler, until End
package nvtx

import "fmt"

// Env is the environment variable that asks for ranges, whatever its value.
const Env = "VYRE_NVTX"

// MissingError says that ranges cannot be marked.
type MissingError struct{ Reason string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("no ranges for profilers: %s; they come with the CUDA toolkit up to 12.9, as libnvToolsExt.so.1", e.Reason)
}

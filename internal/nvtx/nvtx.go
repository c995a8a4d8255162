// Package nvtx marks ranges of time for NVIDIA's profilers. A program that is not profiled does not need it, and a
// machine without the profilers does not have it.
//
//	label ──Start──▶ the profiler's own library, where NVTX_INJECTION64_PATH names one (version 3)
//	        or    ──▶ libnvToolsExt.so.1, of toolkits before 12.9, when VYRE_NVTX is set
//	                  ──▶ a bar in the profiler, until End
//
// Version 3 has no library between a program and a profiler: a program loads the profiler's, once, and offers it tables of
// cells, in which it stores its functions. They and the functions that hand them out are in inject_*.s, outside of Go's heap, and
// none of it enters Go.
//
// Start reading at process.go.
package nvtx

import "fmt"

// Env is the environment variable that asks for ranges, whatever its value. EnvInjection is set by profilers: it names their
// library, and asks for ranges by that alone.
const (
	Env          = "VYRE_NVTX"
	EnvInjection = "NVTX_INJECTION64_PATH"
)

// MissingError says that ranges cannot be marked.
type MissingError struct {
	Reason string
	Fix    string
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("no ranges for profilers: %s; %s", e.Reason, e.Fix)
}

//go:build vyre_nocuda || !(linux && (amd64 || arm64))

package nvtx

import "runtime"

// Library is the profilers' library, which this build cannot load.
type Library struct{}

// Load fails with a *MissingError.
func Load(string) (*Library, error) {
	return nil, &MissingError{"this program was built without them for " + runtime.GOOS + "/" + runtime.GOARCH}
}

// Start does nothing.
func (*Library) Start(string) (id uint64) { return 0 }

// End does nothing.
func (*Library) End(uint64) {}

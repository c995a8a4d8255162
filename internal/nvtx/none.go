//go:build vyre_nocuda || !(linux && (amd64 || arm64))

package nvtx

import "runtime"

func missing() (Ranges, error) {
	return nil, &MissingError{"this program was built without them for " + runtime.GOOS + "/" + runtime.GOARCH, "use it on Linux, built without the tag vyre_nocuda"}
}

// Load fails with a *MissingError.
func Load(string) (Ranges, error) { return missing() }

// Inject fails with a *MissingError.
func Inject(string) (Ranges, error) { return missing() }

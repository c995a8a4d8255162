//go:build vyre_nocuda || !((linux && (amd64 || arm64)) || (windows && amd64))

package cu

import "runtime"

// Load reports that this build cannot load a driver.
func Load(string) (Driver, error) {
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		return nil, &MissingError{Reason: "there is no CUDA driver for " + runtime.GOOS + "/" + runtime.GOARCH}
	}
	return nil, &MissingError{Reason: "this program was built without the CUDA driver for " + runtime.GOOS + "/" + runtime.GOARCH,
		Fix: "build it without the tag vyre_nocuda, for linux or windows on amd64, or linux on arm64"}
}

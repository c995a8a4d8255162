//go:build !vyre_nocuda && (amd64 || arm64)

package cu

import "github.com/ebitengine/purego"

// open opens the library at path, or the first that is there of the usual ones: as the system
// finds it, then where containers and WSL put it without telling the system.
func open(path string) (handle uintptr, name string, tried []string) {
	names := []string{"libcuda.so.1", "libcuda.so", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}
	if path != "" {
		names = []string{path}
	}
	for _, n := range names {
		h, err := purego.Dlopen(n, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err == nil {
			return h, n, nil
		}
		tried = append(tried, err.Error())
	}
	return 0, "", tried
}

func lookup(handle uintptr, symbol string) uintptr {
	addr, err := purego.Dlsym(handle, symbol)
	if err != nil {
		return 0
	}
	return addr
}

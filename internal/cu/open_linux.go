//go:build !vyre_nocuda && (amd64 || arm64)

package cu

import "github.com/ebitengine/purego"

// open opens the library at path, or the first that is there of the usual ones: as the system
// finds it, then where containers and WSL put it without telling the system.
func open(path string) (handle uintptr, name string, tried []string, first error) {
	tried = []string{"libcuda.so.1", "libcuda.so", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}
	if path != "" {
		tried = []string{path}
	}
	for _, name := range tried {
		h, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err == nil {
			return h, name, nil, nil
		}
		if first == nil {
			first = err
		}
	}
	return 0, "", tried, first
}

func lookup(handle uintptr, symbol string) uintptr {
	addr, err := purego.Dlsym(handle, symbol)
	if err != nil {
		return 0
	}
	return addr
}

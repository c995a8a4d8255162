package gen

import (
	"errors"
	"fmt"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/vyp"
)

// Check compares the data file of a generated file with the kernels as they are now, by the digests of their source:
// another version of the compiler finds the same launchers fresh. The error, if any, joins one for each kernel. Name is
// that of the generated file.
func Check(pkg *front.Package, name string, data []byte) error {
	f, err := vyp.Open(string(data))
	if err != nil {
		return fmt.Errorf("%s: %w", DataFile(name), err)
	}
	made := make(map[string][32]byte)
	for _, p := range f.Programs {
		made[p.Name] = p.Source
	}
	var stale []error
	for _, k := range pkg.Kernels() {
		was, ok := made[instance(k)]
		delete(made, instance(k))
		switch {
		case !ok:
			stale = append(stale, fmt.Errorf("%s has no launcher of kernel %s", name, k.Name))
		case was != k.Source:
			stale = append(stale, fmt.Errorf("kernel %s, or a part of it, has changed since its launcher in %s was made", k.Name, name))
		}
	}
	for _, p := range f.Programs {
		if _, ok := made[p.Name]; ok {
			stale = append(stale, fmt.Errorf("%s has a launcher of a kernel that is not there any more: %s", name, p.Name))
		}
	}
	return errors.Join(stale...)
}

package front

import (
	"go/types"
	"slices"

	"github.com/govyre/vyre/ir"
)

// UnknownToTables lists the functions and methods of package gpu that no table of the compiler has.
func UnknownToTables() (missing []string) {
	has := func(name string) bool {
		_, op := gpuOps[name]
		return op || gpuForms[name] != nil || gpuValues[name] != nil
	}
	scope := known(gpuPath).Scope()
	for _, name := range scope.Names() {
		switch o := scope.Lookup(name).(type) {
		case *types.Func:
			if !has(name) {
				missing = append(missing, name)
			}
		case *types.TypeName:
			if n, ok := o.Type().(*types.Named); ok {
				for m := range n.Methods() {
					if full := name + "." + m.Name(); !has(full) {
						missing = append(missing, full)
					}
				}
			}
		}
	}
	return missing
}

// ConvergentCalls lists the functions and methods of package gpu that all invocations of a warp, a group or the grid make together.
func ConvergentCalls() (names []string) {
	for name, op := range gpuOps {
		if op.Info().Attr&ir.Convergent != 0 {
			names = append(names, name)
		}
	}
	for name := range firstBarriers {
		names = append(names, "Thread."+name)
	}
	names = append(names, "ExclusiveScanMin", "ExclusiveScanMax")
	slices.Sort(names)
	return names
}

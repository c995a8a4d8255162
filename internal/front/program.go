package front

import (
	"context"
	"fmt"
	"strings"

	"github.com/govyre/vyre/ir"
)

// Program compiles the text of one Go file and returns the program of the kernel that is called name; "" takes the
// only one. Positions name the file kernel.go.
func Program(src, name string) (*ir.Program, error) {
	p, err := Parse(context.Background(), []File{{Name: "kernel.go", Src: []byte(src)}}, Options{})
	if err != nil {
		return nil, err
	}
	return p.Program(name)
}

// Program returns the program of the kernel that is called name; "" takes the only one.
func (p *Package) Program(name string) (*ir.Program, error) {
	if name == "" && len(p.kernels) == 1 {
		return p.kernels[0].Program, nil
	}
	if k := p.Lookup(name); k != nil {
		return k.Program, nil
	}
	if len(p.kernels) == 0 {
		return nil, fmt.Errorf("kernel: package %s has no kernel; fix: mark a function with //vyre:kernel workgroup=256", p.Name)
	}
	names := make([]string, len(p.kernels))
	for i, k := range p.kernels {
		names[i] = k.Name
	}
	return nil, fmt.Errorf("kernel: package %s has no kernel %q; fix: name one of %s", p.Name, name, strings.Join(names, ", "))
}

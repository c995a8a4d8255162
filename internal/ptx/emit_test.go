package ptx_test

import (
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// asWritten compiles programs with the passes that are required, and no other before the instructions.
var asWritten = ptx.Options{Passes: compile.Choice{Level: compile.O0}}

// emit compiles one program as it is written.
func emit(p *ir.Program, t ptx.Target) (*ptx.Module, error) {
	return ptx.Compile(p, t, asWritten)
}

// emitAll compiles programs into one module.
func emitAll(ps []*ir.Program, t ptx.Target) (*ptx.Module, error) {
	return ptx.CompileModule(ps, t, asWritten)
}

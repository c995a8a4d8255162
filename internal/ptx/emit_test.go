package ptx_test

import (
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/passes"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// asWritten compiles programs with the passes that are required, and no other before the instructions.
var asWritten = compile.Options{Passes: passes.Choice{Level: passes.O0}}

// emit compiles one program as it is written.
func emit(p *ir.Program, t ptx.Target) (*ptx.Module, error) {
	return compile.Program(p, t, asWritten)
}

// emitAll compiles programs into one module.
func emitAll(ps []*ir.Program, t ptx.Target) (*ptx.Module, error) {
	return compile.Programs(ps, t, asWritten)
}

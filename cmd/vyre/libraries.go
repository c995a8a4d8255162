package main

// The command compiles kernels where no go command is, so that it has vyre's own libraries inside.
import (
	_ "github.com/govyre/vyre/gpu/random"
	_ "github.com/govyre/vyre/graph/flow"
	_ "github.com/govyre/vyre/megakernel/arcs"
	_ "github.com/govyre/vyre/megakernel/frontiers"
	_ "github.com/govyre/vyre/megakernel/queue"
	_ "github.com/govyre/vyre/prim/block"
)

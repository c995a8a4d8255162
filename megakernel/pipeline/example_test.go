package pipeline_test

import (
	"context"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/pipeline"
)

// Three kernels become one launch. What the first hands to the second stays in a register; the third looks at a
// neighbour's element, so a barrier stands before it.
func Example() {
	ctx := context.Background()
	dev, err := cpu.Open(cpu.Options{})
	if err != nil {
		panic(err)
	}
	defer dev.Close()
	const n = 1000
	memory, err := dev.Alloc(8*n, driver.AllocOptions{Label: "numbers"})
	if err != nil {
		panic(err)
	}
	defer memory.Close()
	x, y := driver.Part(memory, 0, 4*n), driver.Part(memory, 4*n, 4*n)
	scaled, shifted := megakernel.Temp{ID: 1, Bytes: 4 * n}, megakernel.Temp{ID: 2, Bytes: 4 * n}
	p, err := pipeline.New(ctx, dev, []pipeline.Stage{
		{Program: programs()["Scale"], Args: []driver.Arg{x, scaled, driver.U32(3)}, Items: n},
		{Program: programs()["Shift"], Args: []driver.Arg{scaled, shifted, driver.U32(1)}, Items: n},
		{Program: programs()["Neighbour"], Args: []driver.Arg{shifted, y}, Items: n},
	}, pipeline.Options{})
	if err != nil {
		panic(err)
	}
	defer p.Close()
	if err := p.Run(ctx); err != nil {
		panic(err)
	}
	fmt.Print(p.Explain())
	// Output:
	// stage 0 Scale (1000 items): launch 0
	// stage 1 Shift (1000 items): launch 0, inlined
	// stage 2 Neighbour (1000 items): launch 0, after a barrier; not inlined: the load of temp 2 in stage 2 Neighbour at stages.go:33:12 goes to an element of another item [index]
	// 1 launches for 3 stages, 4000 bytes for 8000 of temps
}

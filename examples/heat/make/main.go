// Command make writes the bundle that the example heat ships: the kernel for several GPUs, and the sequence.
package main

import (
	"context"
	"flag"
	"log"
	"os"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/aot"
	_ "github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/examples/heat/rod"
	"github.com/govyre/vyre/ir"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "heat.vyk", "bundle to write")
	flag.Parse()
	if err := write(context.Background(), *out); err != nil {
		log.Fatal(err)
	}
}

// write records on the CPU: nothing that runs later depends on the device.
func write(ctx context.Context, file string) error {
	dev, err := vyre.Open("cpu")
	if err != nil {
		return err
	}
	defer dev.Close()
	program, err := rod.RelaxProgram()
	if err != nil {
		return err
	}
	relax, err := vyre.Compile(ctx, dev, program, vyre.CompileOptions{})
	if err != nil {
		return err
	}
	data, err := aot.Build(ctx, map[string]*ir.Program{"Relax": program}, aot.Options{
		Targets:   []string{"sm_70", "sm_80", "sm_90"},
		Sequences: []*vyre.Sequence{rod.Record(dev, relax)},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

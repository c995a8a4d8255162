package cpu_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/needs"
)

// Equal programs have one machine code, on devices that are open together and on those that follow each other.
func TestMachineCodeIsShared(t *testing.T) {
	needs.MachineCode(t, native.Available())
	source := strings.ReplaceAll(store7, "seven", "of_all_devices")
	a, b := open(t, cpu.Options{Engine: cpu.Native}), open(t, cpu.Options{Engine: cpu.Native})
	var codes [8]*native.Kernel
	var all sync.WaitGroup
	for i, p := range [...]*cpu.Device{a, b, a, b, a, b, a, b} {
		program := parse(t, source)
		all.Go(func() {
			if k, err := p.Compile(ctx, program, driver.Options{}); err == nil {
				codes[i] = cpu.MachineCode(k)
			}
		})
	}
	all.Wait()
	for _, c := range codes {
		if c == nil || c != codes[0] {
			t.Fatalf("codes %v", codes)
		}
	}
	for name, k := range map[string]driver.Kernel{
		"another name": compile(t, a, strings.ReplaceAll(source, "of_all", "of_other")),
		"other lines":  compile(t, a, "\n"+source),
	} {
		if cpu.MachineCode(k) == codes[0] {
			t.Errorf("a program with %s has the same code, and would trap with the wrong words", name)
		}
	}
	if k, err := a.Compile(ctx, parse(t, source), driver.Options{Optimise: "1"}); err != nil || cpu.MachineCode(k) == codes[0] {
		t.Errorf("other passes, the same code: %v", err)
	}
	for _, d := range []*cpu.Device{a, b} {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	later := open(t, cpu.Options{Engine: cpu.Native})
	k := compile(t, later, source)
	if cpu.MachineCode(k) != codes[0] {
		t.Error("a device opened later has other code")
	}
	dst := make([]byte, 128)
	if _, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.InOut(dst)); err != nil || dst[124] != 7 {
		t.Errorf("%v, %v", dst[124], err)
	}
}

// Code that no device uses is freed once there is much of it.
func TestIdleMachineCodeIsBounded(t *testing.T) {
	needs.MachineCode(t, native.Available())
	var first *native.Kernel
	for i := range cpu.MaxIdle + 1 {
		d := open(t, cpu.Options{Engine: cpu.Native})
		k := compile(t, d, strings.ReplaceAll(store7, "seven", fmt.Sprintf("idle%d", i)))
		if i == 0 {
			first = cpu.MachineCode(k)
		}
		if first.Code() == nil {
			t.Fatalf("the code of the first of %d programs was freed", i+1)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if first.Code() != nil {
		t.Error("nothing was freed")
	}
}

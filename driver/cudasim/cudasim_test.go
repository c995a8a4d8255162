package cudasim_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/ir/text"
)

// Importing the package registers the device.
func Example() {
	dev, err := vyre.Open("cuda-sim")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	fmt.Println(dev.Name(), dev.Caps().Simulated)
	// Output: cuda-sim:0 true
}

func TestSimulatedDeviceHasANameOfItsOwn(t *testing.T) {
	d, err := driver.Open("cuda-sim:3", driver.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if c := d.Caps(); d.Name() != "cuda-sim:3" || !c.Simulated || c.Target != "sm_75" || c.Units != 4 {
		t.Errorf("%s is %+v", d.Name(), *c)
	}
	infos, err := driver.List()
	found := 0
	for _, i := range infos {
		if strings.HasPrefix(i.Name, "cuda-sim:") {
			found++
		}
	}
	if found != len(cusim.Models())+len(driver.Models()) {
		t.Errorf("%d simulated devices are listed: %v, %v", found, infos, err)
	}
}

// TestEveryModelIsADevice: by its name, with the capabilities that driver.Models has, and it runs programs for its own
// target.
func TestEveryModelIsADevice(t *testing.T) {
	for _, m := range driver.Models() {
		t.Run(m.Name, func(t *testing.T) {
			d, err := driver.Open("cuda-sim:"+m.Name, driver.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			got := *d.Caps()
			if d.Name() != "cuda-sim:"+m.Name || got.Name != d.Name() || got.Model != fmt.Sprintf("simulated %d.%d", m.Major, m.Minor) {
				t.Errorf("it is %s, %+v", d.Name(), got.Identity)
			}
			// A device has a name, an identity and memory of its own; all else is the model's.
			got.Name, got.Model, got.UUID, got.PCI, got.TotalMemory, got.MaxBuffer = m.Name, m.Model, "", "", 0, 0
			if got != *m {
				t.Errorf("the device is\n%+v, the model\n%+v", got, *m)
			}
			adds(t, d, m)
		})
	}
}

// adds compiles a kernel on a device, compares what it takes with the model, and runs it.
func adds(t *testing.T, d driver.Device, m *driver.Caps) {
	t.Helper()
	ps, err := text.Parse("test", "vyre 1\nkernel @add workgroup(32) {\n  param @x: buf<u32> rw\n  %i = global.x\n"+
		"  %v = load @x[%i]\n  %w = add.u32 %v, 1_u32\n  store @x[%i], %w\n}")
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.Compile(context.Background(), ps[0], driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := k.Resources(); r.Target != m.Target || k.Occupancy(0) != driver.Occupy(m, r.Registers, r.Shared, 32) {
		t.Errorf("it takes %+v, %+v at once; the target is %s", r, k.Occupancy(0), m.Target)
	}
	if diagnosis := driver.Diagnose(m, driver.RequirementOf(k, driver.Groups(2), 0)); len(diagnosis.Failures) > 0 {
		t.Error(diagnosis)
	}
	x := make([]byte, 4*64)
	if _, err := driver.Dispatch(context.Background(), k, driver.Groups(2), driver.InOut(x)); err != nil {
		t.Fatal(err)
	}
	for i, b := range x {
		if want := byte(1 - min(i%4, 1)); b != want {
			t.Fatalf("byte %d is %d, want %d", i, b, want)
		}
	}
}

// TestANameThatNoSimulatedDeviceHasListsThem: numbers beyond the last, targets and families without a model.
func TestANameThatNoSimulatedDeviceHasListsThem(t *testing.T) {
	for _, name := range []string{"cuda-sim:4", "cuda-sim:-1", "cuda-sim:sm_99", "cuda-sim:sm_90a", "cuda-sim:SM_80", "cuda-sim:A100", "cuda-sim:80", "cuda-sim:sm_80:0", "cuda-sim: "} {
		_, err := driver.Open(name, driver.OpenOptions{})
		if !errors.Is(err, driver.Unavailable) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "0 to 3") {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, m := range driver.Models() {
			if !strings.Contains(err.Error(), m.Name) {
				t.Errorf("%s: the error does not name %s: %v", name, m.Name, err)
			}
		}
	}
}

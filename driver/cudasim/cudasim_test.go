package cudasim_test

import (
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/cusim"
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
	if found != len(cusim.Models()) {
		t.Errorf("%d simulated devices are listed: %v, %v", found, infos, err)
	}
}

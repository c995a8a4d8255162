// Package cudasim is the device "cuda-sim": package cuda on a simulated driver, which runs the same PTX as a GPU and
// checks every access. Importing the package registers the device:
//
//	import _ "github.com/govyre/vyre/driver/cudasim"
//
// Open("cuda-sim:1") chooses another model, and Open("auto") never chooses this device. A test that injects faults, or
// needs a model of its own, makes the driver with package cusim and gives it to cuda.Open.
package cudasim

import (
	"sync"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cusim"
)

// Name is what Open takes.
const Name = "cuda-sim"

// simulated is the process's simulated driver, as the library is the process's real one.
var simulated = sync.OnceValue(func() *cusim.Driver { return cusim.New(cusim.Config{}) })

func init() {
	driver.Register(Name, driver.NotAuto, func(selector string, o driver.OpenOptions) (driver.Device, error) {
		return cuda.Open(cuda.Options{OpenOptions: o, Selector: selector, Driver: simulated(), Simulated: true, Kind: Name})
	}, func() ([]driver.Info, error) {
		infos, err := cuda.List(Name, simulated())
		for i := range infos {
			infos[i].Simulated = true
		}
		return infos, err
	})
}

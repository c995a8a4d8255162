package cuda

import (
	"sync"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cusim"
)

// SimName is what Open takes to get a device without a GPU: this package on a simulated driver, which runs the
// text that a GPU would get and checks every access. A selector chooses the model.
const SimName = "cuda-sim"

// simulated is the process's simulated driver, as the library is the process's real one.
var simulated = sync.OnceValue(func() *cusim.Driver { return cusim.New(cusim.Config{}) })

func init() {
	driver.Register(SimName, driver.NotAuto, func(selector string, o driver.OpenOptions) (driver.Device, error) {
		return Open(Options{OpenOptions: o, Selector: selector, Driver: simulated(), kind: SimName})
	}, func() ([]driver.Info, error) {
		infos, err := list(SimName, simulated())
		for i := range infos {
			infos[i].Simulated = true
		}
		return infos, err
	})
}

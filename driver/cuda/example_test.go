package cuda_test

import (
	"fmt"
	"log"

	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cusim"
)

// A driver of one's own stands under the device, here one without a GPU.
func ExampleOpen() {
	dev, err := cuda.Open(cuda.Options{Driver: cusim.New(cusim.Config{}), Simulated: true})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	fmt.Println(dev.Name(), dev.Caps().Graphs, dev.Caps().GridBarrier)
	// Output: cuda:0 true true
}

package packed_test

import (
	"fmt"
	"log"

	"github.com/govyre/vyre/kernel/packed"
)

// A generated file embeds its data file in a string, and has a variable of the programs in it. Its launchers ask for them by
// name.
func ExampleOpen() {
	data := dataOf("Chain", "Fill[uint8]")
	programs := packed.Open("kernels_vyre.vyp", "vyre gen .", &data)
	p, err := programs.Program("Chain")
	if err != nil {
		log.Fatal(err)
	}
	_, err = programs.Instance("Fill", "float64")
	fmt.Println(p.Name(), err)
	// Output: chain kernel Fill has no instance for float64
}

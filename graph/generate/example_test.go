package generate_test

import (
	"fmt"

	"github.com/govyre/vyre/graph/generate"
)

// A name that makes no sense says what would.
func ExampleParse() {
	for _, name := range []string{"grid:1024", "skew:1000", "kron:40"} {
		_, err := generate.Parse(name)
		fmt.Println(err)
	}
	// Output:
	// generate: "grid:1024" has 1 numbers, want grid:WxH
	// generate: "skew:1000": size N is 1000, want a power of two
	// generate: "kron:40": scale S is "40", want a number from 0 to 31
}

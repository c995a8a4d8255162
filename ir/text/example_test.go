package text_test

import (
	"fmt"

	"github.com/govyre/vyre/ir/text"
)

// Every finding comes with its position, a stable code and advice.
func ExampleParse() {
	_, err := text.Parse("barrier.vyre", `vyre 1
kernel @k workgroup(64) {
  param @x: buf<u32> ro
  %l = local.x
  %v = load @x[%l]
  %c = eq.u32 %v, 1_u32
  if %c { barrier.wg }
}`)
	fmt.Println(err)
	// Output:
	// barrier.vyre:7:11: kernel k: barrier.wg where control is not workgroup-uniform [VY401]
	// 	barrier.vyre:7:3: control splits here on %c, which differs between invocations
	// 	barrier.vyre:4:3: %c differs because of local
	// 	move it out of the branch, or let the condition be the same in the whole workgroup
}

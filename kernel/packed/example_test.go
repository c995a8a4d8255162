package packed_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/kernel/packed"
)

// A program that writes Go files keeps programs in them as text.
func ExampleProgram() {
	b := build.New("nothing", build.Workgroup(32))
	p, err := b.Program()
	if err != nil {
		log.Fatal(err)
	}
	text, err := packed.Text(p) // goes into a constant of the generated file
	if err != nil {
		log.Fatal(err)
	}
	back, err := packed.Program(text)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Count(text, "\n") > 0, back.Digest() == p.Digest())
	// Output: true true
}

package conform_test

import (
	"context"
	"fmt"

	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/conform"
)

// A device passes if no case fails. Here one family is tried; an empty Match tries all.
func ExampleRun() {
	dev, err := cpu.Open(cpu.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dev.Close()
	s, err := conform.Run(context.Background(), conform.On(dev), conform.Options{Match: "ctl-exit/"})
	for _, f := range s.Failures {
		fmt.Println(f)
	}
	fmt.Println(s.Cases > 0, s.Failed, err)
	// Output: true 0 <nil>
}

// Random programs are compared with the interpreter; a failing one is printed as a small program.
func ExampleRandomRun() {
	dev, err := cpu.Open(cpu.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dev.Close()
	var s conform.Summary
	err = conform.RandomRun{Seed: conform.ClockSeed(), N: 20, Workers: 2}.Run(context.Background(), &s, conform.On(dev))
	fmt.Println(s.Passed, "agree,", s.Failed, "differ,", err)
	// Output: 20 agree, 0 differ, <nil>
}

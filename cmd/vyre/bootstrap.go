//go:build bootstrap

package main

// evidenceRunCmd links kernels that vyre gen makes. So that they can be made anew when they do not build, the command
// that their packages generate with is built without it.
type evidenceRunCmd struct{}

func (evidenceRunCmd) Run() error { return usagef("this command was built to generate launchers only") }

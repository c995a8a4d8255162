//go:build bootstrap

package main

// These commands link kernels that vyre gen makes. So that they can be made anew when they do not build, the command that
// their packages generate with is built without them.
type (
	evidenceRunCmd     struct{}
	evidenceExplainCmd struct{}
	graphCmd           struct{}
	reachCmd           struct{}
	taintCmd           struct{}
	componentsCmd      struct{}
	dominatorsCmd      struct{}
)

func (evidenceRunCmd) Run() error { return notHere() }

func (evidenceExplainCmd) Run() error { return notHere() }

func (graphCmd) Run() error { return notHere() }

func (reachCmd) Run() error { return notHere() }

func (taintCmd) Run() error { return notHere() }

func (componentsCmd) Run() error { return notHere() }

func (dominatorsCmd) Run() error { return notHere() }

func notHere() error { return usagef("this command was built to generate launchers only") }

package interp

// Check holds a launch against the launch contract, without running it: the error is a *LaunchError.
func (k *Kernel) Check(l *Launch) error { return k.check(l) }

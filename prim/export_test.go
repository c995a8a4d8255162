package prim

// ForceGroups lets every launch that is recorded from now on have so many workgroups; 0 leaves it to the device.
func ForceGroups(n uint32) { forcedGroups = n }

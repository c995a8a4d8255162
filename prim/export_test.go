package prim

// ForceGroups lets every launch that is recorded from now on have so many workgroups; 0 leaves it to the device.
func ForceGroups(n uint32) { forcedGroups = n }

// ForceBlock lets the warps of every product that is made from now on have so many fragments of rows and columns; 0 leaves it to the
// sizes.
func ForceBlock(rows, cols int) { forcedBlock = productBlock{rows, cols} }

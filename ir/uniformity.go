package ir

// Uniformity holds, for every row, the level of its value and of the control that
// reaches it. It is computed once, when a program is sealed.
//
// Control of level s at a row: all invocations of one instance of scope s (the grid, a
// workgroup, a warp, a lane) reach the row together, the same number of times. A value
// of level s is equal in all of them where control is at most s; in more divergent
// control nothing is claimed, and a value is raised before it can get out of there. In
// a group of at most 32 invocations warp counts as group, in a group of one lane does too.
type Uniformity struct {
	Value   []Level // of an if, that of its condition; grid for other rows without a value
	Control []Level
}

package ir

// Uniformity holds, for every row, the level of its value and of the control that
// reaches it. It is computed once, when a program is sealed.
type Uniformity struct {
	Value   []Level
	Control []Level
}

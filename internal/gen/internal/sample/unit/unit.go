// Package unit has a type and a function that kernels of another package use.
package unit

// Metre is a length.
type Metre float32

// Double returns twice m.
func Double(m Metre) Metre { return m + m }

// Package cycles has the kernels of analyses that are about cycles: topological levels, and strong components.
//
// Start reading at peel.go, then strong.go.
package cycles

//go:generate go run ../../../internal/gen/generate --programs .

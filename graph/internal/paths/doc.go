// Package paths has the kernels of shortest paths by weights.
//
// Start reading at near.go, then parents.go.
package paths

//go:generate go run ../../../internal/gen/generate --programs .

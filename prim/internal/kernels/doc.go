// Package kernels has the kernels of package prim, and their programs. Each is a few lines around an algorithm of
// prim/internal/block; package prim specialises the programs for an operator and compiles them. The programs are in
// kernels_vyre.vyp.
package kernels

//go:generate go run ../../../internal/gen/generate --programs .

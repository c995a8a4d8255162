// Package cases holds kernels that package front compiles and that package gpu runs natively; its
// tests compare what the two compute. Each file is one part of the kernel language.
package cases

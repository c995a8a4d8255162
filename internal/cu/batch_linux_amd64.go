//go:build !vyre_nocuda

package cu

// callAll makes many calls; see batch_linux_amd64.s.
//
//lint:ignore U1000 what names it is in assembly
func callAll()

// callAllEntry is its address.
var callAllEntry uintptr

//go:build !vyre_nocuda && ((linux && arm64) || (windows && amd64))

package cu

// callAllEntry says that there is no callAll here: calls are made one by one.
const callAllEntry = uintptr(0)

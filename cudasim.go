//go:build vyre_cudasim

package vyre

// With the build tag vyre_cudasim every program can open "cuda-sim", which it else has to ask for by this import.
import _ "github.com/govyre/vyre/driver/cudasim"

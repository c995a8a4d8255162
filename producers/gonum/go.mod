module github.com/govyre/vyre/producers/gonum

go 1.25.0

require (
	github.com/govyre/vyre v0.1.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/klauspost/cpuid/v2 v2.0.9 // indirect
	golang.org/x/sys v0.46.0 // indirect
	lukechampine.com/blake3 v1.4.1 // indirect
)

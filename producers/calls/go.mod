module github.com/govyre/vyre/producers/calls

go 1.25.0

require (
	github.com/govyre/vyre v0.1.0
	golang.org/x/tools v0.30.0
)

require (
	github.com/klauspost/cpuid/v2 v2.0.9 // indirect
	golang.org/x/mod v0.23.0 // indirect
	golang.org/x/sync v0.11.0 // indirect
	golang.org/x/sys v0.46.0 // indirect
	lukechampine.com/blake3 v1.4.1 // indirect
)

module github.com/govyre/vyre/producers/gossa

go 1.26.0

require (
	github.com/alecthomas/kong v1.17.0
	github.com/govyre/vyre v0.0.0
	github.com/govyre/vyre/producers/calls v0.0.0
	golang.org/x/tools v0.52.0
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/klauspost/cpuid/v2 v2.0.9 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	lukechampine.com/blake3 v1.4.1 // indirect
)

replace (
	github.com/govyre/vyre => ../..
	github.com/govyre/vyre/producers/calls => ../calls
)

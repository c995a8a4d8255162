module github.com/govyre/vyre/bench

go 1.25.0

require (
	github.com/govyre/vyre v0.0.0
	lukechampine.com/blake3 v1.4.1
)

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/klauspost/cpuid/v2 v2.0.9 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	golang.org/x/sys v0.46.0 // indirect
	golang.org/x/tools v0.30.0 // indirect
)

replace github.com/govyre/vyre => ../

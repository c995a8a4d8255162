module github.com/govyre/vyre

go 1.25.0

require go.uber.org/goleak v1.3.0

require (
	github.com/rogpeppe/go-internal v1.16.0
	golang.org/x/tools v0.26.0 // indirect
)

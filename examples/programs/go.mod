module github.com/govyre/vyre/examples/programs

go 1.25.0

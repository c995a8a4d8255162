module github.com/govyre/vyre

go 1.25.0

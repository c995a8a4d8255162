// Package tiles has the rows of a transitive closure over strong components: their layout, made on the host, and the
// kernels that fill them.
//
// A component is a column. Row k has a bit for each column that component k reaches beyond itself. Rows are kept as
// tiles of 1,024 columns, of which only those that are not empty are stored. Where they are is a closure of its own
// over columns of tiles, so bytes are known before tiles are allocated.
//
// Start reading at condense.go, then place.go and fill.go.
package tiles

//go:generate go run ../../../internal/gen/generate --programs .

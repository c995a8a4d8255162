//vyre:library

package library_test

// Of is what a kernel of a test calls.
func Of(v uint32) uint32 { return 3 * v }

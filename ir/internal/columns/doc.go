// Package columns has the columns of a program as bytes: the sections that the wire form stores and the digest hashes.
package columns

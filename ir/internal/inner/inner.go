// Package inner holds the key to the functions of package ir that only the packages under ir may call:
// making a sealed program, and reading its columns without a copy. Nobody else can name the key's type.
package inner

// Key is what those functions take.
type Key struct{}

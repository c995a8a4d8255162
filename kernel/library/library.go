// Package library knows the packages whose functions kernels may call.
//
//	//vyre:library             vyre gen, in the package        the program of a user
//	package tiles       ──▶    library_vyre.go          ──▶    import _ "example.com/tiles"
//	func Sum(…) …              library.Register(…)             kernel.Program(src, "")
//
// The line //vyre:library before the package clause of a file says that kernels of other modules may call what is in the file.
// Vyre gen and the other commands find such a package as the go command does. A program that compiles kernels when it runs
// has no go command: it finds the package here, if it imports it.
//
// All of vyre's own libraries are known in the same way: package kernel has no list of them.
//
// # Not here
//
// What a kernel may call is in docs/language.md. Package kernel compiles it.
package library

import (
	"embed"
	"path"
	"sync"
)

// File is a Go file of a library.
type File struct {
	Name string // for positions: the last word of the import path, and the file's name
	Src  []byte
}

var registered = struct {
	sync.Mutex
	sources map[string]embed.FS // by import path
}{sources: make(map[string]embed.FS)}

// Register makes the files of a package known by its import path. The file library_vyre.go, which vyre gen writes, calls
// it when the program starts.
func Register(importPath string, files embed.FS) {
	registered.Lock()
	defer registered.Unlock()
	registered.sources[importPath] = files
}

// Files returns the source of a package, none if no package of this path was registered.
func Files(importPath string) ([]File, error) {
	registered.Lock()
	source, ok := registered.sources[importPath]
	registered.Unlock()
	if !ok {
		return nil, nil
	}
	entries, err := source.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var files []File
	for _, e := range entries { // sorted
		src, err := source.ReadFile(e.Name())
		if err != nil {
			return nil, err
		}
		files = append(files, File{FileName(importPath, e.Name()), src})
	}
	return files, nil
}

// FileName is what positions call a file of a library, wherever it was found.
func FileName(importPath, name string) string { return path.Join(path.Base(importPath), name) }

package main

import (
	"fmt"
	"os"
	"strings"
)

// module is what the first line of a module says, and its definitions.
type module struct {
	name    string
	imports []uint32
	lines   []string
}

// read reads modules. A line with # begins one, and names the modules before it that it imports.
func read(file string) ([]module, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []module
	at := map[string]uint32{}
	for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) > 1 && words[0] == "#":
			m := module{name: words[1]}
			for _, name := range words[min(len(words), 3):] {
				k, there := at[name]
				if !there {
					return nil, fmt.Errorf("%s:%d: module %s is imported before its own line", file, i+1, name)
				}
				m.imports = append(m.imports, k)
			}
			at[m.name] = uint32(len(list))
			list = append(list, m)
		case len(list) == 0 || len(words) == 0 || len(words) > 32:
			return nil, fmt.Errorf("%s:%d: a line is # MODULE, or NAME: and at most 31 names, in a module", file, i+1)
		default:
			list[len(list)-1].lines = append(list[len(list)-1].lines, line)
		}
	}
	for _, m := range list {
		if len(m.lines) == 0 {
			return nil, fmt.Errorf("%s: module %s defines nothing", file, m.name)
		}
	}
	return list, nil
}

// undefined are the uses without a definition, line by line: what the kernels find, by maps.
func undefined(list []module) (uses [][]string) {
	defines := make([]map[string]bool, len(list))
	for k, m := range list {
		defines[k] = map[string]bool{}
		for _, line := range m.lines {
			name, _, _ := strings.Cut(line, ":")
			defines[k][name] = true
		}
	}
	for k, m := range list {
		for _, line := range m.lines {
			_, rest, _ := strings.Cut(line, ":")
			var lacks []string
			for _, word := range strings.Fields(rest) {
				found := defines[k][word]
				for _, of := range m.imports {
					found = found || defines[of][word]
				}
				if !found {
					lacks = append(lacks, word)
				}
			}
			uses = append(uses, lacks)
		}
	}
	return uses
}

package main

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/frontiers"
)

// source is the text of all modules, one line after another. A line defines a name by other names:
//
//	area: width height times
type source struct {
	text  []uint8
	lines []uint32 // where each begins, and the end of the last
	first []uint32 // line of each module, and the end of the last
}

// word hashes the word that begins at a place or after it, and returns where it ends. There is none where both places are the same.
func (s source) word(at, end uint32) (hash, from, to uint32) {
	for at < end && (s.text[at] == ' ' || s.text[at] == ':' || s.text[at] == '\n') {
		at++
	}
	hash, from = 2166136261, at
	for at < end && s.text[at] != ' ' && s.text[at] != ':' && s.text[at] != '\n' {
		hash = (hash ^ uint32(s.text[at])) * 16777619
		at++
	}
	return hash, from, at
}

// defines reports whether a module defines a name.
func (s source) defines(names []uint32, module, hash uint32) bool {
	for line := s.first[module]; line < s.first[module+1]; line++ {
		if names[line] == hash {
			return true
		}
	}
	return false
}

// Parse finds the name that a line defines. Its frontiers are modules, and their items are lines.
//
//vyre:kernel workgroup=64
func Parse(t gpu.Thread, starts, places []uint32, text []uint8, lines, first, names []uint32) {
	s := source{text, lines, first}
	module, line := frontiers.Work{Starts: starts, Places: places}.Find(t.Global().X)
	line += first[module]
	names[line], _, _ = s.word(lines[line], lines[line+1])
}

// Resolve looks for the names that a line uses, in its module and in those that this one imports. missing has a bit for each use
// without a definition. Its frontiers follow those of Parse in the list, and imports has a row of modules for each of them.
//
//vyre:kernel workgroup=64
func Resolve(t gpu.Thread, starts, places []uint32, modules uint32, text []uint8, lines, first, rows, imports, names, missing []uint32) {
	s := source{text, lines, first}
	module, line := frontiers.Work{Starts: starts, Places: places}.Find(t.Global().X)
	module -= modules
	line += first[module]
	end, bit, lacks := lines[line+1], uint32(1), uint32(0)
	_, _, at := s.word(lines[line], end)
	for {
		hash, from, to := s.word(at, end)
		if from == to {
			break
		}
		found := s.defines(names, module, hash)
		for k := rows[module]; k < rows[module+1] && !found; k++ {
			found = s.defines(names, imports[k], hash)
		}
		if !found {
			lacks |= bit
		}
		bit, at = bit<<1, to
	}
	missing[line] = lacks
}

// Report counts for each module the uses without a definition. Its frontier is all modules.
//
//vyre:kernel workgroup=64
func Report(t gpu.Thread, first, missing, counts []uint32) {
	module, n := t.Global().X, uint32(0)
	for line := first[module]; line < first[module+1]; line++ {
		n += uint32(bits.OnesCount32(missing[line]))
	}
	counts[module] = n
}

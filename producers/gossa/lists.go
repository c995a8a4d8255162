package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/internal/atomicfile"
)

// lists writes what vyre taint needs beside a graph: FILE.sources, and FILE.CLASS.sinks and FILE.CLASS.sanitizers for
// each class of sinks. A class that has sources of its own has FILE.CLASS.sources instead. A node stands there by its
// name if no other has it, else by its id.
func (e *emitted) lists(ctx context.Context, file string, g *graph.CSR) (written []string, err error) {
	base := file
	if ext := filepath.Ext(base); ext == ".gz" || ext == ".zst" {
		base = strings.TrimSuffix(base, ext)
	}
	base = strings.TrimSuffix(base, filepath.Ext(base))
	count := make(map[string]int)
	for v := range uint32(g.Nodes()) {
		count[g.Name(v)]++
	}
	name := func(v uint32) string {
		if n := g.Name(v); count[n] == 1 && !strings.ContainsAny(n, "\t\n,") {
			return n
		}
		return fmt.Sprintf("id:%d", v)
	}
	write := func(what string, lines []string) {
		if len(lines) == 0 || err != nil {
			return
		}
		slices.Sort(lines)
		written = append(written, base+"."+what)
		err = atomicfile.WriteBytes(ctx, base+"."+what, []byte(strings.Join(slices.Compact(lines), "\n")+"\n"))
	}
	q := e.question(g)
	sources := func(what, class string) {
		var lines []string
		for _, s := range q.sourcesFor(class) {
			for _, v := range s.Nodes {
				lines = append(lines, name(v)+"\t"+s.Label)
			}
		}
		write(what, lines)
	}
	sources("sources", "")
	for _, class := range q.classes {
		if q.hasOwnSources(class) {
			sources(class+".sources", class)
		}
		var sinks, sanitizers []string
		for _, v := range q.sinks[class] {
			sinks = append(sinks, name(v))
		}
		for _, s := range e.sanitizers(class) {
			for _, v := range s.Nodes {
				sanitizers = append(sanitizers, name(v))
			}
		}
		write(class+".sinks", sinks)
		write(class+".sanitizers", sanitizers)
	}
	return written, err
}

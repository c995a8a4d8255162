package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/atomicfile"
)

// mostSearches is how many answers to searches are kept: those that were asked for last.
const mostSearches = 1024

// quickSearch is how long a search takes of which the answer is not kept: to read it takes a part of that.
var quickSearch = 20 * time.Millisecond

// searchKey names the answer to a search: by what gossa is, and by all that the search gets. A graph of a part has numbers of its own, so
// a change elsewhere in the program leaves the key as it is. It is empty if nothing is kept.
func (a *asker) searchKey(g *graph.CSR, q session.TaintQuery) string {
	if a.self == "" || cacheFolder() == "" {
		return ""
	}
	h := sha256.New()
	var to []byte
	add := func(list []uint32) {
		to = binary.LittleEndian.AppendUint32(to[:0], uint32(len(list)))
		for _, n := range list {
			to = binary.LittleEndian.AppendUint32(to, n)
		}
		h.Write(to)
	}
	fmt.Fprintf(h, "%s %d %d %d\n", a.self, q.Kinds, q.Paths, len(q.Sources))
	for _, s := range q.Sources {
		add(s.Nodes)
	}
	add(q.Sinks)
	for v := range uint32(g.Nodes()) {
		targets, masks := g.Row(v)
		add(targets)
		add(masks)
	}
	add(g.Data().Procedures)
	add(g.Data().Sites)
	return hex.EncodeToString(h.Sum(nil))
}

// searched answers a question about a part of a graph, with what an earlier run has kept if there is that.
func (a *asker) searched(g *graph.CSR, q session.TaintQuery, o session.Options) (*session.Tainted, error) {
	key := a.searchKey(g, q)
	file := filepath.Join(cacheFolder(), "searches", key)
	if key != "" {
		if list, is := readFindings(file); is {
			return &session.Tainted{Findings: list}, nil
		}
	}
	began := time.Now()
	found, err := a.search(a.ctx, a.dev, g, q, o)
	if err == nil && key != "" && time.Since(began) > a.quick {
		keepFindings(a.ctx, file, found.Findings)
	}
	return found, err
}

// readFindings reads what keepFindings has written, and reports whether it is there.
func readFindings(file string) (list []session.Finding, is bool) {
	text, err := os.ReadFile(file)
	sum, body, _ := bytes.Cut(text, []byte("\n"))
	if err != nil || string(sum) != digest(body) || json.Unmarshal(body, &list) != nil {
		return nil, false
	}
	touch(file)
	return list, true
}

// keepFindings writes findings. Where they cannot be kept, the next run searches again.
func keepFindings(ctx context.Context, file string, list []session.Finding) {
	body, err := json.Marshal(list)
	if err == nil && os.MkdirAll(filepath.Dir(file), 0o700) == nil &&
		atomicfile.WriteBytes(ctx, file, append([]byte(digest(body)+"\n"), body...)) == nil {
		forgetOldest(filepath.Dir(file), mostSearches)
	}
}

// identity is a digest of gossa itself and of how it searches; empty if it cannot be read.
func (p *program) identity(how string) string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	sum, err := p.sum(self)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x %s", sum, how)
}

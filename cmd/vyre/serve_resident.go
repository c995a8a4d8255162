package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/report"
	"github.com/govyre/vyre/internal/serve"
)

// resident is a graph that is asked: its sessions on a device, and what finds nodes. It does not change but for the session
// backward, which the first question makes that needs it.
type resident struct {
	g      *graph.CSR
	dev    driver.Device
	doc    aboutDoc
	names  *nameIndex
	places *graph.Places
	o      session.Options
	ahead  *session.Session
	turn   chan struct{} // of who looks at back
	back   *session.Session

	large      chan struct{} // of who makes a closure, or follows values
	closure    keptClosure
	weightless string // why there are no weights
}

// aboutDoc is what /about says.
type aboutDoc struct {
	Schema    string       `json:"schema"`
	File      string       `json:"file"`
	Graph     report.Graph `json:"graph"`
	Device    string       `json:"device"`
	Names     bool         `json:"names"`
	Positions bool         `json:"positions"`
	Weights   bool         `json:"weights"`
	Contexts  bool         `json:"contexts"` // whether it has procedures and call sites
	Kinds     []kindEntry  `json:"kinds"`
	Questions []string     `json:"questions"`
	Warning   string       `json:"warning,omitempty"`
}

const serveSchema = "vyre.serve/1"

// mostSeeds bounds the nodes of a question.
const mostSeeds = 1024

func newResident(ctx context.Context, dev driver.Device, g *graph.CSR, file string, c *serveCmd) (_ *resident, err error) {
	r := &resident{g: g, dev: dev, turn: make(chan struct{}, 1), large: make(chan struct{}, 1), weightless: "the graph has no weights, or all are 1"}
	r.o = session.Options{Label: "serve", Queries: 1, Seeds: mostSeeds, Levels: true, Topology: topologyOn(dev, 0), Parallel: c.Parallel, Parts: c.AllowPartitioned}
	of, err := report.Of(ctx, g)
	if err != nil {
		return nil, err
	}
	r.doc = aboutDoc{Schema: serveSchema, File: file, Graph: of, Device: dev.Name(), Names: g.Data().Names.Len() > 0, Positions: g.Data().Positions.Len() > 0, Weights: len(g.Data().Weights) > 0,
		Contexts: g.Data().Procedures != nil && g.Data().Sites != nil, Kinds: kindsOf(g)}
	for _, q := range questions {
		r.doc.Questions = append(r.doc.Questions, q.Name)
	}
	if r.names, err = newNameIndex(ctx, g); err != nil {
		return nil, err
	}
	if r.places, err = graph.NewPlaces(g); err != nil {
		return nil, err
	}
	r.ahead, err = session.New(ctx, dev, g, r.o)
	return r, err
}

// Close gives back what is on the device.
func (r *resident) Close() error {
	err := r.ahead.Close()
	if r.back != nil && r.back != r.ahead {
		err = errors.Join(err, r.back.Close())
	}
	return err
}

func (r *resident) about(warning string) any {
	doc := r.doc
	doc.Warning = warning
	return doc
}

// backward returns the session of the graph the other way round.
func (r *resident) backward(ctx context.Context) (*session.Session, error) {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if r.back != nil {
		return r.back, nil
	}
	reverse, err := r.g.Reverse(ctx)
	if err != nil {
		return nil, err
	}
	if reverse == r.g { // it is symmetric
		r.back = r.ahead
		return r.back, nil
	}
	r.back, err = session.New(ctx, r.dev, reverse, r.o)
	return r.back, err
}

// refused is an error about what was asked. Its text may have the fix after a semicolon, as those of the command line do.
func refused(err error, fix string) error {
	text := strings.TrimPrefix(err.Error(), "--")
	if said, more, ok := strings.Cut(text, "; "); ok {
		text, fix = said, more
	}
	return &serve.Error{Status: http.StatusUnprocessableEntity, Text: text, Fix: fix}
}

// find returns the nodes of a field, in the forms of the command line but for files.
func (r *resident) find(ctx context.Context, field string, list []string) ([]uint32, error) {
	const fix = "take names, ids, name:REGEXP, tag:MASK or at:FILE:LINE; /ask/names lists names"
	if len(list) == 0 {
		return nil, refused(fmt.Errorf("%s has no node", field), fix)
	}
	for _, s := range list {
		if strings.HasPrefix(s, "@") && r.names.named(s) == nil {
			return nil, refused(fmt.Errorf("%s %s: files are not read here", field, s), fix)
		}
	}
	names := nodeNames{t: &terminal{ctx: ctx}, g: r.g, sorted: r.names, places: r.places, most: mostSeeds}
	nodes, err := names.find(field, list)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, refused(err, fix)
	case len(nodes) == 0:
		return nil, refused(fmt.Errorf("%s names no node", field), fix)
	}
	return nodes, nil
}

// kinds reads a mask of kinds.
func (r *resident) kinds(s string) (uint32, error) {
	mask, err := kindsMask(r.g, s)
	if err != nil {
		return 0, refused(err, "/about lists the kinds of arcs")
	}
	return mask, nil
}

// because says what an error of a session is for a client.
func because(err error) error {
	var of *driver.Error
	if !errors.As(err, &of) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	status := http.StatusInternalServerError
	switch of.Kind {
	case driver.InvalidArgument, driver.Unsupported:
		status = http.StatusUnprocessableEntity
	case driver.OutOfMemory, driver.Busy, driver.DeviceLost:
		status = http.StatusServiceUnavailable
	}
	fix := of.Fix
	if fix == "" {
		fix = "ask again; if it stays so, start the command again"
	}
	return &serve.Error{Status: status, Text: err.Error(), Fix: fix}
}

// paged is which part of a long answer is wanted, and of which graph.
type paged struct {
	Limit  int    `json:"limit"`
	Cursor string `json:"cursor"` // of the answer before; empty is the beginning
	Graph  string `json:"graph"`  // digest of the graph that ids are of; empty is any
}

// Sizes of an answer, in nodes.
const (
	usualNodes = 100
	mostNodes  = 1000
)

// checkPage refuses a page that cannot be, before anything is searched.
func (r *resident) checkPage(p paged) error {
	_, _, err := r.begin(p)
	return err
}

// begin returns where the page begins, and how many nodes it has at most.
func (r *resident) begin(p paged) (from, limit int, err error) {
	if p.Graph != "" && p.Graph != r.doc.Graph.Digest {
		return 0, 0, gone
	}
	limit = p.Limit
	if limit == 0 {
		limit = usualNodes
	}
	if limit < 1 || limit > mostNodes {
		return 0, 0, refused(fmt.Errorf("limit is %d", limit), fmt.Sprintf("take 1 to %d, and the cursor of an answer for the next page", mostNodes))
	}
	if p.Cursor == "" {
		return 0, limit, nil
	}
	digest, digits, _ := strings.Cut(p.Cursor, "-")
	at, err := strconv.ParseUint(digits, 10, 62)
	switch {
	case err != nil || len(digest) != cursorDigits:
		return 0, 0, refused(fmt.Errorf("%q is no cursor", p.Cursor), "take the next of an answer as it is")
	case digest != r.doc.Graph.Digest[:cursorDigits]:
		return 0, 0, gone
	}
	return int(at), limit, nil
}

const cursorDigits = 16

// gone is the answer to what is about an earlier graph.
var gone = &serve.Error{Status: http.StatusGone, Text: "the graph was replaced since", Fix: "ask from the beginning, by names, without a cursor"}

// next is the cursor of the page that begins at a position.
func (r *resident) next(at int) string {
	return fmt.Sprintf("%s-%d", r.doc.Graph.Digest[:cursorDigits], at)
}

// nameIndex finds nodes by the beginnings of their names, and of the last parts of these: "exec.C" and "Com" both find
// os/exec.Command. Small and large letters of ASCII are the same. It does not change.
type nameIndex struct {
	names graph.Strings
	parts []namePart // by text
}

// namePart is where a part of a name begins, which goes on to its end.
type namePart struct{ node, at uint32 }

func newNameIndex(ctx context.Context, g *graph.CSR) (*nameIndex, error) {
	n := &nameIndex{names: g.Data().Names}
	texts := make([]string, n.names.Len()) // each of which At makes anew
	for v := range texts {
		texts[v] = n.names.At(v)
		starts := partsOf(texts[v])
		for i, at := range starts {
			if !slices.Contains(starts[:i], at) {
				n.parts = append(n.parts, namePart{uint32(v), at})
			}
		}
		if v%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	slices.SortFunc(n.parts, func(a, b namePart) int {
		return cmp.Or(foldedCompare(texts[a.node][a.at:], texts[b.node][b.at:]), cmp.Compare(a.node, b.node))
	})
	return n, ctx.Err()
}

// partsOf are where parts of a name begin: the name, what follows its last slash, and what follows its last period or closing
// parenthesis.
func partsOf(name string) [3]uint32 {
	slash := strings.LastIndexByte(name, '/') + 1
	return [3]uint32{0, uint32(slash), uint32(max(slash, strings.LastIndexByte(name, '.')+1))}
}

func (n *nameIndex) text(p namePart) string { return n.names.At(int(p.node))[p.at:] }

// from is the first part that is not before a text.
func (n *nameIndex) from(text string) int {
	return sort.Search(len(n.parts), func(i int) bool { return foldedCompare(n.text(n.parts[i]), text) >= 0 })
}

// named returns the nodes of a name, ascending.
func (n *nameIndex) named(name string) (nodes []uint32) {
	for _, p := range n.parts[n.from(name):] {
		text := n.text(p)
		if foldedCompare(text, name) != 0 {
			break
		}
		if p.at == 0 && text == name {
			nodes = append(nodes, p.node)
		}
	}
	return nodes
}

// beginning yields nodes of which a part begins with a prefix, each once, in the order of the parts: with the position in
// that order, from one on, and with how many parts it has looked at.
func (n *nameIndex) beginning(prefix string, from int, yield func(node uint32, at, looked int) bool) {
	first := max(from, n.from(prefix))
	for i := first; i < len(n.parts); i++ {
		p := n.parts[i]
		if !foldedPrefix(n.text(p), prefix) {
			return
		}
		name := n.names.At(int(p.node))
		before := func(at uint32) bool { return at < p.at && foldedPrefix(name[at:], prefix) }
		if starts := partsOf(name); !slices.ContainsFunc(starts[:], before) && !yield(p.node, i, i-first+1) {
			return
		}
	}
}

func folded(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		b |= 0x20
	}
	return b
}

func foldedCompare(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a, b := folded(a[i]), folded(b[i]); a != b {
			return cmp.Compare(a, b)
		}
	}
	return cmp.Compare(len(a), len(b))
}

func foldedPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && foldedCompare(s[:len(prefix)], prefix) == 0
}

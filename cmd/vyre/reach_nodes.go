package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/internal/printable"
)

// maxNodeList bounds a file of nodes.
const maxNodeList = 1 << 30

// nodeNames finds the nodes that a command line means.
type nodeNames struct {
	t      *terminal
	g      *graph.CSR
	byName map[string][]uint32 // made when the first name is asked for
	places *graph.Places       // made when the first place is
	sorted *nameIndex          // in the place of byName; may be nil
	most   int                 // nodes of a list; 0 is any number
}

// find returns the nodes that a flag lists, in that order and each once:
//
//	7,main.main    ids and names; a name that several nodes have is refused with the list of them
//	id:7           an id, also where names are numbers
//	name:REGEXP    nodes whose name matches
//	tag:MASK       nodes whose tags have a bit in common
//	at:FILE:LINE   nodes at a line of a file, or with at:FILE anywhere in it; FILE may be the end of a path
//	@FILE          one of these a line, without commas
func (n *nodeNames) find(flag string, list []string) (nodes []uint32, err error) {
	for _, s := range list {
		var some []uint32
		switch kind, rest, _ := strings.Cut(s, ":"); {
		case kind == "name":
			some, err = n.matching(rest)
		case kind == "tag":
			some, err = n.tagged(rest)
		case kind == "at":
			some, err = n.placed(rest)
		case strings.HasPrefix(s, "@"):
			some, err = n.listed(s[1:])
		default:
			some, err = n.words(s)
		}
		if err != nil {
			return nil, usagef("%s %s: %w", flag, s, err)
		}
		if nodes = append(nodes, some...); n.most > 0 && len(nodes) > n.most {
			return nil, usagef("%s has more than %d nodes; name fewer", flag, n.most)
		}
	}
	seen := make(map[uint32]bool, len(nodes))
	nodes = slices.DeleteFunc(nodes, func(v uint32) bool {
		twice := seen[v]
		seen[v] = true
		return twice
	})
	if len(nodes) == 0 && len(list) > 0 && (flag == "--from" || flag == "--at" || flag == "--root") {
		return nil, usagef("%s names no node", flag)
	}
	return nodes, nil
}

// words reads ids and names with commas between. A name may have commas itself.
func (n *nodeNames) words(s string) ([]uint32, error) {
	if v, err := n.word(s); err == nil {
		return []uint32{v}, nil
	}
	var nodes []uint32
	for _, w := range strings.Split(s, ",") {
		v, err := n.word(w)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, v)
	}
	return nodes, nil
}

// word is one node: a name before an id, since the numbers that a file calls its nodes may be names.
func (n *nodeNames) word(s string) (uint32, error) {
	digits, isID := strings.CutPrefix(s, "id:")
	if same := n.named(s); len(same) == 1 {
		return same[0], nil
	} else if len(same) > 1 {
		var list []string
		for _, v := range same[:min(len(same), 10)] {
			list = append(list, n.describe(v))
		}
		if len(same) > 10 {
			list = append(list, fmt.Sprintf("and %d more", len(same)-10))
		}
		return 0, fmt.Errorf("%d nodes have this name: %s", len(same), strings.Join(list, ", "))
	}
	v, err := strconv.ParseUint(digits, 10, 64)
	switch {
	case err == nil && v < uint64(n.g.Nodes()):
		return uint32(v), nil
	case err == nil:
		return 0, fmt.Errorf("there is no node %d; there are %d, and ids start at 0", v, n.g.Nodes())
	case isID:
		return 0, fmt.Errorf("%q is no id", digits)
	case n.g.Data().Names.Len() == 0:
		return 0, fmt.Errorf("%q is no id, and nodes of this graph have no names", s)
	}
	return 0, fmt.Errorf("no node has the name %q; name:REGEXP takes all that match", s)
}

// describe is an id that the command line takes, with where the node stands.
func (n *nodeNames) describe(v uint32) string {
	if pos := n.g.Position(v); pos != "" {
		return fmt.Sprintf("id:%d (%s)", v, printable.Text(pos))
	}
	return fmt.Sprintf("id:%d", v)
}

// named returns the nodes of a name.
func (n *nodeNames) named(name string) []uint32 {
	if n.sorted != nil {
		return n.sorted.named(name)
	}
	names := n.g.Data().Names
	if names.Len() == 0 {
		return nil
	}
	if n.byName == nil {
		n.byName = make(map[string][]uint32, names.Len())
		for v := range names.Len() {
			at := names.At(v)
			n.byName[at] = append(n.byName[at], uint32(v))
		}
	}
	return n.byName[name]
}

func (n *nodeNames) matching(expr string) (nodes []uint32, err error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	names := n.g.Data().Names
	if names.Len() == 0 {
		return nil, fmt.Errorf("nodes of this graph have no names")
	}
	for v := range names.Len() {
		if v%1024 == 0 && n.t.ctx.Err() != nil {
			return nil, n.t.ctx.Err()
		}
		if re.MatchString(names.At(v)) {
			nodes = append(nodes, uint32(v))
		}
	}
	if nodes == nil {
		return nil, fmt.Errorf("no name of a node matches")
	}
	return nodes, nil
}

func (n *nodeNames) tagged(s string) (nodes []uint32, err error) {
	mask, err := strconv.ParseUint(s, 0, 32)
	if err != nil || mask == 0 {
		return nil, fmt.Errorf("%q is no mask of tags", s)
	}
	tags := n.g.Data().Tags
	if tags == nil {
		return nil, fmt.Errorf("nodes of this graph have no tags")
	}
	for v, tag := range tags {
		if tag&uint32(mask) != 0 {
			nodes = append(nodes, uint32(v))
		}
	}
	if nodes == nil {
		return nil, fmt.Errorf("no node has a tag of these")
	}
	return nodes, nil
}

// placed returns the nodes at a place of the source: FILE, FILE:LINE or FILE:LINE:COLUMN.
func (n *nodeNames) placed(place string) ([]uint32, error) {
	switch {
	case n.g.Data().Positions.Len() == 0:
		return nil, fmt.Errorf("nodes of this graph have no positions")
	case place == "":
		return nil, fmt.Errorf("say which file, and which line of it, as in at:main.go:12")
	}
	if n.places == nil {
		var err error
		if n.places, err = graph.NewPlaces(n.g); err != nil {
			return nil, err
		}
	}
	at := graph.ParsePosition(place)
	nodes := n.places.At(at)
	if nodes != nil {
		return nodes, nil
	}
	if nearest, ok := n.places.Nearest(at); ok {
		return nil, fmt.Errorf("no node is there; the nearest is at %s", printable.Text(nearest.String()))
	}
	return nil, fmt.Errorf("no node is in such a file; name it by its path, or by the end of that from a folder on")
}

// line is the node of a line: an id before a tab, as in the lists that are written, or a name or an id.
func (n *nodeNames) line(line string) (uint32, error) {
	if first, _, tab := strings.Cut(line, "\t"); tab {
		if _, err := strconv.ParseUint(first, 10, 64); err == nil {
			return n.id(first)
		}
	}
	return n.word(strings.TrimSpace(line))
}

// id is a node by its id.
func (n *nodeNames) id(digits string) (uint32, error) {
	v, err := strconv.ParseUint(digits, 10, 64)
	if err == nil && v >= uint64(n.g.Nodes()) {
		err = fmt.Errorf("there is no node %d; there are %d, and ids start at 0", v, n.g.Nodes())
	}
	return uint32(v), err
}

// listed reads a file with a node a line, and lines that start with # for people.
func (n *nodeNames) listed(file string) (nodes []uint32, err error) {
	b, err := n.t.read(file, maxNodeList)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(b), "\n") {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		v, err := n.line(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		nodes = append(nodes, v)
	}
	return nodes, nil
}

package graph

// Data is what a graph may have beside arcs and their kinds. All of it is optional, and all but NodeKinds and Tags leaves
// the digest alone. It stays on the host.
type Data struct {
	NodeKinds []uint32 // a mask a node; whoever makes the graph says what its bits mean
	Tags      []uint32 // another one, for sets of nodes that have a name in the question: sources, sinks
	Weights   []uint32 // one an arc, in the order of Targets

	// Of a program: the procedure that each node is in, counted from 0, and for each arc the call site whose call or return it
	// is, or NoSite. With both, returns can be matched with calls: see package ifds.
	Procedures, Sites []uint32

	KindNames [32]string // of the bits of arcs' masks, where they are not those of the constants
	Names     Strings    // one a node
	Positions Strings    // where a node stands in what the graph was made of, as file:line:column

	Attributes map[string]string // about the graph as a whole
	Provenance Provenance
}

// Provenance says where a graph comes from.
type Provenance struct {
	Producer string `json:"producer,omitempty"`
	Version  string `json:"version,omitempty"`
	Options  string `json:"options,omitempty"`
}

// Shape is what holds of all arcs of a graph.
type Shape struct {
	Symmetric bool // every arc has one back, with the same mask
	Simple    bool // no two arcs lead from one node to the same node
	NoSelf    bool // no arc leads from a node to itself
}

func (s Shape) flags() uint32 {
	f := uint32(flagSorted)
	for _, c := range []struct {
		holds bool
		bit   uint32
	}{{s.Symmetric, flagSymmetric}, {s.Simple, flagSimple}, {s.NoSelf, flagNoSelf}} {
		if c.holds {
			f |= c.bit
		}
	}
	return f
}

// Flags of the header.
const (
	flagSymmetric = 1 << iota
	flagSorted
	flagSimple // no two arcs between the same nodes
	flagNoSelf
)

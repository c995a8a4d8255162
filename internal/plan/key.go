package plan

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"lukechampine.com/blake3"
)

// Key is the digest of everything that a kernel or a decision depends on.
type Key [32]byte

// MarshalText returns it in hexadecimal digits.
func (k Key) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, k[:]), nil }

// UnmarshalText reads what MarshalText wrote.
func (k *Key) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(k)) {
		return fmt.Errorf("a key of %d hexadecimal digits, want %d", len(text), hex.EncodedLen(len(k)))
	}
	_, err := hex.Decode(k[:], text)
	return err
}

// keyVersion changes whenever the encoding or the meaning of a plan does.
const keyVersion = 1

// Analysis is what a set of waves computes.
type Analysis uint32

// The analyses that have a number. Others take one from FirstCustom up.
const (
	Dataflow Analysis = iota + 1
	IFDS
	ReachingDefinitions
	Liveness
	PointsTo
	ParserFrontEnd

	FirstCustom Analysis = 1 << 16
)

// Identity is all that a plan depends on. Two that differ in any field have different keys.
type Identity struct {
	Waves        []WaveIdentity
	Dependencies []Dependency // order and repetition do not matter

	Nodes, Edges         uint64
	NodeBytes, EdgeBytes uint64   // widths of the graph's layout
	KindBytes            uint64   // width of an edge's kind
	Graph                [32]byte // digest of the graph if a wave is specialised to it

	Analysis Analysis
	Device   DeviceIdentity
	Budget   uint64
	Options  string // in a form that is equal for equal options
}

// WaveIdentity is what a plan depends on in a wave.
type WaveIdentity struct {
	Program  [32]byte // digest
	Domain   uint8    // kind of the domain
	Items    uint64   // of a domain that the compiled program knows
	Envelope Envelope
}

// DeviceIdentity is what a plan depends on in a device.
type DeviceIdentity struct {
	Target          string // architecture that programs are compiled for
	Units           int    // multiprocessors
	WarpSize        int
	ThreadsPerGroup int
	SharedPerGroup  int
	GridBarrier     bool
	LoopNodes       bool
	DriverVersion   int
}

// Keyer makes keys. It keeps its working storage between calls; the zero value is ready. One goroutine uses it at a time.
type Keyer struct {
	text []byte
	deps []Dependency
}

// Key returns the digest of id.
func (k *Keyer) Key(id *Identity) Key {
	k.text = k.text[:0]
	k.numbers(keyVersion, uint64(len(id.Waves)))
	for i := range id.Waves {
		w := &id.Waves[i]
		k.text = append(k.text, w.Program[:]...)
		k.numbers(uint64(w.Domain), w.Items, w.Envelope.Frontier, w.Envelope.Scratch, w.Envelope.Output)
	}
	k.dependencies(id.Dependencies)
	k.numbers(id.Nodes, id.Edges, id.NodeBytes, id.EdgeBytes, id.KindBytes)
	k.text = append(k.text, id.Graph[:]...)
	k.numbers(uint64(id.Analysis))
	k.device(&id.Device)
	k.numbers(id.Budget)
	k.string(id.Options)
	return blake3.Sum256(k.text)
}

// dependencies writes each once, in order.
func (k *Keyer) dependencies(deps []Dependency) {
	k.deps = append(k.deps[:0], deps...)
	slices.SortFunc(k.deps, func(a, b Dependency) int {
		return cmp.Or(cmp.Compare(a.Before, b.Before), cmp.Compare(a.After, b.After))
	})
	k.deps = slices.Compact(k.deps)
	k.numbers(uint64(len(k.deps)))
	for _, d := range k.deps {
		k.numbers(uint64(d.Before), uint64(d.After))
	}
}

func (k *Keyer) device(d *DeviceIdentity) {
	k.string(d.Target)
	k.numbers(uint64(d.Units), uint64(d.WarpSize), uint64(d.ThreadsPerGroup), uint64(d.SharedPerGroup),
		bit(d.GridBarrier), bit(d.LoopNodes), uint64(d.DriverVersion))
}

func (k *Keyer) numbers(list ...uint64) {
	for _, n := range list {
		k.text = binary.LittleEndian.AppendUint64(k.text, n)
	}
}

// string writes the length first, so that no two texts run into one another.
func (k *Keyer) string(s string) {
	k.numbers(uint64(len(s)))
	k.text = append(k.text, s...)
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

package device_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	_ "github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cuda"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/metric"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device"
	"github.com/govyre/vyre/egraph/internal/groups"
	"github.com/govyre/vyre/internal/testing/egraphs"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// given is a row of a small e-graph: class, head and children.
type given struct {
	class egraph.Class
	head  string
	kids  []egraph.Class
}

func kids(list ...egraph.Class) []egraph.Class { return list }

func small(classes int, rows []given, pending ...[2]egraph.Class) *egraph.Graph {
	g := egraph.New()
	for range classes {
		g.Class(ir.U32)
	}
	for _, r := range rows {
		g.Insert(r.class, g.Head(egraph.HeadInfo{Name: r.head, Type: ir.U32}), r.kids...)
	}
	for _, p := range pending {
		if err := g.Union(p[0], p[1], "given"); err != nil {
			panic(err)
		}
	}
	return g
}

// ladder is vector F.
func ladder() *egraph.Graph {
	var pending [][2]egraph.Class
	for e := range egraph.Class(1024) {
		pending = append(pending, [2]egraph.Class{e + 1, e}, [2]egraph.Class{e, e + 1})
		if e%7 == 0 {
			pending = append(pending, [2]egraph.Class{e, e})
		}
	}
	return small(1025, nil, pending...)
}

// vector is an e-graph with its closure.
type vector struct {
	name    string
	graph   *egraph.Graph
	pending int
	unions  []uint32 // each round's
	roots   []uint32
	classes int
	live    int
	digest  uint64
}

func vectors() []vector {
	return []vector{
		{name: "A", graph: small(5, []given{{0, "lit", nil}, {1, "lit", nil}, {2, "add", kids(0, 1)}, {3, "add", kids(0, 1)},
			{4, "add", kids(1, 0)}, {2, "add", kids(0, 1)}}), unions: []uint32{2, 1, 0}, roots: []uint32{0, 0, 2, 2, 2}, classes: 2, live: 2},
		{name: "B", graph: egraphs.Chain(18), pending: 1, unions: []uint32{1, 1, 1, 1, 1, 1, 1, 1, 0}, classes: 9, live: 10,
			roots: []uint32{0, 0, 2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5, 6, 7, 8, 9}},
		{name: "C", graph: small(6, []given{{0, "lit", nil}, {1, "lit", nil}, {2, "add", kids(0, 1)}, {3, "add", kids(0, 1)},
			{4, "add", kids(1, 0)}, {5, "mul", kids(0, 1)}}), unions: []uint32{2, 1, 0}, roots: []uint32{0, 0, 2, 2, 2, 5}, classes: 3, live: 3},
		{name: "D", graph: small(4, []given{{0, "p", nil}, {1, "q", nil}, {2, "add", kids(0, 1)}, {3, "add", kids(1, 0)}}),
			unions: []uint32{0}, roots: []uint32{0, 1, 2, 3}, classes: 4, live: 4},
		{name: "E", graph: small(2, []given{{0, "f", kids(0)}, {1, "f", kids(1)}}), unions: []uint32{0}, roots: []uint32{0, 1}, classes: 2, live: 2},
		{name: "E'", graph: small(2, []given{{0, "f", kids(0)}, {1, "f", kids(1)}}, [2]egraph.Class{0, 1}),
			pending: 1, unions: []uint32{0}, roots: []uint32{0, 0}, classes: 1, live: 1},
		{name: "F", graph: ladder(), pending: 1024, unions: []uint32{0}, roots: make([]uint32, 1025), classes: 1},
		{name: "G", graph: small(7, []given{{0, "a", nil}, {1, "b", nil}, {2, "c", nil}, {3, "f", kids(0)}, {4, "f", kids(1)},
			{5, "g", kids(3, 2)}, {6, "g", kids(4, 2)}}, [2]egraph.Class{0, 1}), pending: 1, unions: []uint32{1, 1, 0},
			roots: []uint32{0, 0, 2, 3, 3, 5, 5}, classes: 4, live: 5},
		{name: "nothing", graph: egraph.New(), unions: []uint32{0}},
		mixed(64, 0, []uint32{12, 0}, 52, 52, 0x63814436495ef514),
		mixed(1_000, 10, []uint32{122, 1, 0}, 867, 877, 0x4dec9ad3ec99a4a5),
	}
}

func mixed(n, pending int, unions []uint32, classes, live int, digest uint64) vector {
	return vector{name: fmt.Sprint("W1 ", n), graph: egraphs.Mixed(n), pending: pending, unions: unions, classes: classes, live: live, digest: digest}
}

// check compares a result with the vector.
func (v *vector) check(t *testing.T, r *device.Result) {
	t.Helper()
	if r.Status != device.Converged || r.Rounds != len(v.unions) || !slices.Equal(r.PerRound(), v.unions) || r.Pending != v.pending {
		t.Errorf("%v after %d rounds, unions %d %v, want %d %v", r.Status, r.Rounds, r.Pending, r.PerRound(), v.pending, v.unions)
	}
	if r.Live != v.live || r.Classes != v.classes {
		t.Errorf("%d classes, %d live rows, want %d, %d", r.Classes, r.Live, v.classes, v.live)
	}
	if v.roots != nil && !slices.Equal(r.Roots(), v.roots) {
		t.Errorf("roots %v, want %v", r.Roots(), v.roots)
	}
	if v.digest != 0 && r.Digest() != v.digest {
		t.Errorf("digest %016x, want %016x", r.Digest(), v.digest)
	}
}

var deviceFlag = flag.String("devices", "cpu,cuda-sim", "devices that the tests run on, with commas between")

func devices() []string { return strings.Split(*deviceFlag, ",") }

func open(t *testing.T, name string) vyre.Device {
	t.Helper()
	dev, err := vyre.Open(long.Device(name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if n := dev.Stats().Get(metric.LiveBytes); n != 0 {
			t.Errorf("%s: %d bytes are left", name, n)
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// session builds an image and opens it.
func session(t *testing.T, dev vyre.Device, g *egraph.Graph, u device.Tuning) *device.Session {
	t.Helper()
	im, err := device.Build(g)
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, dev, im, u)
}

func opened(t *testing.T, dev vyre.Device, im *device.Image, u device.Tuning) *device.Session {
	t.Helper()
	s, err := device.OpenTuned(t.Context(), dev, im, u)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func canonicalise(t *testing.T, s *device.Session, pending [][2]uint32, o device.Options) device.Result {
	t.Helper()
	r, err := s.Canonicalise(t.Context(), pending, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestVectorsOnDevices(t *testing.T) {
	for _, name := range devices() {
		dev := open(t, name)
		all := vectors()
		if name == "cuda-sim" && !long.Enabled() { // those that differ most in what they need
			all = slices.DeleteFunc(all, func(v vector) bool { return !strings.Contains("A F W1 64 W1 1000", v.name) })
		} else if name != "cuda-sim" {
			all = append(all, mixed(100_000, 1_000, []uint32{12_414, 320, 5, 0}, 86_261, 87_261, 0x0875ddd31906a391))
		}
		for _, v := range all {
			t.Run(name+" "+v.name, func(t *testing.T) {
				s := session(t, dev, v.graph, device.Tuning{})
				r := canonicalise(t, s, nil, device.Options{})
				v.check(t, &r)
				if v.name == "F" && r.Self != 147 { // and as many duplicates as unions
					t.Errorf("%d unions of a class with itself", r.Self)
				}
			})
		}
	}
}

// TestAMillionRowsOnDevices closes a graph of which every lane sweeps several rows, and whose groups take three passes.
func TestAMillionRowsOnDevices(t *testing.T) {
	for _, name := range devices() {
		if name != "cuda" && (name != "cpu" || !long.Enabled()) {
			continue
		}
		g := egraphs.Mixed(1_100_000)
		r := canonicalise(t, session(t, open(t, name), g, device.Tuning{}), nil, device.Options{})
		unions, err := g.RebuildParallel(2)
		if err != nil {
			t.Fatal(err)
		}
		_, _, want := groups.Of(g.Columns().Class, g.Columns().Parent)
		_, _, rows := r.Groups()
		if r.Digest() != g.Digest() || r.Rounds != len(unions)-1 || r.Live != g.Rows() || !slices.Equal(rows, want) {
			t.Errorf("%s: digest %016x after %d rounds, want %016x after %v", name, r.Digest(), r.Rounds, g.Digest(), unions)
		}
	}
}

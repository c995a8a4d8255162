package queue_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/megakernel/queue"
)

// mutant compiles the tests' kernel with a ring that was changed in one place.
func mutant(t *testing.T, dev vyre.Device, old, new string) vyre.Kernel {
	t.Helper()
	ring, err := os.ReadFile("ring.go")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(ring), "package queue", "package paths", 1)
	if old != "" && !strings.Contains(text, old) {
		t.Fatalf("ring.go has no %q", old)
	}
	if old != "" {
		text = strings.ReplaceAll(text, old, new)
	}
	work := strings.ReplaceAll(strings.Replace(source, `"github.com/govyre/vyre/megakernel/queue"`, "", 1), "queue.", "")
	pkg, err := front.Parse(t.Context(), []front.File{{Name: "paths.go", Src: []byte(work)}, {Name: "ring.go", Src: []byte(text)}}, front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range pkg.Kernels() {
		if k.Name == "Narrow" {
			compiled, err := dev.Compile(context.Background(), k.Program, vyre.CompileOptions{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { compiled.Close() })
			return compiled
		}
	}
	t.Fatal("no kernel Narrow")
	return nil
}

// TestMutantsAreFound changes what keeps the ring in order, and expects a race, a wrong count or counters
// that do not agree under some of the schedules. Mistakes in the protocol itself are for the model.
func TestMutantsAreFound(t *testing.T) {
	for _, c := range []struct{ name, old, new string }{
		{"as it is", "", ""},
		{"a slot is given away without an order", "gpu.AtomicStoreOrdered(&r.Sequence[s], ticket+uint64(len(r.Sequence)), gpu.Release, gpu.Device)", "gpu.AtomicStore(&r.Sequence[s], ticket+uint64(len(r.Sequence)))"},
		{"an item is handed over without an order", "gpu.AtomicStoreOrdered(&r.Sequence[s], ticket+1, gpu.Release, gpu.Device)", "gpu.AtomicStore(&r.Sequence[s], ticket+1)"},
		{"an item is taken without an order", "for gpu.AtomicLoadOrdered(&r.Sequence[s], gpu.Acquire, gpu.Device) != ticket+1 {", "for gpu.AtomicLoad(&r.Sequence[s]) != ticket+1 {"},
		{"a fault counts as done", "done += expand(t, w, r, item, mine, ticket, taken)", "done += expand(t, w, r, item, mine, ticket, taken) | min(1, taken)"},
	} {
		found := ""
		for seed := uint64(0); seed < 12 && found == ""; seed++ {
			found = symptom(t, seed, c.old, c.new)
		}
		if (found == "") != (c.old == "") {
			t.Errorf("%s: found %q", c.name, found)
		}
		t.Logf("%s: %s", c.name, found)
	}
}

// symptom runs a mutant and says what is wrong.
func symptom(t *testing.T, seed uint64, old, new string) string {
	t.Helper()
	dev := open(t, "cpu", seed)
	g := draw(seed, 60, 3)
	m := g.upload(t, dev, "Narrow")
	m.kernel = mutant(t, dev, old, new)
	m.args[0] = vyre.Value(uint32(seed % 2)) // asks for more than it needs
	q := m.queue(queue.Options{Most: g.most + 1, Capacity: g.most + 1, Blocks: 5})
	defer q.Close()
	want, items := g.paths([]uint32{0, 1})
	bad := item(0)
	bad.Op++
	rec, err := q.Run(context.Background(), []queue.Item{item(0), bad, item(1)}[:min(3, g.most+1)])
	if g.most+1 < 3 {
		want, items = g.paths([]uint32{0})
	}
	switch reports := q.Result().Reports; {
	case err != nil:
		return err.Error()
	case len(reports) > 0:
		return reports[0].Text
	case rec.Pushed != items+1 || rec.Popped != items+1 || rec.Done != items || rec.Faults != 1 || rec.Live != 0 || rec.Peak > rec.Capacity:
		return "counters"
	case !slices.Equal(m.counts(), want):
		return "items"
	}
	return ""
}

package plan_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

// chainBuffers are outputs and scratch of three waves in a chain; the host reads the last output.
var chainBuffers = []plan.Buffer{
	{Elem: "u32", ElemBytes: 4, Bytes: 1024, First: 0, Last: 1},
	{Elem: "u32", ElemBytes: 4, Bytes: 512, First: 0, Last: 0},
	{Elem: "u32", ElemBytes: 4, Bytes: 1024, First: 1, Last: 2},
	{Elem: "u32", ElemBytes: 4, Bytes: 512, First: 1, Last: 1},
	{Elem: "u32", ElemBytes: 4, Bytes: 1024, First: 2, Last: 2, Host: true},
	{Elem: "u32", ElemBytes: 4, Bytes: 512, First: 2, Last: 2},
}

func TestArenaReusesMemoryOfTheDead(t *testing.T) {
	for _, c := range []struct {
		name    string
		groups  int
		buffers []plan.Buffer
		want    plan.Arena
	}{
		{"a chain of three", 3, chainBuffers, plan.Arena{Bytes: 2560,
			Places:  []plan.Place{{0, 0, 0}, {1024, 0, 256}, {1024, 0, 256}, {2048, 0, 512}, {0, 0, 0}, {2048, 0, 512}},
			Regions: []plan.Region{{"u32", 0, 2560}}}},
		{"what crosses the back edge lives always", 2, []plan.Buffer{{Bytes: 256, First: 1, Last: 1, Carried: true}, {Bytes: 256, First: 0, Last: 0}},
			plan.Arena{Bytes: 512, Places: []plan.Place{{0, 0, 0}, {256, 0, 256}}, Regions: []plan.Region{{"", 0, 512}}}},
		{"what the host reads lives to the end", 2, []plan.Buffer{{Bytes: 256, First: 0, Last: 0, Host: true}, {Bytes: 256, First: 1, Last: 1}},
			plan.Arena{Bytes: 512, Places: []plan.Place{{0, 0, 0}, {256, 0, 256}}, Regions: []plan.Region{{"", 0, 512}}}},
		{"types share no memory", 2, []plan.Buffer{{Elem: "u32", ElemBytes: 4, Bytes: 4}, {Elem: "f32", ElemBytes: 4, Bytes: 8, First: 1, Last: 1}},
			plan.Arena{Bytes: 260, Places: []plan.Place{{256, 1, 0}, {0, 0, 0}}, Regions: []plan.Region{{"f32", 0, 8}, {"u32", 256, 4}}}},
		{"a base is a whole number of elements", 1, []plan.Buffer{{Elem: "v3", ElemBytes: 12, Bytes: 12}, {Elem: "v3", ElemBytes: 12, Bytes: 12}},
			plan.Arena{Bytes: 780, Places: []plan.Place{{0, 0, 0}, {768, 0, 64}}, Regions: []plan.Region{{"v3", 0, 780}}}},
		{"the larger of two goes first", 1, []plan.Buffer{{Bytes: 1}, {Bytes: 300}},
			plan.Arena{Bytes: 513, Places: []plan.Place{{512, 0, 512}, {0, 0, 0}}, Regions: []plan.Region{{"", 0, 513}}}},
		{"a gap that is large enough is filled", 2, []plan.Buffer{{Bytes: 512, Last: 0}, {Bytes: 256, Last: 1}, {Bytes: 256, First: 1, Last: 1}},
			plan.Arena{Bytes: 768, Places: []plan.Place{{0, 0, 0}, {512, 0, 512}, {0, 0, 0}}, Regions: []plan.Region{{"", 0, 768}}}},
		{"no buffers", 1, nil, plan.Arena{}},
		{"a buffer of no bytes", 1, []plan.Buffer{{}, {Bytes: 4}}, plan.Arena{Bytes: 4, Places: []plan.Place{{}, {}}, Regions: []plan.Region{{"", 0, 4}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got plan.Arena
			if err := new(plan.ArenaPlanner).Plan(plan.ArenaRequest{Groups: c.groups, Buffers: c.buffers, Capacity: c.want.Bytes}, &got); err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestArenaRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		in   plan.ArenaRequest
		kind driver.Kind
		want []string
	}{
		{"more than the capacity", plan.ArenaRequest{Groups: 3, Buffers: chainBuffers, Capacity: 2559}, driver.OutOfMemory,
			[]string{`over_budget("arena", 2560, 2559)`}},
		{"no groups", plan.ArenaRequest{Buffers: chainBuffers}, driver.InvalidArgument, []string{"empty"}},
		{"groups that are not there", plan.ArenaRequest{Groups: 2, Buffers: []plan.Buffer{{First: 1}, {Last: 2}}}, driver.InvalidArgument,
			[]string{"bad_live(0, 2, 1→0)", "bad_live(1, 2, 0→2)"}},
		{"a part of an element", plan.ArenaRequest{Groups: 1, Buffers: []plan.Buffer{{Elem: "u32", ElemBytes: 4, Bytes: 6}}}, driver.InvalidArgument,
			[]string{`elem_bytes("u32", 6, 4)`}},
		{"one name for two types", plan.ArenaRequest{Groups: 1, Buffers: []plan.Buffer{{Elem: "x", ElemBytes: 4, Bytes: 8}, {Elem: "x", ElemBytes: 8, Bytes: 8}}},
			driver.InvalidArgument, []string{`elem_differs("x", 8, 4)`}},
		{"a sum beyond 64 bits", plan.ArenaRequest{Groups: 1, Buffers: []plan.Buffer{{Bytes: 1 << 63}, {Bytes: 1 << 63}}, Capacity: math.MaxUint64},
			driver.InvalidArgument, []string{`overflow("arena bytes")`}},
		{"regions beyond 64 bits", plan.ArenaRequest{Groups: 1, Buffers: []plan.Buffer{{Elem: "a", Bytes: 1 << 63}, {Elem: "b", Bytes: 1 << 63}}, Capacity: math.MaxUint64},
			driver.InvalidArgument, []string{`overflow("arena bytes")`}},
		{"an offset beyond 64 bits", plan.ArenaRequest{Groups: 1, Buffers: []plan.Buffer{{Bytes: math.MaxUint64}, {Bytes: 1}}, Capacity: math.MaxUint64},
			driver.InvalidArgument, []string{`overflow("arena bytes")`}},
		{"an element beyond 64 bits", plan.ArenaRequest{Groups: 1, Buffers: []plan.Buffer{{ElemBytes: math.MaxUint64}}, Capacity: math.MaxUint64},
			driver.InvalidArgument, []string{`overflow("arena bytes")`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := plan.Arena{Bytes: 5, Regions: []plan.Region{{}}}
			refused(t, new(plan.ArenaPlanner).Plan(c.in, &got), c.kind, c.want...)
			if got.Bytes != 0 || len(got.Places)+len(got.Regions) > 0 {
				t.Errorf("something is left: %+v", got)
			}
		})
	}
}

func randomArena(r *rand.Rand) plan.ArenaRequest {
	in := plan.ArenaRequest{Groups: 1 + r.IntN(20), Capacity: 1 << 40}
	sizes := []uint64{1, 4, 12}
	for range r.IntN(60) {
		a, b := r.IntN(in.Groups), r.IntN(in.Groups)
		kind := r.IntN(len(sizes))
		in.Buffers = append(in.Buffers, plan.Buffer{Elem: string(rune('a' + kind)), ElemBytes: sizes[kind], Bytes: sizes[kind] * r.Uint64N(400),
			First: min(a, b), Last: max(a, b), Host: r.IntN(8) == 0, Carried: r.IntN(8) == 0})
	}
	return in
}

// lives returns the groups in which a buffer must keep its bytes.
func lives(b plan.Buffer, groups int) (first, last int) {
	first, last = b.First, b.Last
	if b.Carried {
		first = 0
	}
	if b.Carried || b.Host {
		last = groups - 1
	}
	return first, last
}

func TestRandomArenasOverlapOnlyTheDead(t *testing.T) {
	for seed := range uint64(300) {
		in := randomArena(rand.New(rand.NewPCG(seed, 6)))
		var p plan.ArenaPlanner
		var got, again plan.Arena
		if err := p.Plan(in, &got); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i, a := range in.Buffers {
			pa := got.Places[i]
			r := got.Regions[pa.Region]
			if pa.Offset%plan.ArenaAlign != 0 || pa.Offset < r.Offset || pa.Offset+a.Bytes > r.Offset+r.Bytes || pa.Offset != r.Offset+pa.Base*a.ElemBytes || r.Elem != a.Elem {
				t.Fatalf("seed %d: buffer %d of %+v stands at %+v in %+v", seed, i, a, pa, r)
			}
			for j, b := range in.Buffers[:i] {
				pb := got.Places[j]
				firstA, lastA := lives(a, in.Groups)
				firstB, lastB := lives(b, in.Groups)
				together := firstA <= lastB && firstB <= lastA || a.Elem != b.Elem
				if together && pa.Offset < pb.Offset+b.Bytes && pb.Offset < pa.Offset+a.Bytes {
					t.Fatalf("seed %d: buffers %d and %d overlap: %+v at %d, %+v at %d", seed, j, i, b, pb.Offset, a, pa.Offset)
				}
			}
		}
		for i, r := range got.Regions {
			if end := r.Offset + r.Bytes; end > got.Bytes || i+1 < len(got.Regions) && end > got.Regions[i+1].Offset {
				t.Fatalf("seed %d: region %d of %+v", seed, i, got)
			}
		}
		if err := p.Plan(in, &again); err != nil || !reflect.DeepEqual(got, again) {
			t.Fatalf("seed %d: the plan differs the second time", seed)
		}
	}
}

func TestArenaPlannedAgainAllocatesNothing(t *testing.T) {
	var p plan.ArenaPlanner
	var got plan.Arena
	in := randomArena(rand.New(rand.NewPCG(7, 7)))
	if n := testing.AllocsPerRun(10, func() {
		if err := p.Plan(in, &got); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

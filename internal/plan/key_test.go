package plan_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/govyre/vyre/internal/plan"
)

func identity() plan.Identity {
	return plan.Identity{
		Waves:        []plan.WaveIdentity{{Program: [32]byte{1}}, {Program: [32]byte{2}}},
		Dependencies: []plan.Dependency{{0, 1}, {1, 0}},
		Nodes:        1000, Edges: 4000, NodeBytes: 16, EdgeBytes: 4,
		Analysis: plan.IFDS,
		Device:   plan.DeviceIdentity{Target: "sm_90", Units: 132},
		Options:  "x",
	}
}

// everyChange calls visit with v changed in one place after another.
func everyChange(v reflect.Value, path string, visit func(path string)) {
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			everyChange(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
		return
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			everyChange(v.Index(i), fmt.Sprintf("%s[%d]", path, i), visit)
		}
		if v.Kind() == reflect.Slice {
			v.Set(v.Slice(0, v.Len()-1))
			visit(path + " shorter")
		}
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(v.Uint() + 1)
		visit(path)
	case reflect.Int:
		v.SetInt(v.Int() + 1)
		visit(path)
	case reflect.Bool:
		v.SetBool(!v.Bool())
		visit(path)
	case reflect.String:
		v.SetString(v.String() + "x")
		visit(path)
	default:
		panic("no change for " + v.Kind().String())
	}
	v.Set(old)
}

func TestEveryFieldChangesTheKey(t *testing.T) {
	var k plan.Keyer
	id := identity()
	seen := map[plan.Key]string{k.Key(&id): "unchanged"}
	everyChange(reflect.ValueOf(&id).Elem(), "", func(path string) {
		key := k.Key(&id)
		if other, ok := seen[key]; ok {
			t.Errorf("%s has the key of %s", path, other)
		}
		seen[key] = path
	})
	if _, ok := seen[k.Key(&id)]; !ok || len(seen) < 100 {
		t.Errorf("%d keys, and the first is among them: %v", len(seen), ok)
	}
}

func TestTheOrderOfDependenciesDoesNotChangeTheKey(t *testing.T) {
	var k plan.Keyer
	a, b := identity(), identity()
	b.Dependencies = []plan.Dependency{{1, 0}, {0, 1}, {1, 0}}
	if k.Key(&a) != k.Key(&b) {
		t.Error("keys differ")
	}
	if b.Dependencies[0] != (plan.Dependency{Before: 1, After: 0}) {
		t.Error("the caller's dependencies were sorted")
	}
}

func TestAKeyMadeAgainAllocatesNothing(t *testing.T) {
	var k plan.Keyer
	id := identity()
	if n := testing.AllocsPerRun(10, func() { k.Key(&id) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestBuckets(t *testing.T) {
	at := func(change func(*plan.SelectRequest)) plan.Buckets {
		in := with(fused(), change)
		return in.Buckets()
	}
	for bytes, want := range map[uint64]uint8{0: 0, 4095: 0, 4096: 1, 8192: 2, 1<<64 - 1: 52} {
		if got := at(func(in *plan.SelectRequest) { in.Sample.ReadbackBytes = bytes }).Readback; got != want {
			t.Errorf("readback of %d is in %d, want %d", bytes, got, want)
		}
	}
	for required, want := range map[uint64]uint8{0: 0, 1 << 62: 5, 1 << 63: 10} {
		if got := at(func(in *plan.SelectRequest) { in.Required, in.Budget = required, 1<<63 }).Memory; got != want {
			t.Errorf("%d of 2^63 is in %d, want %d", required, got, want)
		}
	}
	if a, b := at(func(in *plan.SelectRequest) { in.Sample.Density = .90 }), at(func(in *plan.SelectRequest) { in.Sample.Density = .91 }); a != b {
		t.Errorf("densities of .90 and .91 are in %+v and %+v", a, b)
	}
	if got := at(func(in *plan.SelectRequest) {}); got.Fusion != 9 || got.Launch != 2 {
		t.Errorf("fusion of .9 is in %d, launches of 2500 in %d", got.Fusion, got.Launch)
	}
	for rounds, want := range map[float64]uint8{0: 0, 1: 1, 100: 7, math.NaN(): 0, math.Inf(1): 63} {
		got := at(func(in *plan.SelectRequest) {
			in.Costs, in.Workload = &simpleCosts, plan.Workload{Rounds: rounds, Runs: 1}
		})
		if !got.Measured || got.Rounds != want {
			t.Errorf("%v rounds are in %d, want %d", rounds, got.Rounds, want)
		}
	}
	if got := at(func(in *plan.SelectRequest) { in.Costs = &simpleCosts }).Rounds; got != 4 {
		t.Errorf("the first run's 8 rounds are in %d", got)
	}
	if got := at(func(in *plan.SelectRequest) { in.Workload.Rounds, in.Workload.Runs = 100, 1 }).Rounds; got != 0 {
		t.Errorf("rounds count before anything was measured: %d", got)
	}
	if got := at(func(in *plan.SelectRequest) {
		in.Estimate = &plan.MemoryRequest{Nodes: math.MaxUint64, NodeBytes: 2}
	}).Memory; got != 10 {
		t.Errorf("memory beyond 64 bits is in %d", got)
	}
	if got := at(func(in *plan.SelectRequest) { in.Device.GridBarrier = false }).Fusion; got != 0 {
		t.Errorf("fusion counts as %d where there is no cooperative launch", got)
	}
}

func TestEveryBucketChangesTheKeyOfADecision(t *testing.T) {
	var b plan.Buckets
	key := plan.Key{1}
	seen := map[plan.Key]string{b.In(key): "unchanged"}
	everyChange(reflect.ValueOf(&b).Elem(), "", func(path string) {
		if other, ok := seen[b.In(key)]; ok {
			t.Errorf("%s has the key of %s", path, other)
		}
		seen[b.In(key)] = path
	})
}

package plan_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

// ofLayouts returns stages of these layouts.
func ofLayouts(layouts ...uint64) (stages []plan.Stage) {
	for i, l := range layouts {
		stages = append(stages, plan.Stage{ID: uint64(i), Layout: l})
	}
	return stages
}

func TestStagesShareALaunch(t *testing.T) {
	owing := func(stage int, stages []plan.Stage) []plan.Stage {
		stages[stage].HostOutput = true
		return stages
	}
	fed := ofLayouts(8, 8)
	fed[1].HostInput = true
	for _, c := range []struct {
		name    string
		stages  []plan.Stage
		groups  [][]int
		peaks   []uint64
		avoided uint64
	}{
		{"what passes between stages is not added up", []plan.Stage{{ID: 1, Input: 64, Output: 32, Scratch: 8}, {ID: 2, Input: 32, Output: 48, Scratch: 8}, {ID: 3, Input: 48, Output: 16, Scratch: 8}},
			[][]int{{0, 1, 2}}, []uint64{104}, 80},
		{"layouts differ", owing(2, ofLayouts(7, 8, 8, 9)), [][]int{{0}, {1, 2}, {3}}, []uint64{0, 0, 0}, 0},
		{"the host needs what a stage puts out", owing(1, ofLayouts(8, 8, 8)), [][]int{{0, 1}, {2}}, []uint64{0, 0}, 0},
		{"the host gives something", fed, [][]int{{0}, {1}}, []uint64{0, 0}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got plan.Pipeline
			if err := plan.PlanPipeline(c.stages, 256, &got); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Groups, c.groups) || !reflect.DeepEqual(got.Peaks, c.peaks) || got.AvoidedBytes != c.avoided || got.Avoided != len(c.stages)-len(c.groups) {
				t.Errorf("got %+v", got)
			}
			if n := testing.AllocsPerRun(10, func() { plan.PlanPipeline(c.stages, 256, &got) }); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}

func TestLaunchesRefuse(t *testing.T) {
	var got plan.Pipeline
	refused(t, plan.PlanPipeline([]plan.Stage{{ID: 7}, {ID: 7, Input: math.MaxUint64, Output: 1}}, 0, &got), driver.InvalidArgument,
		"budget", "duplicate(1)", `overflow("stage bytes")`)
	refused(t, plan.PlanPipeline([]plan.Stage{{Input: 64, Output: 32, Scratch: 64}}, 128, &got), driver.OutOfMemory, `over_budget("one stage", 160, 128)`)
	if len(got.Groups) > 0 {
		t.Errorf("something is left: %+v", got)
	}
	refused(t, plan.PlanPipeline([]plan.Stage{{ID: 1, Output: 1 << 63}, {ID: 2, Output: 1 << 63}, {ID: 3}}, math.MaxUint64, &got), driver.InvalidArgument, `overflow("avoided bytes")`)
}

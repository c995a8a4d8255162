package plan

import (
	"fmt"

	"github.com/govyre/vyre/driver"
)

// Stage is a launch of a pipeline: it reads what the one before it put out.
type Stage struct {
	ID                     uint64
	Layout                 uint64 // of its data; only stages of one layout share a launch
	Input, Output, Scratch uint64 // bytes
	HostInput              bool   // the host gives it something after the stage before it
	HostOutput             bool   // the host needs what it puts out
}

// Pipeline is a chain of stages with as few launches as its stages allow.
type Pipeline struct {
	Groups       [][]int  // stages of each launch, by their place in the pipeline
	Peaks        []uint64 // bytes of each launch's greatest stage
	Avoided      int      // launches
	AvoidedBytes uint64   // of what passes from stage to stage inside a launch
	members      []int
	ids          map[uint64]int
}

const pipelineOp = "plan pipeline"

// PlanPipeline joins stages, from the first to the last: one joins the launch before it unless the host has to do
// something between them or their layouts differ. A launch takes as much memory as its greatest stage, since what passes
// between two stages is free again after the second. Repeated with not more stages it allocates nothing.
//
// Errors: budget, duplicate, overflow of "stage bytes", all that there are as driver.Problems; then over_budget "one
// stage" of the first that is, overflow of "avoided bytes".
func PlanPipeline(stages []Stage, budget uint64, into *Pipeline) error {
	into.reset()
	if ps := into.check(stages, budget); len(ps) > 0 {
		return ps
	}
	into.members = resize(into.members, len(stages))
	for i, s := range stages {
		need := s.Input + s.Scratch + s.Output
		if need > budget {
			into.reset()
			return OverBudget(pipelineOp, stageName(&s), "one stage", i, need, budget, "raise the budget or divide the stage")
		}
		into.members[i] = i
		joins := i > 0 && !s.HostInput && !stages[i-1].HostOutput && s.Layout == stages[i-1].Layout
		if !joins {
			into.Groups = append(into.Groups, into.members[i:i+1:i+1])
			into.Peaks = append(into.Peaks, need)
			continue
		}
		last := len(into.Groups) - 1
		first := into.Groups[last][0]
		into.Groups[last] = into.members[first : i+1 : i+1]
		into.Peaks[last] = max(into.Peaks[last], need)
		avoided, ok := add(into.AvoidedBytes, stages[i-1].Output)
		if !ok {
			into.reset()
			return Overflow(pipelineOp, stageName(&s), "avoided bytes", i)
		}
		into.AvoidedBytes = avoided
	}
	into.Avoided = len(stages) - len(into.Groups)
	return nil
}

func (l *Pipeline) check(stages []Stage, budget uint64) (ps driver.Problems) {
	if budget == 0 {
		ps = append(ps, Refusal(pipelineOp, driver.InvalidArgument, "budget", "a launch may have no bytes", "give the bytes that a launch may have",
			Reason{Code: "budget", Index: -1}))
	}
	if l.ids == nil {
		l.ids = make(map[uint64]int)
	}
	clear(l.ids)
	for i, s := range stages {
		if first, ok := l.ids[s.ID]; ok {
			ps = append(ps, Refusal(pipelineOp, driver.InvalidArgument, stageName(&s),
				fmt.Sprintf("stages %d and %d of the pipeline have this id", first, i), "give each its own", Reason{Code: "duplicate", Index: i}))
		}
		l.ids[s.ID] = i
		if _, ok := add(s.Input, s.Scratch, s.Output); !ok {
			ps = append(ps, Overflow(pipelineOp, stageName(&s), "stage bytes", i))
		}
	}
	return ps
}

func (l *Pipeline) reset() {
	*l = Pipeline{Groups: l.Groups[:0], Peaks: l.Peaks[:0], members: l.members, ids: l.ids}
}

func stageName(s *Stage) string { return fmt.Sprintf("stage %d", s.ID) }

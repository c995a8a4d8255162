package megakernel

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

// History is what runs of one analysis over inputs of one size on one device came to; see Options.Expected.
type History = plan.History

// Workload is what a run is predicted to do, by what runs before it did.
type Workload = plan.Workload

// Offered is another way to get what a plan gives, which a History knows by its runs.
type Offered = plan.Offered

// historyVersion is that of the file.
const historyVersion = 1

// historyFile is what a file of a history holds.
type historyFile struct {
	Version int        `json:"version"`
	Device  deviceKind `json:"device"`
	Name    string     `json:"name"`
	History *History   `json:"history"`
}

func historyPath(dev driver.Device, name string) string {
	return keptPath(dev, "histories", fmt.Sprintf("vyre history %d %+v %s", historyVersion, kindOf(dev), name))
}

// KeepHistory keeps a history beside the compiled kernels of the device, if those are kept. The name says of what it is:
// the analysis, and how large its inputs are.
func KeepHistory(dev driver.Device, name string, h *History) error {
	switch {
	case dev == nil:
		return noDevice("keep", name)
	case h == nil:
		return &driver.Error{Op: "keep", Label: name, Device: dev.Name(), Kind: driver.InvalidArgument, Msg: "the history is nil"}
	}
	return keptError(dev, "runs of "+name, keep(historyPath(dev, name), historyFile{historyVersion, kindOf(dev), name, h}))
}

// KeptHistory returns the history that was kept under a name, of this device or of another one of the same kind, in this
// process or in another; an empty one if there is nothing.
func KeptHistory(dev driver.Device, name string) *History {
	if f, ok := readHistory(dev, historyPath(dev, name)); ok && f.Name == name {
		return f.History
	}
	return &History{}
}

// KeptHistories returns all histories that were kept of a device, by their names.
func KeptHistories(dev driver.Device) map[string]*History {
	all := map[string]*History{}
	path := historyPath(dev, "")
	if path == "" {
		return all
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return all // there are none
	}
	for _, e := range entries {
		file := filepath.Join(filepath.Dir(path), e.Name())
		if f, ok := readHistory(dev, file); ok && file == historyPath(dev, f.Name) {
			all[f.Name] = f.History
		}
	}
	return all
}

func readHistory(dev driver.Device, path string) (f historyFile, ok bool) {
	ok = kept(path, &f) && f.Version == historyVersion && f.Device == kindOf(dev) && f.History != nil && f.History.Plausible()
	return f, ok
}

// The passes that New can do, as options. What excludes what is in their Instead.
const (
	tailPass      = "tail"
	topologyGroup = "topology"
	passVersion   = 1 // of what they all do
)

// offers lists the passes that a plan of these waves can have, other than those that the caller decided about.
func (p *Plan) offers(b *binder) (list []plan.Offered) {
	caps := p.dev.Caps()
	topology := func(t Topology) {
		list = append(list, plan.Offered{Name: p.topologyPass(t), Version: passVersion, Instead: topologyGroup})
	}
	topology(BackToBack)
	if caps.Graphs {
		topology(Captured)
	}
	if caps.LoopNodes {
		topology(DeviceLoop)
	}
	if caps.GridBarrier && p.oneProgram(b) {
		topology(Cooperative)
		if p.tailFree {
			list = append(list, plan.Offered{Name: tailPass, Version: passVersion, Needs: p.topologyPass(Cooperative)})
		}
	}
	if _, err := p.drainable(); err == nil && p.anyRounds {
		topology(Drained)
	}
	return list
}

// topologyPass is the name of a topology as a pass. Where the host looks at other intervals than usual, it is another one.
func (p *Plan) topologyPass(t Topology) string {
	if (t == BackToBack || t == Captured) && p.o.PollRounds != defaultPoll {
		return fmt.Sprintf("%v k=%d", t, p.o.PollRounds)
	}
	return t.String()
}

// way is the pass of which the plan's runs are evidence: the empty one of the loop of the host.
func (p *Plan) way() plan.Offered {
	switch {
	case p.o.Topology == HostLoop:
		return plan.Offered{Version: passVersion}
	case p.o.Topology == Cooperative && p.tailFree && p.o.Tail == TailAuto:
		return plan.Offered{Name: tailPass, Version: passVersion, Needs: p.topologyPass(Cooperative)}
	}
	return plan.Offered{Name: p.topologyPass(p.o.Topology), Version: passVersion, Instead: topologyGroup}
}

// ran is the digest of what a plan runs, whoever drives it: evidence of something else is none.
func (p *Plan) ran() plan.Key {
	id := plan.Identity{Dependencies: p.deps}
	var s strings.Builder
	fmt.Fprintf(&s, "%d %d %q %d %d %v", p.threads, p.o.Blocks, p.o.Optimise, p.o.MaxRegisters, p.o.TailEnter, p.o.Tail == TailAlways)
	if p.o.SliceRounds < p.o.MaxRounds {
		fmt.Fprintf(&s, " slices of %d", p.o.SliceRounds)
	}
	for i := range p.steps {
		w := &p.steps[i]
		id.Waves = append(id.Waves, plan.WaveIdentity{Program: w.Program.Digest(), Domain: uint8(w.Domain.kind)})
		if w.Stay != nil && w.Stay.Program != nil {
			fmt.Fprintf(&s, "|stay %d %x", i, w.Stay.Program.Digest())
		}
		if w.Drain != nil && w.Drain.Program != nil {
			fmt.Fprintf(&s, "|drain %d %x", i, w.Drain.Program.Digest())
		}
	}
	id.Options = s.String()
	var keyer plan.Keyer
	return keyer.Key(&id)
}

// byEvidence chooses topology and tail by what runs came to, and reports whether that could be done: if something is
// known of every pass that is offered, and of how often the plan will run.
func (p *Plan) byEvidence(b *binder, arena uint64) (bool, error) {
	h := p.o.Expected
	if h == nil || h.Programs != p.ran() {
		return false, nil
	}
	in := h.Request(p.offered, p.o.Runs)
	if p.o.Planning > 0 {
		in.PlanningNS = uint64(p.o.Planning)
	}
	if p.o.Budget != math.MaxUint64 {
		used := b.resident() + arena
		in.ScratchBytes = p.o.Budget - min(p.o.Budget, used)
	}
	var chosen plan.Passes
	if err := plan.PlanPasses(in, &chosen); err != nil {
		return false, err
	}
	if p.choice = chosen.Explain(&in); in.Sample.Reuse == 0 || !chosen.Known() {
		return false, nil
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(chosen.Taken, func(i int) bool { return in.Passes[i].Name == name })
	}
	p.o.Topology = HostLoop
	for t := BackToBack; t <= Drained; t++ {
		if taken(p.topologyPass(t)) {
			p.o.Topology = t
		}
	}
	if p.tailFree && p.o.Topology == Cooperative && !taken(tailPass) {
		p.o.Tail = TailNever
	}
	p.projected = chosen.Projected(in.Sample.BaselineNS)
	return true, nil
}

// Against holds runs of the plan against those in another way that h has for the same waves: the best tenth of the plan's,
// and the worst tenth of the other's, in nanoseconds; false if too little is known of either.
func (p *Plan) Against(h *History, other plan.Offered) (own, others uint64, known bool) {
	if h.Programs != p.ran() {
		return 0, 0, false
	}
	own, known = h.Time(p.way(), 10)
	if others, also := h.Time(other, 90); known && also {
		return own, others, true
	}
	return 0, 0, false
}

// Takes returns what a run of the plan is predicted to take, in nanoseconds: by what runs were observed to have to do, or, if
// nothing was observed, what a run that has nothing to do takes.
func (p *Plan) Takes(costs *plan.Costs, w plan.Workload) float64 {
	switch {
	case p.o.Topology == Drained && w.DrainNS > 0:
		return w.DrainNS
	case p.o.Topology == Drained:
		return costs.CoopRead
	case w.Runs == 0:
		w = plan.Workload{Rounds: 1, Runs: 1}
	}
	return costs.Predict(p.o.Topology, uint64(p.o.PollRounds), int(p.blocks), max(p.phases[EveryRound].plan.PerRound, 1), w)
}

package evidence

import (
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
)

// Subject is what a sample is about. The caller says it, all else is measured.
type Subject struct {
	Run    string // the same for all samples that one process took of one device
	Sample int    // counts them, for each graph
	Graph  string // with the filter, if there is one: a name has one result

	GraphDigest         [32]byte
	Nodes, Edges, Seeds uint64
	Digest              [2]uint64 // of the right result, by another way than those that are measured

	// Rehearsal makes a row that no gate lets pass, whose halves may differ: for simulated devices and busy machines.
	Rehearsal bool
}

// Region is some repetitions of the work by one protocol.
type Region struct {
	Protocol    Protocol
	Name        string // of BestOther, what it is
	Repetitions int
	// Do is what is timed: it starts before the first command of the first repetition, and returns when the last one
	// is complete.
	Do func() error
	// Wait, if it is set, waits for what Do started, and belongs to the time. What it allocates is not the region's: a
	// long wait sleeps and wakes threads, for which the runtime allocates.
	Wait func() error
	// Closes says that Do, of naive or strong, ends with a wait that belongs to no round: for the answer of the last
	// repetition. It is not counted, as the one that ends a resident region is not.
	Closes bool
	// Results is asked after that for the digest of each repetition, and for the rounds of one. The rounds of naive
	// and strong must agree; those of the others are not looked at, since they need not have any.
	Results func() (rounds uint64, digests [][2]uint64, err error)
}

// turns is the order of regions: what drifts during a sample, such as a clock, favours no protocol.
var turns = [...]Protocol{Naive, Strong, BestOther, Resident, Resident, BestOther, Strong, Naive}

// A sample whose halves differ by more than this says more about the machine than about protocols.
const mostDrift = 10 // percent

// What marks devices that the gate refuses always.
const (
	simulated = "simulated "
	rehearsed = "rehearsal on "
)

// ErrVoid is in the chain of the error of a sample whose halves differ too much. It can be measured again.
var ErrVoid = errors.New("void")

// Sample takes one row: every protocol twice, in the order naive, strong, best other, resident, and back. It belongs to
// one goroutine, and the device must have no other work while it measures.
type Sample struct {
	dev     driver.Device
	subject Subject
	halves  [numProtocols][]half
	taken   int // of turns
	setup   time.Duration
	now     func() time.Time

	before, after runtime.MemStats // here, so that reading them allocates nothing
}

// half is one region.
type half struct {
	name        string
	repetitions uint64
	rounds      uint64
	wall        time.Duration
	stats       *driver.Stats // between its start and its end
	heap        uint64        // allocations
	closes      uint64        // waits that belong to no round
	mismatches  uint64
}

// NewSample starts a sample on a device.
func NewSample(dev driver.Device, s Subject) *Sample {
	return &Sample{dev: dev, subject: s, now: time.Now}
}

// Setup measures what comes before all regions. It may be left out, and be called more than once.
func (s *Sample) Setup(do func() error) error {
	begin := s.now()
	err := do()
	s.setup += s.now().Sub(begin)
	return err
}

// Next returns the protocol of the next region, and whether there is one.
func (s *Sample) Next() (p Protocol, more bool) {
	if s.taken == len(turns) {
		return 0, false
	}
	return turns[s.taken], true
}

// Measure runs a region, with the device's counters read before and after. The error is the region's, or says why the
// region says nothing; it can be measured again.
func (s *Sample) Measure(r Region) error {
	want, more := s.Next()
	if !more {
		return s.errorf("it is complete")
	}
	if r.Protocol != want {
		return s.errorf("region %d is %v, want %v: protocols alternate", s.taken+1, r.Protocol, want)
	}
	if r.Repetitions < 1 {
		return s.errorf("%v with %d repetitions, want at least 1", r.Protocol, r.Repetitions)
	}
	h, err := s.time(r)
	if err != nil {
		return err
	}
	if err := s.results(r, h); err != nil {
		return err
	}
	s.halves[r.Protocol] = append(s.halves[r.Protocol], *h)
	s.taken++
	return nil
}

// settle is how long finalizers have to run after a collection.
const settle = time.Millisecond

// time runs the region between two snapshots. Statistics are taken outside of the heap's, since taking them allocates.
// The garbage of what ran before is collected first and none within: a collection, and the finalizers that it sets
// going, allocate too, and would be counted as the region's.
func (s *Sample) time(r Region) (*half, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	time.Sleep(settle)
	stats := s.dev.Stats()
	runtime.ReadMemStats(&s.before)
	begin := s.now()
	err := r.Do()
	var wall time.Duration
	if r.Wait == nil {
		wall = s.now().Sub(begin)
	}
	runtime.ReadMemStats(&s.after)
	if err == nil && r.Wait != nil {
		err = r.Wait()
		wall = s.now().Sub(begin)
	}
	if err != nil {
		return nil, err
	}
	h := &half{name: r.Name, repetitions: uint64(r.Repetitions), wall: wall, stats: s.dev.Stats().Sub(stats), heap: s.after.Mallocs - s.before.Mallocs}
	if r.Closes {
		h.closes = 1
	}
	if n := h.stats.Get(metric.RunsInFlight); n != 0 {
		return nil, s.errorf("%v ended with %d runs in flight; wait for them inside the region", r.Protocol, n)
	}
	runs, timed := h.sum(metric.RunsPlain, metric.RunsGraph), h.sum(metric.DeviceTimedRuns)
	if r.Protocol == Resident && timed != runs {
		return nil, s.errorf("%d of %d runs of the resident region have a time on the device, want all", timed, runs)
	}
	return h, nil
}

// results compares what the repetitions made.
func (s *Sample) results(r Region, h *half) error {
	rounds, digests, err := r.Results()
	if err != nil {
		return err
	}
	if len(digests) != r.Repetitions {
		return s.errorf("%v has %d digests of %d repetitions", r.Protocol, len(digests), r.Repetitions)
	}
	h.rounds = rounds
	for _, d := range digests {
		if d != s.subject.Digest {
			h.mismatches++
		}
	}
	return nil
}

// sum adds metrics up.
func (h *half) sum(metrics ...driver.Metric) (n uint64) {
	for _, m := range metrics {
		n += h.stats.Get(m)
	}
	return n
}

func (s *Sample) errorf(format string, args ...any) error {
	return fmt.Errorf("evidence: sample %d of run %s, graph %s: %w", s.subject.Sample, s.subject.Run, s.subject.Graph, fmt.Errorf(format, args...))
}

// Row returns the sample's row once every region was measured. A sample is void, which is an error, if the halves of a
// protocol differ by more than 10 %.
func (s *Sample) Row() (Row, error) {
	if s.taken < len(turns) {
		return Row{}, s.errorf("%d of %d regions were measured", s.taken, len(turns))
	}
	if err := s.agree(); err != nil {
		return Row{}, err
	}
	var r Row
	s.describe(&r)
	s.count(&r)
	for f := range numFields { // of Run and Graph, an empty one could not be read back
		if want := r.set(f, r.text(f)); want != "" {
			return Row{}, s.errorf("%v is %q, want %s", f, r.text(f), want)
		}
	}
	return r, nil
}

// agree compares the halves.
func (s *Sample) agree() error {
	naive, strong := s.halves[Naive], s.halves[Strong]
	for p := range numProtocols {
		a, b := &s.halves[p][0], &s.halves[p][1]
		fast, slow := min(a.wall, b.wall), max(a.wall, b.wall)
		switch {
		case a.repetitions != naive[0].repetitions || b.repetitions != naive[0].repetitions:
			return s.errorf("%v has %d and %d repetitions, naive %d", p, a.repetitions, b.repetitions, naive[0].repetitions)
		case a.name != b.name:
			return s.errorf("%v is %q and %q", p, a.name, b.name)
		case (slow-fast)*100 > fast*mostDrift && !s.subject.Rehearsal:
			return s.errorf("%w: the halves of %v took %v and %v, more than %d %% apart; measure again on a quiet machine", ErrVoid, p, a.wall, b.wall, mostDrift)
		}
	}
	for _, h := range [][]half{naive, strong} {
		if h[0].rounds != naive[0].rounds || h[1].rounds != naive[0].rounds {
			return s.errorf("rounds of naive are %d and %d, of strong %d and %d", naive[0].rounds, naive[1].rounds, strong[0].rounds, strong[1].rounds)
		}
	}
	return nil
}

// describe fills in what was not counted.
func (s *Sample) describe(r *Row) {
	s.subject.on(s.dev, r)
	c := s.dev.Caps()
	for f, text := range map[field]string{
		fRun: s.subject.Run, fGraph: s.subject.Graph, fBestOther: s.halves[BestOther][0].name,
		fDriver:      fmt.Sprintf("%d.%d", c.DriverVersion/1000, c.DriverVersion%1000/10),
		fGraphDigest: hex.EncodeToString(s.subject.GraphDigest[:]),
		fDigest:      fmt.Sprintf("%016x%016x", s.subject.Digest[0], s.subject.Digest[1]),
	} {
		r.words[f] = clean(text)
	}
	for f, n := range map[field]uint64{
		fSchema: Schema, fSample: uint64(s.subject.Sample), fSeeds: s.subject.Seeds,
		fRounds: s.halves[Naive][0].rounds, fSetupNS: uint64(s.setup),
	} {
		r.numbers[f] = n
	}
}

// on fills in what the gate's floors look at.
func (s *Subject) on(dev driver.Device, r *Row) {
	c := dev.Caps()
	device := strings.TrimSpace(dev.Name() + " " + c.Model)
	if c.Simulated {
		device = simulated + device
	}
	if s.Rehearsal {
		device = rehearsed + device
	}
	r.words[fDevice] = clean(device)
	r.numbers[fSM], r.numbers[fMemory] = uint64(10*c.Major+c.Minor), uint64(c.TotalMemory)
	r.numbers[fNodes], r.numbers[fEdges] = s.Nodes, s.Edges
}

// count fills in the sums over the halves.
func (s *Sample) count(r *Row) {
	n := &r.numbers
	for p := range numProtocols {
		for i := range s.halves[p] {
			h := &s.halves[p][i]
			n[p.time()] += uint64(h.wall)
			n[fDigestMismatches] += h.mismatches
			switch p {
			case Naive:
				n[fRepetitions] += h.repetitions
				n[fNaiveAllocs] += h.sum(metric.AllocRequests)
				n[fNaiveUploads] += h.sum(metric.Uploads)
				n[fNaiveWaits] += h.waits() - min(h.closes, h.waits())
			case Strong:
				n[fStrongWaits] += h.waits() - min(h.closes, h.waits())
			case Resident:
				h.resident(n)
			}
		}
	}
}

// waits counts waits of every kind.
func (h *half) waits() uint64 {
	return h.sum(metric.WaitsReady, metric.WaitsSpin, metric.WaitsBlock, metric.WaitsPoll)
}

// resident adds what a resident region did, which should be launches and nothing else. The wait that closes it is not
// inside; it is the only one that a region without waits can have.
func (h *half) resident(n *[numFields]uint64) {
	n[fResidentDeviceNS] += h.sum(metric.DeviceNS)
	n[fResidentLaunches] += h.sum(metric.LaunchesPlain, metric.LaunchesGraph)
	n[fResidentUploads] += h.sum(metric.Uploads)
	n[fResidentAllocs] += h.sum(metric.AllocRequests)
	n[fResidentHeapAllocs] += h.heap
	n[fResidentWaits] += h.waits() - min(1, h.waits())
	n[fResidentFallbacks] += h.sum(metric.UploadsSkipped, metric.ReplaysResident, metric.LoopIterations, metric.OOMRetries)
}

package session_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/cpu"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/megakernel"
)

// set times a set by one topology, and compares it with the host's.
func (f *figures) set(duty string, s subject, want answers, o session.Options, perUnit ...int) {
	f.Helper()
	note := f.blocks(&o, perUnit)
	on := f.session(s, o)
	if on == nil {
		return
	}
	defer f.close(on)
	var r *session.Reached
	began := time.Now()
	ask := func() (err error) {
		r, err = on.Reach(f.ctx, s.query)
		return err
	}
	if err := ask(); err != nil {
		f.Fatal(err)
	}
	first := time.Since(began)
	l := line{duty: duty, question: "set", times: f.timed(on, ask), reached: r.Count(), bytes: on.Bytes(), digest: setOf(s.g, r), levels: want.rounds}
	if o.Topology == megakernel.HostLoop || o.Topology == megakernel.BackToBack || o.Topology == megakernel.Captured {
		l.device = nil // the host has a part in it
	}
	algorithm, _ := r.Algorithm()
	l.by = f.dev.Name() + " " + on.Topology().String()
	if algorithm == session.Labels {
		l.by, l.levels = f.dev.Name()+" labels", 0
	}
	l.note = fmt.Sprintf("%sthe first with compiling in %v", note, first.Round(time.Microsecond))
	f.print(s, l)
	f.right(s, l, want.set)
}

// blocks sets how many blocks a multiprocessor has, if that is asked for, and says so.
func (f *figures) blocks(o *session.Options, perUnit []int) string {
	if len(perUnit) == 0 {
		return ""
	}
	o.SetBlocks(uint32(perUnit[0] * f.dev.Caps().Units))
	return fmt.Sprintf("%d blocks a multiprocessor; ", perUnit[0])
}

// sets asks what can be reached on roads: by labels, and as if they were directed by a drain and in rounds.
func (f *figures) sets() {
	for _, name := range []string{"road:1024x1024", "road:4096x4096"} {
		s := f.subject(f.sized(name))
		want := f.hosted("T1b", s)
		f.labels(s)
		f.set("T1b", s, want, session.Options{})
		ways := []megakernel.Topology{megakernel.Drained, megakernel.Cooperative, megakernel.Captured}
		if s.g.Nodes() < 1<<22 {
			ways = append(ways, megakernel.BackToBack, megakernel.DeviceLoop, megakernel.HostLoop)
		}
		for _, way := range ways {
			f.set("T1a", s, want, session.Options{Topology: way})
		}
	}
}

// labels times making them, which a session does once: so in a few sessions.
func (f *figures) labels(s subject) {
	f.Helper()
	l := line{duty: "T1b", question: "make labels", by: f.dev.Name()}
	for range min(f.runs, 3) {
		on := f.session(s, session.Options{})
		c, err := on.Components(f.ctx, 0)
		if err != nil {
			f.Fatal(err)
		}
		l.wall, l.device = append(l.wall, c.Run.Result.Wall), append(l.device, c.Run.Result.Device)
		l.digest, l.reached, l.bytes = graphtest.Short(graph.Digest32(graphtest.Must(c.Labels(f.ctx, nil)))), c.Count(), on.Bytes()
		l.note = fmt.Sprintf("%d arcs looked at; reached counts components", c.Run.Record.Edges)
		f.close(on)
	}
	f.print(s, l)
}

// level times the levels of all nodes.
func (f *figures) level(duty string, s subject, want answers, way megakernel.Topology, perUnit ...int) {
	f.Helper()
	o := session.Options{Levels: true, Topology: way}
	note := f.blocks(&o, perUnit)
	if f.bound > 0 {
		o.SetRegisters(f.bound)
		note += fmt.Sprintf("at most %d registers; ", f.bound)
	}
	on := f.session(s, o)
	if on == nil {
		return
	}
	defer f.close(on)
	var levels []uint32
	l := line{duty: duty, question: "levels", by: f.dev.Name() + " " + way.String(), note: note, levels: want.rounds, reached: want.reached, bytes: on.Bytes()}
	if way == megakernel.Auto {
		l.by = f.dev.Name() + " cooperative both ways"
	}
	l.times = f.timed(on, func() (err error) {
		levels, err = on.Levels(f.ctx, s.query)
		return err
	})
	if way == megakernel.HostLoop {
		l.device = nil
	}
	l.digest = graphtest.Short(graph.Digest32(levels))
	f.print(s, l)
	f.right(s, l, want.levels)
}

// only returns those of the names that are asked for.
func only(names ...string) []string {
	if asked := strings.Split(*figuresOnly, ","); asked[0] != "" {
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(asked, name) })
	}
	return names
}

func (f *figures) levels() {
	for _, name := range only("road:1024x1024", "grid:1024x1024", "road:4096x4096", "ladder:65536x16", "chain:65536") {
		s := f.subject(f.sized(name))
		want := f.hosted("T1", s)
		f.level("T1", s, want, megakernel.Auto)
		if s.g.Nodes() == 1<<20 && want.rounds < 1<<14 || f.tiny {
			f.level("T1", s, want, megakernel.HostLoop)
		}
	}
	for _, name := range only("kron:21", "kron:23", "uniform:22", "skew:1048576", "kron:26") {
		s := f.subject(f.sized(name))
		s.query = session.Query{Seeds: s.query.Seeds[:1]} // of skew, all kinds from one node
		want := f.hosted("wide", s)
		f.level("wide", s, want, megakernel.Cooperative)
		f.levelsByHand(s, want)
		for _, n := range f.registers {
			f.bound = n
			f.level("wide bound", s, want, megakernel.Cooperative)
		}
		f.bound = 0
	}
}

// closures are sets of graphs with kinds, and of a program's exploded graph.
func (f *figures) closures() {
	skew := f.subject(f.sized("skew:1048576"))
	for _, kinds := range []uint32{generate.SkewFacts, generate.SkewKinds} {
		s := skew
		s.name, s.query.Kinds = skew.name, kinds
		f.closure(s, fmt.Sprintf("T2 %#x", kinds))
	}
	f.closure(f.subject(f.sized("icfg:1024,64,16")), "P10")
}

func (f *figures) closure(s subject, duty string) {
	f.Helper()
	want := f.hosted(duty, s)
	for _, way := range []megakernel.Topology{megakernel.Drained, megakernel.Cooperative, megakernel.Captured, megakernel.BackToBack, megakernel.HostLoop} {
		f.set(duty, s, want, session.Options{Topology: way})
	}
	for _, n := range []int{2, 4} {
		f.set(duty, s, want, session.Options{Topology: megakernel.Drained}, n)
		f.set(duty, s, want, session.Options{Topology: megakernel.Cooperative}, n)
	}
}

// lanes asks 64 queries together and one by one.
func (f *figures) lanes() {
	skew := f.subject(f.sized("skew:1048576"))
	skew.query.Kinds = generate.SkewKinds
	f.together(skew)
	f.together(f.subject(f.sized("icfg:1024,64,16")))
	if *figuresLane != "" {
		g, err := graph.Open(*figuresLane)
		if err != nil {
			f.Fatal(err)
		}
		defer g.Close()
		f.together(subject{filepath.Base(*figuresLane), g, session.Query{}})
	}
}

func (f *figures) together(s subject) {
	f.Helper()
	// The seeds that the graph is usually asked from, or others far from each other.
	seeds := s.query.Seeds
	for len(seeds) < 64 {
		seeds = append(seeds, uint32(uint64(len(seeds))*uint64(s.g.Nodes())/64))
	}
	queries, lists := make([]session.Query, 64), make([][]uint32, 64)
	for i := range queries {
		lists[i] = seeds[i : i+1]
		queries[i] = session.Query{Seeds: lists[i], Kinds: s.query.Kinds}
	}
	seen, e := make([]uint64, s.g.Nodes()), cpu.New(hostArrays(s.g), cpu.Graph{}, cpu.Options{})
	host := line{duty: "T4", question: "64 together", by: "graph/cpu", times: f.timed(nil, func() error {
		_, err := e.Lanes(f.ctx, lists, s.kinds(), seen)
		return err
	}), digest: graphtest.Short(graph.Digest64(seen))}
	f.print(s, host)
	s.query.Seeds = seeds[:1]
	for _, perUnit := range [][]int{nil, {1}, {4}} {
		f.laned(s, queries, host.digest, perUnit)
	}
}

// laned asks queries in words of a bit each, and one by one.
func (f *figures) laned(s subject, queries []session.Query, want string, perUnit []int) {
	f.Helper()
	o := session.Options{Queries: len(queries)}
	note := f.blocks(&o, perUnit)
	on := f.session(s, o)
	if on == nil {
		return
	}
	defer f.close(on)
	var all []*session.Reached
	ask := func(size int) func() error {
		return func() error {
			all = all[:0]
			for i := 0; i < len(queries); i += size {
				some, err := on.Batch(f.ctx, queries[i:i+size])
				if err != nil {
					return err
				}
				all = append(all, some...)
			}
			return nil
		}
	}
	for _, size := range []int{64, 1} {
		l := line{duty: "T4", question: "64 together", by: f.dev.Name() + " cooperative", times: f.timed(on, ask(size)), bytes: on.Bytes(), note: note}
		if size == 1 {
			l.question, l.by = "64 one by one", f.dev.Name()+" "+on.Topology().String()
		}
		got := make([]uint64, s.g.Nodes())
		for q, r := range all {
			l.reached += r.Count()
			for v := range r.Nodes() {
				got[v] |= 1 << q
			}
		}
		l.digest = graphtest.Short(graph.Digest64(got))
		f.print(s, l)
		f.right(s, l, want)
	}
}

// levelsByHand runs the program on the same graph from the same node, and prints the fastest of what it tells.
func (f *figures) levelsByHand(s subject, want answers) {
	f.Helper()
	if *figuresSearch == "" || s.g.Arcs() > 1<<28 {
		return
	}
	file := filepath.Join(f.TempDir(), "graph.sg")
	graphtest.Must(files.Save(f.ctx, file, s.g, files.GAP))
	out, err := exec.CommandContext(f.ctx, *figuresSearch, file, fmt.Sprint(s.query.Seeds[0]), fmt.Sprint(f.runs)).CombinedOutput()
	if err != nil { // a program may be for symmetric graphs alone
		f.Logf("%s by hand: %v\n%s", s.name, err, out)
		return
	}
	var best line
	for text := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(text), ",")
		if len(fields) < 10 || fields[0] != "CSV" || fields[2] != "bfs" {
			continue
		}
		var t times
		for i, to := range map[int]*[]time.Duration{5: &t.device, 6: &t.device, 7: &t.wall, 8: &t.wall} {
			ms, _ := strconv.ParseFloat(fields[i], 64)
			*to = append(*to, time.Duration(ms*1e6))
		}
		reached, _ := strconv.Atoi(fields[9])
		if best.by == "" || t.device[0] < best.device[0] {
			best = line{duty: "wide", question: "levels", by: "by hand", times: t, levels: want.rounds, reached: reached, note: fields[3]}
		}
		if reached != want.reached {
			f.Errorf("%s by hand reaches %d nodes, want %d", s.name, reached, want.reached)
		}
	}
	f.print(s, best)
}

func (f *figures) components() {
	for _, name := range []string{"kron:21", "road:4096x4096"} {
		s := f.subject(f.sized(name))
		e, label := cpu.New(hostArrays(s.g), hostArrays(s.g), cpu.Options{}), make([]uint32, s.g.Nodes())
		host := line{duty: "T5", question: "components", by: "graph/cpu", times: f.timed(nil, func() error { return e.Components(f.ctx, graph.AllKinds, label) }), digest: graphtest.Short(graph.Digest32(label))}
		f.print(s, host)
		// With a topology of one's own no labels are kept, so each call makes them.
		on := f.session(s, session.Options{Topology: megakernel.Cooperative})
		var c *session.Components
		l := line{duty: "T5", question: "components", by: f.dev.Name() + " cooperative", times: f.timed(on, func() (err error) {
			c, err = on.Components(f.ctx, 0)
			return err
		}), bytes: on.Bytes(), note: "labels stay on the device"}
		l.digest, l.reached = graphtest.Short(graph.Digest32(graphtest.Must(c.Labels(f.ctx, nil)))), c.Count()
		f.print(s, l)
		f.right(s, l, host.digest)
		f.close(on)
	}
}

// warm asks a session the same again, and counts what that takes beside the device's time.
func (f *figures) warm() {
	for _, name := range []string{"skew:1048576", "road:1024x1024"} {
		s := f.subject(f.sized(name))
		s.query.Seeds = s.query.Seeds[:1]
		on := f.session(s, session.Options{})
		var r session.Reached
		ask := func() error { return on.ReachInto(f.ctx, s.query, &r) }
		runs := f.runs
		f.runs *= 10
		l := line{duty: "T7", question: "set again", by: f.dev.Name(), times: f.timed(on, ask), bytes: on.Bytes()}
		f.runs = runs
		over := l.beyond()
		before := f.dev.Stats()
		if err := ask(); err != nil {
			f.Fatal(err)
		}
		did := f.dev.Stats().Sub(before)
		l.note = fmt.Sprintf("beyond the device's time: least %s us and half %s us; on the device %d allocations; %d uploads of %d bytes; %d reads of %d bytes; on the heap %.0f allocations", us(over, 0), us(over, 50),
			did.Get(metric.AllocRequests), did.Get(metric.Uploads), did.Get(metric.UploadBytes), did.Get(metric.Reads), did.Get(metric.ReadBytes), testing.AllocsPerRun(f.runs, func() {
				if err := ask(); err != nil {
					f.Error(err)
				}
			}))
		f.print(s, l)
		s.query.Count = true
		l = line{duty: "T7", question: "count again", by: f.dev.Name(), times: f.timed(on, ask), bytes: on.Bytes(), reached: r.Count()}
		over = l.beyond()
		l.note = fmt.Sprintf("beyond the device's time: least %s us and half %s us", us(over, 0), us(over, 50))
		f.print(s, l)
		f.close(on)
	}
}

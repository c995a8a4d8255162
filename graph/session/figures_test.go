package session_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/cpu"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
)

var (
	figuresFlag   = flag.String("figures", "", "measure these questions, with commas between, or all: "+strings.Join(figureNames(), ", "))
	figuresOut    = flag.String("figures-out", "", "file for the lines of -figures; standard output if there is none")
	figuresTiny   = flag.Bool("figures-tiny", false, "rehearse -figures with small graphs and few runs")
	figuresLane   = flag.String("figures-lanes", "", "graph file that the part lanes asks, too")
	figuresGAP    = flag.String("figures-gap", "", "folder with the GAP benchmark's programs bfs and cc, for the part gap")
	figuresRegs   = flag.String("figures-registers", "", "bounds for a thread's registers, with commas between: levels of wide graphs are measured with each")
	figuresOnly   = flag.String("figures-only", "", "measure levels of these graphs only, with commas between")
	figuresSearch = flag.String("figures-search", "", "program that searches a .sg file for levels on a GPU, as PROGRAM FILE SOURCE RUNS, with which the part levels compares")
)

// figureParts are what -figures measures, in this order.
var figureParts = []struct {
	name string
	run  func(*figures)
}{
	{"sets", (*figures).sets}, {"levels", (*figures).levels}, {"closures", (*figures).closures}, {"lanes", (*figures).lanes},
	{"components", (*figures).components}, {"warm", (*figures).warm},
	{"gap", (*figures).gap}, {"engines", (*figures).engines}, {"dominators", (*figures).dominators},
	{"ifds", (*figures).ifds}, {"pairs", (*figures).pairs}, {"paths", (*figures).paths}, {"strong", (*figures).strong},
}

func figureNames() (names []string) {
	for _, p := range figureParts {
		names = append(names, p.name)
	}
	return names
}

const figuresHeader = "duty,graph,nodes,arcs,question,by,runs,min_us,p50_us,p99_us,device_min_us,device_p50_us,levels,reached,bytes,digest,note"

// figures measures questions on a device, and beside it on the host's cores. Every answer is compared with the host's.
type figures struct {
	*testing.T
	ctx  context.Context
	dev  driver.Device
	runs int
	tiny bool
	out  *os.File

	registers []int // bounds for levels of wide graphs, which are measured as well
	bound     int   // the one in force
}

// TestFigures prints how long questions about graphs take, a line of CSV each.
func TestFigures(t *testing.T) {
	if *figuresFlag == "" {
		t.Skip("measures questions for minutes: run with -figures all, or the names of some")
	}
	all := devices()
	f := &figures{T: t, ctx: t.Context(), dev: graphtest.OpenDevice(t, all[len(all)-1]), runs: 30, tiny: *figuresTiny, out: os.Stdout}
	if *figuresOut != "" {
		file, err := os.Create(*figuresOut)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		f.out = file
	}
	if f.tiny {
		f.runs = 2
	}
	for _, text := range strings.FieldsFunc(*figuresRegs, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		f.registers = append(f.registers, n)
	}
	fmt.Fprintf(f.out, "# %s, %d workers on the host\n%s\n", f.dev.Caps().Name, cpu.New(cpu.Graph{}, cpu.Graph{}, cpu.Options{}).Workers(), figuresHeader)
	asked := strings.Split(*figuresFlag, ",")
	for _, name := range asked {
		if name != "all" && !slices.Contains(figureNames(), name) {
			t.Fatalf("-figures: no part is called %q; there are %s", name, strings.Join(figureNames(), ", "))
		}
	}
	for _, p := range figureParts {
		if asked[0] == "all" || slices.Contains(asked, p.name) {
			began := time.Now()
			p.run(f)
			t.Logf("%s: %v", p.name, time.Since(began).Round(time.Millisecond))
		}
	}
}

// times are those of runs of one question.
type times struct{ wall, device []time.Duration }

// us is the least, a half or the 99th of a hundred, in microseconds.
func us(list []time.Duration, part int) string {
	if len(list) == 0 || slices.Max(list) == 0 {
		return ""
	}
	sorted := slices.Sorted(slices.Values(list))
	return fmt.Sprintf("%.2f", float64(sorted[(len(sorted)-1)*part/100].Nanoseconds())/1e3)
}

// beyond is what the caller waited longer than the device took.
func (t times) beyond() []time.Duration {
	over := make([]time.Duration, len(t.wall))
	for i := range over {
		over[i] = t.wall[i] - t.device[i]
	}
	return over
}

// subject is a graph and who is asked about it.
type subject struct {
	name  string
	g     *graph.CSR
	query session.Query
}

// subject generates a graph, asked from where it usually is.
func (f *figures) subject(name string) subject {
	f.Helper()
	began := time.Now()
	p, err := generate.Parse(name)
	if err != nil {
		f.Fatal(err)
	}
	o := generate.Options{Seed: 1}
	g, err := p.Build(context.Background(), o)
	if err != nil {
		f.Fatal(err)
	}
	f.Logf("%s: %d nodes, %d arcs in %v", name, g.Nodes(), g.Arcs(), time.Since(began).Round(time.Millisecond))
	return subject{name, g, session.Query{Seeds: p.Seeds(o)}}
}

// sized is the name of a graph to measure, or of a small one of its kind in a rehearsal.
func (f *figures) sized(name string) string {
	kind, _, _ := strings.Cut(name, ":")
	small := map[string]string{"road": "16x16", "grid": "8x8", "skew": "64", "icfg": "2,8,2", "kron": "6", "uniform": "6", "chain": "20", "ladder": "10x4"}
	if f.tiny {
		return kind + ":" + small[kind]
	}
	return name
}

func (s subject) kinds() uint32 {
	if s.query.Kinds == 0 {
		return graph.AllKinds
	}
	return s.query.Kinds
}

// session opens one that the test closes; none if it asks for more blocks than there can be.
func (f *figures) session(s subject, o session.Options) *session.Session {
	f.Helper()
	o.Queries, o.Seeds = max(o.Queries, 1), max(len(s.query.Seeds), 1)
	session, err := session.New(f.ctx, f.dev, s.g, o)
	if err != nil && strings.Contains(err.Error(), "are resident at once") {
		f.Logf("%s: %v", s.name, err)
		return nil
	}
	if err != nil {
		f.Fatalf("%s: %v", s.name, err)
	}
	return session
}

func (f *figures) close(s *session.Session) {
	if err := s.Close(); err != nil {
		f.Error(err)
	}
}

// timed asks again and again, after once that is not counted.
func (f *figures) timed(s *session.Session, ask func() error) (t times) {
	f.Helper()
	device := time.Duration(0)
	if s != nil {
		s.OnRun(func(r driver.Result) { device += r.Device })
		defer s.OnRun(nil)
	}
	once := func() time.Duration {
		device = 0
		began := time.Now()
		if err := ask(); err != nil {
			f.Fatal(err)
		}
		return time.Since(began)
	}
	once()
	for began := time.Now(); len(t.wall) < 2 || len(t.wall) < f.runs && time.Since(began) < 2*time.Second; {
		t.wall = append(t.wall, once())
		t.device = append(t.device, device)
	}
	return t
}

// line is a figure.
type line struct {
	duty, question, by string
	times
	levels, reached int
	bytes           uint64
	digest, note    string
}

func (f *figures) print(s subject, l line) {
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	fmt.Fprintf(f.out, "%s,%s,%d,%d,%s,%s,%d,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", l.duty, strings.ReplaceAll(s.name, ",", "_"), s.g.Nodes(), s.g.Arcs(), l.question, quoted(l.by), len(l.wall),
		us(l.wall, 0), us(l.wall, 50), us(l.wall, 99), us(l.device, 0), us(l.device, 50), number(l.levels), number(l.reached), number(int(l.bytes)), l.digest, quoted(l.note))
}

// quoted is a field of a CSV.
func quoted(text string) string {
	if !strings.ContainsAny(text, `,"`) {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}

// answers are those of the host, and how long it took.
type answers struct {
	level       []uint32
	levels, set string // digests
	rounds      int
	reached     int
	line        line
}

// hosted searches on all cores of the host, forward and backward.
func (f *figures) hosted(duty string, s subject) answers {
	f.Helper()
	back := s.g
	if !graphtest.Must(s.g.Symmetric(context.Background())) {
		back = graphtest.Must(s.g.Reverse(context.Background()))
	}
	e := cpu.New(hostArrays(s.g), hostArrays(back), cpu.Options{})
	began := time.Now()
	if err := e.Index(f.ctx); err != nil {
		f.Fatal(err)
	}
	index := time.Since(began)
	a := answers{level: make([]uint32, s.g.Nodes())}
	var stats cpu.Stats
	t := f.timed(nil, func() (err error) {
		stats, err = e.Levels(f.ctx, s.query.Seeds, s.kinds(), a.level)
		return err
	})
	a.levels, a.set, a.reached = graphtest.Short(graph.Digest32(a.level)), graphtest.Short(graph.Digest64(graph.Bitset(a.level))), int(stats.Reached)
	a.rounds = stats.Rounds
	f.known(s, a)
	a.line = line{duty: duty, question: "levels", by: "graph/cpu", times: t, levels: a.rounds, reached: a.reached, digest: a.levels,
		note: fmt.Sprintf("index once in %v; %d levels backward", index.Round(time.Microsecond), stats.Backward)}
	f.print(s, a.line)
	return a
}

func hostArrays(g *graph.CSR) cpu.Graph {
	return cpu.Graph{Offsets: g.Offsets(), Targets: g.Targets(), Masks: g.Masks()}
}

// known compares the host's answers with those that are known of the graph.
func (f *figures) known(s subject, a answers) {
	f.Helper()
	for _, k := range graphtest.Known {
		if k.Name == s.name && s.query.Kinds == 0 && (a.levels != k.Digests[2] || a.reached != k.Reached) {
			f.Errorf("%s: the host reaches %d nodes, levels %s; known are %d and %s", s.name, a.reached, a.levels, k.Reached, k.Digests[2])
		}
	}
	closures := map[string]string{"skew:1048576/0x10": "53d330213c111cc9", "skew:1048576/0x7": "d244a9349d26b87f"}
	if want := closures[fmt.Sprintf("%s/%#x", s.name, s.query.Kinds)]; want != "" && a.set != want {
		f.Errorf("%s: the host's set is %s; known is %s", s.name, a.set, want)
	}
}

// right compares a digest with the host's.
func (f *figures) right(s subject, l line, want string) {
	f.Helper()
	if l.digest != want {
		f.Errorf("%s, %s by %s: %s, the host has %s", s.name, l.question, l.by, l.digest, want)
	}
}

// setOf digests a set.
func setOf(g *graph.CSR, r *session.Reached) string {
	set := make([]uint64, (g.Nodes()+63)/64)
	for v := range r.Nodes() {
		set[v/64] |= 1 << (v % 64)
	}
	return graphtest.Short(graph.Digest64(set))
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/report"
	"github.com/govyre/vyre/megakernel"
)

// graphCmd is about graphs in files.
type graphCmd struct {
	Gen     graphGenCmd     `cmd:"" help:"Make a graph of a generator."`
	Info    graphInfoCmd    `cmd:"" help:"Print what a graph is like."`
	Convert graphConvertCmd `cmd:"" help:"Write a graph in another format."`
}

// readFlags say how a graph is read.
type readFlags struct {
	Format    string `enum:",el,wel,nel,mtx,sg,wsg,gr,vyg" placeholder:"FORMAT" default:"" help:"What the file holds: el, wel, nel, mtx, sg, wsg, gr or vyg; by default its first bytes and its name say."`
	IDs       string `name:"ids" enum:",dense,sparse" placeholder:"HOW" default:"" help:"In a list of arcs, take numbers as ids (dense), or number nodes anew and keep the numbers as names (sparse); by default dense if all are below four times the arcs."`
	Kinds     string `name:"arc-kinds" enum:"file,all" default:"file" help:"Take the kinds of arcs that the file has, or all arcs as one kind, whatever a third column is (${enum})."`
	MaxMemory string `placeholder:"SIZE" help:"Most memory for arcs, such as 8G; half of the machine's by default."`
	MaxBytes  string `placeholder:"SIZE" help:"Most bytes that a compressed file may become."`
	KeepGoing bool   `help:"Go on after an error in the file, and list up to 100."`
	Progress  string `enum:"bar,plain,json,none" default:"bar" help:"How progress is shown on standard error: a bar if that is a terminal, a line or a JSON document a second, or not at all (${enum})."`
	Quiet     bool   `short:"q" help:"Show no progress, and do not say which files were written."`
	Time      bool   `help:"Say on standard error how long each part of the work took."`
}

// weightFlags are for commands that look at weights. Others do not read them.
type weightFlags struct {
	NoWeights bool `help:"Leave weights out, also those that no graph can have: 0.5, -1 or 2^32."`
}

// options are the flags as reading takes them.
func (f *readFlags) options(t *terminal) (files.Options, func(), error) {
	o := files.Options{Format: files.Format(f.Format), IDs: files.IDs(f.IDs), NoKinds: f.Kinds == "all", KeepGoing: f.KeepGoing}
	if f.Time {
		t.laps = &laps{last: time.Now()}
	}
	var err error
	if o.MaxMemory, err = sizeOf("--max-memory", f.MaxMemory); err != nil {
		return o, nil, err
	}
	if o.MaxBytes, err = sizeOf("--max-bytes", f.MaxBytes); err != nil {
		return o, nil, err
	}
	t.quiet, t.still = f.Quiet, f.Quiet || f.Progress != "bar"
	stop := func() {}
	switch {
	case f.Quiet || f.Progress == "none":
	case f.Progress == "bar":
		var at func(string, int64, int64)
		at, stop = bar(t.err)
		o.Progress = func(p files.Progress) { at(p.Phase, p.Bytes, p.Total) }
	default:
		o.Progress = eachSecond(t.err, f.Progress == "json")
	}
	return o, stop, nil
}

// progressDoc is a line of --progress json.
type progressDoc struct {
	Phase string `json:"phase"`
	Bytes int64  `json:"bytes"`
	Total int64  `json:"total,omitempty"` // 0 is unknown
	Arcs  int64  `json:"arcs"`
}

// eachSecond prints a line a second, and one for each phase.
func eachSecond(w io.Writer, asJSON bool) func(files.Progress) {
	var last time.Time
	phase := ""
	return func(p files.Progress) {
		if time.Since(last) < time.Second && p.Phase == phase {
			return
		}
		last, phase = time.Now(), p.Phase
		if asJSON {
			json.NewEncoder(printable.JSONWriter(w)).Encode(progressDoc{p.Phase, p.Bytes, p.Total, p.Arcs})
			return
		}
		of := ""
		if p.Total > 0 {
			of = " of " + report.Thousands(p.Total)
		}
		fmt.Fprintf(w, "%s: %s%s bytes, %s arcs\n", p.Phase, report.Thousands(p.Bytes), of, report.Thousands(p.Arcs))
	}
}

// sizeOf reads a number of bytes: 4096, 64K, 512M, 8G.
func sizeOf(flag, s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	shift := map[byte]uint{'K': 10, 'M': 20, 'G': 30, 'T': 40}[s[len(s)-1]&^0x20]
	digits := s
	if shift > 0 {
		digits = s[:len(s)-1]
	}
	var n int64
	if _, err := fmt.Sscanf(digits+"\n", "%d\n", &n); err != nil || n <= 0 || n > 1<<62>>shift {
		return 0, usagef("%s %s: want bytes, such as 4096, 64K, 512M or 8G", flag, s)
	}
	return n << shift, nil
}

// loadGraph reads a graph.
func (t *terminal) loadGraph(name string, o files.Options) (*graph.CSR, files.Report, error) {
	if name == "-" {
		if t.inRead {
			return nil, files.Report{}, usagef("-: standard input can be read only once")
		}
		t.inRead = true
		return files.Read(t.ctx, t.in, "standard input", o)
	}
	return files.Open(t.ctx, name, o)
}

// answer is the frame of a question to the graph of a file. What -o names is created before anything is read; ask
// writes it, if there is one, and prints.
func (f *readFlags) answer(t *terminal, name, out string, ask func(*graph.CSR, *sink) error) error {
	return f.answerBy(t, name, out, func(o *files.Options) { o.NoWeights = true }, ask)
}

// answerBy is answer for a graph that is read with other options.
func (f *readFlags) answerBy(t *terminal, name, out string, more func(*files.Options), ask func(*graph.CSR, *sink) error) error {
	var file *sink
	if out != "" {
		var err error
		if file, err = t.create("-o", out); err != nil {
			return err
		}
		defer file.close()
	}
	g, err := f.load(t, name, more)
	if err != nil {
		return err
	}
	defer g.Close()
	err = g.Read(func() error { return ask(g, file) })
	t.laps.done("asking and printing")
	t.laps.print(t.err)
	return err
}

// load reads the graph of a question, with more options, and checks all of it.
func (f *readFlags) load(t *terminal, name string, more func(*files.Options)) (*graph.CSR, error) {
	o, stop, err := f.options(t)
	if err != nil {
		return nil, err
	}
	more(&o)
	g, _, err := t.loadGraph(name, o)
	stop()
	if err != nil {
		return nil, err
	}
	t.laps.done("reading")
	if err := g.Verify(t.ctx); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	t.laps.done("checking")
	return g, nil
}

// graphGenCmd makes a graph.
type graphGenCmd struct {
	Spec     string `arg:"" help:"Generator and size, such as road:1024x1024, kron:20 or skew:1048576."`
	Out      string `short:"o" required:"" placeholder:"FILE" help:"File to write; its name says the format, and .gz or .zst compresses; - is standard output."`
	To       string `enum:",el,wel,nel,mtx,sg,wsg,gr,vyg,dot,json,csv" placeholder:"FORMAT" default:"" help:"Format to write, where the name does not say: el, wel, nel, mtx, sg, wsg, gr, vyg, dot, json or csv."`
	Seed     uint64 `default:"1" help:"Seed of the generators that draw."`
	Directed bool   `help:"Leave out the arc back that each arc of kron and uniform has."`
	Weights  string `placeholder:"A-B" help:"Give arcs weights from A to B, the same both ways."`
	Kinds    string `enum:"spec,all" default:"spec" help:"Keep the kinds of arcs that skew and icfg have, or make them one kind (${enum})."`
	Memory   string `name:"max-memory" placeholder:"SIZE" help:"Most memory for the graph, such as 8G; half of the machine's by default."`
}

// Help is the long help of the command.
func (graphGenCmd) Help() string {
	return `Generators: kron:S, uniform:S, grid:WxH, road:WxH, chain:N, ladder:NxW, star:N, complete:N, tree:N,K, icfg:P,B,F and
skew:N. A graph is a function of its name and its seed: it has the same digest everywhere.

Example:
  vyre graph gen road:1024x1024 -o roads.vyg`
}

func (c *graphGenCmd) Run(t *terminal) error {
	gen, err := generate.Parse(c.Spec)
	if err != nil {
		return asUsage(err)
	}
	format, err := written(c.Out, c.To)
	if err != nil {
		return err
	}
	limit, err := sizeOf("--max-memory", c.Memory)
	if err != nil {
		return err
	}
	if limit == 0 {
		limit = files.HalfOfMemory()
	}
	if need := gen.MaxBytes(); need > uint64(limit) {
		return fmt.Errorf("%v may take %s bytes, the limit is %s; --max-memory raises it", gen, report.Thousands(int64(need)), report.Thousands(limit))
	}
	o := generate.Options{Seed: c.Seed, Directed: c.Directed}
	if o.Weights, err = weightsOf(c.Weights); err != nil {
		return err
	}
	began := time.Now()
	stop := t.spin("making " + gen.String())
	g, err := gen.Build(t.ctx, o)
	stop()
	if err != nil {
		return err
	}
	weights := g.Data().Weights
	if c.Kinds == "all" && g.Masks() != nil {
		if wide := g.WideOffsets(); wide != nil {
			g, err = graph.New(t.ctx, wide, g.Targets(), nil)
		} else {
			g, err = graph.New(t.ctx, g.Offsets(), g.Targets(), nil)
		}
		if err != nil {
			return err
		}
	}
	d := g.Data()
	d.Weights = weights
	d.Provenance = graph.Provenance{Producer: "vyre graph gen", Version: version(), Options: fmt.Sprintf("%v, seed %d%s", gen, c.Seed, weighed(c.Weights))}
	if g, err = g.With(d); err != nil {
		return err
	}
	return t.save(c.Out, format, g, files.Report{}, began)
}

// weighed is what the provenance of a graph says about weights.
func weighed(weights string) string {
	if weights == "" {
		return ""
	}
	return ", weights " + weights
}

// weightsOf reads --weights.
func weightsOf(s string) (w [2]uint32, err error) {
	if s == "" {
		return w, nil
	}
	least, most, two := strings.Cut(s, "-")
	for i, word := range []string{least, most} {
		v, err := strconv.ParseUint(word, 10, 32)
		if err != nil || !two || i == 1 && uint32(v) < w[0] {
			return w, usagef("--weights %s: want the least and the greatest, such as 1-63, of 4294967295 at most", s)
		}
		w[i] = uint32(v)
	}
	if w[1] == 0 {
		return w, usagef("--weights %s: every weight would be 0", s)
	}
	return w, nil
}

// graphConvertCmd writes a graph in another format.
type graphConvertCmd struct {
	In        string `arg:"" help:"File to read; - is standard input."`
	Out       string `arg:"" help:"File to write; its name says the format, and .gz or .zst compresses; - is standard output."`
	To        string `enum:",el,wel,nel,mtx,sg,wsg,gr,vyg,dot,json,csv" placeholder:"FORMAT" default:"" help:"Format to write, where the name does not say: el, wel, nel, mtx, sg, wsg, gr, vyg, dot, json or csv."`
	Symmetric bool   `help:"Add an arc back for each arc that is no loop."`
	Dedup     bool   `help:"Make arcs between the same nodes one, with the kinds of all and the least weight."`
	NoSelf    bool   `help:"Leave out arcs from a node to itself."`
	weightFlags
	readFlags
}

// Help is the long help of the command.
func (graphConvertCmd) Help() string {
	return `Reads lists of arcs (el, txt, tsv, wel, nel), Matrix Market (mtx), GAP's rows (sg, wsg), DIMACS (gr) and vyg, as they are or
compressed with gzip, bzip2 or zstd; writes all of these, and dot, json and csv. All that both formats hold is kept, weights and
kinds too; what is lost, or done to arcs, is said on standard error.

Example:
  vyre graph convert roadNet-CA.txt.gz roads.vyg`
}

func (c *graphConvertCmd) Run(t *terminal) error {
	format, err := written(c.Out, c.To)
	if err != nil {
		return err
	}
	o, stop, err := c.options(t)
	if err != nil {
		return err
	}
	o.NoWeights = c.NoWeights
	o.Build = graph.BuildOptions{Symmetric: c.Symmetric, Dedup: c.Dedup, NoSelf: c.NoSelf}
	began := time.Now()
	g, became, err := t.loadGraph(c.In, o)
	stop()
	if err != nil {
		return err
	}
	t.laps.done("reading")
	if c.NoWeights && g.Data().Weights != nil { // of a .vyg file
		if g, err = withoutWeights(t.ctx, g); err != nil {
			return err
		}
	}
	if err = t.save(c.Out, format, g, became, began); err == nil {
		t.laps.done("writing")
		t.laps.print(t.err)
	}
	return errors.Join(err, g.Close())
}

func withoutWeights(ctx context.Context, g *graph.CSR) (*graph.CSR, error) {
	if err := g.Verify(ctx); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	d := g.Data()
	d.Weights = nil
	return g.With(d)
}

// save writes a graph, and says on standard error what it is and what became of it.
func (t *terminal) save(name string, format files.Format, g *graph.CSR, became files.Report, began time.Time) error {
	var lost []string
	var err error
	if standard(name) {
		lost, err = files.Write(t.ctx, t.out, g, format)
	} else {
		stop := t.spin("writing " + name)
		lost, err = files.Save(t.ctx, name, g, format)
		stop()
	}
	if err != nil {
		return err
	}
	digest, err := g.Digest(t.ctx)
	if err != nil {
		return err
	}
	t.wrote(name, fmt.Sprintf("%s nodes, %s arcs, digest %x, in %s", report.Thousands(int64(g.Nodes())), report.Thousands(int64(g.Arcs())), digest[:8], report.Rounded(time.Since(began))))
	for _, c := range []struct {
		n    int64
		what string
	}{{became.Built.Back, "arcs back were added"}, {became.Built.Self, "arcs from a node to itself were left out"}, {became.Built.Duplicates, "arcs were merged into others"},
		{became.Built.Sites, "arcs lost their call sites, and nodes their procedures, since no arc back is a call"}} {
		if c.n > 0 {
			fmt.Fprintf(t.err, "%s %s\n", report.Thousands(c.n), c.what)
		}
	}
	if became.Renumbered {
		fmt.Fprintln(t.err, "nodes were numbered anew; the ids of the file are their names")
	}
	for _, bit := range became.Kinds {
		fmt.Fprintf(t.err, "bit %d of kinds is %q\n", bit, g.KindName(bit))
	}
	if len(lost) > 0 {
		fmt.Fprintf(t.err, "lost, since the format has no place for it: %s\n", strings.Join(lost, ", "))
	}
	return nil
}

// errorDoc is what --json has in place of an answer.
type errorDoc struct {
	Schema string     `json:"schema"`
	Error  errorEntry `json:"error"`
}

type errorEntry struct {
	Kind   string `json:"kind"` // parse, file, failed, or a kind of device errors
	Text   string `json:"text"`
	File   string `json:"file,omitempty"`
	Line   int64  `json:"line,omitempty"`
	Column int64  `json:"column,omitempty"`
}

// document runs a command that prints one document if it was asked for, also of what failed.
func (t *terminal) document(json bool, schema string, run func(t *terminal) error) error {
	err := run(t)
	if json {
		return t.failedJSON(schema, err)
	}
	return err
}

// session opens a device and a session of a graph there, and closes both when the questions are asked.
func (t *terminal) session(device string, g *graph.CSR, o session.Options, ask func(dev driver.Device, s *session.Session) error) error {
	return t.sessionIn(nil, device, g, o, ask)
}

// sessionIn is session with a recording of all that the session does.
func (t *terminal) sessionIn(r *recording, device string, g *graph.CSR, o session.Options, ask func(dev driver.Device, s *session.Session) error) error {
	dev, err := t.device(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	o.Topology = topologyOn(dev, o.Topology)
	stop := t.spin("searching")
	defer stop()
	return r.around(dev, func() (err error) {
		s, err := session.New(t.ctx, dev, g, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		t.laps.done("session")
		return ask(dev, s)
	})
}

// topologyOn is who drives rounds on a device if nobody says. A drain waits in loops, which a simulation has to go through. On
// device cpu nobody does, where the session's engine is native.
func topologyOn(dev driver.Device, asked megakernel.Topology) megakernel.Topology {
	if asked == megakernel.Auto && dev.Caps().RegsUnit == 0 && dev.Name() != "cpu" {
		return megakernel.Cooperative
	}
	return asked
}

// failedJSON is err, which a document on standard output says as well, unless the command line makes no sense or there is an
// answer already.
func (t *terminal) failedJSON(schema string, err error) error {
	var differs difference
	var finds found
	if err == nil || isUsage(err) || errors.As(err, &differs) || errors.As(err, &finds) {
		return err
	}
	e := errorEntry{Kind: "failed", Text: err.Error()}
	var parse *graph.ParseError
	var path *fs.PathError
	var device *driver.Error
	switch {
	case errors.As(err, &parse):
		e.Kind, e.File, e.Line, e.Column = "parse", parse.File, parse.Line, parse.Column
	case errors.As(err, &path):
		e.Kind, e.File = "file", path.Path
	case errors.As(err, &device):
		e.Kind = device.Kind.String()
	}
	if t.out.err != nil {
		return err // nobody reads it
	}
	return errors.Join(err, json.NewEncoder(printable.JSONWriter(t.out)).Encode(errorDoc{schema, e}))
}

// written is the format of an output: what --to says, else what its name says. It is asked for before there is a graph.
func written(name, to string) (files.Format, error) {
	if to != "" {
		return files.Format(to), nil
	}
	if f := files.FormatOf(name); f != files.Auto {
		return f, nil
	}
	return files.Auto, usagef("%s: its name says no format; give one with --to: %s", name, files.Names())
}

package columns

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"strings"
	"unsafe"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/kernel"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/frontiers"
)

// sources are the kernels.
//
//go:embed kernels.go live.go check*.go
var sources embed.FS

// Options adjusts passes. The zero value is fine.
type Options struct {
	Group    uint32              // invocations of a workgroup, a multiple of 32; 0 is 256
	Topology megakernel.Topology // of the launches

	Hash uint32                  // bits that hashes are without, if tests want fewer
	Edit func(src string) string // of each file of the kernels, if tests want others
}

// Batch is what a run goes through: programs to optimise, programs to check, or both side by side.
type Batch struct {
	Arena    *Arena
	Codes    *Codes
	Findings uint32 // how many are read at most, of all of Codes; the first of each program always is
}

// Outcome is what a run leaves. It is overwritten by the next one.
type Outcome struct {
	Output  Output  // of the arena
	Verdict Verdict // of the codes
	Timing  driver.Timing
	Reports []driver.Report // of a device that watches
}

// Output is what optimising leaves, of the programs that are asked for.
type Output struct {
	Arena           // compact; Chunk is not there
	From   []uint32 // by row: which it was in its program
	Rounds []uint32 // by program: how often its rows were numbered, at most
}

// The buffers of a batch.
const (
	uploaded = iota
	worked
	returned
)

// column is memory of a batch: what parameters of its name are.
type column struct {
	name              string
	buffer, at, words int
	data              []uint32 // that is uploaded
}

// layout is all columns of a batch, each aligned and one behind the other in its buffer.
type layout struct {
	columns []column
	words   [3]int // of the buffers
	zeroed  int    // of those that are worked with, before a run
}

func (l *layout) add(buffer int, name string, words int) {
	at := l.words[buffer]
	l.columns = append(l.columns, column{name: name, buffer: buffer, at: at, words: words})
	l.words[buffer] = (at + max(1, words) + 63) &^ 63
}

// upload places a column with these words.
func (l *layout) upload(name string, words []uint32) {
	l.add(uploaded, name, len(words))
	l.columns[len(l.columns)-1].data = words
}

// lay places the columns of a batch.
func (l *layout) lay(b Batch) {
	*l = layout{columns: l.columns[:0]}
	if a := b.Codes; a != nil {
		l.codes(a, int(b.Findings))
	}
	l.zeroed = l.words[worked]
	if a := b.Arena; a != nil {
		l.arena(a)
	}
}

func (l *layout) arena(a *Arena) {
	n := len(a.Rows)
	asked, listed := a.asked()
	l.upload("heads", a.Heads)
	l.upload("chunk", a.Chunk)
	l.upload("rows", flat(a.Rows))
	l.upload("tag", a.Tag)
	l.upload("more", a.More)
	l.upload("objects", flat(a.Objects))
	l.upload("data", a.Data)
	l.add(worked, "leader", n)
	l.add(worked, "inside", n)
	l.add(worked, "slots", 4*n)
	l.add(worked, "live", n/32)
	l.add(worked, "base", n/32)
	l.add(worked, "place", n)
	l.add(returned, "out", len(a.Heads))
	l.add(returned, "rounds", a.Len())
	l.add(returned, "rows2", 4*asked)
	l.add(returned, "tag2", asked)
	l.add(returned, "from", asked)
	l.add(returned, "more2", listed)
}

func (l *layout) codes(a *Codes, findings int) {
	g := len(a.regions)
	l.upload("about", a.heads)
	l.upload("which", a.chunk)
	l.upload("head", flat(a.head))
	l.upload("links", flat(a.links))
	l.upload("regions", flat(a.regions))
	l.upload("extra", a.extra)
	l.upload("pool", a.pool)
	l.upload("named", flat(a.objects))
	l.upload("scalars", a.scalars)
	l.add(worked, "open", openWords*g)
	l.add(worked, "args", g)
	l.add(worked, "results", g)
	l.add(worked, "left", g)
	l.add(worked, "faulty", g)
	l.add(worked, "stop", stopWords*a.Len())
	l.add(returned, "first", 2*a.Len())
	l.add(returned, "found", 4+4*findings)
}

// same reports whether another batch has its columns in the same places.
func (l *layout) same(m *layout) bool {
	if len(l.columns) != len(m.columns) {
		return false
	}
	for k := range l.columns {
		x, y := &l.columns[k], &m.columns[k]
		if x.name != y.name || x.words != y.words {
			return false
		}
	}
	return true
}

// of is words of a buffer, of which a column has a part.
func (l *layout) of(name string, words []uint32) []uint32 {
	for k := range l.columns {
		if c := &l.columns[k]; c.name == name {
			return words[c.at : c.at+c.words : c.at+c.words]
		}
	}
	return nil
}

// Passes has the kernels, and memory and the sequence for batches of the last sizes.
type Passes struct {
	dev      driver.Device
	o        Options
	pool     *driver.Pool
	tables   *driver.StaticSet
	programs map[string]*ir.Program
	cache    *megakernel.Cache

	layout, next layout // what seq is for, and what is to run
	plan         *frontiers.Plan
	seq          *driver.Sequence
	buffers      [3]driver.Buffer
	in, out      []uint32
	result       Outcome
}

// Open reads the kernels. Those of a kind of batch are compiled with the first one.
func Open(ctx context.Context, dev driver.Device, o Options) (*Passes, error) {
	if o.Group == 0 {
		o.Group = 256
	}
	if o.Group%32 != 0 || o.Group > 1024 {
		return nil, &driver.Error{Op: "open", Label: "columns", Kind: driver.InvalidArgument,
			Msg: fmt.Sprintf("workgroups of %d threads are not whole warps, or too large", o.Group), Fix: "take a multiple of 32, at most 1024"}
	}
	c := &Passes{dev: dev, o: o, programs: map[string]*ir.Program{}, cache: megakernel.NewCache(dev, 0)}
	if err := c.read(ctx); err != nil {
		return nil, err
	}
	c.pool = dev.NewPool(driver.PoolOptions{})
	var err error
	split := (OpMask + 1) * RuleWords
	if c.tables, err = c.pool.Static(ctx, 0, vyre.Bytes(Ops[:]), vyre.Bytes(rules[:split]), vyre.Bytes(rules[split:])); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// read makes the programs of the kernels.
func (c *Passes) read(ctx context.Context) error {
	entries, err := sources.ReadDir(".")
	if err != nil {
		return err
	}
	var files []kernel.File
	for _, e := range entries {
		text, err := sources.ReadFile(e.Name())
		if err != nil {
			return err
		}
		src := strings.ReplaceAll(string(text), "workgroup=256", fmt.Sprintf("workgroup=%d", c.o.Group))
		if c.o.Edit != nil {
			src = c.o.Edit(src)
		}
		files = append(files, kernel.File{Name: e.Name(), Src: []byte(src)})
	}
	all, err := kernel.Parse(ctx, files, kernel.Options{})
	if err != nil {
		return err
	}
	for _, p := range all {
		c.programs[p.Name()] = p
	}
	fold, err := foldProgram(c.o.Group)
	if err != nil {
		return err
	}
	c.programs["Passes"], err = chain("Passes", c.o.Group, fold, c.programs["Epochs"], c.programs["Number"], c.programs["Live"])
	return err
}

// prepare makes memory and the sequence for batches of a size.
func (c *Passes) prepare(ctx context.Context, b Batch) error {
	c.next.lay(b)
	if c.layout.same(&c.next) {
		return nil
	}
	if err := c.forget(); err != nil {
		return err
	}
	c.layout.lay(b)
	if err := c.begin(ctx, b); err != nil {
		return errors.Join(err, c.forget())
	}
	return nil
}

func (c *Passes) begin(ctx context.Context, b Batch) error {
	words := c.layout.words
	all, err := c.pool.GetAll(4*int64(words[uploaded]), 4*int64(words[worked]), 4*int64(words[returned]))
	if err != nil {
		return err
	}
	copy(c.buffers[:], all)
	c.in, c.out = make([]uint32, words[uploaded]), make([]uint32, words[returned])
	args := map[string]driver.Arg{"ops": driver.All(c.tables.Buffers[0]), "rules": driver.All(c.tables.Buffers[1]), "converts": driver.All(c.tables.Buffers[2]), "keep": driver.U32(^c.o.Hash)}
	seq := c.dev.NewSequence("passes over columns")
	c.seq = seq
	seq.Upload(driver.All(all[uploaded]), vyre.Bytes(c.in), driver.Always)
	seq.Fill(driver.All(all[returned]), 0, 4)
	seq.Fill(driver.Part(all[worked], 0, 4*int64(c.layout.zeroed)), 0, 4)
	for _, p := range c.layout.columns {
		r := driver.Part(all[p.buffer], 4*int64(p.at), 4*int64(max(1, p.words)))
		if args[p.name] = r; p.name == "slots" || p.name == "first" {
			seq.Fill(r, math.MaxUint64, 8)
		}
	}
	if c.plan, err = c.schedule(ctx, b, args); err != nil {
		return err
	}
	run := c.plan.Plan().Commands()
	for _, record := range []func(*driver.Sequence){run.Begin, run.Round, run.End} {
		if record != nil {
			record(seq)
		}
	}
	seq.Read(driver.All(all[returned]), vyre.Bytes(c.out))
	return seq.Prepare()
}

// schedule has frontiers put the work of a batch into the fewest layers.
func (c *Passes) schedule(ctx context.Context, b Batch, args map[string]driver.Arg) (*frontiers.Plan, error) {
	var list []frontiers.Frontier
	var order []frontiers.Order
	programs := map[frontiers.Kind]frontiers.Program{}
	most := 0
	add := func(kind, after frontiers.Kind, kernel string, items int) {
		most = max(most, items)
		p := frontiers.Program{Program: c.programs[kernel]}
		for _, q := range p.Program.Params() {
			p.Args = append(p.Args, args[q.Name])
		}
		programs[kind] = p
		list = append(list, frontiers.Frontier{ID: uint64(kind), Kind: kind, Active: uint64(items)})
		if after != kind {
			order = append(order, frontiers.Order{Before: uint64(after), After: uint64(kind)})
		}
	}
	if a := b.Arena; a != nil {
		warps := int(c.o.Group / 32)
		add(0, 0, "Passes", (a.Len()+warps-1)/warps)
		add(1, 0, "Place", 1)
		add(2, 1, "Compact", len(a.Rows))
	}
	if a := b.Codes; a != nil {
		add(3, 3, "Tree", (a.Len()-1)/int(c.o.Group)+1)
		add(4, 3, "Rows", len(a.head))
		add(5, 4, "Types", len(a.head))
	}
	blocks := uint32(megakernel.AllBlocks)
	if n := uint32(most-1)/c.o.Group + 1; n <= uint32(c.dev.Caps().Units) { // barriers of few blocks take less
		blocks = n
	}
	return frontiers.New(ctx, c.dev, list, order, programs, frontiers.Options{Label: "columns", Run: megakernel.Options{
		Topology: c.o.Topology, Threads: c.o.Group, Blocks: blocks, MaxRows: 1 << 16, Cache: c.cache}})
}

// Run goes through a batch: one upload, one sequence and one read. Batches of the sizes of the last one allocate nothing.
//
// Errors: OutOfMemory, with the bytes; Canceled; those of a device. The next run begins afresh.
func (c *Passes) Run(ctx context.Context, b Batch) (*Outcome, error) {
	if b.Arena != nil && b.Arena.Len() == 0 {
		b.Arena = nil
	}
	if b.Codes != nil && b.Codes.Len() == 0 {
		b.Codes = nil
	}
	r := &c.result
	r.Output = Output{}
	r.Verdict.clear()
	if b.Arena == nil && b.Codes == nil {
		return r, nil
	}
	if err := c.prepare(ctx, b); err != nil {
		return nil, err
	}
	if err := c.seq.Settle(ctx); err != nil { // what a run that failed has left under way
		return nil, err
	}
	for _, p := range c.next.columns {
		if p.buffer == uploaded {
			copy(c.in[p.at:], p.data)
		}
	}
	res, err := c.seq.Run(ctx)
	if err != nil {
		return nil, err
	}
	r.Timing, r.Reports = res.Timing, res.Reports
	of := func(name string) []uint32 { return c.layout.of(name, c.out) }
	if b.Arena != nil {
		o := &r.Output
		o.Heads, o.Rounds, o.Rows, o.Tag, o.From, o.More = of("out"), of("rounds"), wordRows(of("rows2")), of("tag2"), of("from"), of("more2")
	}
	if b.Codes != nil {
		r.Verdict.take(of("first"), of("found"))
	}
	return r, nil
}

// Optimise runs the passes over one program.
func (c *Passes) Optimise(ctx context.Context, p *ir.Program) (*ir.Program, error) {
	a := new(Arena)
	if err := a.Add(p); err != nil {
		return nil, err
	}
	r, err := c.Run(ctx, Batch{Arena: a})
	if err != nil {
		return nil, err
	}
	return a.Program(&r.Output, 0)
}

// flat is rows as words, wordRows the reverse.
func flat(rows [][4]uint32) []uint32 {
	if len(rows) == 0 {
		return nil
	}
	return unsafe.Slice(&rows[0][0], 4*len(rows))
}

func wordRows(words []uint32) [][4]uint32 {
	if len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*[4]uint32)(unsafe.Pointer(&words[0])), len(words)/4)
}

// forget gives back what batches of the last sizes need.
func (c *Passes) forget() error {
	c.layout.columns = c.layout.columns[:0]
	if c.seq != nil {
		_ = c.seq.Settle(context.Background()) // whatever came of it
		if err := c.seq.Close(); err != nil {
			return err
		}
		c.seq = nil
	}
	if c.plan != nil {
		if err := c.plan.Close(); err != nil {
			return err
		}
		c.plan = nil
	}
	for k, b := range c.buffers {
		if b == nil {
			continue
		}
		if err := c.pool.Put(b); err != nil {
			return err
		}
		c.buffers[k] = nil
	}
	return nil
}

// Close gives everything back.
func (c *Passes) Close() error {
	err := c.forget()
	c.cache.Close()
	if c.tables != nil {
		err = errors.Join(err, c.pool.Release(c.tables))
		c.tables = nil
	}
	return errors.Join(err, c.pool.Close())
}

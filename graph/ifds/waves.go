package ifds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/ifds/internal/tabulation"
	"github.com/govyre/vyre/graph/internal/little"
	"github.com/govyre/vyre/megakernel"
)

// waves solve on a device.
type waves struct {
	dev   driver.Device
	o     Options
	x     *index
	image *image
	plan  *megakernel.Plan

	wanted   []wanted
	bytes    uint64
	portions uint64 // of a round, at most
	closers  []interface{ Close() error }

	solving
	answering
}

// solving is memory that rounds move bits in: words of bits, their lists, and portions of words with many arcs.
type solving struct{ rows, coming, known, queued, list, lengths, parts, parted driver.Buffer }

// answering is memory that questions come in, and answers go out from.
type answering struct{ seeds, masks, held, counts, summaries driver.Buffer }

// wanted is memory that they are going to have.
type wanted struct {
	to    *driver.Buffer
	bytes int64
	label string
}

// planRoom is what a plan may take beside what is counted: control words.
const planRoom = 4 << 10

// newWaves counts what they need.
func newWaves(dev driver.Device, x *index, o Options) *waves {
	w := &waves{dev: dev, o: o, x: x, image: newImage(x, o.Unbalanced), bytes: planRoom}
	want := func(to *driver.Buffer, bytes uint64, label string) {
		w.wanted = append(w.wanted, wanted{to, int64(bytes), label})
		w.bytes += bytes
	}
	items, exits, seeds := max(x.total, 1), max(x.exitWords, 1), uint64(w.mostSeeds())
	_, end := w.image.places()
	w.portions = w.image.portions(o.portion)
	want(&w.image.memory, uint64(end), "program")
	want(&w.rows, 8*items, "rows")
	want(&w.coming, 16*exits, "bits that come to exits")
	want(&w.known, 8*exits, "bits known of exits")
	want(&w.queued, 4*items, "words queued")
	want(&w.list, 8*(items+w.portions), "words and portions listed")
	want(&w.lengths, 12, "lengths of lists")
	want(&w.parts, 32*max(w.portions, 1), "portions")
	want(&w.parted, 12, "numbers of portions")
	want(&w.seeds, 4*(tabulation.SeedsHead+seeds), "seeds")
	want(&w.masks, 8*seeds, "bits of seeds")
	want(&w.held, 4*((items+31)/32), "words that hold")
	want(&w.counts, 8*tabulation.Counts, "counts")
	want(&w.summaries, 8*w.mostSummaries(), "summaries")
	return w
}

// mostSeeds is how many items seeds are in at most.
func (w *waves) mostSeeds() int { return max(min(w.o.Seeds, w.x.Nodes()), 1) }

// mostSummaries is room for each exit with each entry of its procedure, if they are kept.
func (w *waves) mostSummaries() (n uint64) {
	if w.o.ordered {
		for u := range w.x.inOrder() {
			if w.x.first[u] >= w.x.exitWords {
				break
			}
			n += uint64(len(w.x.entry[w.x.procedures[u]]))
		}
	}
	return max(n, 1)
}

// open allocates, uploads and prepares. After an error nothing is left.
func (w *waves) open(ctx context.Context) error {
	p, err := tabulation.Unpack()
	for _, m := range w.wanted {
		if err != nil {
			break
		}
		if *m.to, err = w.dev.Alloc(m.bytes, driver.AllocOptions{Label: w.o.Label + " " + m.label}); err == nil {
			w.closers = append(w.closers, *m.to)
		}
	}
	if err == nil {
		err = driver.Write(ctx, driver.All(w.image.memory), w.image.bytes())
	}
	if err == nil {
		rounds := min(max(128*w.x.total, 1<<20), 1<<31) // of two that follow each other one puts a bit into a row
		w.plan, err = megakernel.New(ctx, w.dev, w.waves(p), []megakernel.Dependency{{Before: 0, After: 1}},
			megakernel.Options{Label: w.o.Label, Topology: w.o.Topology, Blocks: w.o.Blocks, MaxRounds: uint32(rounds)})
	}
	if err != nil {
		return errors.Join(err, w.Close())
	}
	w.closers = append(w.closers, w.plan)
	return nil
}

func (w *waves) waves(p tabulation.Programs) []megakernel.Wave {
	seeds, rows, coming, known, queued := driver.All(w.seeds), driver.All(w.rows), driver.All(w.coming), driver.All(w.known), driver.All(w.queued)
	list, lengths, counts, exits := driver.All(w.list), driver.All(w.lengths), driver.All(w.counts), driver.U32(uint32(w.x.exitWords))
	items := uint32(max(w.x.total, 1))
	args := []driver.Arg{megakernel.Round{}, megakernel.Size{}, flag(w.image.wide()), exits, flag(w.o.ordered), driver.U32(w.o.portion)}
	args = append(args, w.image.args()...)
	args = append(args, rows, coming, known, queued, list, lengths, driver.All(w.parts), driver.All(w.parted), driver.All(w.summaries), counts, megakernel.Vote{}, megakernel.Edges{})
	return []megakernel.Wave{
		{Program: p.Clear, Phase: megakernel.Before, Domain: megakernel.Fixed(max(items, 3)), Args: []driver.Arg{seeds, rows, coming, known, queued, lengths, driver.All(w.parted), counts}},
		{Program: p.Seed, Phase: megakernel.Before, Domain: megakernel.Fixed(uint32(w.mostSeeds())), Args: []driver.Arg{exits, seeds, driver.All(w.masks), rows, coming, queued, list}},
		{Program: p.Round, Domain: megakernel.Spread(lengths, items+uint32(w.portions)), Args: args},
		{Program: p.Count, Phase: megakernel.After, Domain: megakernel.Fixed(min((items+255)/256, 1024)), Args: []driver.Arg{rows, driver.All(w.held), counts}},
	}
}

func flag(b bool) driver.Arg {
	if b {
		return driver.U32(1)
	}
	return driver.U32(0)
}

// Close gives back what they have.
func (w *waves) Close() (err error) {
	for k := len(w.closers) - 1; k >= 0; k-- {
		err = errors.Join(err, w.closers[k].Close())
	}
	w.closers = nil
	return err
}

// items are where seeds are, each word once, with their bits.
func (w *waves) items(seeds []uint32) (items []uint32, masks []uint64) {
	type bit struct {
		item uint32
		mask uint64
	}
	all := make([]bit, len(seeds))
	for i, v := range seeds {
		b := w.x.start(v, w.o.Unbalanced)
		all[i] = bit{uint32(w.x.first[v]) + b/64, 1 << (b % 64)}
	}
	slices.SortFunc(all, func(a, b bit) int { return cmp.Compare(a.item, b.item) })
	for i, b := range all {
		if i > 0 && all[i-1].item == b.item {
			masks[len(masks)-1] |= b.mask
			continue
		}
		items, masks = append(items, b.item), append(masks, b.mask)
	}
	return items, masks
}

// solve runs rounds until nothing grows, and reads what is asked for.
func (w *waves) solve(ctx context.Context, seeds []uint32, to *Solution) error {
	items, masks := w.items(seeds)
	if len(items) > w.mostSeeds() {
		return &driver.Error{Op: "ifds", Label: w.o.Label, Device: w.dev.Name(), Kind: driver.InvalidArgument,
			Msg: fmt.Sprintf("%d different seeds, the session was opened for %d", len(items), w.mostSeeds()), Fix: "open it with session.Options.Seeds"}
	}
	up := w.dev.NewSequence(w.o.Label + " seeds")
	head := append([]uint32{uint32(len(items))}, items...)
	up.Upload(driver.Part(w.seeds, 0, 4*int64(len(head))), little.Bytes(head), driver.Always)
	if len(masks) > 0 {
		up.Upload(driver.Part(w.masks, 0, 8*int64(len(masks))), little.Bytes(masks), driver.Always)
	}
	if _, err := up.Once(ctx); err != nil {
		return err
	}
	rec, err := w.plan.Run(ctx)
	to.Run.Topology, to.Run.Record, to.Run.Result = w.plan.Topology(), rec, w.plan.Result()
	if err == nil && rec.Status != megakernel.Converged {
		err = &driver.Error{Op: "ifds", Label: w.o.Label, Device: w.dev.Name(), Kind: driver.InvalidArgument,
			Msg: fmt.Sprintf("rows are at no end after %d rounds", rec.Rounds), Fix: "that is not possible: of two rounds one puts a bit into one"}
	}
	if err != nil {
		return err
	}
	return w.read(ctx, to)
}

// read gets the answer.
func (w *waves) read(ctx context.Context, to *Solution) error {
	held, counts := make([]byte, w.held.Len()), make([]byte, w.counts.Len())
	down := w.dev.NewSequence(w.o.Label + " answer")
	down.Read(driver.All(w.held), held)
	down.Read(driver.All(w.counts), counts)
	var rows []byte
	if w.o.Entries {
		rows = make([]byte, w.rows.Len())
		down.Read(driver.All(w.rows), rows)
	}
	if _, err := down.Once(ctx); err != nil {
		return err
	}
	to.held = little.Words[uint32](held)
	if rows != nil {
		to.rows = little.Words[uint64](rows)[:w.x.total]
	}
	count := little.Words[uint64](counts)
	to.edges = count[tabulation.EdgesWord]
	if n := count[tabulation.SummariesWord]; w.o.ordered && n > 0 {
		list := make([]byte, 8*n)
		if err := driver.ReadInto(ctx, driver.Part(w.summaries, 0, int64(len(list))), list); err != nil {
			return err
		}
		to.summaries = w.image.summaries(little.Words[uint64](list))
	}
	return nil
}

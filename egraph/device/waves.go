package device

import (
	"errors"
	"math/bits"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/egraph/device/internal/closure"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// threads is the size of a workgroup of all waves.
const threads = 256

// many is from how many rows on all blocks that are resident at once take part.
const many = 1 << 16

// programs are the kernels of the waves.
var programs = map[string]func() (*ir.Program, error){
	"Prepare": closure.PrepareProgram, "Unite": closure.UniteProgram, "Start": closure.StartProgram,
	"Match": closure.MatchProgram, "Refresh": closure.RefreshProgram, "Settle": closure.SettleProgram,
	"Tally": closure.TallyProgram, "Sum": closure.SumProgram, "Move": closure.MoveProgram,
	"Count": closure.CountProgram, "List": closure.ListProgram,
}

// tuning changes what only tests change.
type tuning struct {
	keep    uint32                 // masks signatures
	full    uint32                 // slots that may be taken; 0 is three of four
	altered map[string]*ir.Program // in place of the kernels of that name
}

// waves are those of a plan, each after the one before it.
type waves struct {
	list []megakernel.Wave
	err  error
}

// wave adds one. Its program comes with the error of making it.
func (w *waves) wave(phase megakernel.Phase, p *ir.Program, err error, over megakernel.Domain, args []driver.Arg) {
	w.err = errors.Join(w.err, err)
	w.list = append(w.list, megakernel.Wave{Program: p, Args: args, Domain: over, Phase: phase})
}

// closing are the waves of a closure.
type closing struct {
	waves
	tuning
	l     *layout
	b     driver.Buffer
	pairs driver.Range // staged
}

// make makes the waves.
func (w *closing) make() {
	n, c := w.l.n, w.l.classes
	per := uint32(1)
	if n >= 1<<20 {
		per = 4
	}
	table := uint32(w.l.len[slots] / 2)
	if w.full == 0 {
		w.full = table / 4 * 3
	}
	u32, all := driver.U32, w.of
	parts := groupsOf(n, threads*per)
	w.add(megakernel.Before, "Prepare", spread(max(c, table)), u32(n), w.pairs, all(parent), all(slots), all(header))
	w.add(megakernel.Before, "Unite", spread(uint32(w.pairs.Len/8)), w.pairs, all(parent), all(header))
	w.add(megakernel.Before, "Start", parts, u32(n), u32(per), w.pairs, all(rows), all(more), all(parent), all(slots),
		all(at), all(work), all(header))
	w.add(megakernel.EveryRound, "Match", spread(n), megakernel.Round{}, u32(w.keep), u32(w.full), w.pairs, all(rows),
		all(more), all(class), all(work),
		all(parent), all(slots), all(at), all(header), megakernel.Vote{})
	w.add(megakernel.EveryRound, "Refresh", parts, megakernel.Round{}, u32(n), u32(per), all(rows), all(more),
		all(parent), all(slots), all(at), all(work), all(header))
	w.add(megakernel.After, "Settle", spread(max(c, n)), u32(n), u32(c), w.pairs, all(parent), all(slots), all(at),
		all(live), all(header))
	w.sort()
}

// sort adds the waves that rebuild the groups.
func (w *closing) sort() {
	n, u32, all := w.l.n, driver.U32, w.of
	tiled := groupsOf(n, closure.Tile)
	t := u32(tiles(n))
	passes := max(1, (bits.Len32(max(w.l.classes, 1)-1)+7)/8)
	for p := range passes {
		from, to, first := all(groupRow), all(work), uint32(0)
		if (passes-p)%2 == 1 { // the last one writes groupRow
			from, to = to, from
		}
		if p == 0 {
			first = 1
		}
		w.add(megakernel.After, "Tally", tiled, u32(n), t, u32(uint32(8*p)), u32(first), from, all(class), all(parent),
			all(sums))
		w.add(megakernel.After, "Sum", megakernel.Fixed(256), t, all(sums), all(totals))
		w.add(megakernel.After, "Move", tiled, u32(n), t, u32(uint32(8*p)), u32(first), from, all(class), all(parent),
			all(sums), all(totals), to)
	}
	w.add(megakernel.After, "Count", tiled, u32(n), all(groupRow), all(class), all(parent), all(sums))
	w.add(megakernel.After, "Sum", megakernel.Fixed(1), t, all(sums), all(totals))
	w.add(megakernel.After, "List", tiled, u32(n), all(groupRow), all(class), all(parent), all(sums), all(totals),
		all(groupClass), all(groupFirst), all(header))
}

func (w *closing) of(c column) driver.Arg { return w.l.of(w.b, c) }

// groupsOf is a domain of workgroups that each have so many items.
func groupsOf(items, each uint32) megakernel.Domain {
	return megakernel.Fixed(max(1, uint32((uint64(items)+uint64(each)-1)/uint64(each))))
}

// spread is a domain of workgroups that go through items in strides: enough for every device, and few enough that
// each has several items where there are many.
func spread(items uint32) megakernel.Domain {
	return groupsOf(min(items, 8192*threads), threads)
}

func (w *closing) add(phase megakernel.Phase, name string, over megakernel.Domain, args ...driver.Arg) {
	p, altered := w.altered[name]
	var err error
	if !altered {
		p, err = programs[name]()
	}
	w.wave(phase, p, err, over, args)
}

// dependencies puts a barrier between a wave and the next one of its phase.
func (w *waves) dependencies() (all []megakernel.Dependency) {
	for k := range len(w.list) - 1 {
		if w.list[k].Phase == w.list[k+1].Phase {
			all = append(all, megakernel.Dependency{Before: k, After: k + 1})
		}
	}
	return all
}

package device

import (
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device/internal/saturation"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// rounds are the waves of a saturation. A round closes the graphs and lists their rows; then Judge decides which of the
// other waves have work.
type rounds struct {
	waves
	store *store
}

// make makes the waves, for so many graphs.
func (w *rounds) make(heads *symbols, shapes []*shape, number int, limits egraph.Limits, known bool) {
	search := func() (*ir.Program, error) { return searchProgram(shapes, number > 1) }
	fold := func() (*ir.Program, error) { return foldProgram(heads, known) }
	u32, rows, slots, begin := driver.U32, w.store.rows, w.store.slots, megakernel.Before
	all, one, each := spread(slots), megakernel.Fixed(1), megakernel.EveryRound
	w.add(begin, saturation.BeginProgram, all, nil, headers, keys, parents, stamp, count, constant, counters)
	w.add(begin, saturation.TakeProgram, spread(max(1, rows)), values{u32(rows)}, headBits, givenClass, givenTag, givenKey,
		count, chosen, list, listKeys)
	w.add(each, saturation.EmptyProgram, all, nil, headers, keys, parents, stamp, root, constant, chosen, list)
	w.add(each, saturation.AnchorProgram, all, nil, headers, keys, stamp, count, constant, counters)
	w.add(each, saturation.AdoptProgram, all, values{u32(rows)}, headers, headBits, keys, parents, stamp, root, constant,
		followed, chosen, list, listKeys, counters)
	w.add(each, saturation.CloseProgram, all, nil, headers, headBits, keys, parents, stamp, count, constant, counters)
	w.add(each, saturation.GroupProgram, all, nil, headers, headBits, keys, parents, stamp, root, count, constant,
		counters)
	w.add(each, saturation.ReserveProgram, all, nil, headers, count, end, cost, chosen, counters)
	w.add(each, saturation.ScatterProgram, all, nil, headers, headBits, followed, keys, parents, stamp, root, count,
		constant, end, list, listKeys, counters, graphs)
	if known {
		w.add(each, forgetProgram, all, nil, emitted...)
	}
	w.add(each, fold, all, nil, emitted...)
	w.add(each, saturation.DecideProgram, spread(uint32(number)), values{u32(uint32(limits.Rows)),
		u32(uint32(limits.Rounds))},
		headers, goals, graphs, counters)
	w.add(each, saturation.JudgeProgram, one, values{u32(slots)}, headers, graphs, counters)
	w.add(each, search, all, nil, emitted...)
	w.add(each, saturation.ExtractProgram, all, nil, headers, headBits, headCosts, keys, root, count, cost, chosen, list,
		listKeys, foundClass, foundKey, counters)
	w.add(each, saturation.LastProgram, one, nil, wanted, headers, count, counters)
	w.list[len(w.list)-1].Args = append(w.list[len(w.list)-1].Args, megakernel.Vote{})
}

// values are the arguments of a wave before its columns.
type values []driver.Arg

func (w *rounds) add(phase megakernel.Phase, program func() (*ir.Program, error), over megakernel.Domain,
	args values, columns ...place) {
	for _, c := range columns {
		args = append(args, w.store.column(c))
	}
	p, err := program()
	if err == nil && altered[p.Name()] != nil {
		p = altered[p.Name()]
	}
	w.wave(phase, p, err, over, args)
}

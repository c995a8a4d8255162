package session

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/little"
	"github.com/govyre/vyre/graph/internal/tiles"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// closureRows is where the rows of a closure are: on the device, or on the host.
type closureRows interface {
	closer
	// image is how many bytes all but tiles take; of nil, for how many there is room.
	image(d *tiles.Dag, p *tiles.Places) uint64
	room() uint64 // for tiles
	held() uint64 // bytes of the budget
	open(image, tiles uint64) error
	free() error // what open took
	fill(ctx context.Context, f filling, r *Run) (sum uint64, err error)
	// refill makes rows again, and returns what they came to and come to; false if they do not fit.
	refill(ctx context.Context, f refilling, r *Run) (was, now uint64, fit bool, err error)
	read(ctx context.Context, spans []span) error
	column(ctx context.Context, p *tiles.Places, k uint32) ([]uint32, error)
}

// filling is which rows are filled, in which columns of tiles.
type filling struct {
	way           int
	dag           *tiles.Dag
	places        *tiles.Places
	order, starts []uint32
	from, to      int
}

// refilling is which rows an edit makes again.
type refilling struct {
	dag    *tiles.Dag
	places *tiles.Places
	old    []uint32                                  // rows that were there
	settle func() (order, starts []uint32, fit bool) // changes sizes and places, and lists rows that are there then
	stale  []uint32                                  // rows whose sizes and places that changes
}

// span is tiles from a place on.
type span struct {
	first uint32
	tiles []tiles.Tile
}

// hostRows has them on the host. What it takes is compared with the budget, but is no memory of a device.
type hostRows struct {
	s     *runner
	a     *analysis
	bytes uint64
	tiles []tiles.Tile
}

func (h *hostRows) image(d *tiles.Dag, p *tiles.Places) uint64 {
	if d == nil {
		return h.bytes
	}
	return uint64(8*len(p.Present) + 4*(len(p.First)+d.Between+5*len(d.Size)+len(d.Of)))
}

func (h *hostRows) room() uint64 { return uint64(len(h.tiles)) }

func (h *hostRows) held() uint64 {
	if h.a == nil {
		return 0
	}
	return h.a.bytes
}

func (h *hostRows) open(image, n uint64) error {
	a := h.s.analysis("closure")
	a.bytes += image + tiles.Bytes*n + planRoom
	if err := a.open(); err != nil {
		return err
	}
	h.a, h.bytes, h.tiles = a, image, make([]tiles.Tile, n)
	return nil
}

func (h *hostRows) fill(ctx context.Context, f filling, r *Run) (uint64, error) {
	began := time.Now()
	sum := f.places.Fill(f.dag, f.way, f.order, f.places.Deal(f.from, f.to, nil), h.tiles, func() bool { return ctx.Err() != nil })
	r.Result.Wall += time.Since(began)
	return sum, ctx.Err()
}

func (h *hostRows) refill(ctx context.Context, f refilling, r *Run) (was, now uint64, fit bool, err error) {
	began, p, columns := time.Now(), f.places, tiles.TileColumns(f.places.Rows())
	stop := func() bool { return ctx.Err() != nil }
	was = p.Fill(f.dag, tiles.Count, f.old, p.Deal(0, columns, f.old), h.tiles, stop)
	order, _, fit := f.settle()
	if fit {
		now = p.Fill(f.dag, tiles.Make, order, p.Deal(0, columns, order), h.tiles, stop)
	}
	r.Result.Wall += time.Since(began)
	return was, now, fit, ctx.Err()
}

func (h *hostRows) read(_ context.Context, spans []span) error {
	for _, s := range spans {
		if len(s.tiles) > 0 {
			copy(s.tiles, h.tiles[s.first:])
		}
	}
	return nil
}

func (h *hostRows) column(_ context.Context, p *tiles.Places, k uint32) ([]uint32, error) {
	out := make([]uint32, (p.Rows()+31)/32)
	for row := range uint32(p.Rows()) {
		if at, stored := p.Place(row, int(k/tiles.Columns)); stored && has(h.tiles[at:at+1], k%tiles.Columns) {
			out[row/32] |= 1 << (row % 32)
		}
	}
	return out, nil
}

func (h *hostRows) Close() error { return h.free() }

func (h *hostRows) free() (err error) {
	if h.a != nil {
		err = h.a.Close()
	}
	h.a, h.bytes, h.tiles = nil, 0, nil
	return err
}

// kernelRows has them on the device, in two buffers: the tiles, and all that Fill reads beside them.
type kernelRows struct {
	s                  *runner
	fills, lists, puts driver.Kernel
	memory             *analysis // of both; nil if there is none
	about, tiles       driver.Buffer
	staged             []byte             // what comes to the first buffer
	pinned             closer             // that; nil if it is the host's as any other memory
	late               []*driver.Sequence // whose calls have failed, and which may be under way
	closureImage
}

// closureImage is what is in the first buffer.
type closureImage struct {
	dag *tiles.Dag // of which all is there
	at  [closureParts + 1]int64
}

func newKernelRows(ctx context.Context, s *runner) (*kernelRows, error) {
	k := &kernelRows{s: s}
	fill, column, put, err := tiles.Unpack()
	for to, p := range map[*driver.Kernel]*ir.Program{&k.fills: fill, &k.lists: column, &k.puts: put} {
		if err == nil {
			*to, err = s.dev.Compile(ctx, p, driver.Options{Label: s.o.Label + " " + p.Name()})
		}
	}
	if err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return k, nil
}

// parts are the arrays of the first buffer, one after another. Edits change sizes and what says where tiles are, and use
// the room of what comes after that.
const (
	sumsPart = iota
	outPart
	sizePart
	presentPart // from here on a block of columns has its own
	firstsPart
	dealPart
	startsPart
	listPart
	toPart
	closureParts
)

const line = 256

// layout is where each of them begins, and the end. There is room for columns up to the end of the last tile.
func (k *kernelRows) layout(d *tiles.Dag, p *tiles.Places) (at [closureParts + 1]int64) {
	columns := tiles.TileColumns(p.Rows())
	n := columns * tiles.Columns
	for i, bytes := range [closureParts]int{sumsPart: 2 * line, outPart: n / 8, sizePart: 4 * n, presentPart: 8 * n * p.Words, firstsPart: 4 * n * p.Firsts(),
		dealPart: 4 * columns, startsPart: 4 * (2*d.Heights() + 1), listPart: 16 * p.Rows(), toPart: 4 * d.Between} {
		at[i+1] = (at[i] + int64(max(bytes, 4)) + line - 1) / line * line
	}
	return at
}

func (k *kernelRows) image(d *tiles.Dag, p *tiles.Places) uint64 {
	if d == nil {
		if k.memory == nil {
			return 0
		}
		return uint64(k.about.Len())
	}
	return uint64(k.layout(d, p)[closureParts]) + editRoom
}

func (k *kernelRows) room() uint64 {
	if k.memory == nil {
		return 0
	}
	return uint64(k.tiles.Len()) / tiles.Bytes
}

func (k *kernelRows) held() uint64 {
	if k.memory == nil {
		return 0
	}
	return k.memory.bytes
}

func (k *kernelRows) open(image, n uint64) error {
	a := k.s.analysis("closure")
	a.bytes += planRoom
	a.want(&k.about, int64(image), "closure")
	a.want(&k.tiles, tiles.Bytes*int64(max(n, 1)), "rows of the closure")
	if err := a.open(); err != nil {
		return err
	}
	k.memory = a
	if image <= mostPinned {
		if m, err := k.s.dev.AllocHost(int64(image)); err == nil {
			k.staged, k.pinned = m.Bytes(), m
			return nil
		}
	}
	k.staged = make([]byte, image)
	return nil
}

// editRoom is room for edits of closures so small that the arrays of a filling leave little.
const editRoom = 4 << 10

// packing puts arrays into the staged bytes, one after another.
type packing struct {
	k   *kernelRows
	end int64
}

// put returns where an array comes to be. It puts only what fits.
func (p *packing) put(words []uint32) driver.Range {
	at := p.end
	p.end += (int64(max(4*len(words), 4)) + line - 1) / line * line
	if p.end <= int64(len(p.k.staged)) {
		putWords(p.k.staged[at:], words)
	}
	return driver.Part(p.k.about, at, 4*int64(max(len(words), 1)))
}

// where are the arguments that say where tiles are.
func (k *kernelRows) where(p *tiles.Places) []driver.Arg {
	return []driver.Arg{driver.Part(k.about, k.at[presentPart], 8*int64(len(p.Present))), driver.Part(k.about, k.at[firstsPart], 4*int64(len(p.First)))}
}

// launch has rows filled.
func (k *kernelRows) launch(seq *driver.Sequence, way int, p *tiles.Places, deal []uint32, starts, rows, to, dealt driver.Range, sums int64) {
	if rows.Len < 16 || len(deal) == 0 {
		return
	}
	columns := k.at[presentPart] - k.at[sizePart]
	args := []driver.Arg{driver.U32(uint32(way)), driver.U32(uint32(starts.Len / 8)), driver.U32(uint32(p.Words)), dealt, starts, rows, to, driver.Part(k.about, k.at[sizePart], columns)}
	args = append(append(args, k.where(p)...), driver.All(k.tiles), driver.Part(k.about, k.at[sumsPart]+sums*line, 8))
	seq.Launch(k.fills, driver.Groups(uint32(len(deal))), args...)
}

func (k *kernelRows) fill(ctx context.Context, f filling, r *Run) (uint64, error) {
	p, d := f.places, f.dag
	k.at = k.layout(d, p)
	clear(k.staged[k.at[sizePart]:k.at[presentPart]])
	putWords(k.staged[k.at[sizePart]:], d.Size)
	copy(k.staged[k.at[presentPart]:], little.Bytes(p.Present))
	putWords(k.staged[k.at[firstsPart]:], p.First)
	deal := p.Deal(f.from, f.to, nil)
	dealt, starts, rows, to := k.part(dealPart, len(deal)), k.part(startsPart, len(f.starts)), k.part(listPart, 4*len(f.order)), k.part(toPart, d.Between)
	putWords(k.staged[dealt.Off:], deal)
	from, end := k.at[presentPart], dealt.End()
	if k.dag != d {
		entries, after := d.Entries(f.order)
		putWords(k.staged[starts.Off:], f.starts)
		putWords(k.staged[rows.Off:], entries)
		putWords(k.staged[to.Off:], after)
		from, end = k.at[sizePart], to.End()
	}
	k.dag = nil
	seq := k.s.dev.NewSequence(k.s.o.Label + " closure")
	seq.Upload(driver.Part(k.about, from, end-from), k.staged[from:end], driver.Always)
	seq.Fill(driver.Part(k.about, 0, 2*line), 0, 8)
	k.launch(seq, f.way, p, deal, starts, rows, to, dealt, 0)
	sums, err := k.summed(ctx, seq, uint64(end-from), len(f.starts)/2, r)
	if err == nil {
		k.dag = d
	}
	return sums[0], err
}

// part is the beginning of a part, of so many words.
func (k *kernelRows) part(part, words int) driver.Range {
	return driver.Part(k.about, k.at[part], 4*int64(max(words, 1)))
}

// summed runs a sequence that fills rows, and returns both sums.
func (k *kernelRows) summed(ctx context.Context, seq *driver.Sequence, bytes uint64, heights int, r *Run) (sums [2]uint64, err error) {
	var read [2][8]byte
	for i := range read {
		seq.Read(driver.Part(k.about, k.at[sumsPart]+int64(i)*line, 8), read[i][:])
	}
	result, err := k.once(ctx, seq)
	if k.s.tell(result); err != nil {
		return sums, err
	}
	k.s.moved.uploaded += bytes
	k.s.moved.read += 16
	one := Run{Engine: WavesEngine, Topology: megakernel.Drained, Record: megakernel.Record{Status: megakernel.Converged, Rounds: uint32(heights)}, Result: result}
	k.s.totals.add(one)
	*r = r.and(one)
	for i := range sums {
		sums[i] = binary.LittleEndian.Uint64(read[i][:])
	}
	return sums, nil
}

func (k *kernelRows) refill(ctx context.Context, f refilling, r *Run) (was, now uint64, fit bool, err error) {
	p, columns := f.places, tiles.TileColumns(f.places.Rows())
	pack := &packing{k: k, end: k.at[dealPart]}
	var entries []uint32
	for _, row := range f.old {
		entries = append(entries, row, 0, 0, f.dag.Size[row])
	}
	wasDeal, n := p.Deal(0, columns, f.old), uint32(len(f.old))
	wasDealt, wasStarts, wasRows := pack.put(wasDeal), pack.put([]uint32{0, n, n}), pack.put(entries)
	order, list, fit := f.settle()
	entries, after := f.dag.Entries(order)
	deal := p.Deal(0, columns, order)
	dealt, starts, rows, to := pack.put(deal), pack.put(list), pack.put(entries), pack.put(after)
	changed := k.changed(f)
	pairs, from, end := pack.put(changed), k.at[dealPart], pack.end
	if !fit || end > int64(len(k.staged)) || k.at[dealPart]-k.at[sizePart] > math.MaxUint32 {
		return 0, 0, false, nil
	}
	k.dag = nil
	seq := k.s.dev.NewSequence(k.s.o.Label + " edit of a closure")
	seq.Upload(driver.Part(k.about, from, end-from), k.staged[from:end], driver.Always)
	seq.Fill(driver.Part(k.about, 0, 2*line), 0, 8)
	k.launch(seq, tiles.Count, p, wasDeal, wasStarts, wasRows, to, wasDealt, 0)
	seq.Launch(k.puts, driver.Groups(uint32(min((len(changed)/2+255)/256, 1024))), pairs, driver.Part(k.about, k.at[sizePart], k.at[dealPart]-k.at[sizePart]))
	k.launch(seq, tiles.Make, p, deal, starts, rows, to, dealt, 1)
	sums, err := k.summed(ctx, seq, uint64(end-from), len(list)/2, r)
	return sums[0], sums[1], true, err
}

// changed is where words of sizes and of what says where tiles are come to be, and the words.
func (k *kernelRows) changed(f refilling) (pairs []uint32) {
	p := f.places
	present, firsts := uint32((k.at[presentPart]-k.at[sizePart])/4), uint32((k.at[firstsPart]-k.at[sizePart])/4)
	for _, row := range f.stale {
		pairs = append(pairs, row, f.dag.Size[row])
		for i := row * uint32(p.Words); i < (row+1)*uint32(p.Words); i++ {
			pairs = append(pairs, present+2*i, uint32(p.Present[i]), present+2*i+1, uint32(p.Present[i]>>32))
		}
		for i := row * uint32(p.Firsts()); i < (row+1)*uint32(p.Firsts()); i++ {
			pairs = append(pairs, firsts+i, p.First[i])
		}
	}
	return pairs
}

func (k *kernelRows) read(ctx context.Context, spans []span) error {
	seq := k.s.dev.NewSequence(k.s.o.Label + " rows")
	host := make([][]byte, len(spans))
	moved := 0
	for i, s := range spans {
		if n := tiles.Bytes * len(s.tiles); n > 0 {
			host[i] = make([]byte, n)
			seq.Read(driver.Part(k.tiles, tiles.Bytes*int64(s.first), int64(n)), host[i])
			moved += n
		}
	}
	if moved == 0 {
		seq.Drop()
		return nil
	}
	if _, err := k.once(ctx, seq); err != nil {
		return err
	}
	k.s.moved.read += uint64(moved)
	for i, s := range spans {
		words := little.Words[uint64](host[i])
		for j := range s.tiles {
			s.tiles[j] = tiles.Tile(words[16*j:])
		}
	}
	return nil
}

func (k *kernelRows) column(ctx context.Context, p *tiles.Places, column uint32) ([]uint32, error) {
	list := driver.Part(k.about, k.at[outPart], 4*int64((p.Rows()+31)/32))
	seq, host := k.s.dev.NewSequence(k.s.o.Label+" column"), make([]byte, list.Len)
	args := append([]driver.Arg{driver.U32(column), driver.U32(uint32(p.Words))}, k.where(p)...)
	seq.Launch(k.lists, driver.Groups(uint32(min((list.Len/4+7)/8, 1024))), append(args, driver.All(k.tiles), list)...)
	seq.Read(list, host)
	result, err := k.once(ctx, seq)
	if k.s.tell(result); err != nil {
		return nil, err
	}
	k.s.moved.read += uint64(len(host))
	return little.Words[uint32](host), nil
}

// once runs a sequence. If its context ends, it has the staged bytes and the buffers until Settle.
func (k *kernelRows) once(ctx context.Context, seq *driver.Sequence) (driver.Result, error) {
	r, err := seq.Run(ctx)
	if err == nil {
		seq.Drop()
		return r, nil
	}
	k.late, k.s.last = append(k.late, seq), k
	return r, err
}

// Settle waits for sequences that a call has left.
func (k *kernelRows) Settle(ctx context.Context) error {
	for ; len(k.late) > 0; k.late = k.late[1:] {
		if err := k.late[0].Settle(ctx); err != nil {
			return err
		}
		k.late[0].Drop()
	}
	return nil
}

func (k *kernelRows) free() (err error) {
	for _, seq := range k.late {
		seq.Drop()
	}
	k.late = nil
	if k.memory != nil {
		err = k.memory.Close()
	}
	if k.pinned != nil {
		err = errors.Join(err, k.pinned.Close())
	}
	k.memory, k.staged, k.pinned, k.closureImage = nil, nil, nil, closureImage{}
	return err
}

// Close gives kernels back, too.
func (k *kernelRows) Close() error {
	err := k.free()
	for _, kernel := range []driver.Kernel{k.fills, k.lists, k.puts} {
		if kernel != nil {
			err = errors.Join(err, kernel.Close())
		}
	}
	k.fills, k.lists, k.puts = nil, nil, nil
	return err
}

package session

import (
	"context"
	"encoding/binary"
	"errors"
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
	return uint64(8*len(p.At) + 4*(len(d.To)+5*len(d.Size)+len(d.Of)))
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
	sum := f.places.Fill(f.dag, f.way, f.order, f.from, f.to, h.tiles, func() bool { return ctx.Err() != nil })
	r.Result.Wall += time.Since(began)
	return sum, ctx.Err()
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
	s            *runner
	fills, lists driver.Kernel
	memory       *analysis // of both; nil if there is none
	about, tiles driver.Buffer
	staged       []byte             // what comes to the first buffer
	pinned       closer             // that; nil if it is the host's as any other memory
	late         []*driver.Sequence // whose calls have failed, and which may be under way
	closureImage
}

// closureImage is what is in the first buffer.
type closureImage struct {
	dag *tiles.Dag
	at  [closureParts + 1]int64
}

func newKernelRows(ctx context.Context, s *runner) (*kernelRows, error) {
	k := &kernelRows{s: s}
	fill, column, err := tiles.Unpack()
	for to, p := range map[*driver.Kernel]*ir.Program{&k.fills: fill, &k.lists: column} {
		if err == nil {
			*to, err = s.dev.Compile(ctx, p, driver.Options{Label: s.o.Label + " " + p.Name()})
		}
	}
	if err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return k, nil
}

// parts are the arrays of the first buffer, one after another.
const (
	toPart = iota
	sizePart
	dealPart // from here on they are of a filling, and not of the graph
	startsPart
	listPart
	placesPart
	sumsPart
	outPart
	closureParts
)

// layout is where each of them begins, and the end.
func (k *kernelRows) layout(d *tiles.Dag, p *tiles.Places, starts int) (at [closureParts + 1]int64) {
	n := len(d.Size)
	for i, bytes := range [closureParts]int{dealPart: 4 * tiles.TileColumns(n), startsPart: 4 * starts, listPart: 16 * n, toPart: 4 * len(d.To),
		sizePart: 4 * n, placesPart: 8 * len(p.At), sumsPart: 8, outPart: 4 * ((n + 31) / 32)} {
		at[i+1] = (at[i] + int64(max(bytes, 4)) + 255) / 256 * 256
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
	return uint64(k.layout(d, p, 2*d.Heights()+1)[closureParts])
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

func (k *kernelRows) fill(ctx context.Context, f filling, r *Run) (uint64, error) {
	at, from := k.layout(f.dag, f.places, 2*f.dag.Heights()+1), int64(0)
	if k.dag == f.dag {
		from = at[dealPart]
	}
	k.closureImage = closureImage{at: at}
	put := func(part int, words []uint32) driver.Arg {
		if at[part] >= from {
			putWords(k.staged[at[part]:], words)
		}
		return driver.Part(k.about, at[part], 4*int64(max(len(words), 1)))
	}
	places := little.Bytes(f.places.At)
	copy(k.staged[at[placesPart]:], places)
	deal := f.places.Deal(tiles.TileColumns(len(f.dag.Size)), f.from, f.to)
	heights := uint32(len(f.starts) / 2)
	sums := driver.Part(k.about, at[sumsPart], 8)
	args := []driver.Arg{driver.U32(uint32(f.way)), driver.U32(heights), driver.U32(uint32(f.places.Words)),
		put(dealPart, deal), put(startsPart, f.starts), put(listPart, f.dag.Entries(f.order)), put(toPart, f.dag.To), put(sizePart, f.dag.Size),
		driver.Part(k.about, at[placesPart], int64(len(places))), driver.All(k.tiles), sums}
	seq := k.s.dev.NewSequence(k.s.o.Label + " closure")
	seq.Upload(driver.Part(k.about, from, at[sumsPart]-from), k.staged[from:at[sumsPart]], driver.Always)
	seq.Fill(sums, 0, 8)
	if len(f.order) > 0 {
		seq.Launch(k.fills, driver.Groups(uint32(len(deal))), args...)
	}
	sum := make([]byte, 8)
	seq.Read(sums, sum)
	result, err := k.once(ctx, seq)
	if k.s.tell(result); err != nil {
		return 0, err
	}
	k.dag = f.dag
	k.s.moved.uploaded += uint64(at[sumsPart] - from)
	k.s.moved.read += 8
	one := Run{Engine: WavesEngine, Topology: megakernel.Drained, Record: megakernel.Record{Status: megakernel.Converged, Rounds: heights}, Result: result}
	k.s.totals.add(one)
	*r = r.and(one)
	return binary.LittleEndian.Uint64(sum), nil
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
	seq.Launch(k.lists, driver.Groups(uint32(min((list.Len/4+7)/8, 1024))), driver.U32(column), driver.U32(uint32(p.Words)),
		driver.Part(k.about, k.at[placesPart], 8*int64(len(p.At))), driver.All(k.tiles), list)
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
	for _, kernel := range []driver.Kernel{k.fills, k.lists} {
		if kernel != nil {
			err = errors.Join(err, kernel.Close())
		}
	}
	k.fills, k.lists = nil, nil
	return err
}

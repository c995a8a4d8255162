package mine

import (
	"context"
	"encoding/binary"
	"errors"
	"math/bits"
	"time"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// none is the rank of a candidate that another one stands for, with its operands the other way round.
const none = 1<<32 - 1

// memory is what the bank has on its device: input k of term t is value k·room + t.
type memory struct {
	dev    driver.Device
	word   ir.Type
	room   uint32
	mask   uint32 // of slots
	values driver.Buffer
	keys   driver.Buffer // by slot: a hash of 64 bits
	first  driver.Buffer // by slot: the least number of a candidate
	slots  driver.Buffer // by candidate of a launch
	list   driver.Buffer

	claims, keeps map[string]driver.Kernel
	rank          driver.Kernel
}

func allocate(dev driver.Device, terms int, word ir.Type) (m *memory, err error) {
	m = &memory{dev: dev, word: word, room: uint32(terms), claims: make(map[string]driver.Kernel), keeps: make(map[string]driver.Kernel)}
	slots := int64(1) << bits.Len(uint(2*(terms+chunk)))
	m.mask = uint32(slots - 1)
	for _, a := range []struct {
		to    *driver.Buffer
		bytes int64
		label string
	}{{&m.values, int64(terms) * inputs * int64(word.Bits()) / 8, "values of terms"}, {&m.keys, 8 * slots, "hashes of terms"},
		{&m.first, 4 * slots, "first terms"}, {&m.slots, 4 * chunk, "candidates"}, {&m.list, 4 * chunk, "new terms"}} {
		if *a.to, err = dev.Alloc(a.bytes, driver.AllocOptions{Label: a.label}); err != nil {
			return nil, errors.Join(err, m.close())
		}
	}
	return m, nil
}

func (m *memory) close() (err error) {
	for _, ks := range []map[string]driver.Kernel{m.claims, m.keeps} {
		for _, k := range ks {
			err = errors.Join(err, k.Close())
		}
	}
	if m.rank != nil {
		err = errors.Join(err, m.rank.Close())
	}
	for _, b := range []driver.Buffer{m.values, m.keys, m.first, m.slots, m.list} {
		if b != nil {
			err = errors.Join(err, b.Close())
		}
	}
	return err
}

// leaves uploads columns, and empties the table.
func (m *memory) leaves(ctx context.Context, columns [][]uint64) error {
	wide := int64(m.word.Bits() / 8)
	seq := m.dev.NewSequence("leaves")
	seq.Fill(driver.All(m.keys), 0, 4)
	seq.Fill(driver.All(m.first), none, 4)
	for k := range inputs {
		row := make([]byte, 0, 8*len(columns))
		for _, c := range columns {
			if wide == 8 {
				row = binary.NativeEndian.AppendUint64(row, c[k])
			} else {
				row = binary.NativeEndian.AppendUint32(row, uint32(c[k]))
			}
		}
		seq.Upload(driver.Part(m.values, int64(k)*int64(m.room)*wide, int64(len(row))), row, driver.Always)
	}
	_, err := seq.Once(ctx)
	return err
}

// claim evaluates candidates of a head over ranges, and says for each the number of the first candidate with its values.
// It returns the device's time.
func (m *memory) claim(ctx context.Context, h head, spans []span, at, base uint32, ranks []uint32) (time.Duration, error) {
	k, err := m.kernel(ctx, m.claims, h, claimProgram)
	if err == nil && m.rank == nil {
		m.rank, err = compile(ctx, m.dev, rankProgram)
	}
	if err != nil {
		return 0, err
	}
	n := uint32(len(ranks))
	args := []driver.Arg{driver.All(m.values), driver.All(m.keys), driver.All(m.first), driver.All(m.slots),
		driver.U32(m.room), driver.U32(n), driver.U32(at), driver.U32(base), driver.U32(m.mask)}
	seq := m.dev.NewSequence("claim terms")
	seq.Launch(k, driver.Cover(uint64(n), group), append(args, ranges(spans)...)...)
	seq.Launch(m.rank, driver.Cover(uint64(n), group), driver.All(m.first), driver.All(m.slots), driver.U32(n))
	seq.Read(driver.Part(m.slots, 0, 4*int64(n)), vyre.Bytes(ranks))
	res, err := seq.Once(ctx)
	return res.Device, err
}

// keep writes the values of the candidates in list to terms from a number on.
func (m *memory) keep(ctx context.Context, h head, spans []span, list []uint32, to uint32) error {
	k, err := m.kernel(ctx, m.keeps, h, keepProgram)
	if err != nil {
		return err
	}
	n := uint32(len(list))
	args := []driver.Arg{driver.All(m.values), driver.All(m.list), driver.U32(m.room), driver.U32(n), driver.U32(to)}
	seq := m.dev.NewSequence("keep terms")
	seq.Upload(driver.Part(m.list, 0, 4*int64(n)), vyre.Bytes(list), driver.Always)
	seq.Launch(k, driver.Cover(uint64(n), group), append(args, ranges(spans)...)...)
	_, err = seq.Once(ctx)
	return err
}

func ranges(spans []span) (args []driver.Arg) {
	for _, s := range spans {
		args = append(args, driver.U32(s.first), driver.U32(s.n))
	}
	return args
}

// kernel is the one of a head, compiled the first time.
func (m *memory) kernel(ctx context.Context, have map[string]driver.Kernel, h head, make func(*build.Builder, head, ir.Type)) (driver.Kernel, error) {
	name := h.op.String()
	for _, t := range h.in {
		name += "." + t.String()
	}
	if k := have[name]; k != nil {
		return k, nil
	}
	k, err := compile(ctx, m.dev, func(b *build.Builder) { make(b, h, m.word) })
	if err == nil {
		have[name] = k
	}
	return k, err
}

const group = 128

func compile(ctx context.Context, dev driver.Device, body func(*build.Builder)) (driver.Kernel, error) {
	b := build.New("terms", build.Workgroup(group))
	body(b)
	p, err := b.Program()
	if err != nil {
		panic("BUG: mine: " + err.Error())
	}
	return dev.Compile(ctx, p, driver.Options{Label: "terms"})
}

// claimProgram hashes the values of a candidate, finds the slot of the hash, and lowers its first number.
func claimProgram(b *build.Builder, h head, word ir.Type) {
	values, keys := b.Buffer("values", word, ir.RO), b.Buffer("keys", ir.U64, ir.RW)
	first, slots := b.Buffer("first", ir.U32, ir.RW), b.Buffer("slots", ir.U32, ir.WO)
	room, n, at, base, mask := b.Scalar("room", ir.U32), b.Scalar("n", ir.U32), b.Scalar("at", ir.U32), b.Scalar("base", ir.U32), b.Scalar("mask", ir.U32)
	kids := operands(b, h)
	i := b.Global(0)
	b.If(b.Lt(i, n), func() {
		at := kids(b.Add(at, i))
		claim := func() {
			hash := b.Var(b.U32(seed + uint32(h.out))) // equal raw bits of two types are two terms
			twin := b.Var(b.U32(seed))
			b.For(b.U32(0), b.U32(inputs), b.U32(1), func(k build.Value, _ build.Label) {
				v := toWord(b, apply(b, h, values, word, b.Mul(k, room), at), word)
				for shift := 0; shift < int(word.Bits()); shift += 32 {
					w := v
					if word.Bits() == 64 {
						w = b.Cvt(ir.U32, b.Shr(v, b.U32(uint32(shift))))
					}
					hash.Set(b.Mul(b.Op(ir.OpRotl, b.Xor(hash.Get(), w), b.U32(5)), b.U32(factor)))
					twin.Set(b.Add(b.Mul(b.Op(ir.OpRotl, b.Add(twin.Get(), b.Mul(w, b.U32(factor2))), b.U32(13)), b.U32(5)), b.U32(seed)))
				}
			})
			key := b.Or(b.Shl(b.Cvt(ir.U64, hash.Get()), b.U32(32)), b.Cvt(ir.U64, twin.Get()))
			key = b.Max(key, b.U64(1)) // 0 is an empty slot
			slot := b.Loop([]build.Value{b.And(b.Xor(hash.Get(), twin.Get()), mask)}, func(l build.Label, s []build.Value) {
				was := b.AtomicCas(keys, s[0], b.U64(0), key, ir.Relaxed, ir.Device)
				b.If(b.Or(b.Eq(was, b.U64(0)), b.Eq(was, key)), func() { b.Break(l, s[0]) })
				b.Continue(l, b.And(b.Add(s[0], b.U32(1)), mask))
			})[0]
			b.Atomic(ir.OpAtomicMin, first, ir.Relaxed, ir.Device, slot, b.Add(base, i))
			b.Store(slots, i, slot)
		}
		if !h.commutes() {
			claim()
			return
		}
		b.IfElse(b.Le(at[0], at[1]), claim, func() { b.Store(slots, i, b.U32(none)) })
	})
}

const (
	seed    = 0xE6546B64
	factor  = 0x9E3779B1
	factor2 = 0x85EBCA6B
)

// rankProgram puts the first number of each candidate's slot in place of the slot.
func rankProgram(b *build.Builder) {
	first, slots := b.Buffer("first", ir.U32, ir.RO), b.Buffer("slots", ir.U32, ir.RW)
	n, i := b.Scalar("n", ir.U32), b.Global(0)
	b.If(b.Lt(i, n), func() {
		slot := b.Load(slots, i)
		b.If(b.Ne(slot, b.U32(none)), func() { b.Store(slots, i, b.Load(first, slot)) })
	})
}

// keepProgram computes the values of new terms again, and stores them.
func keepProgram(b *build.Builder, h head, word ir.Type) {
	values, list := b.Buffer("values", word, ir.RW), b.Buffer("list", ir.U32, ir.RO)
	room, n, to := b.Scalar("room", ir.U32), b.Scalar("n", ir.U32), b.Scalar("to", ir.U32)
	kids := operands(b, h)
	i := b.Global(0)
	b.If(b.Lt(i, n), func() {
		at, out := kids(b.Load(list, i)), b.Add(to, i)
		b.For(b.U32(0), b.U32(inputs), b.U32(1), func(k build.Value, _ build.Label) {
			from := b.Mul(k, room)
			b.Store(values, b.Add(from, out), toWord(b, apply(b, h, values, word, from, at), word))
		})
	})
}

// operands makes the parameters of ranges, and returns what finds the operands of a candidate by its number.
func operands(b *build.Builder, h head) func(number build.Value) []build.Value {
	var first, n []build.Value
	for i := range h.in {
		digit := string(rune('a' + i))
		first, n = append(first, b.Scalar("first_"+digit, ir.U32)), append(n, b.Scalar("n_"+digit, ir.U32))
	}
	return func(number build.Value) []build.Value {
		kids := make([]build.Value, len(h.in))
		for i := len(kids) - 1; i > 0; i-- {
			kids[i] = b.Add(first[i], b.Rem(number, n[i]))
			number = b.Div(number, n[i])
		}
		kids[0] = b.Add(first[0], number)
		return kids
	}
}

// apply is the value of a head for an input, whose values begin at a place.
func apply(b *build.Builder, h head, values ir.Object, word ir.Type, from build.Value, kids []build.Value) build.Value {
	in := make([]build.Value, len(kids))
	for i, k := range kids {
		in[i] = fromWord(b, b.Load(values, b.Add(from, k)), h.in[i])
	}
	if h.op == 0 {
		return in[0]
	}
	return b.Op(h.op, in...)
}

// fromWord makes a value of type t of a stored word.
func fromWord(b *build.Builder, w build.Value, t ir.Type) build.Value {
	switch have := b.Type(w); {
	case t == ir.Bool:
		return b.Ne(w, b.Const(have, 0))
	case t == have:
		return w
	case t.Bits() < have.Bits():
		return fromWord(b, b.Cvt(ir.U32, w), t)
	}
	return b.Bitcast(t, w)
}

// toWord makes a word of a value. All NaNs are one.
func toWord(b *build.Builder, v build.Value, word ir.Type) build.Value {
	t := b.Type(v)
	if t.IsFloat() {
		v = b.CanonNaN(v)
	}
	switch {
	case t == ir.Bool:
		return b.Select(v, b.Const(word, 1), b.Const(word, 0))
	case t.Bits() == word.Bits() && t != word:
		v = b.Bitcast(word, v)
	case t.Bits() < word.Bits():
		v = b.Cvt(word, fromWord(b, v, ir.U32))
	}
	return v
}

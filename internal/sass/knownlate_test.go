package sass_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/testing/long"
)

// knownWords are values that an operand turns out to have, by the class of its register: signs, halves that are alike and
// not, single bits, numbers of no shape, and what floats are compared with.
var knownWords = map[byte][]uint64{
	'r': {0, 1, 0xFFFFFFFF, 0xFFFFFFF7, 0x80000000, 0x7FFFFFFF, 0x00FF00FF, 7, 0xDEADBEEF, 0xFFFF0000},
	'h': {0, 1, 0xFFFF, 0x8000, 0x7FFF, 0x00F7},
	'f': {0, 1 << 31, 0x3F800000, 0xBF800000, 0x7F800000, 0xFFC00000, 0x7F800001, 1, 0x4F000000, 0xCF800000, 0x40490FDB, 0x437F0000},
	'e': {0, 1 << 63, 0x3FF0000000000000, 0xBFF0000000000000, 0x7FF0000000000000, 0xFFF8000000000000, 1, 0x41E0000000000000, 0xC3E0000000000000, 0x400921FB54442D18},
	'd': {0, 1, 1<<64 - 1, 1<<64 - 9, 1 << 63, 1<<63 - 1, 0xFFFFFFFF, 1 << 32, 0xDEADBEEF00000000, 0x123456789ABCDEF0, 1<<64 - 1<<32, 0x7FFFFFFF80000000},
}

// TestKnownLateAgree: an operand of which a branch tells the value is a constant to ptxas. What it computes of one such
// operand, and of several, is what the simulated device does. The passes cannot do that for it: they do not know all that ptxas does.
// Bits of 64-bit words are left out, which ptxas counts and reverses wrongly: error 48.
func TestKnownLateAgree(t *testing.T) {
	a := newAssembler(t)
	rng := rand.New(rand.NewPCG(long.Seed(t, 1), 0))
	var trials []trial
	var names []string
	try := func(f form, known map[int]uint64) {
		x, fill := knownLate(fmt.Sprintf("k%d", len(trials)), f, known)
		tr := trial{text: x}
		tr.records, tr.scalars = fillRecords(rng.Uint64(), nil)
		for k := 0; k < len(tr.records); k += 2 * inBytes { // half of the invocations go on
			fill(tr.records[k : k+inBytes])
		}
		trials = append(trials, tr)
		names = append(names, fmt.Sprintf("%s with %#x", f.op, known))
	}
	seen := make(map[string]bool)
	for _, family := range families {
		for _, f := range family.forms {
			wrong := strings.HasPrefix(f.op, "slct") || strings.HasPrefix(f.op, "lop3") || strings.HasPrefix(f.op, "bfind") || // nothing that is emitted
				f.op == "popc.b64" || f.op == "clz.b64" || f.op == "brev.b64"
			if seen[f.op] || wrong {
				continue
			}
			seen[f.op] = true
			for at := range len(f.args) {
				for _, v := range knownWords[f.args[at]] {
					if rng.IntN(long.Count(60, 4, 1)) == 0 {
						try(f, map[int]uint64{at: v})
					}
				}
			}
			for range long.Count(0, 4, 60) {
				known := make(map[int]uint64)
				for at := range len(f.args) {
					if words := knownWords[f.args[at]]; words != nil {
						known[at] = words[rng.IntN(len(words))]
					}
				}
				if len(known) > 1 && !strings.HasPrefix(f.op, "selp.f") { // of zeros that are chosen: error 4
					try(f, known)
				}
			}
		}
	}
	builds := []build{{75, 3}, {90, 3}}[:long.Count(1, 2, 2)]
	unknown := make(tally)
	judged := 0
	for from := 0; from < len(trials); from += atOnce {
		verdicts, err := judge(t.Context(), a, trials[from:min(from+atOnce, len(trials))], builds)
		if err != nil {
			t.Fatal(err)
		}
		for i := range verdicts {
			v := &verdicts[i]
			judged += len(v.outs) - 1
			for _, u := range v.unknown {
				unknown.add(u)
			}
			if v.differ() {
				t.Errorf("%s: %s", names[from+i], v.describe())
			}
		}
	}
	report(t, len(builds)*len(trials), judged, unknown)
}

// knownLate is a kernel in which some operands of an instruction are known behind branches. The other ones are inputs. It returns
// too what gives a record's inputs these values.
func knownLate(name string, f form, known map[int]uint64) (x *text, fill func(record []byte)) {
	x = &text{name: name}
	type input struct {
		class byte // r or d
		n     int
		v     uint64
	}
	var inputs []input
	next := map[byte]int{}
	take := func(class byte) string {
		next[class]++
		return fmt.Sprintf("%%%c%d", class, next[class]-1)
	}
	var moves []textLine
	var src []string
	for i := range len(f.args) {
		class := f.args[i]
		if v, ok := known[i]; ok {
			of := map[byte]byte{'d': 'd', 'e': 'd'}[class]
			if of == 0 {
				of = 'r'
			}
			inputs = append(inputs, input{of, next[of], v})
			from := take(of)
			x.lines = append(x.lines, textLine{op: map[byte]string{'r': "setp.ne.u32", 'd': "setp.ne.u64"}[of], dst: "%p1", src: []string{from, fmt.Sprint(v)}},
				textLine{kind: finish, src: []string{"%p1"}})
			if op := map[byte]string{'f': "mov.b32", 'e': "mov.b64", 'h': "cvt.u16.u32"}[class]; op != "" {
				to := fmt.Sprintf("%%%c%d", class, 2+i)
				moves = append(moves, textLine{op: op, dst: to, src: []string{from}})
				from = to
			}
			src = append(src, from)
			continue
		}
		switch class {
		case 'r', 'd':
			src = append(src, take(class))
		case 'f', 'e':
			src = append(src, fmt.Sprintf("%%%c1", class))
		case 'p':
			moves = append(moves, textLine{op: "setp.lt.s32", dst: "%p2", src: []string{"%r3", "5"}})
			src = append(src, "%p2")
		case 'h':
			moves = append(moves, textLine{op: "cvt.u16.u32", dst: "%h1", src: []string{"%r3"}})
			src = append(src, "%h1")
		case 'm':
			src = append(src, "0x4140")
		case 'n', 'k', 'j', 'b':
			src = append(src, "7")
		default: // constants and divisors
			src = append(src, "641")
		}
	}
	dst := fmt.Sprintf("%%%c6", f.dst)
	x.lines = append(append(x.lines, moves...), textLine{op: f.op, dst: dst, src: src})
	store := map[byte]string{'r': "st.global.u32", 'd': "st.global.u64", 'f': "st.global.f32", 'e': "st.global.f64", 'h': "st.global.u16"}[f.dst]
	if f.dst == 'p' {
		x.lines = append(x.lines, textLine{op: "selp.u32", dst: "%r6", src: []string{"1", "2", dst}})
		dst, store = "%r6", "st.global.u32"
	}
	x.lines = append(x.lines, textLine{kind: keep, op: store, src: []string{dst}})
	return x, func(record []byte) {
		for _, in := range inputs {
			if in.class == 'r' {
				binary.LittleEndian.PutUint32(record[4*in.n:], uint32(in.v))
			} else {
				binary.LittleEndian.PutUint64(record[16+8*in.n:], in.v)
			}
		}
	}
}

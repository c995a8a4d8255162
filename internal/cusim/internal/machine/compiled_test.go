package machine_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
	"github.com/govyre/vyre/internal/cusim/internal/machine"
	"github.com/rogpeppe/go-internal/txtar"
)

// compiled is a kernel of testdata/compiled.txtar, which a compiler has made of C++:
//
//	nvcc -ptx -arch=sm_75 -std=c++14 -Xcicc -O3 -o saxpy.O3.ptx saxpy.cu      (11.8; the same with -O0)
type compiled struct {
	name        string
	grid, block [3]uint32
	shared      int
	args        []any // values, or *buffer
}

// buffer is global memory: what is in it before, and what has to be there afterwards.
type buffer struct{ before, want []byte }

// le lays values out.
func le(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

func in(v any) *buffer { b := le(v); return &buffer{b, b} }

// out is undefined at the start.
func out(v any) *buffer { return &buffer{nil, le(v)} }

func inOut(before, want any) *buffer { return &buffer{le(before), le(want)} }

func TestCompiledKernelsDoWhatTheirSourceSays(t *testing.T) {
	rows := make(map[string]compiled)
	for _, c := range compiledKernels() {
		rows[c.name] = c
	}
	texts := compiledTexts(t)
	if len(texts) != 2*len(rows) {
		t.Errorf("%d texts, want two of each of %d kernels", len(texts), len(rows))
	}
	for file, text := range texts {
		name, _, _ := strings.Cut(file, ".")
		c, ok := rows[name]
		if !ok {
			t.Errorf("%s has no row", file)
			continue
		}
		for _, seed := range []uint64{0, 1, 2} {
			t.Run(fmt.Sprintf("%s/%d", file, seed), func(t *testing.T) { c.run(t, text, seed) })
		}
	}
}

// compiledTexts are the PTX of the kernels, by the names of their files.
func compiledTexts(t testing.TB) map[string]string {
	t.Helper()
	all, err := txtar.ParseFile("testdata/compiled.txtar")
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	for _, f := range all.Files {
		if strings.HasSuffix(f.Name, ".ptx") {
			texts[f.Name] = string(f.Data)
		}
	}
	return texts
}

// load makes the kernel and a launch of it. check compares what is in memory with what should be.
func (c compiled) load(t testing.TB, text string) (k *machine.Kernel, l machine.Launch, check func()) {
	t.Helper()
	m, err := asm.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	mem := machine.NewMemory()
	im, err := machine.Load(m, mem)
	if err != nil {
		t.Fatal(err)
	}
	k = im.Kernel(c.name)
	if k == nil || len(k.Params()) != len(c.args) {
		t.Fatalf("no kernel %s of %d parameters", c.name, len(c.args))
	}
	params := make([]byte, k.ParamBytes())
	where := make(map[int]uint64)
	for i, a := range c.args {
		value := []byte(nil)
		if b, ok := a.(*buffer); ok {
			where[i], err = mem.Alloc(int64(len(b.want)), fmt.Sprint("argument ", i))
			if err != nil {
				t.Fatal(err)
			}
			if err := mem.Write(where[i], b.before); err != nil {
				t.Fatal(err)
			}
			value = le(where[i])
		} else {
			value = le(a)
		}
		copy(params[k.Params()[i].Offset:], value)
	}
	l = machine.Launch{Grid: c.grid, Block: c.block, Shared: c.shared, Params: params, Budget: 1 << 24}
	return k, l, func() { c.compare(t, mem, where) }
}

func (c compiled) run(t *testing.T, text string, seed uint64) {
	k, l, check := c.load(t, text)
	l.Seed = seed
	r, err := k.Run(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) > 0 {
		t.Errorf("found:\n%v", r)
	}
	check()
}

func (c compiled) compare(t testing.TB, mem *machine.Memory, where map[int]uint64) {
	t.Helper()
	for i, a := range c.args {
		b, ok := a.(*buffer)
		if !ok {
			continue
		}
		got := make([]byte, len(b.want))
		if err := mem.Read(where[i], got); err != nil {
			t.Fatal(err)
		}
		for at := range got {
			if got[at] != b.want[at] {
				at &^= 7
				t.Errorf("argument %d differs from byte %d on: got % x, want % x", i, at, got[at:min(at+16, len(got))], b.want[at:min(at+16, len(got))])
				break
			}
		}
	}
}

// noise are n numbers that follow from a seed.
func noise(n int, seed uint32) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		seed = seed*1664525 + 1013904223
		list[i] = seed >> 7
	}
	return list
}

func each[A, B any](list []A, f func(A) B) []B {
	r := make([]B, len(list))
	for i, v := range list {
		r[i] = f(v)
	}
	return r
}

func dim(x ...uint32) [3]uint32 {
	d := [3]uint32{1, 1, 1}
	copy(d[:], x)
	return d
}

func compiledKernels() []compiled {
	return []compiled{saxpy(), reduce(), matmul(), histogram(), collatz(), interpret(), doubles(), sortEight(), calls(), scan(), constants(), halves(), locks()}
}

func saxpy() compiled {
	const n = 100
	x := each(noise(n, 1), func(v uint32) float32 { return float32(v%1000) / 8 })
	y := each(noise(n, 2), func(v uint32) float32 { return float32(v%1000) / 3 })
	want := make([]float32, n)
	for i := range want {
		want[i] = float32(math.FMA(2.5, float64(x[i]), float64(y[i]))) // of so few digits this is exact before it is rounded
	}
	return compiled{"saxpy", dim(4), dim(32), 0, []any{float32(2.5), in(x), inOut(y, want), uint32(n)}}
}

func reduce() compiled {
	v := each(noise(1000, 3), func(v uint32) int32 { return int32(v%2000) - 900 })
	sum := int32(5)
	for _, x := range v {
		sum += x
	}
	return compiled{"reduce", dim(3), dim(96), 0, []any{in(v), inOut(int32(5), sum), uint32(1000)}}
}

func matmul() compiled {
	const n = 32
	a := each(noise(n*n, 4), func(v uint32) float32 { return float32(v%64) - 30 })
	b := each(noise(n*n, 5), func(v uint32) float32 { return float32(v%32) - 10 })
	c := make([]float32, n*n)
	for i := range n {
		for j := range n {
			for k := range n { // small integers, so every sum is exact
				c[i*n+j] += a[i*n+k] * b[k*n+j]
			}
		}
	}
	return compiled{"matmul", dim(2, 2), dim(16, 16), 0, []any{in(a), in(b), out(c), int32(n)}}
}

func histogram() compiled {
	v := each(noise(2000, 6), func(v uint32) uint8 { return uint8(v % 200) })
	bins := make([]uint32, 256)
	for _, x := range v {
		bins[x]++
	}
	return compiled{"histogram", dim(3), dim(64), 1024, []any{in(v), inOut(make([]uint32, 256), bins), uint32(2000)}}
}

func collatz() compiled {
	v := each(noise(90, 7), func(v uint32) uint64 { return uint64(v % 300) })
	v[3], v[40] = 0, 1<<40+27
	steps := each(v, func(v uint64) int32 {
		for n := range int32(60) {
			switch {
			case v == 1:
				return n
			case v == 0:
				return -1
			case v%2 == 1:
				v = 3*v + 1
			default:
				v /= 2
			}
		}
		if v == 1 {
			return 60
		}
		return -2
	})
	return compiled{"collatz", dim(3), dim(32), 0, []any{in(v), out(steps), uint32(90), int32(60)}}
}

func interpret() compiled {
	const n, length = 70, 20
	code := each(noise(n*length, 8), func(v uint32) uint32 { return v % 61 % 11 })
	results := make([]int32, n)
	for i := range results {
		acc, other := int32(i), int32(1)
		ended := false
		for pc := 0; pc < length && !ended; pc++ {
			switch code[i*length+pc] {
			case 0:
				acc += other
			case 1:
				acc -= 7
			case 2:
				acc *= 3
			case 3:
				other = acc
			case 4:
				acc ^= 0x55
			case 5:
				acc = max(acc, -acc)
			case 6:
				acc = int32(bits.RotateLeft32(uint32(acc), 3))
			case 7:
				acc = int32(bits.OnesCount32(uint32(acc)))
			case 8:
				if other += 2; other > 20 {
					other = acc & 15
				}
			case 9:
				pc++
			default:
				acc, ended = -acc, true
			}
		}
		results[i] = acc
	}
	return compiled{"interpret", dim(3), dim(32), 0, []any{in(code), out(results), uint32(n), uint32(length)}}
}

func doubles() compiled {
	x := each(noise(50, 9), func(v uint32) float64 { return (float64(v) - 1<<24) / 7777 })
	x[0], x[1], x[2] = 0, -2.5, 1e12
	results := make([]float64, 0, 200)
	whole := make([]int64, 0, 50)
	for _, v := range x {
		poly := math.FMA(math.FMA(v, 0.25, -1.5), v, 2)
		last := min(v, 1e10)
		if v < 0 {
			last = float64(float32(v))
		}
		// The compiler contracts, as compilers of that language do.
		results = append(results, poly/math.FMA(v, v, 1), math.Sqrt(math.Abs(v)), math.FMA(math.Ceil(v), 0.5, math.Floor(v)), last)
		whole = append(whole, int64(math.RoundToEven(v))*3-int64(v))
	}
	return compiled{"doubles", dim(2), dim(32), 0, []any{in(x), out(results), out(whole), uint32(50)}}
}

func sortEight() compiled {
	v := each(noise(8*40, 10), func(v uint32) int32 { return int32(v%100) - 50 })
	var sorted []int32
	for i := range 40 {
		a := slices.Clone(v[8*i : 8*i+8])
		slices.Sort(a)
		sorted = append(append(sorted, a...), a[v[8*i]&7])
	}
	return compiled{"sort", dim(2), dim(32), 0, []any{in(v), out(sorted), uint32(40)}}
}

func gcd(a, b int32) int32 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func calls() compiled {
	v := each(noise(2*40, 11), func(v uint32) int32 { return int32(v%5000) - 300 })
	var results []int64
	for i := range 40 {
		low, high := gcd(v[2*i], v[2*i+1]), int64(v[2*i])
		if low&1 == 0 {
			low += 10
		}
		if i%3 == 0 {
			low = low*2 + 2
			high -= int64(gcd(low, 12))
		}
		results = append(results, int64(low)*1000+high)
	}
	return compiled{"calls", dim(2), dim(32), 0, []any{in(v), out(results), uint32(40)}}
}

func scan() compiled {
	v := each(noise(64, 12), func(v uint32) uint32 { return v % 120 })
	v[5] = 7
	var results []uint32
	for i := range v {
		warp := v[i&^31 : i&^31+32]
		sum, odd, same, seven, small := uint32(0), uint32(0), uint32(0), uint32(0), uint32(1)
		for l, x := range warp {
			if l <= i&31 {
				sum += x
			}
			if l < i&31 {
				odd += x & 1
			}
			if x&3 == v[i]&3 {
				same |= 1 << l
			}
			if x == 7 {
				seven = 2
			}
			if x >= 100 {
				small = 0
			}
		}
		results = append(results, sum, odd, same, seven+small)
	}
	return compiled{"scan", dim(1), dim(64), 0, []any{in(v), out(results)}}
}

func constants() compiled {
	type shape struct {
		Size [3]int32
		Step int8
		_    [3]int8
	}
	s := shape{Size: [3]int32{3, -5, 7}, Step: -9}
	v := each(noise(45, 13), func(v uint32) int8 { return int8(v) })
	weights := [8]int32{1, 10, 100, 1000, 5, 50, 500, 5000}
	results := make([]int32, len(v))
	for i, x := range v {
		r := weights[x&7]*s.Size[i%3] + int32(s.Step) + int32("vyre"[i&3])
		if x < 0 {
			r -= int32(x)
		} else {
			r += 2 * int32(x)
		}
		results[i] = r
	}
	return compiled{"constants", dim(2), dim(32), 0, []any{s, in(v), out(results), uint32(45)}}
}

func halves() compiled {
	// The bits of small halves: 1, 1.5, 2, … in eighths.
	half := func(v uint32) uint16 { return uint16(0x3C00 + v%16*0x40) }
	value := func(h uint16) float32 {
		return math.Float32frombits(uint32(h&0x7FFF)<<13 + 112<<23)
	}
	bitsOf := func(f float32) uint16 { return uint16((math.Float32bits(f) - 112<<23) >> 13) }
	a := each(noise(80, 14), half)
	b := each(noise(80, 15), half)
	sum := make([]uint16, 80)
	for i := range sum {
		sum[i] = bitsOf(value(a[i])*value(b[i]) + 0.5) // of ten digits and exact
	}
	words := make([]uint64, 40)
	for i := range words {
		u := uint32(a[2*i]) | uint32(a[2*i+1])<<16
		from := uint64(^u)<<32 | uint64(u)
		perm := uint32(0)
		for k, sel := range []int{5, 1, 7, 3} {
			perm |= uint32(from>>(8*sel)&0xFF) << (8 * k)
		}
		high, _ := bits.Mul32(u, 0x9E3779B9)
		words[i] = (uint64(bits.Reverse32(u))<<32 | uint64(perm)) + uint64(uint32(bits.LeadingZeros32(u))*high) + uint64(bits.TrailingZeros32(u)+1)
	}
	return compiled{"halves", dim(2), dim(32), 0, []any{in(a), in(b), out(sum), out(words), uint32(40)}}
}

func locks() compiled {
	most := uint64(0)
	for x := range uint64(32) {
		most = max(most, 3*1000+x*x%61)
	}
	return compiled{"locks", dim(4), dim(32), 0, []any{inOut(int32(0), int32(0)), inOut(int32(3), int32(3+4*32*2)), inOut(uint64(10), most), uint32(2)}}
}

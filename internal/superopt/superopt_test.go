package superopt_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/superopt"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

var (
	dev      driver.Device
	mu       sync.Mutex
	reported []string
)

func TestMain(m *testing.M) {
	var err error
	if dev, err = vyre.Open("cpu"); err != nil {
		panic(err)
	}
	use(superopt.Default())
	os.Exit(m.Run())
}

func use(b *superopt.Bank) *superopt.Finder {
	return superopt.Use(context.Background(), b, dev, func(line string) {
		mu.Lock()
		defer mu.Unlock()
		reported = append(reported, line)
	})
}

// kernel stores a value of two elements, %u and %v.
func kernel(t testing.TB, elem, body string) *ir.Program {
	t.Helper()
	ps, err := text.Parse("k", "vyre 1\nkernel @k workgroup(64) {\nparam @a: buf<"+elem+"> ro\nparam @b: buf<"+elem+"> ro\nparam @y: buf<u32> rw\n%i = global.x\n"+
		"%u = load @a[%i]\n%v = load @b[%i]\n"+body+"\nstore @y[%i], %d\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	return ps[0]
}

// optimised are the ops between the loads and the store, with and without the search, and the proofs of it.
func optimised(t testing.TB, p *ir.Program, passes string) (ops []string, proofs []opt.Equated) {
	t.Helper()
	c, err := compile.Parse(passes)
	if err != nil {
		t.Fatal(err)
	}
	q, rep, err := opt.Run(p, opt.Options{Passes: c, Explain: (*egraph.Graph).Explain, Check: true})
	if err != nil {
		t.Fatal(err)
	}
	for r := range ir.Row(q.Rows()) {
		if in := q.Op(r).Info(); in.Attr&ir.Pure != 0 && in.Args > 0 && in.Attr&ir.Reads == 0 {
			ops = append(ops, in.Name)
		}
	}
	return ops, rep.Equated
}

const (
	thirds  = "%p = mul.u32 %u, 3_u32\n%q = mul.u32 %v, 3_u32\n%r = add.u32 %p, %q\n%d = div.u32 %r, 3_u32"
	shifted = "%p = mul.u32 %u, 257_u32\n%q = shr.u32 %p, 8_u32\n%d = xor.u32 %q, %v"
	counts  = "%n = not.u32 %v\n%p = and.u32 %u, %v\n%q = and.u32 %u, %n\n%r = popc.u32 %p\n%s = popc.u32 %q\n%d = add.u32 %r, %s"
	one     = "%c = eq.u32 %u, 54321_u32\n%d = select.u32 %c, 5_u32, 0_u32"
	ofTwo   = "%x = xor.u32 %u, %v\n%c = eq.u32 %x, 305419896_u32\n%d = select.u32 %c, 1_u32, 0_u32"
)

func TestCheaperTermsAreProvedByAllInputs(t *testing.T) {
	for _, c := range []struct {
		name, elem, body string
		left             []string
		proof            string
	}{
		{"(3u + 3v) / 3 of bytes is u + v", "u8", thirds, []string{"add"}, "all 2^16 inputs"},
		{"257u >> 8 of a byte is u", "u8", shifted, []string{"xor"}, "all 2^"},
		{"a comparison is a shift, which gives 0 for counts above 31", "u16", "%c = eq.u32 %u, 54321_u32\n%d = select.u32 %c, 1_u32, 0_u32", []string{"add", "shr"}, "all 2^16 inputs"},
		{"257u & 255 of a byte is u", "u8", "%p = mul.u32 %u, 257_u32\n%d = and.u32 %p, 255_u32", nil, "all 2^8 inputs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := kernel(t, c.elem, c.body)
			before, _ := optimised(t, p, "3")
			after, proofs := optimised(t, p, "3,+search")
			if !slices.Equal(after, c.left) || slices.Equal(before, after) {
				t.Errorf("ops are %v at 3, and %v with the search; want %v", before, after, c.left)
			}
			found := false
			for _, e := range proofs {
				if err := e.Proof.Check(); err != nil {
					t.Error(err)
				}
				found = found || strings.Contains(e.Proof.String(), c.proof)
			}
			if !found {
				t.Errorf("none of %d proofs has %q", len(proofs), c.proof)
			}
		})
	}
}

// TestWhatIsNotProvedStays: terms that are equal for 64 inputs, of which one is a counterexample away and two have too many bits.
func TestWhatIsNotProvedStays(t *testing.T) {
	for _, c := range []struct{ name, elem, body, report string }{
		{"too many bits", "u32", counts, "(popc %u.1): 64 inputs are equal, but no proof"},
		{"equal but for one input", "u16", one, ""},
		{"equal but for 2^32 of 2^64", "u32", ofTwo, " may be 0: 64 inputs are equal"},
		{"equal for bytes, of words", "u32", thirds, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := kernel(t, c.elem, c.body)
			reported = nil
			before, _ := optimised(t, p, "3")
			after, _ := optimised(t, p, "3,+search")
			if !slices.Equal(before, after) {
				t.Errorf("ops are %v at 3, and %v with the search", before, after)
			}
			if text := strings.Join(reported, "\n"); (c.report == "") != (text == "") || !strings.Contains(text, c.report) {
				t.Errorf("reported: %q, want %q", text, c.report)
			}
		})
	}
}

// TestSearchIsRepeatable optimises with a bank that knows nothing yet, then again, and on several goroutines.
func TestSearchIsRepeatable(t *testing.T) {
	c := compile.Choice{Level: compile.O3, Enable: []string{"search"}}
	var want [][32]byte
	for again := range 3 {
		if again < 2 {
			use(superopt.Default())
		}
		var wait sync.WaitGroup
		digests := make([][32]byte, long.Count(5, 50, 500))
		for seed := range digests {
			one := func() {
				q, _, err := opt.Run(conform.Random(uint64(seed)).Program, opt.Options{Passes: c})
				if err != nil {
					t.Error(err)
					return
				}
				digests[seed] = q.Digest()
			}
			if again < 2 {
				one()
			} else {
				wait.Go(one)
			}
		}
		wait.Wait()
		if want == nil {
			want = digests
		}
		for seed, d := range digests {
			if d != want[seed] {
				t.Errorf("seed %d: digest %x, and then %x", seed, want[seed], d)
			}
		}
	}
}

// TestSearchKeepsTheMeaningOfRandomPrograms compares with programs as they are written.
//
//ci:race RandomPrograms
func TestSearchKeepsTheMeaningOfRandomPrograms(t *testing.T) {
	n := uint64(long.Count(20, 1_000, 5_000))
	var s conform.Summary
	devices := []conform.Device{conform.OnWith(dev, driver.Options{Optimise: "3,+search"}), conform.OnWith(dev, driver.Options{Optimise: "0"})}
	if err := conform.RunRandom(t.Context(), long.Seed(t, 0), n, runtime.GOMAXPROCS(0), &s, func() {}, devices...); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Failures {
		t.Error(f)
	}
}

// TestTermsAreChosenByTime: of the times of a root as it is and with each term, the least counts, unless the cheapest term is
// about as fast. The bank of what is chosen makes that of the kernel again, and of no other root.
func TestTermsAreChosenByTime(t *testing.T) {
	defer use(superopt.Default())
	p := kernel(t, "u8", thirds)
	written, _ := optimised(t, p, "3")
	for _, c := range []struct {
		name   string
		times  [3]time.Duration // as it is, and with two terms
		chosen int
		left   []string
	}{
		{"all alike", [3]time.Duration{100, 100, 98}, 0, []string{"add"}},
		{"the second is faster", [3]time.Duration{100, 90, 80}, 1, []string{"add", "max"}},
		{"none is", [3]time.Duration{80, 90, 100}, -1, written},
	} {
		f := use(superopt.Default())
		all, file, err := f.Choose(func() error {
			optimised(t, p, "3,+search")
			return nil
		}, func(put []func()) ([]time.Duration, error) {
			times := c.times[:2]
			for k, put := range put {
				if put(); k > 1 {
					times = append(times, c.times[2])
				}
				if ops, _ := optimised(t, p, "3,+search"); slices.Equal(ops, written) != (k == 0) {
					t.Errorf("%s: with bank %d ops are %v", c.name, k, ops)
				}
			}
			return times, nil
		})
		if err != nil || len(all) != 1 || all[0].Chosen != c.chosen || len(all[0].Terms) < 3 {
			t.Fatalf("%s: %+v, %v", c.name, all, err)
		}
		for range 2 {
			if ops, _ := optimised(t, p, "3,+search"); !slices.Equal(ops, c.left) {
				t.Errorf("%s: ops are %v, want %v", c.name, ops, c.left)
			}
			bank, err := superopt.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			use(bank)
		}
		other := kernel(t, "u8", strings.ReplaceAll(thirds, "3_u32", "5_u32"))
		before, _ := optimised(t, other, "3")
		if after, _ := optimised(t, other, "3,+search"); !slices.Equal(before, after) {
			t.Errorf("%s: the ops of another root are %v", c.name, after)
		}
	}
	broken := errors.New("broken")
	f := use(superopt.Default())
	for _, from := range []func() error{func() error { return broken }, func() error { optimised(t, p, "3,+search"); return nil }} {
		if _, _, err := f.Choose(from, func([]func()) ([]time.Duration, error) { return nil, broken }); !errors.Is(err, broken) {
			t.Errorf("a fault of the device is %v", err)
		}
	}
}

func TestBankOfAFile(t *testing.T) {
	file := superopt.Write([]string{"u32 (add ?x ?y)", "u32 (select ?c ?x #a)"})
	bank, err := superopt.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	use(bank)
	defer use(superopt.Default())
	if after, _ := optimised(t, kernel(t, "u8", thirds), "3,+search="+bank.Digest); !slices.Equal(after, []string{"add"}) {
		t.Errorf("ops are %v", after)
	}
	if after, _ := optimised(t, kernel(t, "u8", shifted), "3,+search"); slices.Equal(after, []string{"xor"}) {
		t.Errorf("ops are %v, which this bank does not have", after)
	}
	written := bank.Digest
	made, err := superopt.File(context.Background(), dev, 1, ir.U32, ir.I64)
	if err != nil {
		t.Fatal(err)
	}
	if bank, err = superopt.Load(made); err != nil {
		t.Fatal(err)
	}
	use(bank)
	if after, _ := optimised(t, kernel(t, "u8", shifted), "3,+search"); !slices.Equal(after, []string{"xor"}) {
		t.Errorf("ops are %v with the bank of all terms of an op", after)
	}
	if _, err := compile.Parse("3,+search=" + superopt.Default().Digest); err == nil || !strings.Contains(err.Error(), bank.Digest) {
		t.Errorf("the digest of another bank: %v", err)
	}
	for _, c := range []struct{ file, says string }{
		{"", "1: this is not a bank"},
		{"vyre 1\n", "1: this is not a bank"},
		{strings.Replace(string(file), "bank 1", "bank 2", 1), "version 2, and this vyre reads version 1"},
		{strings.Replace(string(file), "?y", "?x", 1), "1: the digest is " + written},
		{string(superopt.Write([]string{"u32 (add ?x ?y)", "u33 ?x"})), `3:1: "u33" is not a type`},
		{string(superopt.Write([]string{"u32 (plus ?x ?y)"})), `2:6: unknown op "plus"`},
		{string(superopt.Write([]string{"f32 (shl ?x ?y)"})), "2:5: (shl ?x ?y) has no type with values of type f32"},
		{string(superopt.Write([]string{"u32 (add ?x ?p)"})), "2: ?p of type u32; fix: name values"},
		{string(superopt.Write([]string{"u32 (add ?x ?y"})), "2:"},
		{string(superopt.Write([]string{"u32 (add ?x ?y) for 12", "u32 ?x"})), "3: a bank says of all terms or of none"},
	} {
		if _, err := superopt.Load([]byte(c.file)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want %q", c.file, err, c.says)
		}
	}
}

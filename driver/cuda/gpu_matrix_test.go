package cuda_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/internal/matrix/cases"
	"github.com/govyre/vyre/internal/testing/needs"
)

var gpuOutputs = flag.Int("gpu-outputs", 200_000_000, "how many outputs of matrix products to compare with the rule, of each form")

// unit computes products of a form.
type unit func(in []cases.Case, out [][32][4]uint32) error

// productTest compares a device's products with the rule.
type productTest struct {
	form       matrix.Form
	generation matrix.Generation
	outputs    int    // to compare
	batch      int    // cases at a time
	seed       uint64 // of the operands

	mu              sync.Mutex
	next            int // batch
	done, different int // outputs
	errs            []error
}

// run compares on all cores, each with a unit of its own, until ctx ends or a unit fails.
func (p *productTest) run(ctx context.Context, units ...unit) {
	var all sync.WaitGroup
	for _, u := range units {
		all.Go(func() {
			for ctx.Err() == nil && p.compare(u) {
			}
		})
	}
	all.Wait()
}

// draw makes a batch: of the vectors first, then of each kind by turns.
func (p *productTest) draw(batch int) (in []cases.Case) {
	skip := batch * p.batch
	for _, v := range cases.Vectors() {
		if v.Form != p.form {
			continue
		}
		if skip--; skip < 0 && len(in) < p.batch {
			in = append(in, v.Case)
		}
	}
	rng := rand.NewPCG(p.seed, uint64(batch))
	for len(in) < p.batch {
		in = append(in, cases.Case{})
		(cases.Kind(batch) % cases.Kinds).Draw(p.form, rng, &in[len(in)-1])
	}
	return in
}

// compare runs a batch, and reports whether there may be more.
func (p *productTest) compare(u unit) bool {
	m, n, _ := p.form.Shape()
	p.mu.Lock()
	batch := p.next
	p.next++
	p.mu.Unlock()
	if batch*p.batch*m*n >= p.outputs {
		return false
	}
	in, out := p.draw(batch), make([][32][4]uint32, p.batch)
	err := u(in, out)
	var errs []error
	for i := range in {
		if err == nil {
			errs = append(errs, p.differences(&in[i], &out[i], fmt.Sprintf("-gpu-seed=%d, batch %d, case %d", p.seed, batch, i))...)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.different += len(errs)
	if err != nil {
		errs = []error{err}
	} else {
		p.done += len(in) * m * n
	}
	p.errs = append(p.errs, errs[:min(len(errs), max(0, 4-len(p.errs)))]...)
	return err == nil
}

// differences are the outputs of a case that are not the rule's. Of float64, a NaN is as good as another.
func (p *productTest) differences(in *cases.Case, got *[32][4]uint32, where string) (list []error) {
	var want [32][4]uint32
	matrix.MulAdd(p.form, p.generation, &in.A, &in.B, &in.C, &want)
	if want == *got {
		return nil
	}
	m, n, k := p.form.Shape()
	for i := range m * n {
		row, column := i/n, i%n
		g, w := cases.C(p.form, got, row, column), cases.C(p.form, &want, row, column)
		if g == w || p.form == matrix.F64 && g<<1 > 0x7FF<<53 && w<<1 > 0x7FF<<53 {
			continue
		}
		var x, y []uint64
		for j := range k {
			x, y = append(x, cases.A(p.form, &in.A, row, j)), append(y, cases.B(p.form, &in.B, column, j))
		}
		list = append(list, fmt.Errorf("%v, %s: row %d, column %d of %x·%x + %x is %x on the device, %x by the rule of %v",
			p.form, where, row, column, x, y, cases.C(p.form, &in.C, row, column), g, w, p.generation))
	}
	return list
}

// instructions that make products, by form.
var instructions = []string{
	matrix.F16:    "m16n8k16.row.col.f32.f16.f16.f32",
	matrix.F16F16: "m16n8k16.row.col.f16.f16.f16.f16",
	matrix.BF16:   "m16n8k16.row.col.f32.bf16.bf16.f32",
	matrix.TF32:   "m16n8k8.row.col.f32.tf32.tf32.f32",
	matrix.F64:    "m8n8k4.row.col.f64.f64.f64.f64",
	matrix.I8:     "m16n8k32.row.col.s32.s8.s8.s32",
	matrix.U8:     "m16n8k32.row.col.s32.u8.u8.s32",
	matrix.B1:     "m16n8k256.row.col.s32.b1.b1.s32.and.popc",
}

// productsText is a module with a kernel for each form, which gives each warp a case.
func productsText() string {
	var b strings.Builder
	b.WriteString(".version 7.1\n.target sm_80\n.address_size 64\n")
	for f := range instructions[1:] {
		writeProducts(&b, matrix.Form(f+1))
	}
	return b.String()
}

func writeProducts(b *strings.Builder, f matrix.Form) {
	operands := "{%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%c0, %c1, %c2, %c3}"
	before, after := "", ""
	switch f {
	case matrix.F16F16:
		operands = "{%d0, %d1}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%c0, %c1}"
		after = "mov.b32 %d2, 0; mov.b32 %d3, 0;"
	case matrix.F64:
		operands = "{%x2, %x3}, {%x4}, {%x5}, {%x0, %x1}"
		before = "mov.b64 %x0, {%c0, %c1}; mov.b64 %x1, {%c2, %c3}; mov.b64 %x4, {%a0, %a1}; mov.b64 %x5, {%b0, %b1};"
		after = "mov.b64 {%d0, %d1}, %x2; mov.b64 {%d2, %d3}, %x3;"
	}
	fmt.Fprintf(b, `.visible .entry products%d(.param .u64 in, .param .u64 out, .param .u32 n)
{
	.reg .pred %%p; .reg .b32 %%i<4>, %%a<4>, %%b<2>, %%c<4>, %%d<4>, %%lane, %%n; .reg .b64 %%in, %%out, %%at; .reg .f64 %%x<6>;
	mov.u32 %%i0, %%tid.x; mov.u32 %%i1, %%ntid.x; mov.u32 %%i2, %%ctaid.x; mad.lo.u32 %%i0, %%i1, %%i2, %%i0;
	and.b32 %%lane, %%i0, 31; shr.u32 %%i3, %%i0, 5;
	ld.param.u32 %%n, [n]; setp.ge.u32 %%p, %%i3, %%n; @%%p exit;
	ld.param.u64 %%in, [in]; mad.wide.u32 %%in, %%i3, %d, %%in;
	mad.wide.u32 %%at, %%lane, 16, %%in;
	ld.global.v4.b32 {%%a0, %%a1, %%a2, %%a3}, [%%at];
	ld.global.v4.b32 {%%c0, %%c1, %%c2, %%c3}, [%%at+%d];
	mad.wide.u32 %%at, %%lane, 8, %%in;
	ld.global.v2.b32 {%%b0, %%b1}, [%%at+%d];
	%s
	mma.sync.aligned.%s %s;
	%s
	ld.param.u64 %%out, [out]; mad.wide.u32 %%out, %%i0, 16, %%out;
	st.global.v4.b32 [%%out], {%%d0, %%d1, %%d2, %%d3};
	exit;
}
`, f, unsafe.Sizeof(cases.Case{}), unsafe.Offsetof(cases.Case{}.C), unsafe.Offsetof(cases.Case{}.B), before, instructions[f], operands, after)
}

// unitOf runs a kernel, in a stream of its own; the function that it returns gives the device back what it took.
func unitOf(l *otherLibrary, f cu.Function, batch int) (unit, func() error, error) {
	var stream cu.Stream
	var memory cu.Ptr
	split := int64(batch) * int64(unsafe.Sizeof(cases.Case{}))
	err := l.do(
		func() (err error) { stream, err = l.StreamCreate(cu.StreamNonBlocking); return err },
		func() (err error) { memory, err = l.MemAlloc(split + int64(batch)*512); return err })
	products := func(in []cases.Case, out [][32][4]uint32) error {
		n, values := uint32(len(in)), &[2]cu.Ptr{memory, memory + cu.Ptr(split)}
		params := &[3]unsafe.Pointer{unsafe.Pointer(&values[0]), unsafe.Pointer(&values[1]), unsafe.Pointer(&n)}
		return l.do(
			func() error { return l.MemcpyHtoDAsync(values[0], unsafe.Pointer(&in[0]), split, stream) },
			func() error {
				return l.LaunchKernel(&cu.Launch{Function: f, Grid: [3]uint32{(n + 3) / 4, 1, 1}, Block: [3]uint32{128, 1, 1}, Stream: stream, Params: &params[0]})
			},
			func() error {
				return l.MemcpyDtoHAsync(unsafe.Pointer(&out[0]), values[1], int64(len(out))*512, stream)
			},
			func() error { return l.StreamSynchronize(stream) })
	}
	return products, func() error {
		return l.do(func() error { return l.MemFree(memory) }, func() error { return l.StreamDestroy(stream) })
	}, err
}

// agreeOn compares a form on a device, on so many cores.
func (p *productTest) agreeOn(ctx context.Context, l *otherLibrary, module cu.Module, workers int) (err error) {
	var f cu.Function
	if err := l.do(func() (err error) {
		f, err = l.ModuleGetFunction(module, fmt.Sprintf("products%d", p.form))
		return err
	}); err != nil {
		return err
	}
	var units []unit
	for range workers {
		u, free, failed := unitOf(l, f, p.batch)
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, free()) }()
		units = append(units, u)
	}
	p.run(ctx, units...)
	return errors.Join(p.errs...)
}

// agreeOnForms compares all forms that mma.sync has, like another test, and returns how much was compared.
func agreeOnForms(ctx context.Context, t *testing.T, l *otherLibrary, like *productTest, workers int) (done, different int) {
	t.Helper()
	var jit cu.JIT
	var module cu.Module
	if err := l.do(func() (err error) { module, err = l.ModuleLoadDataEx([]byte(productsText()+"\x00"), &jit); return err }); err != nil {
		t.Fatalf("%v: %s", err, jit.Errors)
	}
	for i := range instructions[1:] {
		p := &productTest{form: matrix.Form(i + 1), generation: like.generation, outputs: like.outputs, batch: like.batch, seed: like.seed}
		if p.form == matrix.F64 {
			p.outputs /= 5
		}
		began := time.Now()
		if err := p.agreeOn(ctx, l, module, workers); err != nil {
			t.Errorf("%v: %d of %d outputs differ: %v", p.form, p.different, p.done, err)
		} else if p.done < p.outputs {
			t.Errorf("%v: cut short after %d of %d outputs", p.form, p.done, p.outputs)
		}
		t.Logf("%v: %d outputs, %d differ, %.1f s", p.form, p.done, p.different, time.Since(began).Seconds())
		done, different = done+p.done, different+p.different
	}
	if err := l.do(func() error { return l.ModuleUnload(module) }); err != nil {
		t.Error(err)
	}
	return done, different
}

// TestGPUMatrixProductsAreThoseOfTheRule compares operands of every kind.
func TestGPUMatrixProductsAreThoseOfTheRule(t *testing.T) {
	c := gpu(t).Caps()
	if c.Major < 8 {
		needs.Missing(t, "VYRE_GPU", fmt.Sprintf("no GPU of capability 8.0, but of %d.%d, which has other instructions for matrices", c.Major, c.Minor))
	}
	l, err := newLibrary(library(t), c.Ordinal)
	defer closed(t, l)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := limited()
	defer cancel()
	a := &productTest{generation: matrix.GenerationOf(c.Major, c.Minor), outputs: *gpuOutputs, batch: 1024, seed: *gpuSeed}
	if a.seed == 0 {
		a.seed = conform.ClockSeed()
	}
	if *gpuSim {
		a.batch = 16
	}
	began := time.Now()
	done, different := agreeOnForms(ctx, t, l, a, runtime.GOMAXPROCS(0))
	total(t, "matrix", "generation=%v outputs=%d different=%d seed=%d seconds=%.0f", a.generation, done, different, a.seed, time.Since(began).Seconds())
}

// model computes as a generation does.
func model(f matrix.Form, g matrix.Generation) unit {
	return func(in []cases.Case, out [][32][4]uint32) error {
		for i := range in {
			matrix.MulAdd(f, g, &in[i].A, &in[i].B, &in[i].C, &out[i])
		}
		return nil
	}
}

func TestAgreementTellsGenerations(t *testing.T) {
	for i := range instructions[1:] {
		for _, g := range []matrix.Generation{matrix.SM75, matrix.SM90} {
			f := matrix.Form(i + 1)
			p := &productTest{form: f, generation: matrix.SM90, outputs: 12_000, batch: 8, seed: 1}
			p.run(ctx, model(f, g), model(f, g))
			agrees := g == matrix.SM90 || f.Exact()
			if p.done < p.outputs || (p.different == 0) != agrees || (len(p.errs) == 0) != agrees || len(p.errs) > 4 {
				t.Errorf("%v as in %v: %d outputs, %d differ: %v", f, g, p.done, p.different, p.errs)
			}
			for _, err := range p.errs {
				if !strings.Contains(err.Error(), "-gpu-seed=1, batch ") {
					t.Errorf("%v: nothing repeats it: %v", f, err)
				}
			}
		}
	}
}

func TestAgreementEndsWhereADeviceFails(t *testing.T) {
	left, broken := 3, errors.New("broken")
	p := &productTest{form: matrix.BF16, generation: matrix.SM90, outputs: 1 << 30, batch: 16}
	p.run(ctx, func(in []cases.Case, out [][32][4]uint32) error {
		if left--; left == 0 {
			return broken
		}
		return model(p.form, p.generation)(in, out)
	})
	if len(p.errs) != 1 || p.errs[0] != broken || p.done != 2*16*128 || p.different != 0 {
		t.Errorf("%d outputs, %d differ: %v", p.done, p.different, p.errs)
	}
}

func TestAgreementOnTheSimulatedDriver(t *testing.T) {
	for _, m := range []cusim.Model{cusim.Hopper, cusim.Ampere} {
		d, l := beside(t, cusim.Config{Models: []cusim.Model{m}})
		c := d.Caps()
		a := &productTest{generation: matrix.GenerationOf(c.Major, c.Minor), outputs: 2000, batch: 5, seed: 1}
		if done, _ := agreeOnForms(ctx, t, l, a, 2); done < 2000*7 {
			t.Errorf("%v: %d outputs", a.generation, done)
		}
	}
}

func TestKernelsOfProductsAssemble(t *testing.T) {
	ptxas, file := needs.PTXAS(t), filepath.Join(t.TempDir(), "products.ptx")
	if err := os.WriteFile(file, []byte(productsText()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, arch := range []string{"sm_80", "sm_90"} {
		out, err := exec.CommandContext(ctx, ptxas, "-arch", arch, "-o", file+".cubin", file).CombinedOutput()
		if err != nil || len(bytes.TrimSpace(out)) > 0 {
			t.Errorf("%s: %v\n%s", arch, err, out)
		}
	}
}

package machine_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
	"github.com/govyre/vyre/internal/cusim/internal/machine"
)

// body is the text of a kernel k(out) around code.
func body(code string) string {
	return `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .pred %p<9>;
	.reg .b16 %h<9>;
	.reg .b32 %r<19>;
	.reg .b64 %rd<9>;
	.reg .f32 %f<9>;
	.reg .f64 %fd<9>;
	.shared .align 16 .b8 tile[256];
	ld.param.u64 %rd0, [out];
	cvta.to.global.u64 %rd0, %rd0;
	mov.u32 %r0, %tid.x;
	mad.wide.u32 %rd1, %r0, 4, %rd0;
` + code + `
	exit;
}
`
}

// launch runs code in one block of n threads. It returns the words of out, one a thread.
func launch(t testing.TB, code string, n int, l machine.Launch) ([]uint32, machine.Report, error) {
	t.Helper()
	return launchText(t, body(code), n, l)
}

// launchText is launch of a whole text.
func launchText(t testing.TB, text string, n int, l machine.Launch) ([]uint32, machine.Report, error) {
	t.Helper()
	m, err := asm.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	mem := machine.NewMemory()
	out, err := mem.Alloc(int64(4*n), "out")
	if err != nil {
		t.Fatal(err)
	}
	im, err := machine.Load(m, mem)
	if err != nil {
		t.Fatal(err)
	}
	l.Params = binary.LittleEndian.AppendUint64(nil, out)
	if l.Grid == [3]uint32{} {
		l.Grid = [3]uint32{1, 1, 1}
	}
	if l.Block == [3]uint32{} {
		l.Block = [3]uint32{uint32(n), 1, 1}
	}
	r, err := im.Kernel("k").Run(context.Background(), l)
	b := make([]byte, 4*n)
	if e := mem.Read(out, b); e != nil {
		t.Fatal(e)
	}
	words := make([]uint32, n)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words, r, err
}

// faults runs code and returns the fault that it must end with.
func faults(t *testing.T, code string, n int, l machine.Launch) *machine.Fault {
	t.Helper()
	_, _, err := launch(t, code, n, l)
	var f *machine.Fault
	if !errors.As(err, &f) {
		t.Fatalf("the launch gave %v, want a fault", err)
	}
	return f
}

// lineOf is where in the text of a body a piece of its code stands.
func lineOf(code, piece string) int {
	before, _, _ := strings.Cut(body(code), piece)
	return strings.Count(before, "\n") + 1
}

func TestFaultsNameTheLine(t *testing.T) {
	for _, c := range []struct {
		name, code, at string
		kind           machine.FaultKind
		says           string
	}{
		{"load after the end", "ld.global.u32 %r1, [%rd0+128];", "ld.global.u32", machine.IllegalAddress, `0 bytes after the end of "out"`},
		{"store across the end", "add.u64 %rd2, %rd0, 124;\n st.global.v2.u32 [%rd2+4], {%r0, %r0};", "st.global", machine.IllegalAddress, "after the end"},
		{"null", "mov.u64 %rd2, 0;\n ld.global.u32 %r1, [%rd2];", "ld.global", machine.IllegalAddress, "no allocation is near"},
		{"misaligned", "st.global.u32 [%rd0+2], %r0;", "st.global", machine.Misaligned, "not a multiple of 4"},
		{"misaligned vector", "st.global.v2.u32 [%rd0+4], {%r0, %r0};", "st.global", machine.Misaligned, "not a multiple of 8"},
		{"shared memory after the end", "mov.u32 %r1, tile;\n st.shared.u32 [%r1+256], %r0;", "st.shared", machine.IllegalAddress, "shared memory has 256 bytes"},
		{"atomic outside", "red.relaxed.gpu.global.add.u32 [%rd0+512], 1;", "red.relaxed", machine.IllegalAddress, "out"},
		{"aligned barrier without all lanes", "setp.lt.u32 %p1, %r0, 9;\n @%p1 bar.sync 0;", "@%p1 bar.sync", machine.Diverged, "lanes 0x1ff"},
		{"vote without a member", "setp.lt.u32 %p1, %r0, 9;\n @%p1 vote.sync.any.pred %p2, %p1, -1;", "@%p1 vote", machine.Diverged, "are not here"},
		{"vote by a stranger", "setp.eq.u32 %p1, 0, 0;\n vote.sync.any.pred %p2, %p1, 7;", "vote", machine.Diverged, "not among the members"},
		{"uniform branch that is none", "setp.lt.u32 %p1, %r0, 9;\n @%p1 bra.uni L;\n add.u32 %r0, %r0, 1;\nL:", "@%p1 bra", machine.Diverged, "marked uniform"},
		{"tiles without all lanes", "setp.lt.u32 %p1, %r0, 9;\n mov.u32 %r1, tile;\n @%p1 ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r2, %r3}, [%r1];", "@%p1 ldmatrix", machine.Diverged, "needs all lanes"},
		{"lines of tiles at odd places", "mov.u32 %r1, tile;\n ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1+8];", "ldmatrix", machine.Misaligned, "not a multiple of 16"},
		{"line of a tile after the end", "mov.u32 %r1, tile;\n ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r2, %r3}, [%r1+256];", "ldmatrix", machine.IllegalAddress, "shared memory has 256 bytes"},
		{"trap", "trap;", "trap;", machine.Trapped, "executed trap"},
		{"barrier that some never reach", "setp.lt.u32 %p1, %r0, 9;\n @%p1 barrier.sync 1, 64;", "@%p1 barrier", machine.Deadlock, "9 at line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := faults(t, c.code, 32, machine.Launch{})
			if f.Kind != c.kind || f.Line != lineOf(c.code, c.at) || !strings.Contains(f.Error(), c.says) {
				t.Errorf("got %v\nwant %v at line %d saying %q", f, c.kind, lineOf(c.code, c.at), c.says)
			}
		})
	}
}

// Lane l gives the place of line l mod 8 of tile l/8. It gets a word of line l/4, or turned an element of each of two lines.
func TestTilesAreLoadedByLines(t *testing.T) {
	for _, trans := range []string{"", ".trans"} {
		words, _, err := launch(t, `
	mov.u32 %r1, tile;
	mad.lo.u32 %r2, %r0, 4, %r1;
	mad.lo.u32 %r3, %r0, 0x20002, 0x10000;
	st.shared.u32 [%r2], %r3;
	add.u32 %r3, %r3, 0x400040;
	st.shared.u32 [%r2+128], %r3;
	bar.sync 0;
	and.b32 %r4, %r0, 15;
	xor.b32 %r4, %r4, 7;
	mad.lo.u32 %r4, %r4, 16, %r1;
	ldmatrix.sync.aligned.m8n8.x2`+trans+`.shared.b16 {%r5, %r6}, [%r4];
	st.global.u32 [%rd1], %r6;`, 32, machine.Launch{})
		if err != nil {
			t.Fatal(err)
		}
		for l, w := range words {
			element := func(line, at int) uint32 { return uint32(64 + 8*(7-line) + at) }
			want := element(l/4, l%4*2) | element(l/4, l%4*2+1)<<16
			if trans != "" {
				want = element(l%4*2, l/4) | element(l%4*2+1, l/4)<<16
			}
			if w != want {
				t.Errorf("%q: lane %d has %#x, want %#x", trans, l, w, want)
			}
		}
	}
}

func TestFreedMemoryIsNotThere(t *testing.T) {
	m, err := asm.Parse(body("ld.global.u32 %r1, [%rd1];"))
	if err != nil {
		t.Fatal(err)
	}
	mem := machine.NewMemory()
	im, err := machine.Load(m, mem)
	if err != nil {
		t.Fatal(err)
	}
	out, err := mem.Alloc(128, "late")
	if err != nil {
		t.Fatal(err)
	}
	if err := mem.Free(out); err != nil {
		t.Fatal(err)
	}
	_, err = im.Kernel("k").Run(context.Background(), machine.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1},
		Params: binary.LittleEndian.AppendUint64(nil, out)})
	if err == nil || !strings.Contains(err.Error(), `freed: "late", 128 bytes`) {
		t.Errorf("got %v", err)
	}
}

func TestUndefinedReadsAreFound(t *testing.T) {
	for _, c := range []struct {
		name, code, at string
		kind           machine.FindingKind
	}{
		{"global", "ld.global.u32 %r1, [%rd1];", "ld.global", machine.UndefinedMemory},
		{"shared", "ld.shared.u32 %r1, [tile];", "ld.shared", machine.UndefinedMemory},
		{"half written", "st.shared.u8 [tile], 0;\n ld.shared.u16 %h1, [tile];", "ld.shared", machine.UndefinedMemory},
		{"stored register", "add.u32 %r2, %r1, 1;\n st.global.u32 [%rd1], %r2;", "st.global", machine.UndefinedRegister},
		{"address", "add.u64 %rd3, %rd2, %rd1;\n sub.u64 %rd3, %rd3, %rd2;\n st.global.u32 [%rd3], 1;", "st.global", machine.UndefinedRegister},
		{"guard", "@%p1 st.global.u32 [%rd1], 1;", "@%p1", machine.UndefinedRegister},
		{"one arm", "setp.lt.u32 %p1, %r0, 4;\n @%p1 mov.u32 %r1, 7;\n st.global.u32 [%rd1], %r1;", "[%rd1], %r1", machine.UndefinedRegister},
		{"one arm, after a register that is needed no more", "mov.u32 %r2, 5;\n st.global.u32 [%rd1], %r2;\n setp.lt.u32 %p1, %r0, 4;\n @%p1 mov.u32 %r1, 7;\n st.global.u32 [%rd1], %r1;", "[%rd1], %r1", machine.UndefinedRegister},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, r, err := launch(t, c.code, 32, machine.Launch{})
			if c.name == "address" {
				err = nil // wherever it went
			}
			if err != nil || len(r.Findings) == 0 || r.Findings[0].Kind != c.kind || r.Findings[0].Line != lineOf(c.code, c.at) {
				t.Errorf("error %v, findings %v, want %v at line %d", err, r, c.kind, lineOf(c.code, c.at))
			}
		})
	}
}

func TestWhatIsNotChosenNeedNotBeDefined(t *testing.T) {
	code := `setp.lt.u32 %p1, %r0, 4;
	@%p1 mov.u32 %r1, 7;
	selp.u32 %r2, %r1, 9, %p1;
	@!%p1 setp.eq.u32 %p2, %r0, 20;
	not.pred %p3, %p1;
	and.pred %p4, %p3, %p2;
	@%p4 add.u32 %r2, %r2, 1;
	st.global.u32 [%rd1], %r2;`
	out, r, err := launch(t, code, 32, machine.Launch{})
	if err != nil || len(r.Findings) > 0 {
		t.Fatalf("error %v, findings %v", err, r)
	}
	if out[3] != 7 || out[4] != 9 || out[20] != 10 {
		t.Errorf("got %v", out)
	}
}

// nvcc writes true as -1.
func TestPredicatesAreSetByConstants(t *testing.T) {
	code := `mov.pred %p1, 0;
	mov.pred %p2, 1;
	mov.pred %p3, -1;
	mov.u32 %r1, 0;
	@%p1 add.u32 %r1, %r1, 1;
	@%p2 add.u32 %r1, %r1, 2;
	@%p3 add.u32 %r1, %r1, 4;
	xor.pred %p4, %p2, %p3;
	@%p4 add.u32 %r1, %r1, 8;
	st.global.u32 [%rd1], %r1;`
	out, _, err := launch(t, code, 32, machine.Launch{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(out, all(32, 6)) {
		t.Errorf("got %v, want 6 everywhere", out)
	}
}

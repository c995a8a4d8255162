package cusim_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/needs"
)

// opArgs is how many values each thread is given; an op takes the first ones.
const opArgs = 4

// opsText is a module with a kernel for each op: out[i] = op(in[i]...), all in 64 bits. An atomic works on a cell of its
// thread's that holds its first operand; what the cell holds afterwards is the result, turned over if the atomic returns
// anything but what the cell held before.
func opsText(version, target string, list []op) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version %s\n.target %s\n.address_size 64\n", version, target)
	for n, o := range list {
		fmt.Fprintf(&b, `.visible .entry op%d(.param .u64 in, .param .u64 out)
{
	.reg .pred %%p<6>; .reg .b16 %%h<6>; .reg .b32 %%r<6>; .reg .b64 %%rd<6>; .reg .f32 %%f<6>; .reg .f64 %%fd<6>;
	.reg .pred %%pw; .reg .b32 %%t32, %%id, %%size, %%group, %%shared; .reg .b64 %%in, %%to, %%out;
	.shared .align 8 .b8 cells[2048];
	mov.u32 %%shared, cells; mov.u32 %%t32, %%tid.x; mad.lo.u32 %%shared, %%t32, 8, %%shared;
	mov.u32 %%id, %%tid.x; mov.u32 %%size, %%ntid.x; mov.u32 %%group, %%ctaid.x; mad.lo.u32 %%id, %%size, %%group, %%id;
	ld.param.u64 %%in, [in]; mad.wide.u32 %%in, %%id, %d, %%in;
	ld.param.u64 %%to, [out]; mad.wide.u32 %%to, %%id, 8, %%to;
`, n, 8*opArgs)
		var args []string
		for i := range o.operands {
			args = append(args, o.register(i))
			if i > 0 {
				at := fmt.Sprintf("[%%in+%d]", 8*(i-1))
				b.WriteString("\t" + strings.NewReplacer("$r", o.register(i), "$at", at).Replace(kinds[o.operands[i]].load) + "\n")
			}
		}
		if o.operands[0] == 'w' {
			args[0] += "|%pw"
		}
		if strings.Contains(o.inst, ".sync") {
			args = append(args, "-1")
		}
		store := strings.ReplaceAll(kinds[o.operands[0]].store, "$r", o.register(0))
		if space, at, ok := o.cell(); ok {
			bits := map[bool]string{false: "b32", true: "b64"}[strings.HasSuffix(o.inst, "64")]
			fmt.Fprintf(&b, "\tst.%s.%s [%s], %s;\n", space, bits, at, args[1])
			args[1] = "[" + at + "]"
			if strings.HasPrefix(o.inst, "red.") {
				fmt.Fprintf(&b, "\t%s %s;\n\tld.%s.%s %s, [%s];\n", o.inst, strings.Join(args[1:], ", "), space, bits, args[0], at)
			} else {
				fmt.Fprintf(&b, "\t%s %s;\n\tsetp.ne.%s %%pw, %s, %s;\n\tld.%s.%s %s, [%s];\n", o.inst, strings.Join(args, ", "), bits, args[0], o.register(1), space, bits, args[0], at)
				store += " @%pw not.b64 %out, %out;"
			}
		} else {
			fmt.Fprintf(&b, "\t%s %s;\n", o.inst, strings.Join(args, ", "))
		}
		b.WriteString("\t" + store + "\n\tst.global.u64 [%to], %out;\n\texit;\n}\n")
	}
	return b.String()
}

// opInputs are the values of n threads: edges of all formats, numbers near each other, and random bits.
func opInputs(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 9))
	edges := []uint64{0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 255, 0x7FFF, 0x8000, 0xFFFF, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1}
	for _, f := range []float32{1, -1, 0.5, 1.5, 2.5, -2.5, 65504, 65520, 3e38, 1e-45, 1.17549435e-38, float32(math.Inf(1)), float32(math.Inf(-1)), 2147483520, 4294967040, 9.2e18, 0.99999994} {
		edges = append(edges, uint64(math.Float32bits(f)))
	}
	for _, f := range []float64{1, -1, 0.5, 1.5, -2.5, 65519.99, 3.4028235677973366e38, 7e-46, 5e-324, 1.7e308, math.Inf(1), math.NaN(), 2147483647.5, 9.3e18, 1.8446744073709552e19} {
		edges = append(edges, math.Float64bits(f))
	}
	edges = append(edges, 0x7FC00000, 0x7F800001, 0xFFC00001, 0x7C00, 0xFC00, 0x7E01, 0x0001, 0x03FF, 0x0400, 0x7BFF, 0x3C00, 0xBC00, 0x3C003C00, 0x7E00FC00)
	value := func() uint64 {
		v := rng.Uint64()
		switch rng.IntN(6) {
		case 0, 1:
			return edges[rng.IntN(len(edges))]
		case 2: // floats of like magnitude
			return v&(1<<32-1)&^(0xFF<<23) | uint64(120+rng.IntN(16))<<23
		case 3:
			return v&^(0x7FF<<52) | uint64(1016+rng.IntN(16))<<52
		case 4:
			return edges[rng.IntN(len(edges))] + v%3 - 1
		}
		return v
	}
	b := make([]byte, 0, 8*opArgs*n)
	for range opArgs * n {
		b = binary.LittleEndian.AppendUint64(b, value())
	}
	return b
}

const opCases = 8192

// runOps runs each kernel of the text on a driver's first device and returns what each wrote.
func runOps(drv cu.Driver, text string, kernels int, in []byte) ([][]uint64, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var errs []error
	check := func(err error) { errs = append(errs, err) }
	check(drv.Init())
	dev, err := drv.DeviceGet(0)
	check(err)
	ctx, err := drv.DevicePrimaryCtxRetain(dev)
	check(err)
	check(drv.CtxSetCurrent(ctx))
	var jit cu.JIT
	m, err := drv.ModuleLoadDataEx([]byte(text+"\x00"), &jit)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, jit.Errors)
	}
	n := len(in) / (8 * opArgs)
	from, err := drv.MemAlloc(int64(len(in)))
	check(err)
	to, err := drv.MemAlloc(int64(8 * n))
	check(err)
	check(drv.MemcpyHtoDAsync(from, unsafe.Pointer(&in[0]), int64(len(in)), 0))
	values := &[2]uint64{uint64(from), uint64(to)}
	params := &[2]unsafe.Pointer{unsafe.Pointer(&values[0]), unsafe.Pointer(&values[1])}
	var all [][]uint64
	for k := range kernels {
		f, err := drv.ModuleGetFunction(m, fmt.Sprintf("op%d", k))
		check(err)
		check(drv.LaunchKernel(&cu.Launch{Function: f, Grid: [3]uint32{uint32(n / 256), 1, 1}, Block: [3]uint32{256, 1, 1}, Params: &params[0]}))
		out := make([]uint64, n)
		check(drv.MemcpyDtoHAsync(unsafe.Pointer(&out[0]), to, int64(8*n), 0))
		check(drv.StreamSynchronize(0))
		all = append(all, out)
		if err := errors.Join(errs...); err != nil {
			return all, err
		}
	}
	check(drv.MemFree(from))
	check(drv.MemFree(to))
	check(drv.ModuleUnload(m))
	check(drv.CtxSetCurrent(0))
	check(drv.DevicePrimaryCtxRelease(dev))
	return all, errors.Join(errs...)
}

func TestGPUComputesWhatTheSimulationComputes(t *testing.T) {
	gpu, capability, err := openGPU()
	needs.GPU(t, err)
	in := opInputs(opCases)
	compared, differ := 0, 0
	for _, l := range opLevels {
		if l.capability > capability {
			continue
		}
		text := opsText(l.version, l.target, l.list)
		want, err := runOps(gpu, text, len(l.list), in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := runOps(cusim.New(cusim.Config{Models: []cusim.Model{l.model}}), text, len(l.list), in)
		if err != nil {
			t.Fatal(err)
		}
		for k, o := range l.list {
			bad := 0
			for i := range want[k] {
				g, w := o.settled(got[k][i]), o.settled(want[k][i])
				if g == w {
					continue
				}
				if bad++; bad <= 3 {
					t.Errorf("%s of %#x: simulated %#x, the GPU gives %#x", o.inst, operandsOf(in, i, len(o.operands)-1), got[k][i], want[k][i])
				}
			}
			if compared++; bad > 0 {
				differ++
			}
		}
	}
	fmt.Printf("gpu-total instructions %d compared over %d inputs, %d differ\n", compared, opCases, differ)
}

// openGPU loads the driver and asks it for a device: the library is installed on many a machine without one.
func openGPU() (cu.Driver, int, error) {
	gpu, err := cu.Load(os.Getenv("VYRE_CUDA_LIBRARY"))
	if err != nil {
		return nil, 0, err
	}
	capability, err := capabilityOf(gpu)
	return gpu, capability, err
}

// capabilityOf is ten times the compute capability of a driver's first device.
func capabilityOf(drv cu.Driver) (int, error) {
	if err := drv.Init(); err != nil {
		return 0, err
	}
	dev, err := drv.DeviceGet(0)
	if err != nil {
		return 0, err
	}
	major, err := drv.DeviceGetAttribute(cu.CapabilityMajor, dev)
	if err != nil {
		return 0, err
	}
	minor, err := drv.DeviceGetAttribute(cu.CapabilityMinor, dev)
	return 10*major + minor, err
}

func operandsOf(in []byte, i, n int) []uint64 {
	var v []uint64
	for k := range n {
		v = append(v, binary.LittleEndian.Uint64(in[8*(opArgs*i+k):]))
	}
	return v
}

func TestInstructionsGiveWhatTheManualSays(t *testing.T) {
	f := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
	g := math.Float64bits
	nan, inf := uint64(0x7FC00000), f(float32(math.Inf(1)))
	for _, c := range []struct {
		op
		a, b, c, want uint64
	}{
		{op{"bfe.s32", "bbbb"}, 0x80, 7, 40, 1}, {op{"bfe.s32", "bbbb"}, 0x8000_0000, 31, 8, 0xFFFF_FFFF}, {op{"bfe.u32", "bbbb"}, 0xFFFF_FFFF, 40, 4, 0},
		{op{"bfe.s64", "ddbb"}, 1 << 63, 63, 1, 1<<64 - 1}, {op{"bfe.u32", "bbbb"}, 0xABCD, 4, 8, 0xBC}, {op{"bfe.s32", "bbbb"}, 0xABCD, 0, 0, 0},
		{op{"shf.l.wrap.b32", "bbbb"}, 0xF000_0000, 1, 36, 0x1F}, {op{"shf.l.clamp.b32", "bbbb"}, 0xF000_0000, 1, 36, 0xF000_0000}, {op{"shf.r.clamp.b32", "bbbb"}, 5, 7, 99, 7},
		{op{"shl.b32", "bbb"}, 1, 32, 0, 0}, {op{"shr.s32", "bbb"}, 1 << 31, 99, 0, 0xFFFF_FFFF}, {op{"bfind.s32", "bb"}, 0xFFFF_FFF0, 0, 0, 3},
		{op{"bfind.u64", "bd"}, 0, 0, 0, 0xFFFF_FFFF}, {op{"bfind.shiftamt.u32", "bb"}, 1, 0, 0, 31}, {op{"prmt.b32", "bbbb"}, 0x8899_AABB, 0x1122_3344, 0xB470, 0xFF44_11BB},
		{op{"mad.hi.sat.s32", "bbbb"}, 0x7FFF_FFFF, 0x7FFF_FFFF, 0x7000_0000, 0x7FFF_FFFF}, {op{"sad.s32", "bbbb"}, 0xFFFF_FFFF, 2, 10, 13}, {op{"mul.wide.s16", "bhh"}, 0xFFFF, 2, 0, 0xFFFF_FFFE},
		{op{"set.ge.f32.f32", "fff"}, f(2), f(1), 0, f(1)}, {op{"slct.b32.s32", "bbbb"}, 3, 4, 1 << 31, 4}, {op{"slct.f32.f32", "ffff"}, f(3), f(4), nan, f(4)},
		{op{"cvt.rzi.s32.f32", "bf"}, nan, 0, 0, 0}, {op{"cvt.rzi.s32.f64", "bg"}, g(math.NaN()), 0, 0, 1 << 31}, {op{"cvt.rpi.u64.f32", "df"}, nan, 0, 0, 1 << 63},
		{op{"cvt.rzi.s32.f32", "bf"}, f(3e9), 0, 0, 1<<31 - 1}, {op{"cvt.rni.u32.f32", "bf"}, f(-3), 0, 0, 0}, {op{"cvt.rni.u32.f32", "bf"}, f(2.5), 0, 0, 2},
		{op{"cvt.rzi.u64.f64", "dg"}, g(1.8e19), 0, 0, 18000000000000000000}, {op{"cvt.rn.f32.f64", "fg"}, g(7.0064923216240869e-46), 0, 0, 1}, {op{"cvt.rz.f32.f64", "fg"}, g(1e300), 0, 0, inf - 1},
		{op{"cvt.rn.f16.f32", "hf"}, f(65519.996), 0, 0, 0x7BFF}, {op{"cvt.rn.f16.f32", "hf"}, f(65520), 0, 0, 0x7C00}, {op{"cvt.rn.f16.f32", "hf"}, f(2.9802322e-8), 0, 0, 0},
		{op{"cvt.rn.f16.f64", "hg"}, g(1 + math.Ldexp(1, -11) + math.Ldexp(1, -40)), 0, 0, 0x3C01}, {op{"cvt.rz.f32.u64", "fd"}, 1<<64 - 1, 0, 0, 0x5F7F_FFFF}, {op{"cvt.rp.f32.s64", "fd"}, 1<<24 + 1, 0, 0, 0x4B80_0001},
		{op{"cvt.sat.s8.s32", "bb"}, 0xFFFF_FF00, 0, 0, 0xFFFF_FF80}, {op{"cvt.s8.s32", "bb"}, 0x1FF, 0, 0, 0xFFFF_FFFF}, {op{"cvt.sat.s32.u64", "bd"}, 1 << 63, 0, 0, 1<<31 - 1},
		{op{"add.rn.f32", "fff"}, f(1), f(5.9604645e-8), 0, f(1)}, {op{"add.rp.f32", "fff"}, f(1), 1, 0, f(1) + 1}, {op{"add.rm.f32", "fff"}, f(1), f(-1), 0, 1 << 31}, {op{"add.rz.f32", "fff"}, f(3e38), f(3e38), 0, inf - 1},
		{op{"add.rn.ftz.f32", "fff"}, 1, 1, 0, 0}, {op{"add.rn.sat.f32", "fff"}, nan, f(1), 0, 0}, {op{"add.rn.sat.f32", "fff"}, f(7), f(1), 0, f(1)},
		{op{"fma.rn.f32", "ffff"}, f(1.0000001), f(1.0000001), f(-1.0000002), 0x2880_0000}, {op{"fma.rn.f16", "hhhh"}, 0x3C01, 0x3C01, 0x0001, 0x3C02}, {op{"min.f32", "fff"}, nan, f(2), 0, f(2)},
		{op{"min.f32", "fff"}, 0, 1 << 31, 0, 1 << 31}, {op{"min.NaN.f32", "fff"}, nan, f(2), 0, 0x7FFF_FFFF}, {op{"copysign.f32", "fff"}, f(-3), f(2), 0, f(-2)}, {op{"mul.rn.f32", "fff"}, inf, 0, 0, 0x7FFF_FFFF},
		{op{"div.rz.f32", "fff"}, f(1), f(3), 0, 0x3EAA_AAAA}, {op{"div.rn.f32", "fff"}, f(1), f(3), 0, 0x3EAA_AAAB}, {op{"sqrt.rm.f32", "ff"}, f(2), 0, 0, 0x3FB5_04F3}, {op{"sqrt.rp.f64", "gg"}, g(2), 0, 0, 0x3FF6_A09E_667F_3BCD},
		{op{"setp.ltu.f32", "pff"}, nan, f(1), 0, 1}, {op{"setp.gt.f32", "pff"}, nan, f(1), 0, 0}, {op{"setp.hs.u32", "pbb"}, 1 << 31, 1, 0, 1}, {op{"testp.subnormal.f32", "pf"}, 1, 0, 0, 1},
		{op{"testp.normal.f32", "pf"}, 0, 0, 0, 1}, {op{"testp.normal.f64", "pg"}, 1 << 63, 0, 0, 1}, {op{"testp.normal.f64", "pg"}, 1, 0, 0, 0}, {op{"testp.subnormal.f64", "pg"}, 0, 0, 0, 0},
		{op{"cvt.rn.f16x2.f32", "bff"}, f(1), f(2), 0, 0x3C00_4000}, {op{"cvt.rn.relu.bf16x2.f32", "bff"}, f(-1), f(1), 0, 0x3F80}, {op{"sub.rn.f16x2", "bbb"}, 0x3C00_4000, 0x3C00_3C00, 0, 0x3C00},
		{op{"red.global.add.f32", "fff"}, 1, 1, 0, 0}, {op{"atom.global.add.f32", "fff"}, 0x0080_0001, 0x8080_0000, 0, 0}, {op{"atom.shared.add.f32", "fff"}, 1, 1, 0, 2},
		{op{"atom.global.add.f64", "ggg"}, 1, 1, 0, 2}, {op{"atom.shared.cas.b32", "bbbb"}, 5, 5, 7, 7}, {op{"red.shared.max.s64", "ddd"}, 1 << 63, 3, 0, 3},
		{op{"dp4a.u32.s32", "bbbb"}, 0xFF, 0xFF, 1, 0xFFFF_FF02},
	} {
		in := make([]byte, 8*opArgs*256)
		for i, v := range []uint64{c.a, c.b, c.c} {
			binary.LittleEndian.PutUint64(in[8*i:], v)
		}
		got, err := runOps(cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}}), opsText("7.8", "sm_90", []op{c.op}), 1, in)
		if err != nil {
			t.Fatal(err)
		}
		if got[0][0] != c.want {
			t.Errorf("%s of %#x, %#x, %#x: got %#x, want %#x", c.inst, c.a, c.b, c.c, got[0][0], c.want)
		}
	}
}

func TestEveryListedInstructionRuns(t *testing.T) {
	in := opInputs(1024)
	for _, l := range opLevels {
		d := cusim.New(cusim.Config{Models: []cusim.Model{l.model}, Strict: true})
		if _, err := runOps(d, opsText(l.version, l.target, l.list), len(l.list), in); err != nil {
			t.Error(err)
		}
		if left := d.Left(); left != "" {
			t.Errorf("left: %s", left)
		}
	}
}

package cusim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// op is an instruction and what its operands are, each a letter of kinds. The first is the result. All lanes of a warp
// are members where some have to be.
type op struct{ inst, operands string }

// kind is what an operand is: its register's name, how $r is loaded from $at, and how it gets into the 64 bits
// %out. Of floats, width is theirs, inf are the bits of infinity, and parts is how many of them there are.
type kind struct {
	register, load, store string
	width                 int
	inf                   uint64
	parts                 int
}

var kinds = map[byte]kind{
	'b': {register: "%r", load: "ld.global.u32 $r, $at;", store: "cvt.u64.u32 %out, $r;"},
	'd': {register: "%rd", load: "ld.global.u64 $r, $at;", store: "mov.u64 %out, $r;"},
	'h': {register: "%h", load: "ld.global.u16 $r, $at;", store: "cvt.u64.u16 %out, $r;"},
	// Floats of 16, 32 and 64 bits; the other one of 16; two of those.
	'e': {"%h", "ld.global.u16 $r, $at;", "cvt.u64.u16 %out, $r;", 16, 0x7C00, 1},
	'f': {"%f", "ld.global.f32 $r, $at;", "mov.b32 %t32, $r; cvt.u64.u32 %out, %t32;", 32, 0x7F80 << 16, 1},
	'g': {"%fd", "ld.global.f64 $r, $at;", "mov.b64 %out, $r;", 64, 0x7FF0 << 48, 1},
	'k': {"%h", "ld.global.u16 $r, $at;", "cvt.u64.u16 %out, $r;", 16, 0x7F80, 1},
	'E': {"%r", "ld.global.u32 $r, $at;", "cvt.u64.u32 %out, $r;", 16, 0x7C00, 2},
	'K': {"%r", "ld.global.u32 $r, $at;", "cvt.u64.u32 %out, $r;", 16, 0x7F80, 2},

	'p': {register: "%p", load: "ld.global.u32 %t32, $at; and.b32 %t32, %t32, 1; setp.ne.u32 $r, %t32, 0;", store: "selp.u64 %out, 1, 0, $r;"},
	// A word and whether it came from somewhere.
	'w': {register: "%r", store: "cvt.u64.u32 %out, $r; @%pw or.b64 %out, %out, 4294967296;"},
	// Positions and lengths of bit fields are from 0 to 255: the manual restricts them to that, and the hardware does
	// not cut all of them down to it.
	'n': {register: "%r", load: "ld.global.u8 $r, $at;"},
	// Divisors: what 0 gives nobody promises, nor what −1 does under the least number.
	'q': {register: "%r", load: "ld.global.u32 $r, $at; add.u32 %t32, $r, 1; setp.le.u32 %pw, %t32, 1; selp.u32 $r, 7, $r, %pw;"},
	'Q': {register: "%rd", load: "ld.global.u64 $r, $at; add.u64 %out, $r, 1; setp.le.u64 %pw, %out, 1; selp.u64 $r, 7, $r, %pw;"},
}

// list takes all words of a {choice,of,words} in turn.
func list(groups []op) (all []op) {
	for _, g := range groups {
		before, rest, choice := strings.Cut(g.inst, "{")
		if !choice {
			all = append(all, g)
			continue
		}
		words, after, _ := strings.Cut(rest, "}")
		for _, w := range strings.Split(words, ",") {
			all = append(all, list([]op{{before + w + after, g.operands}})...)
		}
	}
	return all
}

// ops are instructions whose results are exact. Where a float is moved and not computed its letter is one of bits: all
// bits of a NaN count there.
var ops = list([]op{
	{"add.{s32,u32}", "bbb"}, {"sub.{s32,u32}", "bbb"}, {"{add,sub}.sat.s32", "bbb"},
	{"{add,sub}.{s64,u64}", "ddd"}, {"add.u16", "hhh"},
	{"mul.{lo,hi}.{s32,u32}", "bbb"}, {"mul.{lo,hi}.{s64,u64}", "ddd"},
	{"mul.wide.{s32,u32}", "dbb"}, {"mul.wide.{s16,u16}", "bhh"},
	{"mad.lo.{s32,u32}", "bbbb"}, {"mad.lo.{s64,u64}", "dddd"}, {"mad.{hi,hi.sat}.s32", "bbbb"},
	{"mad.wide.{s32,u32}", "dbbd"}, {"sad.{s32,u32}", "bbbb"},
	{"{div,rem}.{s32,u32}", "bbq"}, {"{div,rem}.{s64,u64}", "ddQ"},
	{"{min,max}.{s32,u32}", "bbb"}, {"{min,max}.{s64,u64}", "ddd"}, {"min.s16", "hhh"},
	{"{neg,abs}.s32", "bb"}, {"{neg,abs}.s64", "dd"}, {"neg.s16", "hh"},

	{"{and,or,xor}.b16", "hhh"}, {"{and,or,xor}.b32", "bbb"}, {"{and,or,xor}.b64", "ddd"},
	{"{and,or,xor}.pred", "ppp"}, {"not.pred", "pp"}, {"not.b16", "hh"},
	{"{not,cnot}.b32", "bb"}, {"{not,cnot}.b64", "dd"},
	{"{shl.b16,shr.s16,shr.u16}", "hhb"}, {"{shl.b32,shr.s32,shr.u32}", "bbb"}, {"{shl.b64,shr.s64,shr.u64}", "ddb"},
	{"shf.{l,r}.{wrap,clamp}.b32", "bbbb"}, {"{popc,clz,brev}.b32", "bb"}, {"{popc,clz}.b64", "bd"},
	{"brev.b64", "dd"}, {"{bfind.s32,bfind.shiftamt.u32}", "bb"}, {"bfind.u64", "bd"},
	{"bfe.{s32,u32}", "bbnn"}, {"bfe.{s64,u64}", "ddnn"}, {"bfi.b32", "bbbnn"}, {"bfi.b64", "dddnn"},
	{"prmt.b32", "bbbb"}, {"dp4a.{s32.s32,u32.u32,u32.s32}", "bbbb"},

	{"setp.{eq,ne,lt,le,gt,ge}.{s32,u32}", "pbb"}, {"setp.hs.u32", "pbb"}, {"setp.{eq,ne,lt,le,gt,ge}.{s64,u64}", "pdd"},
	{"setp.ne.b64", "pdd"}, {"setp.{eq,ne,lt,le,gt,ge}.and.{s32,u32}", "pbbp"}, {"setp.{eq,ne,lt,le,gt,ge}.and.{s64,u64}", "pddp"},
	{"setp.{eq,neu,lt,le,ge,gtu,geu,nan}.and.f32", "pffp"}, {"setp.{eq,neu,lt,le,nan}.and.f64", "pggp"},
	{"setp.{eq,ne,neu,lt,ltu,le,gt,ge,gtu,geu,nan,num}.f32", "pff"}, {"setp.{eq,ne,neu,lt,ltu,le,gt,geu,nan,num}.f64", "pgg"},
	{"set.lt.u32.s32", "bbb"}, {"set.ge.f32.f32", "fff"}, {"slct.b32.s32", "bbbb"}, {"slct.f32.f32", "bbbf"},
	{"selp.b16", "hhhp"}, {"selp.{b32,s32,u32,f32}", "bbbp"}, {"selp.{b64,s64,u64,f64}", "dddp"},

	{"{add,mul}.{rn,rz,rm,rp,rn.ftz,rn.sat}.f32", "fff"}, {"sub.{rn,rz,rm,rp}.f32", "fff"}, {"{add,sub,mul}.{rn,rz,rm,rp}.f64", "ggg"},
	{"fma.{rn,rz,rm,rp,rn.ftz,rn.sat}.f32", "ffff"}, {"fma.{rn,rz,rm,rp}.f64", "gggg"},
	{"div.{rn,rz,rm,rp,rn.ftz}.f32", "fff"}, {"div.{rn,rz,rm,rp}.f64", "ggg"},
	{"{rcp,sqrt}.{rn,rz,rm,rp}.f32", "ff"}, {"{rcp,sqrt}.{rn,rz,rm,rp}.f64", "gg"},
	{"{min,max,max.ftz}.f32", "fff"}, {"{min,max}.f64", "ggg"}, {"{abs,neg}.f32", "ff"}, {"{abs,neg}.f64", "gg"},
	{"copysign.f32", "bbb"}, {"copysign.f64", "ddd"},
	{"testp.{finite,infinite,number,notanumber,normal,subnormal}.f32", "pf"}, {"testp.{finite,infinite,number,notanumber,normal,subnormal}.f64", "pg"},

	{"cvt.{s64.s32,u64.u32}", "db"}, {"cvt.u32.u64", "bd"}, {"cvt.u16.u32", "hb"}, {"cvt.u32.u16", "bh"},
	{"cvt.{s32.s8,u32.u8,s8.s32,sat.s8.s32,sat.u8.s32}", "bb"}, {"cvt.sat.{s32,u32}.{s64,u64}", "bd"}, {"cvt.sat.s32.u32", "bb"},
	{"cvt.rn.f32.{s32,u32}", "fb"}, {"cvt.rn.f32.{s64,u64}", "fd"}, {"cvt.{rz.f32.u64,rp.f32.s64}", "fd"},
	{"cvt.rn.f64.{s32,u32}", "gb"}, {"cvt.rn.f64.{s64,u64}", "gd"}, {"cvt.rm.f64.u64", "gd"}, {"cvt.rn.f16.s32", "eb"},
	{"cvt.{rzi,rni}.{s32,u32}.f32", "bf"}, {"cvt.{rzi,rmi,rpi}.{s64,u64}.f32", "df"}, {"cvt.rzi.{s32,u32}.f64", "bg"},
	{"cvt.rzi.{s64,u64}.f64", "dg"}, {"cvt.rzi.s16.f32", "hf"}, {"cvt.rzi.ftz.s32.f32", "bf"}, {"cvt.rzi.s32.f16", "be"},
	{"cvt.{rni,rzi,rmi,rpi}.f32.f32", "ff"}, {"cvt.{rni,rzi,rmi,rpi}.f64.f64", "gg"}, {"cvt.rni.f16.f16", "ee"},
	{"cvt.{rn,rz,rm,rp,rn.sat}.f32.f64", "fg"}, {"cvt.f64.f32", "gf"}, {"cvt.f32.f16", "fe"}, {"cvt.{rn,rz}.f16.f32", "ef"},
	{"cvt.rn.f16.f64", "eg"}, {"cvt.sat.f32.f32", "ff"},
	{"{add,sub,mul}.rn.f16", "eee"}, {"fma.rn.f16", "eeee"}, {"sub.rn.f16x2", "EEE"}, {"neg.f16", "ee"},

	{"vote.sync.ballot.b32", "bp"}, {"vote.sync.{all,any}.pred", "pp"}, {"match.any.sync.b32", "bb"}, {"match.any.sync.b64", "bd"},
	{"shfl.sync.{idx,bfly,up,down}.b32", "wbbb"},

	{"{atom,red}.{global,shared}.add.{s32,u32}", "bbb"}, {"{atom,red}.{global,shared}.{min,max}.{s32,u32}", "bbb"}, {"{atom,red}.{global,shared}.{and,or,xor}.b32", "bbb"},
	{"{atom,red}.{global,shared}.add.u64", "ddd"}, {"{atom,red}.{global,shared}.{min,max}.{s64,u64}", "ddd"}, {"{atom,red}.{global,shared}.{and,or,xor}.b64", "ddd"},
	{"{atom,red}.{global,shared}.add.f32", "fff"}, {"{atom,red}.{global,shared}.add.f64", "ggg"},
	{"atom.{global,shared}.exch.b32", "bbb"}, {"atom.{global,shared}.exch.b64", "ddd"}, {"atom.{global,shared}.cas.b32", "bbbb"}, {"atom.{global,shared}.cas.b64", "dddd"},
})

// opsSince80 need that target, opsSince90 this one.
var (
	opsSince80 = list([]op{{"{min,max}.NaN.f32", "fff"}, {"max.f16", "eee"}, {"min.NaN.f16x2", "EEE"},
		{"fma.rn.bf16", "kkkk"}, {"max.bf16x2", "KKK"}, {"abs.bf16", "kk"},
		{"cvt.{rn,rz}.bf16.f32", "kf"}, {"cvt.rn.f16x2.f32", "Eff"}, {"cvt.rn.relu.bf16x2.f32", "Kff"},
		{"redux.sync.{add,min,max}.{s32,u32}", "bb"}, {"redux.sync.{and,or,xor}.b32", "bb"}})
	opsSince90 = list([]op{{"{add,sub,mul}.rn.bf16", "kkk"}})
)

// opLevels are the ops by the compute capability, times ten, that they need.
var opLevels = []struct {
	version, target string
	capability      int
	model           cusim.Model
	list            []op
}{{"6.3", "sm_75", 75, cusim.Tiny, ops}, {"7.0", "sm_80", 80, cusim.Ampere, opsSince80}, {"7.8", "sm_90", 90, cusim.Hopper, opsSince90}}

// register names the register of an operand.
func (o op) register(i int) string { return fmt.Sprint(kinds[o.operands[i]].register, i+1) }

// cell is where an atomic finds its thread's cell.
func (o op) cell() (space, at string, ok bool) {
	name, rest, _ := strings.Cut(o.inst, ".")
	space, _, _ = strings.Cut(rest, ".")
	return space, map[string]string{"global": "%to", "shared": "%shared"}[space], name == "atom" || name == "red"
}

// settled is a result with every NaN in it made one: which one it is, is the hardware's choice.
func (o op) settled(v uint64) uint64 {
	k := kinds[o.operands[0]]
	if k.parts == 0 {
		return v
	}
	all := ^uint64(0) >> (64 - k.width)
	for i := range k.parts {
		if v>>(i*k.width)&(all>>1) > k.inf {
			v |= all << (i * k.width)
		}
	}
	return v
}

// orders takes away what an atomic means to other threads.
var orders = strings.NewReplacer(".relaxed", "", ".acquire", "", ".release", "", ".acq_rel", "", ".cta", "", ".gpu", "", ".sys", "")

// TestEveryEmittedInstructionIsListed: what programs are compiled to is compared with hardware, if its result is
// exact. What moves values, waits and branches shows in programs, and so do products of matrices.
func TestEveryEmittedInstructionIsListed(t *testing.T) {
	known := make(map[string]bool)
	for _, l := range opLevels {
		for _, o := range l.list {
			known[o.inst] = true
		}
	}
	for _, name := range strings.Fields("mov ld st prefetch fence bar barrier cvta nanosleep bra exit ret mma ldmatrix cp") {
		known[name] = true
	}
	seen := make(map[*ir.Program]bool)
	for c := range conform.Cases("") {
		if c.Program == nil || seen[c.Program] {
			continue
		}
		seen[c.Program] = true
		for _, target := range []ptx.Target{{SM: 70}, {SM: 90, Suffix: "a"}} {
			m, err := ptx.Compile(c.Program, target, ptx.Options{Passes: compile.Choice{Level: compile.O0}})
			if err != nil {
				continue // the target lacks an op
			}
			for line := range strings.Lines(string(m.Text)) {
				inst := instructionOf(line)
				name, _, _ := strings.Cut(inst, ".")
				exact := !strings.Contains(inst, ".approx") && !strings.Contains(inst, ".full")
				if inst != "" && exact && !known[inst] && !known[name] {
					known[inst] = true
					t.Errorf("%s for %s: %s is not listed", c, target, inst)
				}
			}
		}
	}
}

// instructionOf is the instruction in a line of a kernel, an atomic without what it means to other threads; none in
// others.
func instructionOf(line string) string {
	line, ok := strings.CutSuffix(strings.TrimSpace(line), ";")
	if !ok {
		return ""
	}
	if strings.HasPrefix(line, "@") {
		_, line, _ = strings.Cut(line, " ")
	}
	inst, _, _ := strings.Cut(line, " ")
	if strings.HasPrefix(inst, "atom.") || strings.HasPrefix(inst, "red.") {
		return orders.Replace(inst)
	}
	if strings.IndexAny(inst, ".0123456789") == 0 { // a declaration, or contents of one
		return ""
	}
	return inst
}

package asm

import "strings"

// form is one way to write an instruction.
//
// mods lists the groups of modifiers that follow the name, in order. A group is alternatives between
// bars; with a question mark at its end it may be left out. Words in capitals stand for the sets
// below. What is a type becomes Inst.Type, a second one Inst.From.
//
// args lists the operands:
//
//	=T  a register that is written, of the instruction's type       T  a source: register or constant
//	=F F  the same of the second type                               =W W  of twice the width of the type
//	=R R  a register of the type or wider                           =V V  one or, with .v2 and .v4, a vector of them
//	=u32 u32 …  of that type                                        !p  a predicate that may be negated
//	=p|q  a predicate, with a second one after a bar or without    =T|p  a register, with a predicate or without
//	[g]  a place in memory                                          L  a label, B  a table of them
//	=M M  anything that mov takes                                   S  a symbol or an address
//	=2×u32 2×u32 …  so many registers of that type in braces
//
// A question mark makes an operand optional.
type form struct {
	ops   string
	mods  string
	args  string
	sm    int     // lowest target
	since Version // lowest version of PTX
}

var sets = map[string]string{
	"INT":   "u16|s16|u32|s32|u64|s64",
	"INT32": "u32|s32",
	"WORD":  "u32|s32|u64|s64",
	"BITS":  "b16|b32|b64",
	"RND":   "rn|rz|rm|rp",
	"IRND":  "rni|rzi|rmi|rpi",
	"ICMP":  "eq|ne|lt|le|gt|ge|lo|ls|hi|hs",
	"FCMP":  "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan",
	"BOOL":  "and|or|xor",
	"ORDER": "relaxed|acquire|release|acq_rel",
	"SCOPE": "cta|cluster|gpu|sys",
	"SPACE": "global|shared|shared::cta|local",
	"SHARE": "global|shared|shared::cta",
	"VEC":   "v2|v4",
	"EVICT": "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate",
	"FETCH": "L2::64B|L2::128B|L2::256B",
	"LDST":  "b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64",
	"CVT":   "u8|s8|u16|s16|u32|s32|u64|s64",
}

var (
	ptx60 = Version{6, 0}
	ptx70 = Version{7, 0}
)

// forms is the instruction set.
var forms = []form{
	{"add sub", "INT", "=T T T", 0, Version{}},
	{"add sub", "sat s32", "=T T T", 0, Version{}},
	{"add sub", "cc u32|s32|u64|s64", "=T T T", 0, Version{}},
	{"addc subc", "cc? u32|s32|u64|s64", "=T T T", 0, Version{}},
	{"add sub", "RND? ftz? sat? f32", "=T T T", 0, Version{}},
	{"add sub", "RND? f64", "=T T T", 0, Version{}},
	{"add sub mul", "rn? ftz? sat? f16|f16x2", "=T T T", 53, Version{4, 2}},
	{"add sub mul", "rn? bf16|bf16x2", "=T T T", 90, Version{7, 8}},
	{"mul", "lo|hi INT", "=T T T", 0, Version{}},
	{"mul", "wide u16|s16|u32|s32", "=W T T", 0, Version{}},
	{"mul", "RND? ftz? sat? f32", "=T T T", 0, Version{}},
	{"mul", "RND? f64", "=T T T", 0, Version{}},
	{"mad", "lo|hi INT", "=T T T T", 0, Version{}},
	{"mad", "hi sat s32", "=T T T T", 0, Version{}},
	{"mad", "lo|hi cc u32|s32|u64|s64", "=T T T T", 0, Version{}},
	{"madc", "lo|hi cc? u32|s32|u64|s64", "=T T T T", 0, Version{}},
	{"mad", "wide u16|s16|u32|s32", "=W T T W", 0, Version{}},
	{"mad fma", "RND ftz? sat? f32", "=T T T T", 0, Version{}},
	{"mad fma", "RND f64", "=T T T T", 0, Version{}},
	{"fma", "rn ftz? sat? f16|f16x2", "=T T T T", 53, Version{4, 2}},
	{"fma", "rn bf16|bf16x2", "=T T T T", 80, ptx70},
	{"sad", "INT", "=T T T T", 0, Version{}},
	{"div rem", "INT", "=T T T", 0, Version{}},
	{"div", "approx|full ftz? f32", "=T T T", 0, Version{}},
	{"div", "RND ftz? f32", "=T T T", 0, Version{}},
	{"div", "RND f64", "=T T T", 0, Version{}},
	{"abs", "s16|s32|s64", "=T T", 0, Version{}},
	{"neg", "s16|s32|s64", "=T T", 0, Version{}},
	{"abs neg", "ftz? f32", "=T T", 0, Version{}},
	{"abs neg", "f64", "=T T", 0, Version{}},
	{"abs neg", "ftz? f16|f16x2", "=T T", 53, ptx60},
	{"abs neg", "bf16|bf16x2", "=T T", 80, ptx70},
	{"min max", "INT", "=T T T", 0, Version{}},
	{"min max", "ftz? f32", "=T T T", 0, Version{}},
	{"min max", "ftz? NaN f32", "=T T T", 80, ptx70},
	{"min max", "f64", "=T T T", 0, Version{}},
	{"min max", "ftz? NaN? f16|f16x2", "=T T T", 80, ptx70},
	{"min max", "NaN? bf16|bf16x2", "=T T T", 80, ptx70},
	{"copysign", "f32|f64", "=T T T", 0, Version{2, 0}},
	{"testp", "finite|infinite|number|notanumber|normal|subnormal f32|f64", "=pred T", 0, Version{2, 0}},
	{"dp4a", "INT32 INT32", "=b32 T F b32", 61, Version{5, 0}},

	{"rcp sqrt", "approx ftz? f32", "=T T", 0, Version{}},
	{"rcp sqrt", "RND ftz? f32", "=T T", 0, Version{}},
	{"rcp sqrt", "RND f64", "=T T", 0, Version{}},
	{"rsqrt", "approx ftz? f32", "=T T", 0, Version{}},
	{"rsqrt", "approx f64", "=T T", 0, Version{}},
	{"sin cos lg2 ex2", "approx ftz? f32", "=T T", 0, Version{}},
	{"tanh", "approx f32", "=T T", 75, ptx70},

	{"and or xor", "pred|b16|b32|b64", "=T T T", 0, Version{}},
	{"not", "pred|b16|b32|b64", "=T T", 0, Version{}},
	{"cnot", "BITS", "=T T", 0, Version{}},
	{"lop3", "b32", "=T T T T u32", 50, Version{4, 3}},
	{"shl", "BITS", "=T T u32", 0, Version{}},
	{"shr", "BITS", "=T T u32", 0, Version{}},
	{"shr", "INT", "=T T u32", 0, Version{}},
	{"shf", "l|r wrap|clamp b32", "=T T T u32", 32, Version{3, 1}},
	{"popc clz", "b32|b64", "=u32 T", 0, Version{2, 0}},
	{"bfind", "shiftamt? WORD", "=u32 T", 0, Version{2, 0}},
	{"brev", "b32|b64", "=T T", 0, Version{2, 0}},
	{"bfe", "WORD", "=T T u32 u32", 0, Version{2, 0}},
	{"bfi", "b32|b64", "=T T T u32 u32", 0, Version{2, 0}},
	{"prmt", "b32", "=T T T T", 0, Version{2, 0}},

	{"setp", "ICMP b16|b32|b64|u16|s16|u32|s32|u64|s64", "=p|q T T", 0, Version{}},
	{"setp", "ICMP BOOL b16|b32|b64|u16|s16|u32|s32|u64|s64", "=p|q T T !p", 0, Version{}},
	{"setp", "FCMP ftz? f32", "=p|q T T", 0, Version{}},
	{"setp", "FCMP BOOL ftz? f32", "=p|q T T !p", 0, Version{}},
	{"setp", "FCMP f64", "=p|q T T", 0, Version{}},
	{"setp", "FCMP BOOL f64", "=p|q T T !p", 0, Version{}},
	{"setp", "FCMP ftz? f16", "=p|q T T", 53, Version{4, 2}},
	{"setp", "FCMP BOOL ftz? f16", "=p|q T T !p", 53, Version{4, 2}},
	{"setp", "FCMP bf16", "=p|q T T", 90, Version{7, 8}},
	{"set", "ICMP u32|s32|f32 b16|b32|b64|u16|s16|u32|s32|u64|s64", "=T F F", 0, Version{}},
	{"set", "FCMP ftz? u32|s32|f32 f32|f64", "=T F F", 0, Version{}},
	{"selp", "b16|b32|b64|u16|s16|u32|s32|u64|s64|f32|f64", "=T T T pred", 0, Version{}},
	{"slct", "b16|b32|b64|u16|s16|u32|s32|u64|s64|f32|f64 s32", "=T T T F", 0, Version{}},
	{"slct", "ftz? b16|b32|b64|u16|s16|u32|s32|u64|s64|f32|f64 f32", "=T T T F", 0, Version{}},

	{"mov", "pred|b16|b32|b64|u16|s16|u32|s32|u64|s64|f32|f64|f16|f16x2|bf16|bf16x2", "=M M", 0, Version{}},
	{"cvta", "global|shared|shared::cta|local|const u32|u64", "=T S", 0, Version{2, 0}},
	{"cvta", "to global|shared|shared::cta|local|const u32|u64", "=T S", 0, Version{2, 0}},
	{"isspacep", "global|shared|shared::cta|local|const", "=pred u64", 0, Version{2, 0}},
	{"cvt", "sat? CVT CVT", "=R FR", 0, Version{}},
	{"cvt", "RND ftz? sat? f16|f32|f64 CVT", "=R FR", 0, Version{}},
	{"cvt", "IRND ftz? sat? CVT f16|f32|f64", "=R FR", 0, Version{}},
	{"cvt", "ftz? sat? f32 f16", "=R FR", 0, Version{}},
	{"cvt", "ftz? sat? f64 f16|f32", "=R FR", 0, Version{}},
	{"cvt", "RND ftz? sat? f32 f64", "=R FR", 0, Version{}},
	{"cvt", "RND ftz? sat? f16 f32|f64", "=R FR", 0, Version{}},
	{"cvt", "IRND? ftz? sat? f32 f32", "=R FR", 0, Version{}},
	{"cvt", "IRND? sat? f64 f64", "=R FR", 0, Version{}},
	{"cvt", "IRND? ftz? sat? f16 f16", "=R FR", 0, Version{}},
	{"cvt", "rn|rz relu? bf16 f32", "=R FR", 80, ptx70},
	{"cvt", "f32 bf16", "=R FR", 90, Version{7, 8}},
	{"cvt", "rn|rz relu? f16x2|bf16x2 f32", "=T F F", 80, ptx70},

	{"ld", "weak? global|shared|shared::cta|local|const|param? ca|cg|cs|lu|cv? VEC? LDST", "=V [g]", 0, Version{}},
	{"ld", "weak? global|shared|shared::cta|local EVICT FETCH? VEC? LDST", "=V [g]", 70, Version{7, 4}},
	{"ld", "global ca|cg|cs? nc VEC? LDST", "=V [g]", 32, Version{3, 1}},
	{"ld", "global nc EVICT FETCH? VEC? LDST", "=V [g]", 70, Version{7, 4}},
	{"ld", "global nc FETCH VEC? LDST", "=V [g]", 75, Version{7, 4}},
	{"ld", "volatile SPACE? VEC? LDST", "=V [g]", 0, Version{}},
	{"ld", "relaxed|acquire SCOPE SPACE? EVICT? VEC? LDST", "=V [g]", 70, ptx60},
	{"ldu", "global VEC? LDST", "=V [g]", 0, Version{2, 0}},
	{"st", "weak? SPACE? wb|cg|cs|wt? VEC? LDST", "[g] V", 0, Version{}},
	{"st", "weak? SPACE EVICT VEC? LDST", "[g] V", 70, Version{7, 4}},
	{"st", "volatile SPACE? VEC? LDST", "[g] V", 0, Version{}},
	{"st", "relaxed|release SCOPE SPACE? EVICT? VEC? LDST", "[g] V", 70, ptx60},
	{"st", "param VEC? LDST", "[g] V", 0, Version{2, 0}},
	{"prefetch", "global|local? L1|L2", "[g]", 0, Version{2, 0}},
	{"prefetch", "global L2::evict_last|L2::evict_normal", "[g]", 80, Version{7, 4}},

	{"atom", "ORDER? SCOPE? SHARE? and|or|xor b32|b64", "=T [g] T", 70, ptx60},
	{"atom", "ORDER? SCOPE? SHARE? exch b32|b64", "=T [g] T", 70, ptx60},
	{"atom", "ORDER? SCOPE? SHARE? cas b16|b32|b64", "=T [g] T T", 70, ptx60},
	{"atom", "ORDER? SCOPE? SHARE? add u32|s32|u64|f32|f64", "=T [g] T", 70, ptx60},
	{"atom", "ORDER? SCOPE? SHARE? inc|dec u32", "=T [g] T", 70, ptx60},
	{"atom", "ORDER? SCOPE? SHARE? min|max WORD", "=T [g] T", 70, ptx60},
	{"red", "relaxed|release? SCOPE? SHARE? and|or|xor b32|b64", "[g] T", 70, ptx60},
	{"red", "relaxed|release? SCOPE? SHARE? add u32|s32|u64|f32|f64", "[g] T", 70, ptx60},
	{"red", "relaxed|release? SCOPE? SHARE? inc|dec u32", "[g] T", 70, ptx60},
	{"red", "relaxed|release? SCOPE? SHARE? min|max WORD", "[g] T", 70, ptx60},
	{"fence", "sc|acq_rel? SCOPE", "", 70, ptx60},
	{"fence", "acquire|release SCOPE", "", 90, Version{8, 6}},
	{"membar", "cta|gl|sys", "", 0, Version{}},

	{"bar", "warp sync", "b32", 30, ptx60},
	{"bar", "cta? sync", "u32 u32?", 0, Version{}},
	{"bar", "cta? arrive", "u32 u32", 0, Version{}},
	{"bar", "cta? red popc u32", "=T u32 u32? !p", 0, Version{}},
	{"bar", "cta? red and|or pred", "=T u32 u32? !p", 0, Version{}},
	{"barrier", "cta? sync aligned?", "u32 u32?", 30, ptx60},
	{"barrier", "cta? arrive aligned?", "u32 u32", 30, ptx60},
	{"barrier", "cta? red popc aligned? u32", "=T u32 u32? !p", 30, ptx60},
	{"barrier", "cta? red and|or aligned? pred", "=T u32 u32? !p", 30, ptx60},
	{"vote", "sync all|any|uni pred", "=T !p b32", 30, ptx60},
	{"vote", "sync ballot b32", "=T !p b32", 30, ptx60},
	{"activemask", "b32", "=T", 30, Version{6, 2}},
	{"match", "any sync b32|b64", "=b32 T b32", 70, ptx60},
	{"match", "all sync b32|b64", "=b32|p T b32", 70, ptx60},
	{"shfl", "sync up|down|bfly|idx b32", "=T|p T b32 b32 b32", 30, ptx60},
	{"redux", "sync add|min|max INT32", "=T T b32", 80, ptx70},
	{"redux", "sync and|or|xor b32", "=T T b32", 80, ptx70},
	{"elect", "sync", "=b32|p b32", 90, Version{8, 0}},
	{"mma", "sync aligned m16n8k16 row col f32 f16|bf16 f16|bf16 f32", "=4×f32 4×b32 2×b32 4×f32", 80, ptx70},
	{"mma", "sync aligned m16n8k16 row col f16 f16 f16 f16", "=2×b32 4×b32 2×b32 2×b32", 80, ptx70},
	{"mma", "sync aligned m16n8k8 row col f32 f16 f16 f32", "=4×f32 2×b32 1×b32 4×f32", 75, Version{6, 5}},
	{"mma", "sync aligned m16n8k8 row col f16 f16 f16 f16", "=2×b32 2×b32 1×b32 2×b32", 75, Version{6, 5}},
	{"mma", "sync aligned m16n8k8 row col f32 tf32 tf32 f32", "=4×f32 4×b32 2×b32 4×f32", 80, ptx70},
	{"mma", "sync aligned m8n8k4 row col f64 f64 f64 f64", "=2×f64 1×f64 1×f64 2×f64", 80, ptx70},
	{"mma", "sync aligned m16n8k32 row col s32 s8 s8 s32", "=4×s32 4×b32 2×b32 4×s32", 80, ptx70},
	{"mma", "sync aligned m16n8k32 row col s32 u8 u8 s32", "=4×s32 4×b32 2×b32 4×s32", 80, ptx70},
	{"mma", "sync aligned m8n8k16 row col s32 s8 s8 s32", "=2×s32 1×b32 1×b32 2×s32", 75, Version{6, 5}},
	{"mma", "sync aligned m8n8k16 row col s32 u8 u8 s32", "=2×s32 1×b32 1×b32 2×s32", 75, Version{6, 5}},
	{"mma", "sync aligned m16n8k256 row col s32 b1 b1 s32 and popc", "=4×s32 4×b32 2×b32 4×s32", 80, Version{7, 1}},
	{"ldmatrix", "sync aligned m8n8 x2 trans? shared b16", "=2×b32 [g]", 75, Version{6, 5}},
	{"ldmatrix", "sync aligned m8n8 x4 trans? shared b16", "=4×b32 [g]", 75, Version{6, 5}},

	{"cp", "async ca|cg shared|shared::cta global", "[g] [g] u32 u32?", 80, ptx70},
	{"cp", "async commit_group|wait_all", "", 80, ptx70},
	{"cp", "async wait_group", "u32", 80, ptx70},

	{"bra", "uni?", "L", 0, Version{}},
	{"brx", "idx uni?", "u32 B", 30, ptx60},
	{"exit ret", "", "", 0, Version{}},
	{"ret", "uni", "", 0, Version{}},
	{"trap", "", "", 0, Version{}},
	{"brkpt", "", "", 0, Version{}},
	{"nanosleep", "u32", "T", 70, Version{6, 3}},
	{"pmevent", "", "u32", 0, Version{}},
}

// group is one place for a modifier.
type group struct {
	words    []string
	optional bool
}

// pattern is a form made ready to be matched.
type pattern struct {
	*form
	groups []group
	args   []string
}

// patterns lists the forms of each name.
var patterns = func() map[string][]*pattern {
	m := make(map[string][]*pattern)
	for i := range forms {
		f := &forms[i]
		p := &pattern{form: f, args: strings.Fields(f.args)}
		for _, w := range strings.Fields(f.mods) {
			g := group{}
			w, g.optional = strings.CutSuffix(w, "?")
			if s, ok := sets[w]; ok {
				w = s
			}
			g.words = strings.Split(w, "|")
			p.groups = append(p.groups, g)
		}
		for _, op := range strings.Fields(f.ops) {
			m[op] = append(m[op], p)
		}
	}
	return m
}()

// usage is the form as an error shows it.
func (p *pattern) usage(op string) string {
	var b strings.Builder
	b.WriteString(op)
	for _, g := range p.groups {
		b.WriteString("{.")
		b.WriteString(strings.Join(g.words, "|."))
		b.WriteByte('}')
		if g.optional {
			b.WriteByte('?')
		}
	}
	return b.String()
}

// match fills in the modifiers and types of in from the words after its name. It returns the number of
// groups it got through, and whether all words were taken.
func (p *pattern) match(in *Inst, words []string) (taken int, ok bool) {
	in.Mods, in.Type, in.From = in.Mods[:0], None, None
	for _, g := range p.groups {
		if taken < len(words) && contains(g.words, words[taken]) {
			w := words[taken]
			taken++
			if t, isType := typeByName[w]; !isType {
				in.Mods = append(in.Mods, w)
			} else if in.Type == None {
				in.Type = t
			} else if in.From == None {
				in.From = t
			}
			continue
		}
		if !g.optional {
			return taken, false
		}
	}
	return taken, taken == len(words)
}

func contains(words []string, w string) bool {
	for _, x := range words {
		if x == w {
			return true
		}
	}
	return false
}

package arm64

// inst is an instruction: a row of the table.
type inst uint16

// row is how an instruction is encoded and written: its bits, where no operand stands, and its operands (operand.go).
type row struct {
	name     string
	bits     uint32
	operands string
}

// wide is the bit that turns most general instructions from 32 to 64 bits; the row of 64 bits follows that of 32.
const wide = 1

const (
	none inst = iota
	movW
	movX
	movzW
	movzX
	movnX
	movkW
	movkX
	addW
	addX
	addsW
	addsX
	adcsW
	adcsX
	sbcsW
	sbcsX
	subW
	subX
	subsW
	subsX
	cmpW
	cmpX
	andsW
	andsX
	tstW
	tstX
	orrW
	orrX
	eorW
	eorX
	negW
	negX
	mvnW
	mvnX
	andW
	andX
	mulW
	mulX
	umulh
	smulh
	msubW
	msubX
	udivW
	udivX
	sdivW
	sdivX
	addImmW
	addImmX
	addsImmW
	addsImmX
	subImmW
	subImmX
	subsImmW
	subsImmX
	cmpImmW
	cmpImmX
	addSxtw
	lslW
	lslX
	lsrW
	lsrX
	asrW
	asrX
	lslvW
	lslvX
	lsrvW
	lsrvX
	asrvW
	asrvX
	clzW
	clzX
	rbitW
	rbitX
	cselW
	cselX
	cset
	sxtw
	uxtb
	uxth
	sxtb
	sxth

	strB
	strH
	strW
	strX
	strS
	strD
	strQ
	ldrB
	ldrH
	ldrW
	ldrX
	ldrS
	ldrD
	ldrQ
	ldrsB
	ldrsH
	ldrsW
	sturB
	sturH
	sturW
	sturX
	sturS
	sturD
	sturQ
	ldurB
	ldurH
	ldurW
	ldurX
	ldurS
	ldurD
	ldurQ
	ldursB
	ldursH
	ldursW
	stpQ
	ldpQ
	ld1r4
	ld1r2
	ld1s
	ld1d
	st1s
	st1d
	ldaxrW
	ldaxrX
	stlxrW
	stlxrX
	ldarW
	ldarX
	dmb
	mrsCounter

	ret
	br
	b
	bCond
	cbzW
	cbzX
	cbnzW
	cbnzX
	tbz
	adr

	movV
	add4
	add2
	add16
	sub4
	sub2
	mul4
	and16
	bic16
	orr16
	eor16
	bsl16
	bit16
	bif16
	mvn16
	cmeq4
	cmeq2
	cmgt4
	cmgt2
	cmhi2
	cmlt4
	cmlt2
	smin4
	smax4
	umin4
	umax4
	umaxp4
	fadd4
	fadd2
	fsub4
	fsub2
	fmul4
	fmul2
	fdiv4
	fdiv2
	fmla4
	fmla2
	fcmgt4
	fcmgt2
	fcmge4
	fcmge2
	fcmeq4
	fcmeq2
	fmax2
	fmin2
	fneg2
	fsqrt4
	fsqrt2
	abs4
	scvtf4
	scvtf2
	fcvtzs4
	fcvtzs2
	frintn4
	frintn2
	frintm4
	frintm2
	frintp4
	frintp2
	frintz4
	frintz2
	fcvtlD
	fcvtl2D
	fcvtlS
	fcvtl2S
	fcvtnS
	fcvtn2S
	fcvtnH
	fcvtn2H
	xtnS
	xtn2S
	xtnH
	xtn2H
	xtnB
	sqxtunH
	sqxtun2H
	uxtlD
	uxtl2D
	uxtlS
	uxtl2S
	uxtlH
	sxtlD
	sxtl2D
	sxtlS
	sxtl2S
	sxtlH
	umull
	smull
	shl4
	shl2
	ushr4
	ushr2
	sshr4
	ushl4
	ushl2
	sshl4
	neg4
	neg2
	zip1x4
	zip2x4
	zip1x2
	zip2x2
	uzp1x4
	uzp2x4
	rev64
	ext
	tbl2
	sli4
	dup4
	dup2
	dup4W
	dup2X
	insS
	insD
	insSW
	insDX
	umovS
	umovD
	fmovWS
	fmovXD
	fmovSW
	fmovDX
	faddS
	faddD
	movi4
	movi2
	uabd
	uaddlpH
	uaddlpS
	uaddlpD
	and8
	addv8

	numInsts
)

var rows = [numInsts]row{
	movW: {"mov", 0x2A0003E0, "Wd Wm"}, movX: {"mov", 0xAA0003E0, "Xd Xm"},
	movzW: {"mov", 0x52800000, "Wd #z1"}, movzX: {"mov", 0xD2800000, "Xd #z2"},
	movnX: {"mov", 0x92800000, "Xd #n"},
	movkW: {"movk", 0x72800000, "Wd #k1"}, movkX: {"movk", 0xF2800000, "Xd #k2"},
	addW: {"add", 0x0B000000, "Wd Wn Wm <5"}, addX: {"add", 0x8B000000, "Xd Xn Xm <6"},
	addsW: {"adds", 0x2B000000, "Wd Wn Wm"}, addsX: {"adds", 0xAB000000, "Xd Xn Xm"},
	adcsW: {"adcs", 0x3A000000, "Wd Wn Wm"}, adcsX: {"adcs", 0xBA000000, "Xd Xn Xm"},
	sbcsW: {"sbcs", 0x7A000000, "Wd Wn Wm"}, sbcsX: {"sbcs", 0xFA000000, "Xd Xn Xm"},
	subW: {"sub", 0x4B000000, "Wd Wn Wm"}, subX: {"sub", 0xCB000000, "Xd Xn Xm"},
	subsW: {"subs", 0x6B000000, "Wd Wn Wm"}, subsX: {"subs", 0xEB000000, "Xd Xn Xm"},
	cmpW: {"cmp", 0x6B00001F, "Wn Wm"}, cmpX: {"cmp", 0xEB00001F, "Xn Xm"},
	andsW: {"ands", 0x6A000000, "Wd Wn Wm"}, andsX: {"ands", 0xEA000000, "Xd Xn Xm"},
	tstW: {"tst", 0x6A00001F, "Wn Wm"}, tstX: {"tst", 0xEA00001F, "Xn Xm"},
	orrW: {"orr", 0x2A000000, "Wd Wn Wm"}, orrX: {"orr", 0xAA000000, "Xd Xn Xm"},
	eorW: {"eor", 0x4A000000, "Wd Wn Wm"}, eorX: {"eor", 0xCA000000, "Xd Xn Xm"},
	negW: {"neg", 0x4B0003E0, "Wd Wm"}, negX: {"neg", 0xCB0003E0, "Xd Xm"},
	mvnW: {"mvn", 0x2A2003E0, "Wd Wm"}, mvnX: {"mvn", 0xAA2003E0, "Xd Xm"},
	andW: {"and", 0x0A000000, "Wd Wn Wm"}, andX: {"and", 0x8A000000, "Xd Xn Xm"},
	mulW: {"mul", 0x1B007C00, "Wd Wn Wm"}, mulX: {"mul", 0x9B007C00, "Xd Xn Xm"},
	umulh: {"umulh", 0x9BC07C00, "Xd Xn Xm"}, smulh: {"smulh", 0x9B407C00, "Xd Xn Xm"},
	msubW: {"msub", 0x1B008000, "Wd Wn Wm Wa"}, msubX: {"msub", 0x9B008000, "Xd Xn Xm Xa"},
	udivW: {"udiv", 0x1AC00800, "Wd Wn Wm"}, udivX: {"udiv", 0x9AC00800, "Xd Xn Xm"},
	sdivW: {"sdiv", 0x1AC00C00, "Wd Wn Wm"}, sdivX: {"sdiv", 0x9AC00C00, "Xd Xn Xm"},
	addImmW: {"add", 0x11000000, "Wd Wn #12"}, addImmX: {"add", 0x91000000, "Xd Xn #12"},
	addsImmW: {"adds", 0x31000000, "Wd Wn #12"}, addsImmX: {"adds", 0xB1000000, "Xd Xn #12"},
	subImmW: {"sub", 0x51000000, "Wd Wn #12"}, subImmX: {"sub", 0xD1000000, "Xd Xn #12"},
	subsImmW: {"subs", 0x71000000, "Wd Wn #12"}, subsImmX: {"subs", 0xF1000000, "Xd Xn #12"},
	cmpImmW: {"cmp", 0x7100001F, "Wn #12"}, cmpImmX: {"cmp", 0xF100001F, "Xn #12"},
	addSxtw: {"add", 0x8B20C000, "Xd Xn Wm sxtw3"},
	lslW:    {"lsl", 0x53000000, "Wd Wn #l5"}, lslX: {"lsl", 0xD3400000, "Xd Xn #l6"},
	lsrW: {"lsr", 0x53007C00, "Wd Wn #r5"}, lsrX: {"lsr", 0xD340FC00, "Xd Xn #r6"},
	asrW: {"asr", 0x13007C00, "Wd Wn #r5"}, asrX: {"asr", 0x9340FC00, "Xd Xn #r6"},
	lslvW: {"lsl", 0x1AC02000, "Wd Wn Wm"}, lslvX: {"lsl", 0x9AC02000, "Xd Xn Xm"},
	lsrvW: {"lsr", 0x1AC02400, "Wd Wn Wm"}, lsrvX: {"lsr", 0x9AC02400, "Xd Xn Xm"},
	asrvW: {"asr", 0x1AC02800, "Wd Wn Wm"}, asrvX: {"asr", 0x9AC02800, "Xd Xn Xm"},
	clzW: {"clz", 0x5AC01000, "Wd Wn"}, clzX: {"clz", 0xDAC01000, "Xd Xn"},
	rbitW: {"rbit", 0x5AC00000, "Wd Wn"}, rbitX: {"rbit", 0xDAC00000, "Xd Xn"},
	cselW: {"csel", 0x1A800000, "Wd Wn Wm c"}, cselX: {"csel", 0x9A800000, "Xd Xn Xm c"},
	cset: {"cset", 0x1A9F07E0, "Wd !c"},
	sxtw: {"sxtw", 0x93407C00, "Xd Wn"},
	uxtb: {"uxtb", 0x53001C00, "Wd Wn"}, uxth: {"uxth", 0x53003C00, "Wd Wn"},
	sxtb: {"sxtb", 0x13001C00, "Wd Wn"}, sxth: {"sxth", 0x13003C00, "Wd Wn"},

	strB: {"strb", 0x39000000, "Wd [u0]"}, strH: {"strh", 0x79000000, "Wd [u1]"}, strW: {"str", 0xB9000000, "Wd [u2]"}, strX: {"str", 0xF9000000, "Xd [u3]"},
	strS: {"str", 0xBD000000, "sd [u2]"}, strD: {"str", 0xFD000000, "dd [u3]"}, strQ: {"str", 0x3D800000, "qd [u4]"},
	ldrB: {"ldrb", 0x39400000, "Wd [u0]"}, ldrH: {"ldrh", 0x79400000, "Wd [u1]"}, ldrW: {"ldr", 0xB9400000, "Wd [u2]"}, ldrX: {"ldr", 0xF9400000, "Xd [u3]"},
	ldrS: {"ldr", 0xBD400000, "sd [u2]"}, ldrD: {"ldr", 0xFD400000, "dd [u3]"}, ldrQ: {"ldr", 0x3DC00000, "qd [u4]"},
	ldrsB: {"ldrsb", 0x39C00000, "Wd [u0]"}, ldrsH: {"ldrsh", 0x79C00000, "Wd [u1]"}, ldrsW: {"ldrsw", 0xB9800000, "Xd [u2]"},
	sturB: {"sturb", 0x38000000, "Wd [s9]"}, sturH: {"sturh", 0x78000000, "Wd [s9]"}, sturW: {"stur", 0xB8000000, "Wd [s9]"}, sturX: {"stur", 0xF8000000, "Xd [s9]"},
	sturS: {"stur", 0xBC000000, "sd [s9]"}, sturD: {"stur", 0xFC000000, "dd [s9]"}, sturQ: {"stur", 0x3C800000, "qd [s9]"},
	ldurB: {"ldurb", 0x38400000, "Wd [s9]"}, ldurH: {"ldurh", 0x78400000, "Wd [s9]"}, ldurW: {"ldur", 0xB8400000, "Wd [s9]"}, ldurX: {"ldur", 0xF8400000, "Xd [s9]"},
	ldurS: {"ldur", 0xBC400000, "sd [s9]"}, ldurD: {"ldur", 0xFC400000, "dd [s9]"}, ldurQ: {"ldur", 0x3CC00000, "qd [s9]"},
	ldursB: {"ldursb", 0x38C00000, "Wd [s9]"}, ldursH: {"ldursh", 0x78C00000, "Wd [s9]"}, ldursW: {"ldursw", 0xB8800000, "Xd [s9]"},
	stpQ: {"stp", 0xAD000000, "qd qa [p]"}, ldpQ: {"ldp", 0xAD400000, "qd qa [p]"},
	ld1r4: {"ld1r", 0x4D40C800, "{vd.4s} [n]"}, ld1r2: {"ld1r", 0x4D40CC00, "{vd.2d} [n]"},
	ld1s: {"ld1", 0x0D408000, "{vd.s}q [n]"}, ld1d: {"ld1", 0x0D408400, "{vd.d}q [n]"},
	st1s: {"st1", 0x0D008000, "{vd.s}q [n]"}, st1d: {"st1", 0x0D008400, "{vd.d}q [n]"},
	ldaxrW: {"ldaxr", 0x885FFC00, "Wd [n]"}, ldaxrX: {"ldaxr", 0xC85FFC00, "Xd [n]"},
	stlxrW: {"stlxr", 0x8800FC00, "Wm Wd [n]"}, stlxrX: {"stlxr", 0xC800FC00, "Wm Xd [n]"},
	ldarW: {"ldar", 0x88DFFC00, "Wd [n]"}, ldarX: {"ldar", 0xC8DFFC00, "Xd [n]"},
	dmb: {"dmb", 0xD5033BBF, "=ish"}, mrsCounter: {"mrs", 0xD53BE040, "Xd =cntvct_el0"},

	ret: {"ret", 0xD65F03C0, ""}, br: {"br", 0xD61F0000, "Xn"}, b: {"b", 0x14000000, "L26"}, bCond: {"b.", 0x54000000, "+c L19"},
	cbzW: {"cbz", 0x34000000, "Wd L19"}, cbzX: {"cbz", 0xB4000000, "Xd L19"}, cbnzW: {"cbnz", 0x35000000, "Wd L19"}, cbnzX: {"cbnz", 0xB5000000, "Xd L19"},
	tbz: {"tbz", 0x36000000, "Wd #b L14"}, adr: {"adr", 0x10000000, "Xd L21"},

	movV: {"mov", 0x4EA01C00, "vd.16b vnm.16b"},
	add4: {"add", 0x4EA08400, "3.4s"}, add2: {"add", 0x4EE08400, "3.2d"}, add16: {"add", 0x4E208400, "3.16b"},
	sub4: {"sub", 0x6EA08400, "3.4s"}, sub2: {"sub", 0x6EE08400, "3.2d"}, mul4: {"mul", 0x4EA09C00, "3.4s"},
	and16: {"and", 0x4E201C00, "3.16b"}, bic16: {"bic", 0x4E601C00, "3.16b"}, orr16: {"orr", 0x4EA01C00, "3.16b"}, eor16: {"eor", 0x6E201C00, "3.16b"},
	bsl16: {"bsl", 0x6E601C00, "3.16b"}, bit16: {"bit", 0x6EA01C00, "3.16b"}, bif16: {"bif", 0x6EE01C00, "3.16b"}, mvn16: {"mvn", 0x6E205800, "2.16b"},
	cmeq4: {"cmeq", 0x6EA08C00, "3.4s"}, cmeq2: {"cmeq", 0x6EE08C00, "3.2d"}, cmgt4: {"cmgt", 0x4EA03400, "3.4s"}, cmgt2: {"cmgt", 0x4EE03400, "3.2d"},
	cmhi2: {"cmhi", 0x6EE03400, "3.2d"}, cmlt4: {"cmlt", 0x4EA0A800, "2.4s =#0"}, cmlt2: {"cmlt", 0x4EE0A800, "2.2d =#0"},
	smin4: {"smin", 0x4EA06C00, "3.4s"}, smax4: {"smax", 0x4EA06400, "3.4s"}, umin4: {"umin", 0x6EA06C00, "3.4s"}, umax4: {"umax", 0x6EA06400, "3.4s"},
	umaxp4: {"umaxp", 0x6EA0A400, "3.4s"},
	fadd4:  {"fadd", 0x4E20D400, "3.4s"}, fadd2: {"fadd", 0x4E60D400, "3.2d"}, fsub4: {"fsub", 0x4EA0D400, "3.4s"}, fsub2: {"fsub", 0x4EE0D400, "3.2d"},
	fmul4: {"fmul", 0x6E20DC00, "3.4s"}, fmul2: {"fmul", 0x6E60DC00, "3.2d"}, fdiv4: {"fdiv", 0x6E20FC00, "3.4s"}, fdiv2: {"fdiv", 0x6E60FC00, "3.2d"},
	fmla4: {"fmla", 0x4E20CC00, "3.4s"}, fmla2: {"fmla", 0x4E60CC00, "3.2d"},
	fcmgt4: {"fcmgt", 0x6EA0E400, "3.4s"}, fcmgt2: {"fcmgt", 0x6EE0E400, "3.2d"}, fcmge4: {"fcmge", 0x6E20E400, "3.4s"}, fcmge2: {"fcmge", 0x6E60E400, "3.2d"},
	fcmeq4: {"fcmeq", 0x4E20E400, "3.4s"}, fcmeq2: {"fcmeq", 0x4E60E400, "3.2d"},
	fmax2: {"fmax", 0x4E60F400, "3.2d"}, fmin2: {"fmin", 0x4EE0F400, "3.2d"}, fneg2: {"fneg", 0x6EE0F800, "2.2d"},
	fsqrt4: {"fsqrt", 0x6EA1F800, "2.4s"}, fsqrt2: {"fsqrt", 0x6EE1F800, "2.2d"}, abs4: {"abs", 0x4EA0B800, "2.4s"},
	scvtf4: {"scvtf", 0x4E21D800, "2.4s"}, scvtf2: {"scvtf", 0x4E61D800, "2.2d"}, fcvtzs4: {"fcvtzs", 0x4EA1B800, "2.4s"}, fcvtzs2: {"fcvtzs", 0x4EE1B800, "2.2d"},
	frintn4: {"frintn", 0x4E218800, "2.4s"}, frintn2: {"frintn", 0x4E618800, "2.2d"}, frintm4: {"frintm", 0x4E219800, "2.4s"}, frintm2: {"frintm", 0x4E619800, "2.2d"},
	frintp4: {"frintp", 0x4EA18800, "2.4s"}, frintp2: {"frintp", 0x4EE18800, "2.2d"}, frintz4: {"frintz", 0x4EA19800, "2.4s"}, frintz2: {"frintz", 0x4EE19800, "2.2d"},
	fcvtlD: {"fcvtl", 0x0E617800, "vd.2d vn.2s"}, fcvtl2D: {"fcvtl2", 0x4E617800, "vd.2d vn.4s"},
	fcvtlS: {"fcvtl", 0x0E217800, "vd.4s vn.4h"}, fcvtl2S: {"fcvtl2", 0x4E217800, "vd.4s vn.8h"},
	fcvtnS: {"fcvtn", 0x0E616800, "vd.2s vn.2d"}, fcvtn2S: {"fcvtn2", 0x4E616800, "vd.4s vn.2d"},
	fcvtnH: {"fcvtn", 0x0E216800, "vd.4h vn.4s"}, fcvtn2H: {"fcvtn2", 0x4E216800, "vd.8h vn.4s"},
	xtnS: {"xtn", 0x0EA12800, "vd.2s vn.2d"}, xtn2S: {"xtn2", 0x4EA12800, "vd.4s vn.2d"}, xtnH: {"xtn", 0x0E612800, "vd.4h vn.4s"},
	xtn2H: {"xtn2", 0x4E612800, "vd.8h vn.4s"}, xtnB: {"xtn", 0x0E212800, "vd.8b vn.8h"},
	sqxtunH: {"sqxtun", 0x2E612800, "vd.4h vn.4s"}, sqxtun2H: {"sqxtun2", 0x6E612800, "vd.8h vn.4s"},
	uxtlD: {"uxtl", 0x2F20A400, "vd.2d vn.2s"}, uxtl2D: {"uxtl2", 0x6F20A400, "vd.2d vn.4s"}, uxtlS: {"uxtl", 0x2F10A400, "vd.4s vn.4h"},
	uxtl2S: {"uxtl2", 0x6F10A400, "vd.4s vn.8h"}, uxtlH: {"uxtl", 0x2F08A400, "vd.8h vn.8b"},
	sxtlD: {"sxtl", 0x0F20A400, "vd.2d vn.2s"}, sxtl2D: {"sxtl2", 0x4F20A400, "vd.2d vn.4s"}, sxtlS: {"sxtl", 0x0F10A400, "vd.4s vn.4h"},
	sxtl2S: {"sxtl2", 0x4F10A400, "vd.4s vn.8h"}, sxtlH: {"sxtl", 0x0F08A400, "vd.8h vn.8b"},
	umull: {"umull", 0x2EA0C000, "vd.2d vn.2s vm.2s"}, smull: {"smull", 0x0EA0C000, "vd.2d vn.2s vm.2s"},
	shl4: {"shl", 0x4F205400, "2.4s #s5"}, shl2: {"shl", 0x4F405400, "2.2d #s6"},
	ushr4: {"ushr", 0x6F200400, "2.4s #t5"}, ushr2: {"ushr", 0x6F400400, "2.2d #t6"}, sshr4: {"sshr", 0x4F200400, "2.4s #t5"},
	ushl4: {"ushl", 0x6EA04400, "3.4s"}, ushl2: {"ushl", 0x6EE04400, "3.2d"}, sshl4: {"sshl", 0x4EA04400, "3.4s"},
	neg4: {"neg", 0x6EA0B800, "2.4s"}, neg2: {"neg", 0x6EE0B800, "2.2d"},
	zip1x4: {"zip1", 0x4E803800, "3.4s"}, zip2x4: {"zip2", 0x4E807800, "3.4s"}, zip1x2: {"zip1", 0x4EC03800, "3.2d"}, zip2x2: {"zip2", 0x4EC07800, "3.2d"},
	uzp1x4: {"uzp1", 0x4E801800, "3.4s"}, uzp2x4: {"uzp2", 0x4E805800, "3.4s"}, rev64: {"rev64", 0x4EA00800, "2.4s"},
	ext: {"ext", 0x6E000000, "3.16b #e"}, tbl2: {"tbl", 0x4E002000, "vd.16b {vnn.16b} vm.16b"}, sli4: {"sli", 0x6F205400, "2.4s #s5"},
	dup4: {"dup", 0x4E040400, "vd.4s vn.s5"}, dup2: {"dup", 0x4E080400, "vd.2d vn.d5"}, dup4W: {"dup", 0x4E040C00, "vd.4s Wn"}, dup2X: {"dup", 0x4E080C00, "vd.2d Xn"},
	insS: {"mov", 0x6E040400, "vd.s5 vn.s4"}, insD: {"mov", 0x6E080400, "vd.d5 vn.d4"}, insSW: {"mov", 0x4E041C00, "vd.s5 Wn"}, insDX: {"mov", 0x4E081C00, "vd.d5 Xn"},
	umovS: {"mov", 0x0E043C00, "Wd vn.s5"}, umovD: {"mov", 0x4E083C00, "Xd vn.d5"},
	fmovWS: {"fmov", 0x1E260000, "Wd sn"}, fmovXD: {"fmov", 0x9E660000, "Xd dn"}, fmovSW: {"fmov", 0x1E270000, "sd Wn"}, fmovDX: {"fmov", 0x9E670000, "dd Xn"},
	faddS: {"fadd", 0x1E202800, "sd sn sm"}, faddD: {"fadd", 0x1E602800, "dd dn dm"},
	movi4: {"movi", 0x4F000400, "vd.4s #i"}, movi2: {"movi", 0x6F00E400, "vd.2d =#0x0"},
	uabd: {"uabd", 0x6E207400, "3.16b"}, uaddlpH: {"uaddlp", 0x6E202800, "vd.8h vn.16b"}, uaddlpS: {"uaddlp", 0x6E602800, "vd.4s vn.8h"}, uaddlpD: {"uaddlp", 0x6EA02800, "vd.2d vn.4s"},
	and8: {"and", 0x0E201C00, "3.8b"}, addv8: {"addv", 0x0E31B800, "bd vn.8b"},
}

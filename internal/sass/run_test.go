package sass_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/sass"
)

// one is a grid of one group, or a group of one invocation.
var one = [3]uint32{1, 1, 1}

// TestInstructions runs a line or two on R2 to R5, and looks at what is left in R6 and R7.
func TestInstructions(t *testing.T) {
	rows := []struct {
		code string
		in   [4]uint32
		want uint64
	}{
		{"LEA.X R6, ~R2, R3, 0x8, PT; MOV R7, RZ", [4]uint32{1, 5}, 0xFFFF_FF05},                           // inverts after the shift
		{"LEA.HI R6, -R2, R3, R4, 0x8; MOV R7, RZ", [4]uint32{1, 0xCE14_ABEE, 2}, 0xCE14_A9EE},             // negates what the shift leaves
		{"LEA R6, P0, R2, -R3, 0xb; IADD3.X R7, R4, -0x1, RZ, P0, !PT", [4]uint32{1, 0, 9}, 9<<32 | 0x800}, // −0 carries out
		{"IADD3 R6, P0, R2, -R3, RZ; IADD3.X R7, R4, ~R5, RZ, P0, !PT", [4]uint32{3, 5, 9, 2}, 6<<32 | 0xFFFF_FFFE},
		{"IADD3 R6, P0, P1, R2, R3, R4; IADD3.X R7, RZ, RZ, RZ, P0, P1", [4]uint32{^uint32(0), ^uint32(0), ^uint32(0)}, 2<<32 | 0xFFFF_FFFD},
		{"IMAD.WIDE.U32 R6, R2, -0x80000000, RZ", [4]uint32{5}, 5 << 31},
		{"IMAD.WIDE R6, R2, 0x3, R4", [4]uint32{^uint32(0), 0, 7, 1}, 1<<32 + 4},
		{"SHF.R.S64 R6, R2, 0x21, R3; SHF.R.S32.HI R7, RZ, 0x1f, R3", [4]uint32{0, 0x8000_0000}, 0xFFFF_FFFF_C000_0000},
		{"SHF.L.U64.HI R6, R2, 0x1f, R3; MOV R7, RZ", [4]uint32{5, 1}, 0x8000_0002},
		{"ISETP.LT.U32.AND P0, PT, R2, R3, PT; ISETP.LT.AND.EX P0, PT, R4, R5, PT, P0; SEL R6, R2, R3, P0; SEL R7, R4, R5, P0", [4]uint32{7, 8, 4, 4}, 4<<32 | 7},
		{"PRMT R6, R2, 0x5410, R3; PRMT R7, R2, 0xba98, R3", [4]uint32{0x8111_2222, 0x3333_4444}, 0xFF00_0000<<32 | 0x4444_2222},
		{"LOP3.LUT R6, R2, 0xf0, R3, 0xf8, !PT; SGXT R7, R2, 0x4", [4]uint32{0x3C, 0xC3}, 0xFFFF_FFFC<<32 | 0xFC},
		{"FLO.U32 R6, R2; HFMA2.MMA R7, -RZ, RZ, 0, 5.9604644775390625e-08", [4]uint32{0x100}, 1<<32 | 8},
		{"FFMA R6, R2, R3, R4; FFMA.RZ R7, R2, R3, R4", [4]uint32{0x3F800001, 0x3F800001, 0xBF800000}, 0x34800000<<32 | 0x34800000},                        // one rounding: 2⁻²² + 2⁻⁴⁶
		{"FADD.RM R6, R2, -R2; FADD R7, R2, |R3|", [4]uint32{0x3F800000, 0xC0000000}, 0x40400000<<32 | 0x80000000},                                         // down to −0
		{"FMNMX R6, R2, R3, PT; FMNMX.NAN R7, R2, R3, !PT", [4]uint32{0x7FC00000, 0x3F800000}, 0x7FFFFFFF<<32 | 0x3F800000},                                // a NaN counts, or not
		{"I2F.U32.RP R6, R2; F2I.FTZ.U32.TRUNC.NTZ R7, R3", [4]uint32{0x1000001, 0xBF800000}, 0x4B800001},                                                  // up; below 0 is 0
		{"I2F.U64.RP R6, 0x1; F2I.TRUNC.NTZ R7, R2", [4]uint32{0x7FC00000}, 0x4F800000},                                                                    // the upper half of 64 bits; a NaN is 0
		{"DADD R6, R2, R4", [4]uint32{0, 0x3FF00000, 0, 0x40000000}, 0x40080000 << 32},                                                                     // 1 + 2
		{"DSETP.MIN.AND P0, P1, R2, R4, PT; SEL R6, R3, R5, P0; MOV R7, RZ", [4]uint32{0, 0x80000000, 0, 0}, 0x80000000},                                   // −0 is less
		{"HADD2 R6, R2.H0_H0, R3.H1_H1; HFMA2.MMA R7, -RZ, RZ, -INF , 5.9604644775390625e-08", [4]uint32{0x3C00, 0x40000000}, 0xFC000001<<32 | 0x42004200}, // 1 + 2, twice
		{"MUFU.RCP64H R6, 2; MOV R7, RZ", [4]uint32{}, 0x3FE00000},                                                                                         // the upper half of ½
		{"HADD2 R6, R2, 1, 2; HMUL2 R7, R2.H1_H1, 2, 2", [4]uint32{0x3C00_4000}, 0x4000_4000<<32 | 0x4000_4400},                                            // constants of two halves
		{"VABSDIFF R6, R2, R3, R4; I2I.U8.S32.SAT R7, R5", [4]uint32{^uint32(0), 5, 1, 300}, 255<<32 | 7},
		{"IADD3 R1, R1, -0x8, RZ; STL.64 [R1], R2; LDL R6, [R1+0x4]; LDL R7, [R1]", [4]uint32{3, 4}, 3<<32 | 4},
		{"ISETP.NE.U32.AND P0, PT, R2, RZ, PT; ISETP.NE.U32.AND P1, PT, R3, RZ, PT; CS2R R6, SRZ; @P0 EXIT P1; MOV R6, 0x1", [4]uint32{1, 0}, 1},
	}
	for _, r := range rows {
		bank := make([]byte, 48)
		binary.LittleEndian.PutUint32(bank[0x28:], sass.StackEnd)
		code := []string{"MOV R1, c[0x0][0x28]"}
		for i, v := range r.in {
			binary.LittleEndian.PutUint32(bank[4*i:], v)
			code = append(code, fmt.Sprintf("MOV R%d, c[0x0][%#x]", 2+i, 4*i))
		}
		code = append(append(code, strings.Split(r.code, "; ")...), "MOV R8, 0x100", "MOV R9, RZ", "STG.E.64 [R8.64], R6", "EXIT")
		got := make([]byte, 8)
		c, err := sass.Parse(listing(code))
		if err == nil {
			err = c.Run(sass.Launch{Constants: bank, Memory: []sass.Segment{{At: 0x100, Data: got}}, Grid: one, Group: one})
		}
		if v := binary.LittleEndian.Uint64(got); err != nil || v != r.want&(1<<64-1) {
			t.Errorf("%s of %#x: got %#x, %v; want %#x", r.code, r.in, v, err, r.want)
		}
	}
}

// listing prints instructions as nvdisasm does.
func listing(code []string) string {
	var b strings.Builder
	for i, c := range code {
		fmt.Fprintf(&b, "        /*%04x*/                   %s ;\n", 16*i, c)
	}
	return b.String()
}

// TestWhatIsNotKnownIsSaid: an instruction, and one that nvdisasm leaves out.
func TestWhatIsNotKnownIsSaid(t *testing.T) {
	var unknown *sass.UnknownError
	c, err := sass.Parse(listing([]string{"MUFU.SIN R2, R3", "TEX.LL R2, R3, R4, R5", "EXIT"}))
	if err == nil {
		err = c.Run(sass.Launch{Grid: one, Group: one})
	}
	if !errors.As(err, &unknown) || unknown.Text != "TEX.LL R2, R3, R4, R5" {
		t.Errorf("got %v for a texture", err)
	}
	if _, err := sass.Parse(strings.Replace(listing([]string{"NOP", "NOP", "EXIT"}), "/*0010*/                   NOP ;", "", 1)); !errors.As(err, &unknown) {
		t.Errorf("got %v for a gap", err)
	}
}

// TestWhatHasNoTextIsDecoded: VIMNMX stands in a listing of sm_90 in its bits alone. A branch goes by its own bits then.
func TestWhatHasNoTextIsDecoded(t *testing.T) {
	const listing = `
        /*0000*/                   MOV R2, c[0x0][0x0] ;                      /* 0x0000000000027a02 */
                                                                              /* 0x000fe20000000f00 */
        /*0010*/                   BRA ` + "`(.L_x_0)" + ` ;                  /* 0x0000000000047947 */
                                                                              /* 0x000fea0003800000 */
.L_x_0:
                                                                              /* 0x0000001102027848 */
                                                                              /* 0x000fce0003fe0000 */
        /*0030*/                   MOV R8, 0x100 ;                            /* 0x0000010000087802 */
                                                                              /* 0x000fe20000000f00 */
                                                                              /* 0xfffffffd02037848 */
                                                                              /* 0x000fce0007fe0100 */
        /*0050*/                   MOV R9, RZ ;                               /* 0x000000ff00097202 */
                                                                              /* 0x000fe20000000f00 */
        /*0060*/                   STG.E.64 [R8.64], R2 ;                     /* 0x0000000208007986 */
                                                                              /* 0x000fe2000c101b04 */
        /*0070*/                   EXIT ;                                     /* 0x000000000000794d */
                                                                              /* 0x000fea0003800000 */
`
	for _, r := range []struct {
		in   uint32
		want uint64
	}{{5, 5<<32 | 5}, {^uint32(0), 0xFFFFFFFF<<32 | 0xFFFFFFFF}} {
		code, err := sass.Parse(listing)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 8)
		bank := binary.LittleEndian.AppendUint32(nil, r.in)
		err = code.Run(sass.Launch{Constants: bank, Memory: []sass.Segment{{At: 0x100, Data: got}}, Grid: one, Group: one})
		if v := binary.LittleEndian.Uint64(got); err != nil || v != r.want {
			t.Errorf("of %#x: got %#x, %v; want %#x", r.in, v, err, r.want)
		}
	}
}

package interp_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
)

// TestFieldsLieWhereTheRecordSays moves the fields of two records of 12 bytes, one element of an array among them, and
// leaves padding and all else alone.
func TestFieldsLieWhereTheRecordSays(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(4) {
		param @in: buf<{u8, u16 @2, u32; 12}> ro
		param @out: buf<{u32 @0, u8[3] @5, i16 @8; 12}> rw
		%i = global.x
		%n = len @in
		%a = load @in[%i].0
		%b = load @in[%i].1
		%c = load @in[%i].2
		store @out[%i].0, %c
		%s = mul.u32 %i, 3_u32
		%t = add.u32 %s, 1_u32
		store @out[%t].1, %a
		%d = bitcast.i32.u32 %b
		store @out[%i].2, %d
		%e = add.u32 %n, 0_u32
		store @out[%e].0, %e
	}`)
	for _, o := range []interp.Options{{}, {Detect: interp.Everything}} {
		in, out := make([]byte, 24), bytes.Repeat([]byte{0xEE}, 24)
		want := bytes.Clone(out)
		for i := range 2 {
			in[12*i] = byte(7 + i)
			binary.LittleEndian.PutUint16(in[12*i+2:], uint16(0xFFF0+i))
			binary.LittleEndian.PutUint32(in[12*i+4:], uint32(1000+i))
			binary.LittleEndian.PutUint32(want[12*i:], uint32(1000+i))
			want[12*i+6] = byte(7 + i)
			binary.LittleEndian.PutUint16(want[12*i+8:], uint16(0xFFF0+i))
		}
		run(t, k, 1, o, launch.Arg{Mem: in}, launch.Arg{Mem: out})
		if !bytes.Equal(out, want) {
			t.Errorf("out % x\nwant % x", out, want)
		}
	}
}

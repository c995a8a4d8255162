package interp_test

import (
	"testing"

	"github.com/govyre/vyre/internal/interp"
)

func TestTrapOfOneLaneIsRecorded(t *testing.T) {
	k := prepare(t, `kernel @one workgroup(64) {
  %g = global.x
  %bad = eq.u32 %g, 37_u32
  %v = cvt.u64.u32 %g
  trap %bad, %v, #5
}`)
	res := run(t, k, 1, interp.Options{})
	if res.Trap == nil || res.Trap.Code != 5 || res.Trap.Value != 37 {
		t.Errorf("trap is %+v, want code 5 with value 37", res.Trap)
	}
}

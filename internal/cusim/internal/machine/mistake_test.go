package machine_test

import (
	"context"
	"regexp"
	"testing"

	"github.com/govyre/vyre/internal/conform"
)

// An emitter that made one of these mistakes would be noticed. What it writes may change, so one or the other
// may find nothing to break.
func TestMistakesInTheTextAreNoticed(t *testing.T) {
	broke := 0
	for _, c := range []struct{ name, find, replace, cases string }{
		{"access without its bounds check", `@%p\d+ ((ld|st)\.global)`, "$1", "mem-bounds/"},
		{"atomic without its bounds check", `@%p\d+ (atom|red)`, "$1", "mismatch/oob-atomic"},
		{"one element further", `mul\.wide\.u32 (%rd\d+), (%r\d+), 4;`, "mul.wide.u32 $1, $2, 8;", "mem-bounds/"},
		{"signed for unsigned", `setp\.lt\.u32`, "setp.lt.s32", "int-edge/lt.u32"},
		{"zeros for sign", `ld\.global\.nc\.s8`, "ld.global.nc.u8", "mem-narrow/"},
		{"rounding toward zero", `add\.rn\.f32`, "add.rz.f32", "float-"},
		{"no select for NaN", `selp\.s64 (%rd\d+), 0, (%rd\d+), %p\d+`, "mov.b64 $1, $2", "convert/"},
		{"barrier left out", `(bar|barrier)\.sync 0;`, "", "bar-wg/"},
		{"lane of another shuffle", `shfl\.sync\.bfly`, "shfl.sync.idx", "sub-shuffle/"},
		{"scan the other way", `shfl\.sync\.up`, "shfl.sync.down", "sub-scan/"},
		{"atomic that is none", `atom\.\S+\.add\.u32 (%r\d+), (\[[^]]*\]), ([^;]*);`, "ld.global.u32 $1, $2;", "atomic-ops/"},
		{"moves in the wrong order", `\tmov\.b32 (%r\d+), (%r\d+);\n\tmov\.b32 (%r\d+), (%r\d+);`, "\tmov.b32 $3, $4;\n\tmov.b32 $1, $2;", "ctl-"},
		{"branch the other way", `@(%p\d+) bra L1;`, "@!$1 bra L1;", "ctl-if/"},
		{"members left out", `(vote\.sync\.\S+ [^;]*, )4294967295;`, "${1}1;", "sub-vote/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			find := regexp.MustCompile(c.find)
			edited, failed := 0, 0
		targets:
			for _, name := range []string{"sm_70", "sm_90a"} {
				d := device{target: target(t, name), seed: 1, edit: func(text string) string {
					broken := find.ReplaceAllString(text, c.replace)
					if broken != text {
						edited++
					}
					return broken
				}}
				for k := range conform.Cases(c.cases) {
					if k.Host != nil || k.Refused != "" {
						continue
					}
					before := edited
					if err := conform.Try(context.Background(), d, k); err != nil && edited > before {
						failed++
						break targets
					}
				}
			}
			switch {
			case edited == 0:
				t.Error("no text has what this would break")
			case failed == 0:
				t.Errorf("%d texts were broken and none was noticed", edited)
			}
			broke++
		})
	}
	if broke < 10 {
		t.Errorf("only %d kinds of mistakes could be tried", broke)
	}
}

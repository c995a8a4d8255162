package verify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/verify"
)

func TestTargetLimits(t *testing.T) {
	const body = `vyre 1
	kernel @k workgroup(64) {
		param @out: buf<f32> wo
		shared @s: u32[100]
		shared @u: u8[10]
		shared @rest: u32[?]
		%g = global.x
		store @s[%g], %g
		store @u[%g], %g
		store @rest[%g], %g
		%x = fast_tanh.f32 1_f32
		barrier.grid
		%v = barrier_add.grid %g
		store @out[%g], %x
	}`
	ps, err := text.Parse("k", body)
	if err != nil {
		t.Fatal(err)
	}
	p := ps[0]
	// 400 bytes, then 10 from the next multiple of 16, then 32 hidden ones from the next.
	const need = 400 + 16 + 32
	if got := p.SharedBytes(); got != need {
		t.Errorf("got %d shared bytes, want %d", got, need)
	}
	for _, tt := range []struct {
		name   string
		target verify.Target
		want   []string
	}{
		{"anything", verify.Target{}, nil},
		{"a device that has it all", verify.Target{SM: 75, SharedBytes: need, Cooperative: true}, nil},
		{"too little shared memory", verify.Target{SharedBytes: need - 1}, []string{"VY504"}},
		{"too old", verify.Target{SM: 70, Cooperative: true}, []string{"VY506"}},
		{"not cooperative", verify.Target{SM: 90}, []string{"VY507"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ds := verify.Program(p, tt.target)
			for _, d := range ds.Errors() {
				if d.Pos.Line == 0 {
					t.Errorf("no position: %v", d)
				}
			}
			if got := codesOf(ds.Errors()); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v\n%v", got, tt.want, ds)
			}
		})
	}
	said := verify.Program(p, verify.Target{SM: 70, SharedBytes: 100}).Error()
	for _, want := range []string{"k:4:10: kernel k: 448 bytes of shared memory, the target has 100", "fast_tanh needs sm_75, the target is sm_70", "barrier.grid needs a cooperative launch"} {
		if !strings.Contains(said, want) {
			t.Errorf("the findings lack %q:\n%s", want, said)
		}
	}
}

// What is said about a barrier names the row where control rose and the value it hangs on.
func TestFindingsAboutControlSayWhy(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       []string
	}{
		{"branch", `%odd = eq.u32 %lid, 1_u32
			if %odd {
				barrier.wg
			}`,
			[]string{"7: barrier.wg where control is not workgroup-uniform", "6: control splits here on %odd, which differs between invocations", "4: %odd differs because of local"}},
		{"return", `%odd = eq.u32 %lid, 1_u32
			if %odd { return }
			barrier.wg`,
			[]string{"7: barrier.wg after a return that only some invocations take", "6: some invocations leave here: return", "6: control splits here on %odd", "4: %odd differs because of local"}},
		{"loop exit", `loop ^rounds (%i: u32 = 0_u32) {
				barrier.wg
				%q = le.u32 %lid, %i
				if %q { break ^rounds }
				%j = add.u32 %i, 1_u32
				continue ^rounds (%j)
			}`,
			[]string{"6: barrier.wg in a loop that invocations leave at different rounds", "8: some invocations leave here: break of loop ^rounds", "8: control splits here on %q", "4: %q differs because of local"}},
		{"trip count", `%n = loop ^rounds (%i: u32 = 0_u32) -> (u32) {
				%q = le.u32 %lid, %i
				if %q { break ^rounds (%i) }
				%j = add.u32 %i, 1_u32
				continue ^rounds (%j)
			}
			%c = eq.u32 %n, 1_u32
			if %c { barrier.grid }`,
			[]string{"12: barrier.grid where control is not grid-uniform", "12: control splits here on %c", "7: %c differs because of where invocations leave: break of loop ^rounds"}},
		{"load", `store @b[%lid], %lid
			%x = load @b[0_u32]
			%c = eq.u32 %x, 1_u32
			if %c { barrier.wg }`,
			[]string{"8: control splits here on %c", "6: %c differs because of load of @b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := text.Parse("k", "vyre 1\nkernel @k workgroup(64) {\nparam @b: buf<u32> rw\n%lid = local.x\n"+tt.body+"\n}")
			if err == nil {
				t.Fatal("accepted")
			}
			d := err.(ir.Diags)[0]
			said := []string{fmt.Sprintf("%d: %s", d.Pos.Line, d.Msg)}
			for _, n := range d.Related {
				said = append(said, fmt.Sprintf("%d: %s", n.Pos.Line, n.Msg))
			}
			for _, want := range tt.want {
				if !slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, want) }) {
					t.Errorf("lacks %q in\n%s", want, strings.Join(said, "\n"))
				}
			}
		})
	}
}

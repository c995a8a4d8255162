package opt_test

import (
	"strings"
	"testing"

	"github.com/govyre/vyre/driver/conform"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
)

func TestOrderConstraintsNoticeExchangedPasses(t *testing.T) {
	for _, c := range opt.Constraints() {
		if err := opt.CheckTable(c[0], c[1]); err == nil {
			t.Errorf("%s and %s have changed places and nothing says so", c[0], c[1])
		}
	}
}

func TestOptionsThatNameNoPassAreErrors(t *testing.T) {
	p := conform.Random(1).Program
	for name, o := range map[string]opt.Options{
		"enable":  {Enable: []string{"fusion"}},
		"disable": {Disable: []string{"fusion"}},
		"level":   {Level: 9},
	} {
		_, _, err := opt.Run(p, o)
		if err == nil || name != "level" && !strings.Contains(err.Error(), `"fusion"`) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestAProgramWithNothingToDoIsReturnedItself(t *testing.T) {
	ps, err := ir.Parse("", "vyre 1\nkernel @k workgroup(1) {\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := opt.Run(ps[0], opt.Options{}); got != ps[0] || err != nil {
		t.Errorf("got another program, error %v", err)
	}
}

func TestFiveRunsGiveOneProgram(t *testing.T) {
	for seed := range uint64(40) {
		p := conform.Random(seed).Program
		first, _, err := opt.Run(p, opt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			if q, _, _ := opt.Run(p, opt.Options{}); q.Digest() != first.Digest() {
				t.Fatalf("seed %d: two runs gave two programs", seed)
			}
		}
		if q, _, err := opt.Run(p, opt.Options{Check: true}); err != nil || q.Digest() != first.Digest() {
			t.Errorf("seed %d: checking after every pass changes the program (error %v)", seed, err)
		}
	}
}

func TestTraceSeesEveryPassAndTheProgramBehindIt(t *testing.T) {
	for seed := range uint64(10) {
		p := conform.Random(seed).Program
		var passes []string
		last := p
		trace := func(s opt.PassStats, q *ir.Program) {
			passes = append(passes, s.Pass)
			if q != last && q.Digest() == last.Digest() {
				t.Errorf("seed %d: %s changed nothing and gave another program", seed, s.Pass)
			}
			last = q
		}
		q, report, err := opt.Run(p, opt.Options{Trace: trace})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, s := range report.Passes {
			want = append(want, s.Pass)
		}
		if strings.Join(passes, " ") != strings.Join(want, " ") {
			t.Errorf("seed %d: traced %v, the report has %v", seed, passes, want)
		}
		if last.Digest() != q.Digest() {
			t.Errorf("seed %d: the last program traced is not the result", seed)
		}
	}
}

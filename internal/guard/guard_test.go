package guard_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/guard"
)

func TestAPanicComesBack(t *testing.T) {
	cause := errors.New("cause")
	p := guard.Run(func() { panic(cause) })
	if p == nil || !errors.Is(p, cause) || !strings.Contains(p.Error(), "TestAPanicComesBack") || p.OfRuntime() {
		t.Errorf("got %v", p)
	}
	if guard.Run(func() { panic(p) }) != p {
		t.Error("what is raised again is not what it was")
	}
	var none []int
	if p := guard.Run(func() { _ = none[len(t.Name())] }); p == nil || !p.OfRuntime() {
		t.Errorf("an index: %v", p)
	}
	if p := guard.Run(func() {}); p != nil {
		t.Error(p)
	}
	failed := make(chan *guard.Panic)
	guard.Go(func() { panic(p) }, func(p *guard.Panic) { failed <- p })
	if <-failed != p {
		t.Error("it came from elsewhere")
	}
}

// TestAGroupPanicsWhereItIsWaitedFor, and can be used again.
func TestAGroupPanicsWhereItIsWaitedFor(t *testing.T) {
	var g guard.Group
	for range 3 {
		for k := range 8 {
			g.Go(func() {
				if k == 5 {
					panic("of one")
				}
			})
		}
		if p := guard.Run(g.Wait); p == nil || p.Value != "of one" {
			t.Errorf("got %v", p)
		}
		g.Go(func() {})
		g.Wait()
	}
}

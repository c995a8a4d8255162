package prim_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/prim"
)

// unmade wants an error that says how the value is made.
func unmade(t *testing.T, what string, err error, says string) {
	t.Helper()
	if as := (*vyre.Error)(nil); !errors.As(err, &as) || as.Kind != vyre.InvalidArgument || !strings.Contains(as.Fix, says) {
		t.Errorf("%s: %v", what, err)
	}
}

// TestZeroValuesAreRefused does everything with zero primitives, and with nil ones: no method panics, and a run tells the function
// that makes one.
func TestZeroValuesAreRefused(t *testing.T) {
	for _, of := range every {
		k := new(keeper)
		u := use(ctx, k, open(t, "cpu"), of, 10)
		if k.err != nil {
			t.Fatal(k.err)
		}
		typ := reflect.TypeOf(u.p).Elem()
		for _, p := range []reflect.Value{reflect.New(typ), reflect.Zero(reflect.PointerTo(typ))} {
			seq := u.d.NewSequence("zero")
			args := append([]reflect.Value{reflect.ValueOf(seq)}, u.args[1:]...)
			for _, step := range p.MethodByName("Record").Call(args) {
				unmade(t, of.name+", a setter", step.Interface().(interface{ SetLength(prim.Length) error }).SetLength(prim.N(1)), "Record")
				if r, ok := step.Interface().(*prim.RandomStep); ok {
					unmade(t, of.name+", a source", r.SetSource(prim.Source{}), "Record")
				}
			}
			_, err := seq.Run(ctx)
			unmade(t, of.name, err, "prim.New")
			closeAll(t, seq)
			if p.IsNil() {
				continue // promoted methods of a nil pointer are Go's own panics
			}
			zero := p.Interface().(primitive)
			if n := prim.Bytes(zero); n != 0 {
				t.Errorf("%s: a zero value takes %d bytes", of.name, n)
			}
			closeAll(t, zero, zero)
			if s, ok := zero.(interface{ Swapped() bool }); ok && s.Swapped() {
				t.Errorf("%s: a zero value has swapped", of.name)
			}
		}
		closing(t, k)
	}
	var step *prim.Step
	unmade(t, "a nil step", step.SetLength(prim.N(1)), "Record")
	unmade(t, "a zero step", new(prim.Step).SetLength(prim.N(1)), "Record")
	var drawn *prim.RandomStep
	unmade(t, "a nil source", drawn.SetSource(prim.Source{}), "Record")
	unmade(t, "a zero source", new(prim.RandomStep).SetSource(prim.Source{}), "Record")
	unmade(t, "a zero random step", new(prim.RandomStep).SetLength(prim.N(1)), "Record")
}

// Zero values that constructors take are refused by them, or mean something.
func TestZeroArgumentsOfConstructors(t *testing.T) {
	d := open(t, "cpu")
	for what, make := range map[string]func() error{
		"no bins":         func() error { _, err := prim.NewHistogram(ctx, d, prim.Bins[uint32]{}, 9); return err },
		"no bins, adding": func() error { _, err := prim.NewHistogram(ctx, d, prim.Bins[uint8]{}.Adding(), 9); return err },
		"no distribution": func() error { _, err := prim.NewRandom[uint32](ctx, d, prim.Distribution{}, 9); return err },
	} {
		if as := (*vyre.Error)(nil); !errors.As(make(), &as) {
			t.Errorf("%s: no error", what)
		}
	}
	if n := (prim.Bins[uint32]{}).Len(); n != 0 {
		t.Errorf("no bins have %d counts", n)
	}
}

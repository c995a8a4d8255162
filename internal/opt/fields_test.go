package opt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// A record may have more fields than a set of objects has numbers: its fields have one version then, and stores to one are
// seen by loads of it and by nobody else.
func TestRecordsOfManyFieldsAreOptimised(t *testing.T) {
	fields := strings.TrimSuffix(strings.Repeat("u32, ", 600), ", ")
	program, err := text.Parse("many", fmt.Sprintf(`vyre 1
kernel @many workgroup(1) {
  param @x: buf<{%s; 2400}> rw
  param @y: buf<u32> wo
  local @l: u32[2]
  %%i = group.x
  %%a = load @x[%%i].599
  %%b = load @x[%%i].0
  store @x[%%i].599, 7_u32
  store @x[%%i].300, 9_u32
  %%c = load @x[%%i].599
  %%d = load @x[%%i].0
  %%e = add.u32 %%a, %%b
  %%f = add.u32 %%c, %%d
  store @l[0_u32], %%e
  %%h = load @l[0_u32]
  %%g = mul.u32 %%h, %%f
  store @y[%%i], %%g
}`, fields))
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 2400)
	data[0], data[599*4] = 3, 5
	c := conform.Case{Program: program[0], Launch: conform.Launch{Grid: [3]uint32{1, 1, 1}, Args: []conform.Arg{{Data: data}, {Data: make([]byte, 4)}}},
		Want: [][]byte{nil, {(3 + 5) * (7 + 3), 0, 0, 0}}}
	d := conform.Through(conform.Interp(interp.Options{}), "opt", func(p *ir.Program) (*ir.Program, error) {
		q, _, err := opt.Run(p, opt.Options{Check: true})
		return q, err
	})
	if err := conform.Try(t.Context(), d, &c); err != nil {
		t.Error(err)
	}
}

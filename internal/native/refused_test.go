//go:build (amd64 && (linux || darwin || windows)) || (arm64 && (linux || darwin))

package native_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir/text"
)

// Wherever the system refuses memory for code, the interpreter runs the kernel and says why, or there is a typed error
// where machine code is required; nothing stays mapped; and the next device has machine code again.
func TestRefusedMemoryIsTheInterpretersTurn(t *testing.T) {
	needs.MachineCode(t, native.Available())
	for _, engine := range []cpu.Engine{cpu.Auto, cpu.Native} {
		for call := range 4 { // two of opening, which tries, and two of compiling
			t.Run(fmt.Sprintf("%s, call %d", engine, call), func(t *testing.T) {
				taken, restore := native.Refuse(call)
				source := fmt.Sprintf("vyre 1\nkernel @refused_%s_%d workgroup(32) {\n param @x: buf<u32> rw\n %%i = global.x\n store @x[%%i], 7_u32\n}", engine, call)
				target, err := sevens(source, engine)
				restore()
				var typed *driver.Error
				switch {
				case engine == cpu.Native && (!errors.As(err, &typed) || typed.Kind != driver.Unsupported || !strings.Contains(err.Error(), "memory") || typed.Fix == ""):
					t.Errorf("got %v", err)
				case engine == cpu.Auto && (err != nil || target != "interp"):
					t.Errorf("target %q, error %v", target, err)
				}
				if n := taken(); n != 0 {
					t.Errorf("%d mappings are left", n)
				}
				if target, err := sevens(source, engine); err != nil || target != native.Target() {
					t.Errorf("afterwards: target %q, error %v", target, err)
				}
			})
		}
	}
}

// sevens runs a program that writes 32 sevens, and returns what ran it.
func sevens(source string, engine cpu.Engine) (target string, err error) {
	d, err := cpu.Open(cpu.Options{Engine: engine})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	ps, err := text.Parse("test", source)
	if err != nil {
		return "", err
	}
	k, err := d.Compile(context.Background(), ps[0], driver.Options{})
	if err != nil {
		return "", err
	}
	dst := make([]byte, 128)
	if _, err := driver.Dispatch(context.Background(), k, driver.Groups(1), driver.InOut(dst)); err != nil {
		return "", err
	}
	if dst[124] != 7 || (k.Resources().Reason == "") != (k.Resources().Target == native.Target()) {
		return "", fmt.Errorf("%v, by %q because %q", dst[124], k.Resources().Target, k.Resources().Reason)
	}
	return k.Resources().Target, nil
}

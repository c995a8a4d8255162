package aot_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/govyre/vyre/aot"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/driver/drivertest"
	"github.com/govyre/vyre/internal/bundle"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/matrix/cases"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

var ctx = context.Background()

// programs have one of everything that a launch provides for.
const programs = `vyre 1
kernel @add workgroup(32) {
  param @x: buf<u32> rw align 16
  param %n: u32
  %i = global.x
  %v = load @x[%i]
  %s = add.u32 %v, %n
  store @x[%i], %s
}
kernel @trap workgroup(32) {
  param @x: buf<u32> rw
  %i = global.x
  %v = load @x[%i]
  trace %v, #3
  %bad = eq.u32 %v, 99_u32
  %w = cvt.u64.u32 %v
  trap %bad, %w, #7
  store @x[%i], %i
}
`

// parsed are the kernels of a text, by name.
func parsed(t testing.TB, source string) map[string]*ir.Program {
	t.Helper()
	ps, err := text.Parse("kernels.vyre", source)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]*ir.Program)
	for _, p := range ps {
		all[p.Name()] = p
	}
	return all
}

func built(t testing.TB, kernels map[string]*ir.Program, o aot.Options) *aot.Bundle {
	t.Helper()
	if o.Targets == nil {
		o.Targets = []string{"sm_70", "sm_80", "sm_90a"}
	}
	data, err := aot.Build(ctx, kernels, o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := aot.Open(string(data))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// devices opens each device that is there without hardware.
var devices = []struct {
	name string
	open func(o driver.OpenOptions) (driver.Device, error)
}{
	{"cpu", func(o driver.OpenOptions) (driver.Device, error) { return cpu.Open(cpu.Options{OpenOptions: o}) }},
	{"cuda-sim", func(o driver.OpenOptions) (driver.Device, error) {
		return cuda.Open(cuda.Options{Driver: cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}}), OpenOptions: o})
	}},
}

func opened(t testing.TB, open func(driver.OpenOptions) (driver.Device, error), o driver.OpenOptions) driver.Device {
	t.Helper()
	d, err := open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// adds runs the kernel add.
func adds(t testing.TB, k driver.Kernel) {
	t.Helper()
	x := make([]byte, 128)
	if _, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.InOut(x), driver.U32(7)); err != nil || !bytes.Equal(x, bytes.Repeat([]byte{7, 0, 0, 0}, 32)) {
		t.Errorf("it gives % x, %v", x[:8], err)
	}
}

func TestALoadedKernelAnswersAsTheCompiledOne(t *testing.T) {
	b, ps := built(t, parsed(t, programs), aot.Options{}), parsed(t, programs)
	for _, dev := range devices {
		d := opened(t, dev.open, driver.OpenOptions{})
		for _, im := range b.Kernels() {
			loaded, err := d.Load(ctx, im, driver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if st := d.Stats(); st.Get(metric.CompilesFresh) != 0 {
				t.Errorf("%s: %d programs are compiled", dev.name, st.Get(metric.CompilesFresh))
			}
			again, err := b.Load(ctx, d, im.Label(), driver.Options{Label: "again"})
			if err != nil || again.Label() != "again" || again.Artifact().Origin != "memory" || loaded.Artifact().Origin != "image" || loaded.Label() != im.Label() {
				t.Errorf("%s: loaded as %s from %s, and again: %v", dev.name, loaded.Label(), loaded.Artifact().Origin, err)
			}
			compiled, err := dev.open(driver.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			want, err := compiled.Compile(ctx, ps[im.Label()], driver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if loaded.Digest() != want.Digest() || loaded.Workgroup() != want.Workgroup() || loaded.Flags() != want.Flags() || loaded.Resources() != want.Resources() ||
				loaded.Occupancy(0) != want.Occupancy(0) || loaded.Artifact().Text != want.Artifact().Text {
				t.Errorf("%s: %s answers %+v, compiled %+v", dev.name, im.Label(), loaded.Resources(), want.Resources())
			}
			got := loaded.Signature()
			for i, p := range want.Signature() {
				if got[i].Pos = p.Pos; !reflect.DeepEqual(got[i], p) {
					t.Errorf("%s: parameter %+v, want %+v", dev.name, got[i], p)
				}
			}
			if im.Label() == "add" {
				adds(t, loaded)
			}
			if err := compiled.Close(); err != nil {
				t.Error(err)
			}
		}
		if st := d.Stats(); st.Get(metric.CompilesImage) != 2 || st.Get(metric.CompilesMemory) != 2 {
			t.Errorf("%s: %d are loaded, %d found loaded", dev.name, st.Get(metric.CompilesImage), st.Get(metric.CompilesMemory))
		}
	}
}

// A trap of a loaded kernel says what that of the compiled one says, with the program in the bundle and without.
func TestATrapOfALoadedKernelHasItsPlace(t *testing.T) {
	for _, dev := range devices {
		for _, without := range []bool{false, true} {
			if without && dev.name == "cpu" {
				continue
			}
			d := opened(t, dev.open, driver.OpenOptions{})
			trap := func(k driver.Kernel, err error) string {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				_, err = driver.Dispatch(ctx, k, driver.Groups(1), driver.InOut(bytes.Repeat([]byte{99, 0, 0, 0}, 32)))
				var e *driver.Error
				if !errors.As(err, &e) || e.Kind != driver.Trap {
					t.Fatalf("%s: %v", dev.name, err)
				}
				return e.Pos + " " + e.Msg
			}
			want := trap(d.Compile(ctx, parsed(t, programs)["trap"], driver.Options{}))
			got := trap(built(t, parsed(t, programs), aot.Options{NoPrograms: without}).Load(ctx, d, "trap", driver.Options{}))
			if got != want || !strings.Contains(got, "kernels.vyre:") {
				t.Errorf("%s: the trap is %q, want %q", dev.name, got, want)
			}
		}
	}
}

// through is a device that loads what it is to compile from a bundle of its own, where options allow that.
type through struct{ driver.Device }

func (d through) Compile(ctx context.Context, p *ir.Program, o driver.Options) (driver.Kernel, error) {
	if p == nil || ctx == nil || p.GroupSize() == 0 || o != (driver.Options{Label: o.Label}) || d.Err() != nil || ctx.Err() != nil {
		return d.Device.Compile(ctx, p, o)
	}
	data, err := aot.Build(ctx, map[string]*ir.Program{p.Name(): p}, aot.Options{Targets: []string{"sm_90"}})
	if err != nil {
		return d.Device.Compile(ctx, p, o) // which refuses it with an error of its own
	}
	b, err := aot.Open(string(data))
	if err != nil {
		return nil, err
	}
	return b.Load(ctx, d.Device, p.Name(), o)
}

// The promises of devices about kernels hold for those of bundles.
func TestDevicesKeepTheirContractWithLoadedKernels(t *testing.T) {
	long.Only(t, "takes seconds")
	sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	for name, open := range map[string]func(o driver.OpenOptions) (driver.Device, error){
		"cpu": devices[0].open,
		"cuda-sim": func(o driver.OpenOptions) (driver.Device, error) {
			return cuda.Open(cuda.Options{Driver: sim, OpenOptions: o})
		}, // one driver for all
	} {
		t.Run(name, func(t *testing.T) {
			drivertest.Run(t, func(o driver.OpenOptions) (driver.Device, error) {
				d, err := open(o)
				if err != nil {
					return nil, err
				}
				return through{d}, nil
			})
		})
	}
}

// images are machine code of the simulated GPU for sm_90, by label.
func images(t testing.TB) map[string][]byte {
	t.Helper()
	d, err := cuda.Open(cuda.Options{Driver: cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}})})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	all := make(map[string][]byte)
	for label, p := range parsed(t, programs) {
		k, err := d.Compile(ctx, p, driver.Options{Target: "sm_90"})
		if err == nil {
			all[label], err = d.Link(k)
		}
		if err != nil || all[label] == nil {
			t.Fatalf("%s has no image: %v", label, err)
		}
	}
	return all
}

// withCubins is the bundle of a target with machine code beside the text.
func withCubins(t testing.TB, target bundle.Target, of func(label string) []byte) *aot.Bundle {
	t.Helper()
	kernels := built(t, parsed(t, programs), aot.Options{Targets: []string{"sm_80"}}).Kernels()
	for _, k := range kernels {
		k.Forms = append(k.Forms, bundle.NewForm(target, bundle.Cubin, "", 0, of(k.Label())))
	}
	return reopened(t, kernels)
}

func reopened(t testing.TB, kernels []*driver.Image) *aot.Bundle {
	t.Helper()
	data, err := bundle.Write(kernels, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := aot.Open(string(data))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestMachineCodeIsTakenWhereItRuns(t *testing.T) {
	texts := built(t, parsed(t, programs), aot.Options{Targets: []string{"sm_80"}})
	own := images(t)
	for _, c := range []struct {
		name   string
		target bundle.Target
		cubin  func(label string) []byte
		image  bool
		fails  string
	}{
		{"of its own architecture", 90, func(l string) []byte { return own[l] }, true, ""},
		{"of another", 86, func(l string) []byte { return own[l] }, false, ""},
		{"of a real GPU", 90, func(string) []byte { return []byte("\x7fELF\x02\x01") }, false, ""},
		{"another program's", 90, func(l string) []byte { return own[map[string]string{"add": "trap", "trap": "add"}[l]] }, false, "the cubin for sm_90 of kernel add is another program's"},
	} {
		d := opened(t, devices[1].open, driver.OpenOptions{})
		k, err := withCubins(t, c.target, c.cubin).Load(ctx, d, "add", driver.Options{})
		if c.fails != "" {
			if !errors.Is(err, driver.InvalidArgument) || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %v", c.name, err)
			}
			if k, err = texts.Load(ctx, d, "add", driver.Options{}); err != nil { // the device is as good as before
				t.Fatal(err)
			}
		} else if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		adds(t, k)
		if a := k.Artifact(); (a.Image != nil) != c.image || !c.image && !strings.HasPrefix(a.Text, ".version") || c.image && a.Target != "sm_90" || !c.image && a.Target != "sm_80" {
			t.Errorf("%s: %+v", c.name, a)
		}
	}
}

func TestWhatIsDamagedIsNotLoaded(t *testing.T) {
	data, err := aot.Build(ctx, parsed(t, programs), aot.Options{Targets: []string{"sm_80"}})
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(data, []byte(".visible .entry"))
	data[at]++
	b, err := aot.Open(string(data))
	if err != nil {
		t.Fatal(err)
	}
	d := opened(t, devices[1].open, driver.OpenOptions{})
	if _, err := b.Load(ctx, d, "trap", driver.Options{}); !errors.Is(err, driver.InvalidArgument) || !strings.Contains(err.Error(), "the PTX for sm_80 of kernel trap is damaged") {
		t.Errorf("loading damage gives %v", err)
	}
	k, err := b.Load(ctx, d, "add", driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	adds(t, k)
	for name, damaged := range map[string]string{"cut off": string(data[:len(data)-1]), "nothing": "", "something else": strings.Repeat("x", 200)} {
		if _, err := aot.Open(damaged); !errors.Is(err, driver.InvalidArgument) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatCannotBeLoadedSaysWhy(t *testing.T) {
	ps := parsed(t, programs)
	both := built(t, ps, aot.Options{Targets: []string{"sm_100"}, NoPrograms: true})
	whole := built(t, ps, aot.Options{})
	for _, dev := range devices {
		d := opened(t, dev.open, driver.OpenOptions{})
		for _, c := range []struct {
			name string
			b    *aot.Bundle
			dev  driver.Device
			of   string
			o    driver.Options
			kind driver.Kind
			says string
		}{
			{"no form", both, d, "add", driver.Options{}, driver.Unsupported, "the bundle has PTX for sm_100"},
			{"no such kernel", whole, d, "sub", driver.Options{}, driver.InvalidArgument, `it has ["add" "trap"]`},
			{"no device", whole, nil, "add", driver.Options{}, driver.InvalidArgument, "the device is nil"},
			{"passes", whole, d, "add", driver.Options{Optimise: "0"}, driver.Unsupported, "takes no option Optimise"},
			{"another group", whole, d, "add", driver.Options{Workgroup: [3]uint32{64, 1, 1}}, driver.Unsupported, "takes no option Workgroup"},
			{"another target", whole, d, "add", driver.Options{Target: "sm_75"}, driver.Unsupported, "sm_75"},
		} {
			if _, err := c.b.Load(ctx, c.dev, c.of, c.o); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s, %s: %v, want %v with %q", dev.name, c.name, err, c.kind, c.says)
			}
		}
		if _, err := d.Load(ctx, nil, driver.Options{}); !errors.Is(err, driver.InvalidArgument) {
			t.Errorf("%s: no image gives %v", dev.name, err)
		}
		left, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := whole.Load(left, d, "add", driver.Options{}); !errors.Is(err, driver.Canceled) {
			t.Errorf("%s: %v", dev.name, err)
		}
		k, err := whole.Load(ctx, d, "add", driver.Options{Workgroup: [3]uint32{32, 1, 1}})
		if err != nil {
			t.Fatal(err)
		}
		adds(t, k)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if _, err := whole.Load(ctx, d, "add", driver.Options{}); !errors.Is(err, driver.Closed) {
			t.Errorf("%s: a closed device gives %v", dev.name, err)
		}
	}
}

// A kernel that the device cannot run is refused before any call of the driver, as Compile refuses it.
func TestKernelsThatADeviceCannotRunAreRefusedBeforeAnyCall(t *testing.T) {
	ps, err := text.Parse("meet.vyre", `vyre 1
kernel @meet workgroup(32) {
  param @x: buf<u32> rw
  %i = global.x
  barrier.grid
  store @x[%i], %i
}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		config cusim.Config
		target string
		says   string
	}{
		{cusim.Config{Models: []cusim.Model{cusim.Hopper}, Lacks: []cu.Group{cu.Coop}}, "sm_70", "cooperative"},
		{cusim.Config{Models: []cusim.Model{cusim.Named("sm_75")}}, "sm_80", "runs no form of the kernel, and the bundle has PTX for sm_80"},
	} {
		c.config.Record = true
		sim := cusim.New(c.config)
		d, err := cuda.Open(cuda.Options{Driver: sim})
		if err != nil {
			t.Fatal(err)
		}
		b := built(t, map[string]*ir.Program{"meet": ps[0]}, aot.Options{Targets: []string{c.target}})
		before := len(sim.Calls())
		if _, err := b.Load(ctx, d, "meet", driver.Options{}); !errors.Is(err, driver.Unsupported) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("loading gives %v, want %q", err, c.says)
		}
		if n := len(sim.Calls()) - before; n != 0 {
			t.Errorf("%d calls were made", n)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Profiles name the file and the line of a kernel; a bundle without its program knows them too.
func TestAKernelKnowsWhereItIsWritten(t *testing.T) {
	programs := parsed(t, programs)
	shipped := built(t, programs, aot.Options{NoPrograms: true, Targets: []string{"sm_70"}})
	d := opened(t, devices[1].open, driver.OpenOptions{})
	for label, p := range programs {
		made, err := d.Compile(ctx, p, driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := shipped.Load(ctx, d, label, driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want, got := made.Artifact().Pos, loaded.Artifact().Pos; got != want || want.Line == 0 {
			t.Errorf("%s is at %v, and at %v if it comes from a bundle", label, want, got)
		}
	}
}

// A device that looks for accesses out of bounds needs the program: its checks are put into that.
func TestAWatchedDeviceCompilesTheProgram(t *testing.T) {
	d := opened(t, devices[1].open, driver.OpenOptions{Debug: "memcheck"})
	k, err := built(t, parsed(t, programs), aot.Options{}).Load(ctx, d, "add", driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := driver.Dispatch(ctx, k, driver.Groups(2), driver.InOut(make([]byte, 128)), driver.U32(7)); err == nil || !strings.Contains(err.Error(), "add") {
		t.Errorf("an access out of bounds gives %v", err)
	}
	if _, err := built(t, parsed(t, programs), aot.Options{NoPrograms: true}).Load(ctx, d, "add", driver.Options{}); !errors.Is(err, driver.Unsupported) {
		t.Errorf("without the program: %v", err)
	}
}

// Whatever call fails while a kernel is loaded and run, nothing is left, and the next session works.
func TestAnyCallOfALoadMayFail(t *testing.T) {
	texts := built(t, parsed(t, programs), aot.Options{Targets: []string{"sm_70"}})
	own := images(t)
	cubins := withCubins(t, 90, func(l string) []byte { return own[l] })
	session := faults.OnDevice(func(ctx context.Context, dev driver.Device) error {
		for _, b := range []*aot.Bundle{texts, cubins} {
			k, err := b.Load(ctx, dev, "add", driver.Options{})
			if err != nil {
				return err
			}
			x := make([]byte, 128)
			if _, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.InOut(x), driver.U32(7)); err != nil {
				return err
			}
			if x[0] != 7 {
				return faults.ErrWrong
			}
		}
		return nil
	})
	if n := faults.EachCall(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}}, 3, session, cu.OutOfMemory, 719, cu.InvalidImage); n < 40 {
		t.Errorf("only %d calls failed", n)
	}
}

func TestMain(m *testing.M) {
	os.Unsetenv(driver.EnvCacheDir)
	os.Exit(m.Run())
}

// Products of float matrices are of one generation: text for sm_75 has them in other steps than units from sm_90 on.
func TestProductsAreLoadedWhereTheyHaveTheirBits(t *testing.T) {
	ps := parsed(t, cases.Float16Program)
	old, both := built(t, ps, aot.Options{Targets: []string{"sm_75"}}), built(t, ps, aot.Options{Targets: []string{"sm_75", "sm_80"}})
	for _, c := range []struct {
		b           *aot.Bundle
		model, name string
		matrix      string
		loads       bool
	}{
		{old, "sm_75", "", "sm_75", true}, {old, "sm_86", "", "sm_75", true}, {old, "sm_90", "", "", false},
		{both, "sm_90", "", "sm_90", true}, {both, "sm_90", "sm_75", "", false}, {both, "sm_86", "sm_75", "sm_75", true},
	} {
		d, err := cuda.Open(cuda.Options{Driver: cusim.New(cusim.Config{Models: []cusim.Model{cusim.Named(c.model)}})})
		if err != nil {
			t.Fatal(err)
		}
		k, err := c.b.Load(ctx, d, "k", driver.Options{Matrix: c.name})
		switch {
		case !c.loads && !errors.Is(err, driver.Unsupported):
			t.Errorf("%s as %q: %v", c.model, c.name, err)
		case c.loads && (err != nil || k.Resources().Matrix != c.matrix):
			t.Errorf("%s as %q: %v", c.model, c.name, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

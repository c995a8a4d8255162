package driver_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	_ "github.com/govyre/vyre/driver/cpu"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// absent stands for a kind of device that comes before cpu and answers as the test wants.
var absent error

func init() {
	driver.Register("absent", 1, func(string, driver.OpenOptions) (driver.Device, error) { return nil, absent },
		func() ([]driver.Info, error) { return nil, absent })
	driver.Register("unlisted", driver.NotAuto, func(string, driver.OpenOptions) (driver.Device, error) { return nil, errors.New("opened") },
		func() ([]driver.Info, error) { return nil, nil })
}

func TestAutoPassesOverWhatIsNotThere(t *testing.T) {
	for _, c := range []struct {
		name string
		err  *driver.Error
		pass bool
	}{
		{"no library", &driver.Error{Kind: driver.Unavailable}, true},
		{"stub library", &driver.Error{Kind: driver.Unavailable, Code: 34}, true},
		{"no device", &driver.Error{Kind: driver.Unavailable, Code: 100}, true},
		{"driver does not match", &driver.Error{Kind: driver.Unavailable, Code: 803}, false},
		{"device is taken", &driver.Error{Kind: driver.Unavailable, Code: 46}, false},
		{"no memory for a context", &driver.Error{Kind: driver.OutOfMemory, Code: 2}, false},
		{"bug", &driver.Error{Kind: driver.Internal}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(driver.EnvDevice, "")
			absent = c.err
			d, err := driver.Open("auto", driver.OpenOptions{})
			if !c.pass {
				if !errors.Is(err, c.err) {
					t.Fatalf("got %v, want the device's own error", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			o := d.Origin()
			if o.Name != "cpu" || len(o.Passed) != 1 || o.Passed[0].Name != "absent" || o.Passed[0].Err != error(c.err) {
				t.Errorf("origin is %+v", o)
			}
		})
	}
}

func TestEnvironmentNamesTheOnlyCandidate(t *testing.T) {
	absent = &driver.Error{Op: "open", Kind: driver.Unavailable}
	t.Setenv(driver.EnvDevice, "absent")
	if _, err := driver.Open("auto", driver.OpenOptions{}); !errors.Is(err, driver.Unavailable) {
		t.Errorf("got %v, want unavailable", err)
	}
	if d, err := driver.Open("cpu", driver.OpenOptions{}); err != nil {
		t.Errorf("a name does not ask the environment: %v", err)
	} else if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenOfAnUnknownNameSaysWhatThereIs(t *testing.T) {
	_, err := driver.Open("abacus", driver.OpenOptions{})
	if !errors.Is(err, driver.Unavailable) || !strings.Contains(err.Error(), "absent, cpu") {
		t.Errorf("got %v", err)
	}
	// A device of this module is not imported: the advice is the line that does.
	for kind, at := range map[string]string{"cuda-sim": "driver/cudasim", "cuda": "driver/cuda"} {
		_, err := driver.Open(kind, driver.OpenOptions{})
		if !errors.Is(err, driver.Unavailable) || !strings.Contains(err.Error(), `import _ "github.com/govyre/vyre/`+at+`"`) {
			t.Errorf("%s: got %v", kind, err)
		}
	}
}

func TestListKeepsWhatCanBeListed(t *testing.T) {
	absent = errors.New("cannot enumerate")
	infos, err := driver.List()
	if !errors.Is(err, absent) || len(infos) != 1 || infos[0].Name != "cpu" {
		t.Errorf("list is %+v, %v", infos, err)
	}
}

func TestRegisteringANameTwicePanics(t *testing.T) {
	defer func() {
		if p, _ := recover().(string); !strings.HasPrefix(p, "BUG: ") {
			t.Errorf("panic is %q", p)
		}
	}()
	driver.Register("cpu", 1, nil, nil)
}

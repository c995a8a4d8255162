package metrics_test

import (
	"context"
	"encoding/json"
	"expvar"
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/driver/metrics"
)

func open(t *testing.T) driver.Device {
	t.Helper()
	d, err := cpu.Open(cpu.Options{})
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

func TestTextHasOneTypeLineForEachName(t *testing.T) {
	a, b := open(t), open(t)
	mem, err := a.Alloc(1000, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := driver.Write(context.Background(), driver.All(mem), make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := metrics.WriteText(&text, a.Stats(), b.Stats()); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(text.String()) {
		if !strings.HasPrefix(line, "# TYPE ") {
			continue
		}
		if seen[line] {
			t.Errorf("twice: %s", line)
		}
		seen[line] = true
	}
	for _, want := range []string{
		"# TYPE vyre_mem_live_bytes gauge\nvyre_mem_live_bytes{device=\"cpu\"} 1000\nvyre_mem_live_bytes{device=\"cpu\"} 0\n",
		"# TYPE vyre_h2d_bytes counter\nvyre_h2d_bytes{device=\"cpu\"} 1000\n",
		"vyre_runs{device=\"cpu\",mode=\"plain\"} 1\n",
		"vyre_errors{device=\"cpu\",kind=\"out of memory\"} 0\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("lacks\n%s\nin\n%s", want, text.String())
		}
	}
}

func TestExpvarShowsTheDeviceAsItIs(t *testing.T) {
	d := open(t)
	metrics.PublishExpvar("vyre_test_device", d)
	live := func() float64 {
		var v map[string]any
		if err := json.Unmarshal([]byte(expvar.Get("vyre_test_device").String()), &v); err != nil {
			t.Fatal(err)
		}
		return v["mem_live_bytes"].(float64)
	}
	if n := live(); n != 0 {
		t.Errorf("%v bytes are live at first", n)
	}
	if _, err := d.Alloc(64, driver.AllocOptions{}); err != nil {
		t.Fatal(err)
	}
	if n := live(); n != 64 {
		t.Errorf("%v bytes are live, want 64", n)
	}
}

func ExampleWriteText() {
	d, err := cpu.Open(cpu.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	var text strings.Builder
	if err := metrics.WriteText(&text, d.Stats()); err != nil {
		fmt.Println(err)
	}
	for line := range strings.Lines(text.String()) {
		if strings.Contains(line, "vyre_buffers") {
			fmt.Print(line)
		}
	}
	// Output:
	// # TYPE vyre_buffers gauge
	// vyre_buffers{device="cpu"} 0
}

package metrics_test

import (
	"context"
	"encoding/json"
	"expvar"
	"fmt"
	"regexp"
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

func TestWriteTextHasOneTypeLineForEachName(t *testing.T) {
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
		"# TYPE vyre_mem_live_bytes gauge\nvyre_mem_live_bytes{device=\"cpu\"} 1000\nvyre_mem_live_bytes{device=\"cpu#2\"} 0\n",
		"# HELP vyre_h2d_bytes_total Bytes copied to the device.\n# TYPE vyre_h2d_bytes_total counter\nvyre_h2d_bytes_total{device=\"cpu\"} 1000\n",
		"vyre_runs_total{device=\"cpu\",mode=\"plain\"} 1\n",
		"vyre_errors_total{device=\"cpu\",kind=\"out of memory\"} 0\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("lacks\n%s\nin\n%s", want, text.String())
		}
	}
}

func TestPublishExpvarShowsTheDeviceAsItIs(t *testing.T) {
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
		if strings.Contains(line, "vyre_buffers") || strings.Contains(line, "vyre_wall") {
			fmt.Print(line)
		}
	}
	// Output:
	// # HELP vyre_buffers Buffers that are open.
	// # TYPE vyre_buffers gauge
	// vyre_buffers{device="cpu"} 0
	// # HELP vyre_wall_seconds_total Time from the start of runs to their results.
	// # TYPE vyre_wall_seconds_total counter
	// vyre_wall_seconds_total{device="cpu"} 0.000000000
}

// The rules of promlint, which says them about any text of metrics.
func TestWriteTextKeepsTheRulesOfPrometheus(t *testing.T) {
	d := open(t)
	var text strings.Builder
	if err := metrics.WriteText(&text, d.Stats(), d.Stats()); err != nil {
		t.Fatal(err)
	}
	help, series := map[string]string{}, map[string]bool{}
	for line := range strings.Lines(text.String()) {
		line = strings.TrimSuffix(line, "\n")
		switch fields := strings.SplitN(line, " ", 4); {
		case strings.HasPrefix(line, "# HELP "):
			help[fields[2]] = fields[3]
		case strings.HasPrefix(line, "# TYPE "):
			checkName(t, fields[2], fields[3])
			if len(help[fields[2]]) < 3 {
				t.Errorf("%s has the help %q", fields[2], help[fields[2]])
			}
		default:
			at := line[:strings.LastIndexByte(line, ' ')]
			if series[at] {
				t.Errorf("%s is there twice", at)
			}
			series[at] = true
			if !sample.MatchString(line) {
				t.Errorf("no sample: %s", line)
			}
		}
	}
	if len(series) < 100 {
		t.Errorf("only %d series", len(series))
	}
}

var (
	sample = regexp.MustCompile(`^vyre_[a-z0-9_]+\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")?\} -?[0-9]+(\.[0-9]{9})?$`)
	named  = regexp.MustCompile(`^vyre_[a-z][a-z0-9]*(_[a-z][a-z0-9]*)*$`)
)

func checkName(t *testing.T, name, kind string) {
	t.Helper()
	if !named.MatchString(name) {
		t.Errorf("%s is no name in lower case with underscores", name)
	}
	if (kind == "counter") != strings.HasSuffix(name, "_total") {
		t.Errorf("%s is a %s", name, kind)
	}
	for _, part := range strings.Split(name, "_") {
		switch part {
		case "s", "ms", "us", "ns", "sec", "b", "kb", "mb", "gb", "tb", "pb", "m", "h", "d":
			t.Errorf("%s has the abbreviated unit %s", name, part)
		case "milliseconds", "microseconds", "nanoseconds", "minutes", "hours", "days", "kilobytes", "megabytes", "gigabytes", "bits", "percent":
			t.Errorf("%s is not in a base unit", name)
		case "counter", "gauge", "histogram", "summary", "bucket", "count", "sum", "info":
			t.Errorf("%s has the word %s, which has a meaning of its own", name, part)
		}
	}
}

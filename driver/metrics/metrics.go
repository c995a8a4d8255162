// Package metrics exports the counters of devices to monitoring, as expvar variables and in the text format of Prometheus.
//
//	http.HandleFunc("/metrics", func(w http.ResponseWriter, _ *http.Request) {
//		metrics.WriteText(w, dev.Stats())
//	})
//
// In the text, names have the prefix vyre_, counters the suffix _total, and times are seconds, as Prometheus requires.
// Expvar variables have the names and units of package driver, so times are nanoseconds.
package metrics

import (
	"bytes"
	"expvar"
	"fmt"
	"io"
	"strings"

	"github.com/govyre/vyre/driver"
)

// WriteText writes the metrics of one or more devices in the text format of Prometheus
// (version 0.0.4), each with the label device. A second device of one name is called name#2.
func WriteText(w io.Writer, all ...*driver.Stats) error {
	if len(all) == 0 {
		return nil
	}
	devices := distinct(all)
	var b bytes.Buffer
	last := ""
	for m := range all[0].All() {
		name := textName(m)
		if name != last {
			last = name
			kind := "counter"
			if m.IsGauge() {
				kind = "gauge"
			}
			fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, m.Help(), name, kind)
		}
		for i, s := range all {
			label := fmt.Sprintf("{device=%q}", devices[i])
			if own := m.Label(); own != "" {
				label = label[:len(label)-1] + "," + own[1:]
			}
			fmt.Fprintf(&b, "%s%s %s\n", name, label, value(m, s.Get(m)))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// distinct returns a name for each device, no two alike.
func distinct(all []*driver.Stats) []string {
	names, count := make([]string, len(all)), map[string]int{}
	for i, s := range all {
		names[i] = s.Device
		if count[s.Device]++; count[s.Device] > 1 {
			names[i] = fmt.Sprintf("%s#%d", s.Device, count[s.Device])
		}
	}
	return names
}

// textName is the name of a metric in the text format.
func textName(m driver.Metric) string {
	name := "vyre_" + m.Name()
	if m.IsTime() {
		name = strings.Replace(name, "_ns", "_seconds", 1)
	}
	if !m.IsGauge() {
		name += "_total"
	}
	return name
}

// value writes the value of a metric; a time to the nanosecond, which a float64 would not hold.
func value(m driver.Metric, v uint64) string {
	switch {
	case m.IsTime():
		return fmt.Sprintf("%d.%09d", v/1e9, v%1e9)
	case m.IsGauge():
		return fmt.Sprint(int64(v))
	}
	return fmt.Sprint(v)
}

// PublishExpvar publishes the metrics of a device under a name, as one object that is made
// anew whenever somebody looks. Like expvar itself it panics if the name is taken.
func PublishExpvar(name string, d interface{ Stats() *driver.Stats }) {
	expvar.Publish(name, expvar.Func(func() any {
		s, values := d.Stats(), map[string]any{}
		for m, v := range s.All() {
			if m.IsGauge() {
				values[m.String()] = int64(v)
			} else {
				values[m.String()] = v
			}
		}
		values["device"] = s.Device
		return values
	}))
}

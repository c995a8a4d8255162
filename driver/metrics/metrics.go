// Package metrics hands the counters of devices to monitoring: as expvar variables, and in the
// text format of Prometheus.
//
//	http.HandleFunc("/metrics", func(w http.ResponseWriter, _ *http.Request) {
//		metrics.WriteText(w, dev.Stats())
//	})
//
// What is counted is the matter of package driver. Names get the prefix vyre_.
package metrics

import (
	"bytes"
	"expvar"
	"fmt"
	"io"

	"github.com/govyre/vyre/driver"
)

// WriteText writes the metrics of one or more devices in the text format of Prometheus
// (version 0.0.4), each with the label device.
func WriteText(w io.Writer, all ...*driver.Stats) error {
	if len(all) == 0 {
		return nil
	}
	var b bytes.Buffer
	name := ""
	for m := range all[0].All() {
		if m.Name() != name {
			name = m.Name()
			kind := "counter"
			if m.IsGauge() {
				kind = "gauge"
			}
			fmt.Fprintf(&b, "# TYPE vyre_%s %s\n", name, kind)
		}
		for _, s := range all {
			label := fmt.Sprintf("{device=%q}", s.Device)
			if own := m.Label(); own != "" {
				label = label[:len(label)-1] + "," + own[1:]
			}
			fmt.Fprintf(&b, "vyre_%s%s %d\n", name, label, s.Get(m))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
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

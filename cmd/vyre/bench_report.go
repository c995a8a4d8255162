package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/printable"
)

// benchJSON and the rest are the form of --json. Times are in nanoseconds.
type benchJSON struct {
	Kernel    string         `json:"kernel"`
	Grid      [3]uint32      `json:"grid"`
	Workgroup [3]uint32      `json:"workgroup"`
	Read      int64          `json:"bytes_read"`
	Written   int64          `json:"bytes_written"`
	Devices   []measuredJSON `json:"devices"`
}

type measuredJSON struct {
	Device    string         `json:"device"`
	Model     string         `json:"model"`
	Cold      coldJSON       `json:"cold"`
	Warm      warmJSON       `json:"warm"`
	Resources *resourcesJSON `json:"resources"` // null where they mean nothing
	Outputs   []outputJSON   `json:"outputs"`
	Note      string         `json:"note,omitempty"` // why there is no device time
	Terms     []termsJSON    `json:"terms,omitempty"`
}

// termsJSON is a root of the pass search with the time of the kernel as it is and with each term that is proved equal to it.
type termsJSON struct {
	Root   string        `json:"root"`
	AsItIs time.Duration `json:"as_it_is_ns"`
	Terms  []termJSON    `json:"terms"`
	Chosen int           `json:"chosen"` // -1: as it is
}

type termJSON struct {
	Term  string        `json:"term"`
	Proof string        `json:"proof"`
	Time  time.Duration `json:"ns"`
}

type coldJSON struct {
	Compile time.Duration `json:"compile_ns"`
	Upload  time.Duration `json:"upload_ns"`
	First   time.Duration `json:"first_run_ns"`
}

type warmJSON struct {
	Runs      int            `json:"runs"`
	Wall      quantilesJSON  `json:"wall"`
	Device    *quantilesJSON `json:"device"`                      // null where it means nothing
	Bandwidth *float64       `json:"bandwidth_bytes_per_s"`       // null without it
	OfPeak    *float64       `json:"bandwidth_of_peak,omitempty"` // if the device says what it could do
}

type quantilesJSON struct {
	Min time.Duration `json:"min_ns"`
	P50 time.Duration `json:"p50_ns"`
	P99 time.Duration `json:"p99_ns"`
}

type resourcesJSON struct {
	Registers int     `json:"registers"` // a thread
	Shared    int     `json:"shared_bytes"`
	Local     int     `json:"local_bytes"` // a thread
	Groups    int     `json:"groups_per_unit"`
	Occupancy float64 `json:"occupancy"` // share of the warps that a unit holds
	Limit     string  `json:"limit"`
}

// device adds times on the device, and the bandwidth that they make of so many bytes.
func (w *warmJSON) device(q quantilesJSON, bytes int64, peakGBs int) {
	w.Device = &q
	if q.P50 <= 0 {
		return
	}
	rate := float64(bytes) / q.P50.Seconds()
	w.Bandwidth = &rate
	if peakGBs > 0 {
		share := rate / (float64(peakGBs) * 1e9)
		w.OfPeak = &share
	}
}

// resources adds what the kernel takes, if the device hands such things out.
func (m *measuredJSON) resources(k driver.Kernel, rest int, caps *driver.Caps) {
	if caps.RegsUnit == 0 {
		return
	}
	r, o := k.Resources(), k.Occupancy(rest)
	m.Resources = &resourcesJSON{r.Registers, r.Shared + rest*r.RestElem, r.Local, o.Groups, float64(o.TenThousand) / 1e4, o.Limit}
}

func (d *benchJSON) json(w io.Writer) error {
	return json.NewEncoder(printable.JSONWriter(w)).Encode(d)
}

// text prints a column for each device.
func (d *benchJSON) text(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s: grid %s of %s, reads %s, writes %s\n\n", d.Kernel, sizeText(d.Grid), sizeText(d.Workgroup), bytesText(d.Read), bytesText(d.Written))
	row := func(name string, cell func(m *measuredJSON) string) {
		fmt.Fprint(w, name)
		for i := range d.Devices {
			fmt.Fprint(w, "\t"+cell(&d.Devices[i]))
		}
		fmt.Fprintln(w)
	}
	row("", func(m *measuredJSON) string { return m.Device })
	row("cold: compile", func(m *measuredJSON) string { return durationText(m.Cold.Compile) })
	row("cold: upload", func(m *measuredJSON) string { return durationText(m.Cold.Upload) })
	row("cold: first run", func(m *measuredJSON) string { return durationText(m.Cold.First) })
	row("warm runs", func(m *measuredJSON) string { return fmt.Sprint(m.Warm.Runs) })
	times := func(name string, of func(m *measuredJSON) *quantilesJSON) {
		for _, q := range []struct {
			name string
			of   func(quantilesJSON) time.Duration
		}{
			{"min", func(q quantilesJSON) time.Duration { return q.Min }},
			{"p50", func(q quantilesJSON) time.Duration { return q.P50 }},
			{"p99", func(q quantilesJSON) time.Duration { return q.P99 }},
		} {
			row(name+" "+q.name, func(m *measuredJSON) string {
				if of(m) == nil {
					return "-"
				}
				return durationText(q.of(*of(m)))
			})
		}
	}
	times("device time", func(m *measuredJSON) *quantilesJSON { return m.Warm.Device })
	times("wall time", func(m *measuredJSON) *quantilesJSON { return &m.Warm.Wall })
	row("bandwidth", bandwidthText)
	row("occupancy", func(m *measuredJSON) string {
		if m.Resources == nil {
			return "-"
		}
		return fmt.Sprintf("%.0f %%, limited by %s", 100*m.Resources.Occupancy, m.Resources.Limit)
	})
	row("resources", func(m *measuredJSON) string {
		if m.Resources == nil {
			return "-"
		}
		return fmt.Sprintf("%d registers, %d B shared, %d B local", m.Resources.Registers, m.Resources.Shared, m.Resources.Local)
	})
	if err := w.Flush(); err != nil {
		return err
	}
	for _, m := range d.Devices {
		m.terms(out)
		if m.Note != "" {
			fmt.Fprintf(out, "\n%s %s\n", m.Device, m.Note)
		}
	}
	return nil
}

// terms says what was chosen for each root, and from what.
func (m *measuredJSON) terms(out io.Writer) {
	chosen := map[bool]string{true: "  chosen"}
	for _, r := range m.Terms {
		fmt.Fprintf(out, "\n%s %s%s\n", durationText(r.AsItIs), r.Root, chosen[r.Chosen < 0])
		for i, c := range r.Terms {
			fmt.Fprintf(out, "%s %s by %s%s\n", durationText(c.Time), c.Term, c.Proof, chosen[i == r.Chosen])
		}
	}
}

func bandwidthText(m *measuredJSON) string {
	switch {
	case m.Warm.Bandwidth == nil:
		return "-"
	case m.Warm.OfPeak == nil:
		return fmt.Sprintf("%.4g GB/s", *m.Warm.Bandwidth/1e9)
	}
	return fmt.Sprintf("%.4g GB/s, %.1f %% of the memory's", *m.Warm.Bandwidth/1e9, 100**m.Warm.OfPeak)
}

// sizeText is a size along three axes.
func sizeText(g [3]uint32) string { return fmt.Sprintf("%d×%d×%d", g[0], g[1], g[2]) }

// durationText is a time with three figures.
func durationText(d time.Duration) string {
	for unit := time.Duration(1e9); unit >= 10; unit /= 10 {
		if d >= 100*unit {
			return d.Round(unit).String()
		}
	}
	return d.String()
}

// bytesText is a number of bytes in the unit that suits it.
func bytesText(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

package driver

import "github.com/govyre/vyre/internal/metric"

// Metric names one counter or gauge of a device.
type Metric uint8

const (
	errorsFirst = Metric(metric.Errors) // one counter a Kind from here on
	numMetrics  = errorsFirst + Metric(Internal)
)

func errorsMetric(k Kind) Metric { return errorsFirst + Metric(k) - 1 }

// String returns the metric's name and label as Prometheus writes them, without prefix.
func (m Metric) String() string { return metricTable[m].name + metricTable[m].label }

// Name returns the metric's name without its label; several metrics may share it.
func (m Metric) Name() string { return metricTable[m].name }

// Label returns the label that tells metrics of one name apart, as Prometheus writes it, or "".
func (m Metric) Label() string { return metricTable[m].label }

// Help says what the metrics of the name count.
func (m Metric) Help() string {
	for m > 0 && metricTable[m].help == "" {
		m--
	}
	return metricTable[m].help
}

// IsTime reports whether the metric counts nanoseconds.
func (m Metric) IsTime() bool {
	switch m {
	case metric.WallNS, metric.EnqueueNS, metric.WaitNS, metric.DeviceNS, metric.DeviceNSMax, metric.CompileNS:
		return true
	}
	return false
}

// IsGauge reports whether the metric goes down as well as up.
func (m Metric) IsGauge() bool { return metricTable[m].gauge }

// Errors returns the counter of errors of kind k.
func Errors(k Kind) Metric { return errorsMetric(k) }

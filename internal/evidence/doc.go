// Package evidence records comparisons of a resident graph engine with other ways of working, and checks such records.
//
//	device ──Sample.Measure──▶ Row ──Write──▶ CSV ──Gate.Check──▶ Proof: every ratio
//	                                           └──────────────────▶ Rejections: code, line, field
//
// A row compares four ways of doing the same work on one device, with the same graph and the same seeds. Naive uploads
// everything and returns to the host after every round. Strong keeps everything on the device, and the host reads one
// word a round. BestOther is the fastest other way without a fixed point on the device. Resident is one launch that
// ends by itself.
//
// # Trust in a row
//
// Counters come from the device's telemetry, before and after the timed region, and times from the clock around it.
// Row has no exported fields, so that a program cannot fill one in: rows come from a Sample, or from a file. A file
// can be written by hand, so the gate checks it. It rejects
//
//   - counters that do not follow from rounds and repetitions;
//   - a resident region with an upload, a wait or an allocation in it;
//   - results that differ, a graph that is too small, and a single sample.
//
// It cannot see an invented time.
//
// # The file
//
// The file is CSV in UTF-8 with the line Header on top and no quotes. All lines end with \n, including the last.
// Numbers are decimal without sign or leading zeros, and times are nanoseconds of a whole region. graph_digest has 64
// hexadecimal digits, and digest 32. A filter of arcs belongs to the graph's name: one name has one digest.
//
// # Ratios
//
// A ratio is the host's time divided by the resident time of the same row, once by wall time and once by device time.
// A Proof has the minimum, median and maximum of all ratios, for each run and graph and for the file, and its Write
// prints them. Required ratios must hold in every row, by wall time.
//
// # Not here
//
// The protocols themselves are in internal/protocols, and the command `vyre evidence run` runs them. Package graph
// checks the results.
//
// Start reading at field.go, then gate.go and measure.go.
package evidence

// Package evidence records what a resident graph engine is compared with, and checks such records before anybody
// quotes them.
//
//	device ──Sample.Measure──▶ Row ──Write──▶ CSV ──Gate.Check──▶ Proof: every ratio
//	                                           └──────────────────▶ Rejections: code, line, field
//
// A row compares four ways of doing the same work on one device, the same graph and the same seeds: Naive uploads all
// and asks the host after every round; Strong keeps everything on the device and asks the host for one word a round;
// BestOther is the fastest of what else there is without a fixed point on the device; Resident is one launch that ends
// by itself.
//
// # What makes a row worth something
//
// Counters come from the device's telemetry, before and after the region that was timed, and times from the clock
// around it. Row has no exported fields, so that a program cannot fill one in: rows come from a Sample, or from a file.
// A file can be written by hand. That is what the gate is for: counters that do not follow from rounds and
// repetitions, a resident region with an upload, a wait or an allocation in it, results that differ, a graph too small
// to matter, a sample alone. It cannot see a time that was made up.
//
// # The file
//
// CSV in UTF-8 with the line Header on top, no quotes, lines that end with \n, the last one too. Numbers are decimal
// without sign or leading zeros, times are nanoseconds of a whole region. graph_digest has 64 hexadecimal digits,
// digest 32. Where arcs are filtered, the filter belongs to the graph's name: one name has one digest.
//
// # Ratios
//
// A ratio is the host's time divided by the resident one's of the same row: by its wall time, and by its device time.
// A Proof has minimum, median and maximum of all of them, for each run and graph and for the file, and its Write
// prints all of them. What is required must hold in every row, by the wall.
//
// # Not here
//
// The protocols themselves: internal/speedup has them, and the command `vyre evidence run` runs them. Package graph has
// the oracle of the results.
//
// Start reading at field.go, then gate.go and measure.go.
package evidence

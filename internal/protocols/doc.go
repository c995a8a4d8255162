// Package protocols drives the searches of a session by the four protocols that package evidence compares: naive,
// strong, best other and resident.
//
//	name ──Parse, Load──▶ Work ──Measure──▶ rows
//
// The package has no kernels. Session.Drive of package graph/session lends the kernels, their memory on the device and
// the session's own plan. All protocols do the same in a repetition: reset the state, search to the fixed point, and
// store the answer in a place of its own. After a region, the digest of each answer is compared with that of a search
// on one core. A wrong answer ends the measurement, and no row has its times.
//
// The naive protocol is a caller that keeps nothing on the device and decides on the host. It allocates a buffer each
// for the graph, the state and the result, and uploads the graph. In every round it uploads the frontier, launches the
// kernel of a round, reads which nodes are reached, and finds the next frontier in that. The uploads come from memory
// that the device reads directly.
//
// The other protocols run the session's waves in other topologies of package megakernel:
//
//   - strong: launches the groups of a round and reads one word. The loop waits once a round; the end of one repetition
//     and the beginning of the next are one submission;
//   - best other: the fastest of back-to-back launches, captured graphs and the device's loop, by a trial;
//   - resident: the session's plan, with one launch a repetition and one submission a region.
//
// Start reading at work.go, then measure.go.
package protocols

// Package device closes e-graphs under congruence on a device, and saturates them there.
//
// Build makes an image of a graph of package egraph: columns of 32-bit words. Open uploads it, and one launch closes
// it: pending unions, rounds until one unites nothing, and the groups of the classes that are left. One read has the
// answer. The image stays on the device and takes further unions.
//
//	im, err := device.Build(g)
//	s, err := device.Open(ctx, dev, im)                 // one upload
//	r, err := s.Canonicalise(ctx, nil, device.Options{}) // one launch and one read
//	fmt.Println(r.Rounds, r.Unions, r.Classes)
//
// OpenSaturation takes a graph and rules of package rules. Run applies them until nothing is new, or to a limit, and
// reads the cheapest terms of classes.
//
// # Invariants
//
// The root of a class is its smallest id, and the live row of a key is its smallest. So no column depends on the order
// in which invocations run. Rounds see the state at their start, so their number and their unions are equal on every
// device and in egraph's RebuildParallel.
//
// # Concurrency
//
// An Image is for any number of sessions. A Session is for one goroutine at a time. The columns of a Result belong to
// the session until its next call.
//
// # Not here
//
// Package egraph has explanations, and bounds of values beside their known bits. The kernels are in internal/closure and internal/saturation; search.go
// writes those of the rules.
//
// Start reading at image.go and session.go, then saturation.go.
package device

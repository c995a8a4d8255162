// Package dataflow finds what holds along the control of structurally sound code: how uniform every value and every
// row's control is (uniform.go), and which accesses can meet between two barriers (intervals.go). Both walk the
// control flow of flow.go. The verifier asks; nothing here reports.
package dataflow

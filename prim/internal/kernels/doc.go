// Package kernels has the kernels of package prim, and their programs. Each is a few lines around an algorithm of
// prim/block; package prim specialises the programs for an operator and compiles them. The programs of x.go stand in
// x_vyre.go.
package kernels

//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o reduce_vyre.go reduce.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o arg_vyre.go arg.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o fill_vyre.go fill.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o histogram_vyre.go histogram.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o scan_vyre.go scan.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o scanfloats_vyre.go scanfloats.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o masked_vyre.go masked.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o merge_vyre.go merge.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o sort_vyre.go sort.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o sortfew_vyre.go sortfew.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o sortgroup_vyre.go sortgroup.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o sortsegments_vyre.go sortsegments.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o sortpairs4_vyre.go sortpairs4.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o sortpairs8_vyre.go sortpairs8.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o select_vyre.go select.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o segment_vyre.go segment.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o segscan_vyre.go segscan.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o segscanfloats_vyre.go segscanfloats.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o segmentfloats_vyre.go segmentfloats.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o runs_vyre.go runs.go
//go:generate go run -tags bootstrap ../../../cmd/vyre gen --programs -o runsums_vyre.go runsums.go

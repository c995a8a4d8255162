// Command compare measures the kernels of package codegen against the reference kernels on a CUDA device.
//
//	compare -reference DIR [-out DIR] [-only REGEXP] [-size launch,L2,beyond] [-samples 32] [-unchecked] [-shapes]
//	compare -ptx DIR
//
// DIR/default and DIR/nofmad hold the reference kernels as machine code, NAME.cubin, built with and without
// contraction of products and sums. It needs the NVIDIA driver and nothing else; ../run.sh builds them first.
//
// All variants run on the same buffers through the same driver calls. A sample is one run of all launches of a case
// between two events. It follows a kernel that spins until the host has enqueued all of it. Before it, buffers that the
// case updates get their contents back. The variants take turns, A B C, C B A, and so on. Before measuring, each
// variant runs once with its outputs poisoned. Its outputs must then equal those of the reference kernel without
// contraction, bit for bit, and at the smallest size those of plain Go. Where both sides call functions of libraries
// whose last bits differ, near is enough.
//
// The report has a geometric mean for each group of cases and for all. Kernels over structs have a further variant, over
// arrays that are split by hand.
//
// With -unchecked, the same program with its bounds checks taken out is another variant. With -shapes, so are other
// kernels for the same work (codegen.Shape), of ours alone. One that is faster on a device should become the kernel of
// the suite, and the shape of its reference kernel. With -ptx, the PTX of all kernels is written to files, and nothing
// is measured.
//
// Start reading in measure.go.
package main

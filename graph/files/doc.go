// Package files reads and writes graphs in the formats of other programs.
//
//	g, report, err := files.Open(ctx, "roads.gr.gz", files.Options{})
//	lost, err := files.Save("roads.vyg", g, files.Auto)
//
// # Formats
//
//	el, txt, tsv   an arc a line: from, to, and maybe a mask of kinds; comments start with # or % (SNAP)
//	wel            an arc a line: from, to, weight
//	nel            an arc a line: from, to, and maybe kinds and a weight, all of them words; el, txt and tsv files with words, too
//	mtx            Matrix Market: coordinate; pattern, integer or real; general, symmetric or skew-symmetric
//	sg, wsg        the GAP benchmark's compressed rows, without and with weights
//	gr             DIMACS shortest paths
//	vyg            what package graph reads by itself, with names, kinds and the rest
//	dot, json, csv written only
//
// The first bytes of a file decide its format, then its name. METIS and others are refused by name. Files may be
// compressed with gzip, bzip2 or zstd, which the first bytes also show.
//
// # Reading
//
//	bytes ─▶ chunks of 1 MiB, cut at ends of lines ─▶ workers ─▶ arcs, in the order of the file ─▶ graph.FromBlocks
//
// A header's numbers are not trusted. Memory grows with the bytes that were read, and a number of nodes that does not
// fit the length of the file is refused. Options.MaxMemory limits all memory, including buffers and copies. A larger
// need is an error with the number, because the package does not use temporary files. Options.MaxBytes limits the
// decompressed size, which is also at most a thousand times the bytes that were read.
//
// A wrong file is a *graph.ParseError with line, column and offset.
//
// # Writing
//
// Save writes under a temporary name, and renames the complete file. A conversion keeps everything that both formats
// hold, weights and kinds too, and reports the losses.
//
// Start reading at files.go and reader.go, then stream.go and lines.go.
package files

// Package files reads graphs from the files that others keep them in, and writes them.
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
// What a file holds is told by its first bytes, then by its name; METIS and others are refused by name. Files may be
// compressed with gzip, bzip2 or zstd, which their first bytes tell.
//
// # Reading
//
//	bytes ─▶ chunks of 1 MiB, cut at ends of lines ─▶ workers ─▶ arcs, in the order of the file ─▶ graph.FromBlocks
//
// No number that a header promises is trusted: memory grows with what was read, and a number of nodes is refused that the
// length of the file does not warrant. All that is held, buffers and copies too, is limited by Options.MaxMemory; nothing is kept in
// temporary files, so more is an error with the number. What decompresses is limited by Options.MaxBytes and by a thousand times
// what was read.
//
// A file that is wrong is a *graph.ParseError with line, column and offset.
//
// # Writing
//
// Save writes under a temporary name, and renames what is complete. A conversion keeps what both formats hold, weights and kinds
// too, and says what the second one cannot hold.
//
// Start reading at files.go, then stream.go and lines.go.
package files

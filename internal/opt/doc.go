// Package opt turns programs into programs that do the same with less, or with
// simpler ops.
//
//	out, report, err := opt.Run(p, opt.Options{})
//
// In goes a sealed ir.Program, out comes another one, sealed and verified again, with
// a digest of its own. Every bit of every result stays (ir says what that allows); positions,
// names and messages follow the rows they belong to. What the host was promised about a launch stays too.
//
// Run takes the runs of the table of package compile, but for the group text, over one working copy
// (work.go): columns made mutable, with the rows of each region linked, so that an edit renumbers
// nothing. Sealing writes fresh columns, canonicalises and verifies.
//
// What always holds:
//
//   - A pass is one file. Its comment says what it does, when that is sound, and how its work grows; the
//     work is counted, and a test holds it to linear growth over five shapes of program.
//   - What keeps a rewrite sound is written w.must(check…, condition). Tests turn each check off
//     and see some case fail.
//   - A pass decides by the work alone, and what changes the work counts as an edit: a pass that found nothing is left
//     out, and what an analysis found is kept, until there is one.
//   - Equal programs and options give equal columns: nothing is decided by the order of a map, by time, or by
//     an address.
//   - While the program has ops that rely on uniform control, no value is replaced by one that the verifier
//     would find less uniform.
//
// Programs and reports may be shared between goroutines; Run keeps nothing.
//
// Not here: the meaning of ops (ir), instruction selection and everything with addresses
// (ptx), deciding from measurements which optional pass to run.
//
// README.md teaches how the passes are written and tested. Start reading there, then in run.go, work.go and gvn.go. Cases
// stand in testdata/<pass>, former and possible miscompiles in testdata/regress.
package opt

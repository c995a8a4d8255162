package evidence_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/govyre/vyre/internal/evidence"
)

// A file that passes proves every ratio, not only those that are required.
func ExampleGate_Check() {
	csv := file(pair()...) // two samples of one graph
	gate := evidence.Gate{Require: map[evidence.Protocol]float64{evidence.Naive: 100, evidence.BestOther: 1}}
	proof, err := gate.Check(strings.NewReader(csv))
	if err != nil {
		log.Fatal(err)
	}
	if err := proof.Write(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 3 lines, 2 samples, 192 repetitions
	// run a, graph road:1024x1024: 2 samples, 192 repetitions
	//   resident to      wall min     median        max  device min     median        max
	//   naive             100.000    112.500    125.000     200.000    225.000    250.000
	//   strong              8.000      8.000      8.000      16.000     16.000     16.000
	//   best other          2.000      2.000      2.000       4.000      4.000      4.000
}

// A program reads why a file was rejected from the code, the line and the field.
func ExampleRejections() {
	rows := pair()
	rows[0]["resident_uploads"] = "3"
	rows[1]["digest_mismatches"] = "1"
	_, err := evidence.Gate{}.Check(strings.NewReader(file(rows...)))
	var rejected evidence.Rejections
	if errors.As(err, &rejected) {
		for _, r := range rejected {
			fmt.Printf("%s, line %d, %s: %s\n", r.Code, r.Line, r.Field, r.Text)
		}
	}
	// Output:
	// polluted, line 2, resident_uploads: resident_uploads is 3, want 0: the host took part
	// digest, line 3, digest_mismatches: digest_mismatches is 1, want 0: results were wrong
}

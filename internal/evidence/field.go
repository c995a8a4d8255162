package evidence

import "strings"

// field is a column of the file.
type field uint8

const (
	fSchema field = iota
	fRun
	fSample
	fDevice
	fSM
	fMemory
	fDriver
	fGraph
	fGraphDigest
	fNodes
	fEdges
	fSeeds
	fRounds
	fRepetitions
	fNaiveNS
	fStrongNS
	fBestOther
	fBestOtherNS
	fResidentNS
	fResidentDeviceNS
	fSetupNS
	fNaiveAllocs
	fNaiveUploads
	fNaiveWaits
	fStrongWaits
	fResidentLaunches
	fResidentUploads
	fResidentAllocs
	fResidentHeapAllocs
	fResidentWaits
	fResidentFallbacks
	fDigest
	fDigestMismatches
	numFields
)

// form is what a field's text may be.
type form uint8

const (
	number   form = iota
	duration      // a number that is not 0
	word          // anything but a comma, a quote or a control character; not empty
	digits64      // so many hexadecimal digits
	digits32
)

var fieldTable = [numFields]struct {
	name string
	form form
}{
	fSchema:             {"schema", number},
	fRun:                {"run", word},
	fSample:             {"sample", number},
	fDevice:             {"device", word},
	fSM:                 {"sm", number},
	fMemory:             {"memory_bytes", number},
	fDriver:             {"driver", word},
	fGraph:              {"graph", word},
	fGraphDigest:        {"graph_digest", digits64},
	fNodes:              {"nodes", number},
	fEdges:              {"edges", number},
	fSeeds:              {"seeds", number},
	fRounds:             {"rounds", number},
	fRepetitions:        {"repetitions", number},
	fNaiveNS:            {"naive_ns", duration},
	fStrongNS:           {"strong_ns", duration},
	fBestOther:          {"best_other", word},
	fBestOtherNS:        {"best_other_ns", duration},
	fResidentNS:         {"resident_ns", duration},
	fResidentDeviceNS:   {"resident_device_ns", duration},
	fSetupNS:            {"setup_ns", number},
	fNaiveAllocs:        {"naive_allocs", number},
	fNaiveUploads:       {"naive_uploads", number},
	fNaiveWaits:         {"naive_waits", number},
	fStrongWaits:        {"strong_waits", number},
	fResidentLaunches:   {"resident_launches", number},
	fResidentUploads:    {"resident_uploads", number},
	fResidentAllocs:     {"resident_allocs", number},
	fResidentHeapAllocs: {"resident_heap_allocs", number},
	fResidentWaits:      {"resident_waits", number},
	fResidentFallbacks:  {"resident_fallbacks", number},
	fDigest:             {"digest", digits32},
	fDigestMismatches:   {"digest_mismatches", number},
}

func (f field) String() string { return fieldTable[f].name }

// isNumber reports whether a row keeps the field as a number.
func (f field) isNumber() bool { return fieldTable[f].form <= duration }

// Header is the first line of a file, without its end.
var Header = func() string {
	var names []string
	for _, f := range fieldTable {
		names = append(names, f.name)
	}
	return strings.Join(names, ",")
}()

// Schema is the version of the file that this package writes and reads.
const Schema = 1

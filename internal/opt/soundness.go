package opt

// check names a condition that keeps a rewrite sound. Tests can turn one off and must then
// fail; so none is there for nothing, and none is without a test.
type check uint8

const (
	checkLevel            check = iota // a replacement is at least as uniform
	checkApproximate                   // fold: approximate ops are not computed here
	checkOpen                          // gvn: the leader's region encloses the row
	checkSameRegion                    // gvn: convergent ops merge within one region only
	checkExact                         // gvn: keys are compared, not hashes
	checkWrites                        // memory versions: a write starts a new one
	checkCopied                        // memory versions: and asynchronous copies, their batches and waits
	checkBarriers                      // memory versions: so do barriers, fences and ordered atomics
	checkLoopWrites                    // memory versions: so does the head of a loop that writes, and the end of an op that does
	checkEndless                       // dce: a loop goes only if it ends
	checkParts                         // algebra: the types of all parts of the pattern are those of the rule
	checkCondition                     // algebra: the constants are what the rule asks for
	checkConversion                    // algebra: nothing is lost between two conversions
	checkArm                           // branch: a condition is known where its arm encloses the row
	checkEqualFloats                   // branch: floats that are equal need not be the same
	checkSpeculatedLoad                // branch: what runs in every case loads from what nobody writes at most
	checkPath                          // branch: an exit in an arm of an arm is taken where both conditions hold
	checkSpeculatedBounds              // a proof of bounds stays with the control that it came from
	checkNegative                      // bounds: an index is 0 or more
	checkSameBuffer                    // bounds: the length is that of the buffer accessed
	checkWhole                         // bounds: a length counts records, which have no more elements than are asked about
	checkWrap                          // bounds: what is subtracted does not wrap
	checkNotZero                       // bounds: a condition says that what was loaded is not zero
	checkCame                          // ranges: an arm that gives the value that a result has may be the one that control took
	checkAsLong                        // bounds: what has the element that was loaded is no longer than what is accessed
	checkViewWraps                     // bounds: the end of a view is not before its beginning
	checkBefore                        // bounds: what is at a distance from an index is not after that
	checkViewOutside                   // views: the index that stands for none is beyond every length
	checkViewDistance                  // views: the sum of an index and a constant does not wrap
	checkViewDifference                // views: nor does what is subtracted from it
	checkViewBetween                   // views: no other access of the object stands between those that come together
	checkRounds                        // ranges: a loop is walked until its rounds bring nothing new
	checkRevision                      // ranges: what was found before is about the program as it is
	checkScope                         // ranges: what a condition says ends with its region
	checkAsked                         // ranges: an interval that is computed in a region, when a row is first asked for, ends with it
	checkLasting                       // ranges: a continue keeps the sum of the beginning and the length of a view
	checkDrift                         // ranges: a step that an argument of a loop takes does not wrap
	checkNarrow                        // narrow: the value fits
	checkUpper                         // narrow: nothing looks at the upper half
	checkDivisor                       // narrow: by zero, 64 bits give another number than 32
	checkKept                          // narrow: what is dropped is not stored
	checkNarrowSign                    // narrow: the number is not negative
	checkHoistedPast                   // licm: nothing in the loop can change what is loaded
	checkHoistedSure                   // licm: a load of what is written runs in the first round
	checkFirstRound                    // licm: the loop surely has one
	checkUniformTrips                  // unroll: no op relies on uniform control
	checkSureRounds                    // unroll: all rounds that become one are sure
	checkTripsWrap                     // unroll: a counter that starts within bounds does not wrap on its way
	checkTripsMeet                     // unroll: the steps to a bound that may have wrapped meet it
	checkOneStop                       // unroll: every round but the first would begin with the same constant
	checkOpenTest                      // unroll: a round that may not run keeps its test
	checkBetween                       // vector: no other access of the object is in between
	checkStored                        // vector: no load moves up past a store of what it loads
	checkPassedExit                    // vector: no exit is among what an access moves past
	checkAligned                       // vector: the first index and the object are aligned to the whole
	checkTerms                         // vector: an index that is divided term by term does not wrap
	checkHighest                       // algebra: what is compared is the highest bit
	checkIntegers                      // algebra: conversions around an op are between integers, not from floats of the width
	checkReciprocal                    // expand: a reciprocal of one bit more than a word gets that bit
	checkPower                         // narrow: what divides as a power of two is not zero
	checkLeast                         // narrow: the operand of min that stays is at most the other
	checkRest                          // expand: a remainder in 32 bits is by a divisor of 32 bits
	checkElement                       // forward, mem2reg: a narrow element keeps the low bits
	checkForwardBounds                 // forward: the store wrote what it was given
	checkForwardIndex                  // forward: the load reads what the store wrote
	checkForwardRecord                 // forward: in bounds is what is below the length
	checkIndexSign                     // forward: a negative index of 32 bits is larger than any length
	checkForwardAcross                 // forward: a store between is at another index
	checkStoreExit                     // dse: the later store runs on every path
	checkStoreOrder                    // dse: nobody else may look meanwhile
	checkStoreRead                     // dse: nor does the invocation itself
	checkStorePlace                    // dse: the later store is to the same place
	checkStoreCondition                // dse: it runs under no stronger condition
	checkConstantIndex                 // mem2reg: each access names one element
	checkOtherArm                      // mem2reg: an arm does not see what the other one stored
	checkSeen                          // barrier: no access lies between
	checkStrength                      // barrier: the one that stays is as strong
	checkEveryWay                      // barrier: it comes by on every way
	checkBackEdge                      // barrier: the next round is a way too
	checkCooperative                   // barrier: a cooperative launch stays one
	checkSettled                       // barrier: no write meets a load that it did not meet before
	checkTurn                          // idiom: the counts of two shifts make a whole turn
	checkField                         // idiom: what is kept around a field is all but the field
	checkWholeBytes                    // idiom: a mask takes bytes as a whole
	checkSamePlace                     // idiom: a bit that comes twice counts twice
	checkShiftedOut                    // idiom: a number shifted right comes to 0
	checkTableBounds                   // idiom: an index is in bounds of its table, or is made to give zero
	checkWarpControl                   // aggregate: all lanes come to the condition
	checkOneElement                    // aggregate: all lanes mean the same element
	checkAnyOrder                      // aggregate: integers, which combine in any order alike
	checkUnordered                     // aggregate: the atomic orders nothing else
	checkOldInBounds                   // aggregate: out of bounds every lane gets 0
	checkLaneOrder                     // aggregate: a lane's own accesses stay before and after its atomic
	checkJoinCondition                 // join: both ifs have one condition
	checkJoinLoad                      // join: nobody writes what is loaded between
	checkUnswitchUniform               // unswitch: no op in the loop relies on uniform control
	checkClamped                       // clamp: out of bounds is zero and not an element
	checkIRCE                          // irce: the farthest of the accesses is in bounds
	checkNoRound                       // irce: an access of an arm that never runs in the loop in front stays checked
	checkPackBetween                   // pack: stores that are done together pass no access of what they store to
	checkPackStore                     // pack: a store is made in bounds only
	checkPackPast                      // pack: out of bounds is behind the last elements
	checkGuardsSign                    // guards: a length is a number that the index may be
	checkGuardsWraps                   // guards: an index that wraps in 32 bits is beyond every length
	checkGuardsSpan                    // guards: the last of the accesses is as far on as it is
	checkScheduleWrite                 // schedule: what is loaded is not changed between
	checkScheduleExit                  // schedule: a load passes no test that its proof of bounds may rest on
	checkSchedulePure                  // schedule: an atomic passes nothing but pure rows
	checkReach                         // egraph: what a term uses is defined where it is made
	checkFactPlace                     // egraph: what a condition says of a leaf holds in its region only
	numChecks
)

// checkNames are what tests call them: the pass whose cases fail first without it, and after a slash which it is.
var checkNames = [numChecks]string{
	checkLevel:            "gvn/level",
	checkApproximate:      "fold/approximate",
	checkOpen:             "gvn/open",
	checkSameRegion:       "gvn/same-region",
	checkExact:            "gvn/exact",
	checkWrites:           "forward/writes",
	checkCopied:           "gvn/copied",
	checkBarriers:         "forward/barriers",
	checkLoopWrites:       "forward/loop-writes",
	checkEndless:          "dce/endless",
	checkParts:            "algebra/parts",
	checkCondition:        "algebra/condition",
	checkConversion:       "algebra/conversion",
	checkArm:              "branch/arm",
	checkEqualFloats:      "branch/equal-floats",
	checkSpeculatedLoad:   "branch/speculated-load",
	checkPath:             "branch/path",
	checkSpeculatedBounds: "branch/speculated-bounds",
	checkNegative:         "bounds/negative",
	checkSameBuffer:       "bounds/same-buffer",
	checkWhole:            "bounds/whole",
	checkWrap:             "bounds/wrap",
	checkNotZero:          "bounds/not-zero",
	checkCame:             "bounds/came",
	checkAsLong:           "bounds/as-long",
	checkViewWraps:        "bounds/view-wraps",
	checkBefore:           "bounds/before",
	checkViewOutside:      "views/outside",
	checkViewDistance:     "views/distance",
	checkViewBetween:      "views/between",
	checkViewDifference:   "views/difference",
	checkRounds:           "bounds/rounds",
	checkRevision:         "bounds/revision",
	checkScope:            "bounds/scope",
	checkAsked:            "narrow/asked",
	checkLasting:          "bounds/lasting",
	checkDrift:            "bounds/drift",
	checkNarrow:           "narrow/narrow",
	checkUpper:            "narrow/upper",
	checkDivisor:          "narrow/divisor",
	checkKept:             "narrow/kept",
	checkNarrowSign:       "narrow/narrow-sign",
	checkHoistedPast:      "licm/hoisted-past",
	checkHoistedSure:      "licm/hoisted-sure",
	checkFirstRound:       "licm/first-round",
	checkUniformTrips:     "unroll/uniform-trips",
	checkSureRounds:       "unroll/sure-rounds",
	checkTripsWrap:        "unroll/trips-wrap",
	checkTripsMeet:        "unroll/trips-meet",
	checkOneStop:          "unroll/one-stop",
	checkOpenTest:         "unroll/open-test",
	checkBetween:          "vector/between",
	checkStored:           "vector/stored",
	checkPassedExit:       "vector/exit",
	checkAligned:          "vector/aligned",
	checkTerms:            "vector/terms",
	checkHighest:          "algebra/highest",
	checkIntegers:         "algebra/integers",
	checkReciprocal:       "expand/reciprocal",
	checkPower:            "narrow/power",
	checkLeast:            "narrow/least",
	checkRest:             "expand/rest",
	checkElement:          "forward/element",
	checkForwardBounds:    "forward/forward-bounds",
	checkForwardIndex:     "forward/forward-index",
	checkForwardRecord:    "forward/forward-record",
	checkIndexSign:        "forward/index-sign",
	checkForwardAcross:    "forward/forward-across",
	checkStoreExit:        "dse/store-exit",
	checkStoreOrder:       "dse/store-order",
	checkStoreRead:        "dse/store-read",
	checkStorePlace:       "dse/store-place",
	checkStoreCondition:   "dse/store-condition",
	checkConstantIndex:    "mem2reg/constant-index",
	checkOtherArm:         "mem2reg/other-arm",
	checkSeen:             "barrier/seen",
	checkStrength:         "barrier/strength",
	checkEveryWay:         "barrier/every-way",
	checkBackEdge:         "barrier/back-edge",
	checkCooperative:      "barrier/cooperative",
	checkSettled:          "barrier/settled",
	checkTurn:             "idiom/turn",
	checkField:            "idiom/field",
	checkWholeBytes:       "idiom/whole-bytes",
	checkSamePlace:        "idiom/same-place",
	checkShiftedOut:       "idiom/shifted-out",
	checkTableBounds:      "idiom/table-bounds",
	checkWarpControl:      "idiom/warp-control",
	checkOneElement:       "idiom/one-element",
	checkAnyOrder:         "idiom/any-order",
	checkUnordered:        "idiom/unordered",
	checkOldInBounds:      "idiom/old-in-bounds",
	checkLaneOrder:        "idiom/lane-order",
	checkJoinCondition:    "join/join-condition",
	checkJoinLoad:         "join/join-load",
	checkUnswitchUniform:  "unswitch/unswitch-uniform",
	checkClamped:          "clamp/clamped",
	checkIRCE:             "irce/irce",
	checkNoRound:          "irce/no-round",
	checkPackBetween:      "pack/between",
	checkPackStore:        "pack/store",
	checkPackPast:         "pack/past",
	checkGuardsSign:       "guards/guards-sign",
	checkGuardsWraps:      "guards/guards-wraps",
	checkGuardsSpan:       "guards/guards-span",
	checkScheduleWrite:    "schedule/schedule-write",
	checkScheduleExit:     "schedule/schedule-exit",
	checkSchedulePure:     "schedule/schedule-pure",
	checkReach:            "egraph/reach",
	checkFactPlace:        "egraph/fact-place",
}

// weakness is a set of checks that are off.
type weakness [(numChecks + 63) / 64]uint64

// off is the set with one more check.
func (k weakness) off(c check) weakness {
	k[c/64] |= 1 << (c % 64)
	return k
}

// must is ok, unless a test has turned the check off.
func (w *work) must(c check, ok bool) bool { return ok || w.weak[c/64]>>(c%64)&1 != 0 }

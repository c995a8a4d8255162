package plan

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/govyre/vyre/driver"
)

// Reason is what a program can read of a refusal; errors.As finds it in the chain of every error of this package.
//
//	code            index        what       numbers                         path
//	empty           -
//	bad_wave        dependency                                              before, after
//	self            wave
//	cycle           -                       waves that cannot be ordered    the cycle, its first wave again at the end
//	overflow        at fault     field
//	over_budget     at fault     budget     need, have; nodes and edges where a graph decides
//	bad_live        buffer                  groups                           first and last group
//	elem_bytes      buffer       element    bytes, bytes of an element
//	elem_differs    buffer       element    bytes of an element, those of another buffer's
//	empty_budget    -
//	flag_width      -                       have, need
//	polled          -                       polls
//	no_topology     -            topology
//	duplicate       stage, slot, shard, node, frontier, query
//	meaningful_over_capacity
//	                slot                    meaningful bytes, capacity
//	cap             -
//	raw_bytes       shard
//	record_bytes    shard
//	emitted_over_candidates
//	                shard                   records, candidates
//	severity        shard
//	entry_bytes     -
//	too_many_initial
//	                -                       initial items, capacity
//	host_participates
//	                -
//	capacity        -                       entries, most children
//	drain_chunk     -
//	record_width    -                       bytes of a node's record, of an edge's
//	index_overflow  -                       nodes, edges
//	unknown         edge, dependency        the id that nobody has
//	payload_overflow
//	                node                    offset, bytes
//	payload_bounds  node                    end, payload bytes
//	payload_over_budget
//	                -                       need, have
//	active_count    wave
//	duplicate, unknown, needs, alternatives
//	                pass         name
//	budget          -
//	graph_digest    query
//	traversal       query
//	graph_bytes     query
//	graph_bytes_differ
//	                query        graph      bytes in an earlier query, in this one
//	graph_digest, graph_bytes, runs, budget, not_resident
//	                -
type Reason struct {
	Code    string
	Index   int      // of the wave, dependency or buffer at fault; -1 if there is none
	What    string   // the field that overflowed, the budget that is too small
	Numbers []uint64 // in the order of the table
	Path    []int    // waves or groups, one after the other
}

// Error returns the code with what belongs to it, such as over_budget("arena", 2560, 2048).
func (r *Reason) Error() string {
	var parts []string
	if r.What != "" {
		parts = append(parts, strconv.Quote(r.What))
	} else if r.Index >= 0 {
		parts = append(parts, strconv.Itoa(r.Index))
	}
	for _, n := range r.Numbers {
		parts = append(parts, strconv.FormatUint(n, 10))
	}
	if len(r.Path) > 0 {
		parts = append(parts, pathText(r.Path))
	}
	if len(parts) == 0 {
		return r.Code
	}
	return r.Code + "(" + strings.Join(parts, ", ") + ")"
}

// pathText joins waves by arrows and leaves out the middle of a long path.
func pathText(path []int) string {
	const most = 16 // waves shown
	var b strings.Builder
	for i, w := range path {
		if len(path) > most && i == most/2 {
			fmt.Fprintf(&b, "→…%d more…", len(path)-most)
		}
		if len(path) > most && i >= most/2 && i < len(path)-most/2 {
			continue
		}
		if i > 0 {
			b.WriteString("→")
		}
		b.WriteString(strconv.Itoa(w))
	}
	return b.String()
}

// Refusal returns an error with r in its chain. Path names what is at fault, such as "wave 3".
func Refusal(op string, kind driver.Kind, path, msg, fix string, r Reason) *driver.Error {
	return &driver.Error{Op: op, Kind: kind, Path: path, Msg: msg, Fix: fix, Err: &r}
}

// OverBudget returns the refusal of something that needs more bytes than there are.
func OverBudget(op, path, what string, index int, need, have uint64, fix string) *driver.Error {
	e := Refusal(op, driver.OutOfMemory, path, fmt.Sprintf("%s needs %d bytes of %d", what, need, have), fix,
		Reason{Code: "over_budget", Index: index, What: what, Numbers: []uint64{need, have}})
	e.Requested, e.Available = signed(need), signed(have)
	return e
}

// Overflow returns the refusal of a sum or product that 64 bits do not hold.
func Overflow(op, path, field string, index int) *driver.Error {
	return Refusal(op, driver.InvalidArgument, path, field+" exceed 2^64-1", "give the sizes that the buffers really have",
		Reason{Code: "overflow", Index: index, What: field})
}

// signed is n as the byte counts of driver.Error hold it.
func signed(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

// found makes an error of what was found, nil of nothing.
func found(ps driver.Problems) error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

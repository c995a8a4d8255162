package saturation

import "github.com/govyre/vyre/gpu"

// Decide ends graphs for which a round made nothing, or that have come to a limit, once all are closed. Limits depend
// on live rows and rounds alone, which no timing changes.
//
//vyre:kernel workgroup=256
func Decide(t gpu.Thread, rows, rounds uint32, header, goals, graphs, counters []uint32) {
	if header[Phase] != Closing {
		return
	}
	closed, n, judged := counters[Changed] == 0, header[Searches], header[Act] < moved || header[Searches] == 0
	going := uint32(0)
	for base := t.Group().X * 256; base < uint32(len(graphs))/GraphWords; base += t.Groups().X * 256 {
		g := base + t.Local().X
		if g >= uint32(len(graphs))/GraphWords {
			continue
		}
		graph := graphs[g*GraphWords : g*GraphWords+GraphWords]
		if closed && graph[Status] == Running {
			status := ended(graph, rows, rounds, n, judged)
			if status != Conflict && reached(goals, g) {
				graph[Rounds], status = n, Goal
			}
			graph[Status] = status
			if status == Running {
				going++
			}
		}
		graph[live], graph[classes], graph[clash] = 0, 0, 0
		if closed {
			graph[Made] = 0
		}
	}
	add(t, counters, active, going)
}

// reached reports whether the two classes of a graph's goal are one. Where no graph has a goal, there are no pairs.
func reached(goals []uint32, g uint32) bool {
	return 2*g+1 < uint32(len(goals)) && goals[2*g] != None && goals[2*g] == goals[2*g+1]
}

// ended says why a graph ends.
func ended(graph []uint32, rows, rounds, n uint32, judged bool) uint32 {
	graph[Rows], graph[Classes] = graph[live], graph[classes]
	if graph[clash] != 0 {
		graph[Rounds] = n
		return Conflict
	}
	if !judged {
		return Running
	}
	graph[Rounds] = n
	switch {
	case n != 0 && graph[Made] == 0:
		return Saturated
	case graph[live] >= rows:
		return RowLimit
	case n >= rounds:
		return RoundLimit
	}
	return Running
}

// Roomy is how many slots the table has for a listed row at least, until it has all that there are.
const Roomy = 64

// Judge says what a round goes on with once the graphs are closed. most is how many slots there may be.
//
//vyre:kernel workgroup=32
func Judge(t gpu.Thread, most uint32, header, graphs, counters []uint32) {
	if t.Global().X != 0 {
		return
	}
	anew := header[Act] >= moved
	header[Act] = nothing
	if header[Phase] != Closing {
		return
	}
	going, listed := counters[active], counters[Total]
	counters[active], counters[Total] = 0, 0
	if counters[Full] != 0 {
		header[Failed], header[Phase] = 1, Done
		return
	}
	if counters[Changed] != 0 { // by closing, or by folding behind it
		counters[Changed] = 0
		if anew {
			header[Act] = moved
		}
		return
	}
	header[Listed] = listed
	if n := header[Searches]; n < LogRounds && graphs[Rounds] == n {
		header[LogAt+2*n], header[LogAt+2*n+1] = graphs[Rows], graphs[Classes]
	}
	if going == 0 {
		header[Phase] = costing
		return
	}
	// A round may make many times as many rows as there are, and nothing can wait for room then.
	slots := header[Slots]
	for slots < most && slots/Roomy < listed {
		slots *= 2
	}
	if !anew && (slots != header[Slots] || counters[Used] > slots/2) {
		header[Act] = Move
		header[Was], header[Slots] = header[Slots], slots
		header[Moves]++
		counters[Used] = 0
		return
	}
	header[Act] = Search
	header[Searches]++
}

// Last ends a round of the loop, and asks for another one unless all is done.
//
//vyre:kernel workgroup=32
func Last(t gpu.Thread, wanted, header, count, counters, vote []uint32) {
	if t.Global().X != 0 {
		return
	}
	phase := header[Phase]
	if phase > Closing && phase < Done && counters[progress] == 0 {
		phase++
		header[Phase] = phase
		if phase == marking {
			for i := range uint32(len(wanted)) {
				if w := wanted[i]; w != None {
					count[w] |= marked
				}
			}
		}
	}
	counters[progress] = 0
	header[Found] = counters[out]
	if phase != Done {
		gpu.AtomicAdd(&vote[0], 1)
	}
}

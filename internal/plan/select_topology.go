package plan

// chooseTopology takes what the caller asks for, what is predicted to be fastest, or what the documented default says.
func (s *selection) chooseTopology() error {
	required, part, err := s.need(s.out.Shape, Cooperative)
	if err != nil {
		if s.in.Only == Cooperative {
			return err
		}
		part = 10000 // what cannot even be added up does not fit
	}
	wanted, most := s.cooperative()
	fits := s.in.Device.GridBarrier && part <= most
	usual := Candidate{Topology: HostLoop, Batch: 1}
	if wanted && fits {
		usual = Candidate{Topology: Cooperative}
	}
	switch {
	case s.in.Only != Auto:
		s.ask()
	case s.in.Costs != nil:
		s.fastest(usual.Topology, fits)
	case usual.Topology == Cooperative:
		s.take(usual, BecauseFusion)
	case wanted:
		s.take(usual, BecauseMemory)
	default:
		s.take(usual, s.out.Reason)
	}
	if s.out.Topology == Cooperative {
		s.out.Blocks, s.out.Required, s.out.Pressure = s.in.Blocks, required, part
	}
	return nil
}

func (s *selection) take(c Candidate, reason string) {
	s.out.Topology, s.out.Batch, s.out.Reason = c.Topology, c.Batch, reason
}

// cooperative reports whether the documented default wants one launch for everything, and how much of the budget that
// may take. It is easier on a plan that is cooperative already.
func (s *selection) cooperative() (wanted bool, most uint64) {
	fusion, launch := 0.70, uint64(1500)
	most = mostPressureCoop
	if s.in.Previous.Topology == Cooperative {
		fusion, launch, most = 0.60, 1250, keepCoop
	}
	return s.in.Device.GridBarrier && s.out.Reason != BecausePressure && s.in.Sample.ReadbackBytes >= 4096 &&
		s.fusion >= fusion && s.out.Launch >= launch, most
}

// polled are the rounds to a poll that are compared.
var polled = [...]uint64{1, 4, 16, 64}

// candidates lists the topologies of the device with their predicted times, in the order of their numbers.
func (s *selection) candidates(cooperative bool) []Candidate {
	list := s.out.Candidates[:0]
	consider := func(t Topology, batches ...uint64) {
		for _, k := range batches {
			list = append(list, Candidate{t, k, s.in.Costs.Predict(t, k, s.in.Blocks, max(s.in.Groups, 1), s.in.Workload)})
		}
	}
	consider(HostLoop, 1)
	consider(BackToBack, polled[1:]...)
	if s.in.Device.Graphs {
		consider(Captured, polled[:]...)
	}
	if s.in.Device.LoopNodes {
		consider(DeviceLoop, 0)
	}
	if cooperative {
		consider(Cooperative, 0)
	}
	return list
}

// quickest returns the candidate of topology t with the least time, of any if t is Auto. Of equal times that of
// the usual topology counts, else the first.
func quickest(list []Candidate, t, usual Topology) (best Candidate) {
	for _, c := range list {
		if t != Auto && c.Topology != t {
			continue
		}
		if best.Topology == Auto || c.NS < best.NS || c.NS == best.NS && c.Topology == usual && best.Topology != usual {
			best = c
		}
	}
	return best
}

// fastest takes the least predicted time, unless the previous topology would take less than a tenth longer.
func (s *selection) fastest(usual Topology, cooperative bool) {
	s.out.Measured = true
	list := s.candidates(cooperative)
	best := quickest(list, Auto, usual)
	prev := quickest(list, s.in.Previous.Topology, usual)
	if prev.Topology != Auto && prev.Topology != best.Topology && best.NS > 0.9*prev.NS {
		s.take(prev, BecauseTenth)
		return
	}
	s.take(best, BecauseFastest)
}

// ask takes what the caller asked for, polled as often as is predicted to be fastest.
func (s *selection) ask() {
	c := Candidate{Topology: s.in.Only}
	switch {
	case s.in.Costs != nil:
		s.out.Measured = true
		c = quickest(s.candidates(s.in.Device.GridBarrier), s.in.Only, s.in.Only)
	case s.in.Only == HostLoop:
		c.Batch = 1
	case s.in.Only == BackToBack, s.in.Only == Captured:
		c.Batch = defaultBatch
	}
	s.take(c, BecauseAsked)
}

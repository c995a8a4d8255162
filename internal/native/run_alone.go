package native

import "runtime"

// alone runs a group whose vectors run one after the other, and some more that follow it along x.
func (w *worker) alone(more uint64) {
	v := vector{w.frame.vector}
	code, at := w.l.k.code, 0
	left := w.frame.word(groupMore)
	*left = more
	first, x := w.group, w.id[0]
	for {
		var stopped bool
		if at, stopped = w.enter(code, at); !stopped {
			return
		}
		w.group, w.id[0] = first+more-*left, x+uint32(more-*left)
		if *v.status() == assisted {
			w.assist(v, at)
		} else {
			runtime.Gosched()
		}
		if !w.alive() { // also where Go computes a row of an endless loop: each time it does, rounds are counted anew
			return
		}
		code = *v.resume()
	}
}

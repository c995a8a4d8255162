package queue_test

import (
	"errors"
	"fmt"
	"testing"
)

// The model is the protocol of Ring with three warps of two lanes and four items, in which every access to
// what they share is a step of its own. All orders of steps are gone through. As on a device where
// the lanes of a warp go on together, no lane stores anything until all have waited.

const (
	modelWarps = 3
	modelItems = 4
	modelLanes = 2
	modelSlots = 16
)

// forest says which items there are at first, and what each creates.
type forest struct {
	roots []int8
	tree  [modelItems][]int8
	most  int8
}

// forests are all that four items can be: each is there at first, or created by one before it.
func forests() (list []*forest) {
	for n := range 2 * 3 * 4 {
		f := &forest{roots: []int8{0}}
		for item := 1; item < modelItems; item++ {
			if parent := n % (item + 1); parent == item {
				f.roots = append(f.roots, int8(item))
			} else {
				f.tree[parent] = append(f.tree[parent], int8(item))
			}
			n /= item + 1
		}
		for _, children := range f.tree {
			f.most = max(f.most, int8(len(children)))
		}
		list = append(list, f)
	}
	return list
}

// mistake is a change of the protocol that the model must find.
type mistake int

const (
	none           mistake = iota
	liveFallsFirst         // what was done is taken off live before its children are added
	noCredits              // children are pushed without credits
	noWait                 // a child is stored without waiting for its slot
	releasesFirst          // a slot is given back before its item is copied
)

// steps of a warp.
type step int8

const (
	stepStop step = iota
	stepReady
	stepHead
	stepFetch
	stepRelease
	stepFree
	stepReserve
	stepDefer
	stepSetStop
	stepLive
	stepLiveAgain
	stepTail
	stepStore
	stepPublish
	stepAdd
	stepGiveBack
	stepIdle
	stepLeft
)

// warp is one warp of the model.
type warp struct {
	at       step
	taken    int8
	head     int8
	tail     int8
	granted  int8
	items    [modelLanes]int8
	fits     int8 // items whose children have room
	children [modelItems]int8
	n        int8 // children
}

// world is what the warps share, and the warps. It is a key of a map.
type world struct {
	capacity                int8
	head, tail, free, ready int8
	live                    int8
	stop                    bool
	sequence                [modelSlots]int8
	slots                   [modelSlots]int8
	deferred                [modelItems]int8 // how often each item stands there
	done                    [modelItems]int8
	warps                   [modelWarps]warp
	launches, deferrals     int8
}

// start is the world of a forest in a ring of the given capacity.
func (f *forest) start(capacity int8) world {
	w := world{capacity: capacity, tail: int8(len(f.roots)), live: int8(len(f.roots))}
	copy(w.slots[:], f.roots)
	w.seat()
	return w
}

// seat is what the host does before a launch: kernels mark and restore.
func (w *world) seat() {
	for k := range w.capacity {
		next := w.head + k
		if next < w.tail {
			next++
		}
		w.sequence[(w.head+k)%w.capacity] = next
	}
	for item := range w.deferred {
		for ; w.deferred[item] > 0; w.deferred[item]-- {
			w.slots[w.tail%w.capacity] = int8(item)
			w.sequence[w.tail%w.capacity] = w.tail + 1
			w.tail++
		}
	}
	w.ready, w.free, w.stop = w.tail-w.head, w.capacity-(w.tail-w.head), false
	w.warps = [modelWarps]warp{}
	w.launches++
}

// waits reports whether a warp cannot go on.
func (w *world) waits(p *warp, wrong mistake) bool {
	switch p.at {
	case stepFetch:
		for k := range p.taken {
			if w.sequence[(p.head+k)%w.capacity] != p.head+k+1 {
				return true
			}
		}
	case stepStore:
		for k := range p.n {
			if wrong != noWait && w.sequence[(p.tail+k)%w.capacity] != p.tail+k {
				return true
			}
		}
	case stepLeft:
		return true
	}
	return false
}

// step does one step of a warp, which takes at most as many items as lanes says.
func (w *world) step(f *forest, p *warp, lanes int8, wrong mistake) error {
	next := p.at + 1
	fetch := func() {
		for k := range p.taken {
			p.items[k] = w.slots[(p.head+k)%w.capacity]
		}
	}
	switch p.at {
	case stepStop:
		if w.stop {
			next = stepIdle
		}
	case stepReady:
		if p.taken = min(w.ready, lanes); p.taken == 0 {
			next = stepIdle
		}
		w.ready -= p.taken
	case stepHead:
		p.head, w.head = w.head, w.head+p.taken
	case stepFetch:
		fetch()
	case stepRelease:
		for k := range p.taken {
			w.sequence[(p.head+k)%w.capacity] = p.head + k + w.capacity
		}
	case stepFree:
		if w.free += p.taken; wrong == releasesFirst {
			fetch()
		}
	case stepReserve:
		need := int8(0)
		for _, item := range p.items[:p.taken] {
			need += int8(len(f.tree[item]))
		}
		if p.granted = min(w.free, need); wrong == noCredits {
			p.granted = need
		} else {
			w.free -= p.granted
		}
		p.fits, p.n = 0, 0
		for need = 0; p.fits < p.taken; p.fits++ {
			item := p.items[p.fits]
			if need += int8(len(f.tree[item])); need > p.granted {
				break
			}
			p.n += int8(copy(p.children[p.n:], f.tree[item]))
			w.done[item]++
		}
		if p.fits == p.taken {
			next = stepLive
		}
	case stepDefer:
		for _, item := range p.items[p.fits:p.taken] {
			w.deferred[item]++
			w.deferrals++
		}
	case stepSetStop:
		w.stop = true
	case stepLive:
		if wrong == liveFallsFirst {
			w.live -= p.fits
		} else {
			w.live += p.n - p.fits
			next = stepTail
		}
	case stepLiveAgain:
		w.live += p.n
	case stepTail:
		p.tail, w.tail = w.tail, w.tail+p.n
	case stepStore:
		for k := range p.n {
			w.slots[(p.tail+k)%w.capacity] = p.children[k]
		}
	case stepPublish:
		for k := range p.n {
			w.sequence[(p.tail+k)%w.capacity] = p.tail + k + 1
		}
	case stepAdd:
		w.ready += p.n
	case stepGiveBack:
		w.free += p.granted - p.n
		*p = warp{}
		next = stepStop
	case stepIdle:
		if next = stepStop; w.live == 0 || w.stop {
			next = stepLeft
		}
		if left := w.left(f); w.live == 0 && left != 0 {
			return fmt.Errorf("a warp leaves since nothing is live, and %d items are left", left)
		}
	}
	p.at = next
	if w.free < 0 || w.ready < 0 || w.free+w.ready > w.capacity {
		return fmt.Errorf("free %d and ready %d of %d", w.free, w.ready, w.capacity)
	}
	return nil
}

// known is how often each item was created: those of a tree once the one that creates them is done.
func (w *world) known(f *forest) (known [modelItems]int8) {
	for _, item := range f.roots {
		known[item]++
	}
	for item, n := range w.done {
		for _, c := range f.tree[item] {
			known[c] += n
		}
	}
	return known
}

// left is how many items were created and are not done.
func (w *world) left(f *forest) (n int8) {
	for item, times := range w.known(f) {
		n += times - w.done[item]
	}
	return n
}

// ended checks a world whose warps have all left, and makes it the next launch if something was deferred.
// It reports whether there is one.
func (w *world) ended(f *forest) (again bool, err error) {
	left := w.deferred
	for ticket := w.head; ticket < w.tail; ticket++ {
		if w.sequence[ticket%w.capacity] != ticket+1 {
			return false, fmt.Errorf("the item of ticket %d is not there", ticket)
		}
		left[w.slots[ticket%w.capacity]]++
	}
	known, total := w.known(f), int8(0)
	for item := range known {
		if w.done[item]+left[item] != known[item] || known[item] > 1 {
			return false, fmt.Errorf("item %d was created %d times, done %d times and is left %d times", item, known[item], w.done[item], left[item])
		}
		total += left[item]
	}
	if w.live != total || w.free != w.capacity-(w.tail-w.head) || w.ready != w.tail-w.head {
		return false, fmt.Errorf("live is %d with %d items left; free %d and ready %d of %d", w.live, total, w.free, w.ready, w.capacity)
	}
	if !w.stop {
		if total != 0 {
			return false, errors.New("it ends with items left")
		}
		return false, nil
	}
	return true, w.grow(total, f.most)
}

// grow is what the host does with a full ring of so many items.
func (w *world) grow(total, most int8) error {
	from, old := w.slots, w.capacity
	w.capacity = max(2*old, total+most)
	if w.capacity > modelSlots {
		return errors.New("it grows beyond what four items need")
	}
	for ticket := w.head; ticket < w.tail; ticket++ {
		w.slots[ticket%w.capacity] = from[ticket%old]
	}
	w.seat()
	return nil
}

// explore goes through all worlds that can come of one, and returns how many there are.
func explore(f *forest, first world, wrong mistake) (worlds, deferrals int, err error) {
	seen := map[world]bool{first: true}
	for list := []world{first}; len(list) > 0; {
		w := list[len(list)-1]
		list = list[:len(list)-1]
		waiting, left := 0, 0
		visit := func(next world) {
			if !seen[next] {
				seen[next] = true
				list = append(list, next)
			}
		}
		for k := range w.warps {
			if w.warps[k].at == stepLeft {
				left++
			}
			if w.waits(&w.warps[k], wrong) {
				waiting++
				continue
			}
			for lanes := int8(1); lanes <= modelLanes; lanes++ {
				next := w
				if err := next.step(f, &next.warps[k], lanes, wrong); err != nil {
					return len(seen), deferrals, err
				}
				visit(next)
				if w.warps[k].at != stepReady {
					break
				}
			}
		}
		if left == modelWarps {
			again, err := w.ended(f)
			if err != nil {
				return len(seen), deferrals, err
			}
			if again {
				visit(w)
			}
			deferrals = max(deferrals, int(w.deferrals))
		} else if waiting == modelWarps {
			return len(seen), deferrals, fmt.Errorf("%d warps wait for each other", modelWarps-left)
		}
	}
	return len(seen), deferrals, nil
}

// TestNoOrderOfStepsLosesAnItem goes through all orders of three warps, for all forests of four items and
// all capacities that they may begin with.
func TestNoOrderOfStepsLosesAnItem(t *testing.T) {
	all, deferred := 0, 0
	for _, f := range forests() {
		for capacity := max(int8(len(f.roots)), f.most); capacity <= modelItems; capacity++ {
			worlds, deferrals, err := explore(f, f.start(capacity), none)
			if err != nil {
				t.Errorf("%v, capacity %d: %v", *f, capacity, err)
			}
			all += worlds
			deferred = max(deferred, deferrals)
		}
	}
	if deferred == 0 {
		t.Error("nothing was ever deferred")
	}
	t.Logf("%d worlds, up to %d items deferred", all, deferred)
}

// TestModelFindsMistakes changes the protocol.
func TestModelFindsMistakes(t *testing.T) {
	for _, wrong := range []mistake{liveFallsFirst, noCredits, noWait, releasesFirst} {
		var found error
		for _, f := range forests() {
			for capacity := max(int8(len(f.roots)), f.most); capacity <= modelItems && found == nil; capacity++ {
				_, _, found = explore(f, f.start(capacity), wrong)
			}
		}
		if found == nil {
			t.Errorf("mistake %d was not found", wrong)
		} else {
			t.Logf("mistake %d: %v", wrong, found)
		}
	}
}

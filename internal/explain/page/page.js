'use strict';

// A line says in data-o which origins it shows; so does a token of the source. Whatever shares an
// origin belongs together, in all columns. The page is complete without this script; it adds marking,
// pinning, folding columns and the search.
{
	const columns = [...document.querySelectorAll('main > section')];
	const places = JSON.parse(document.getElementById('origins').textContent);
	const about = document.getElementById('about');
	const input = document.querySelector('input'), output = document.querySelector('output');

	const shows = new Map(); // elements by origin
	for (const el of document.querySelectorAll('[data-o]'))
		for (const id of el.dataset.o.split(' ')) {
			if (!shows.has(id)) shows.set(id, new Set());
			shows.get(id).add(el);
		}

	const columnOf = el => el.closest('section');
	const lineOf = el => el.closest('.l');
	const numberOf = line => line.firstElementChild.textContent;
	const linesOf = column => [...column.querySelectorAll('.l')];
	const originsOf = el => el.dataset.o.split(' ');

	// Marks: each kind is put on anew as a whole.
	const marked = new Map();
	function mark(kind, elements) {
		for (const el of marked.get(kind) || []) el.classList.remove(kind);
		for (const el of elements) el.classList.add(kind);
		marked.set(kind, elements);
	}
	function together(ids) {
		const all = new Set();
		for (const id of ids) for (const el of shows.get(id) || []) all.add(el);
		return all;
	}

	// Names in a column: where one is used, and its first line, which defines it in a program.
	const names = new Map(columns.map(c => [c, new Map()]));
	for (const c of columns)
		for (const el of c.querySelectorAll('.v')) {
			const of = names.get(c);
			if (!of.has(el.textContent)) of.set(el.textContent, []);
			of.get(el.textContent).push(el);
		}
	const uses = el => el.classList.contains('v') ? names.get(columnOf(el)).get(el.textContent) : [];
	function feeds(line) {
		const all = new Set();
		for (const el of line.querySelectorAll('.v')) all.add(lineOf(uses(el)[0]));
		all.delete(line);
		return all;
	}

	// What the foot of the page says of a line: what it computes, where it is from, where it is.
	function tell(el) {
		if (!el) return '';
		const line = lineOf(el), own = originsOf(el);
		const counts = columns.map(c => {
			const n = new Set([...together(own)].map(lineOf).filter(l => columnOf(l) === c)).size;
			return n ? `${c.querySelector('h2').firstChild.textContent.trim()} ${n}` : '';
		});
		return [line.dataset.note, from(own), 'lines: ' + counts.filter(Boolean).join(', ')].filter(Boolean).join('  ·  ');
	}
	function from(ids) {
		const where = [...new Set(ids.map(id => places[id]).filter(Boolean))];
		if (where.length < 2) return where[0];
		const lines = new Map(); // by file
		for (const w of where) {
			const [, file, line] = /^(.*?):(\d+)(?::\d+)?(?: ← |$)/.exec(w);
			lines.set(file, (lines.get(file) || new Set()).add(line));
		}
		return [...lines].map(([file, set]) => `${file}:${[...set].sort((a, b) => a - b).join(', ')}`).join('; ');
	}

	// target is the smallest thing with origins under an event: a token of source, or a line.
	const target = e => e.target.closest('[data-o]');

	let pinned = null;
	const main = document.querySelector('main');
	function point(el, name) { // at what has origins, or at nothing
		const line = el && lineOf(el);
		mark('hover', el ? together(originsOf(el)) : []);
		mark('feed', line ? feeds(line) : pinned ? feeds(lineOf(pinned)) : []);
		mark('same', name && name.classList.contains('v') ? uses(name) : []);
		about.textContent = tell(el || pinned);
	}
	main.addEventListener('mouseover', e => point(target(e), e.target));
	main.addEventListener('mouseleave', () => point(null));
	main.addEventListener('click', e => {
		const el = target(e);
		if (el && getSelection().isCollapsed) pin(el === pinned ? null : el);
	});

	function pin(el) {
		pinned = el;
		const all = el ? together(originsOf(el)) : [];
		mark('pin', all);
		mark('feed', el ? feeds(lineOf(el)) : []);
		about.textContent = tell(el);
		const line = el && lineOf(el);
		history.replaceState(null, '', line ? `#${columnOf(line).id}:${linesOf(columnOf(line)).indexOf(line) + 1}` : location.pathname + location.search);
		const seen = new Set(line ? [columnOf(line)] : []);
		for (const other of all) { // the first in each other column
			const c = columnOf(other);
			if (!seen.has(c)) reveal(lineOf(other));
			seen.add(c);
		}
	}

	function reveal(line) {
		for (const d of [line.closest('details')]) if (d) d.open = true;
		const box = line.closest('.lines'), at = line.getBoundingClientRect(), frame = box.getBoundingClientRect();
		if (at.top < frame.top + 20 || at.bottom > frame.bottom - 20)
			box.scrollTop += at.top - frame.top - frame.height / 3;
	}

	// The keys: up and down go from line to line, left and right to what belongs to a line in the next open column,
	// Enter and the space bar pin.
	const at = new Map(); // the line of a column that had the focus last
	function go(line) {
		if (!line) return;
		at.set(columnOf(line), line);
		line.tabIndex = -1;
		reveal(line);
		columnOf(line).scrollIntoView({ inline: 'nearest', block: 'nearest' });
		line.focus({ preventScroll: true });
		point(line.dataset.o ? line : null);
	}
	function beside(column, line, by) {
		const open = columns.filter(c => !c.hidden), next = open[open.indexOf(column) + by];
		if (!next) return null;
		const own = line && line.dataset.o ? [...together(originsOf(line))].map(lineOf) : [];
		return own.find(l => columnOf(l) === next) || at.get(next) || linesOf(next)[0];
	}
	main.addEventListener('keydown', e => {
		const box = e.target.closest('.lines');
		if (!box || e.altKey || e.ctrlKey || e.metaKey || e.target.closest('summary')) return;
		const column = columnOf(box), lines = linesOf(column).filter(l => l.checkVisibility());
		const line = e.target.closest('.l'), i = lines.indexOf(line || at.get(column));
		const keys = {
			ArrowDown: () => go(lines[Math.min(i + 1, lines.length - 1)]),
			ArrowUp: () => go(lines[Math.max(i - 1, 0)]),
			Home: () => go(lines[0]),
			End: () => go(lines[lines.length - 1]),
			ArrowLeft: () => go(beside(column, line, -1)),
			ArrowRight: () => go(beside(column, line, 1)),
			Enter: () => line && line.dataset.o && pin(line === pinned ? null : line),
		};
		keys[' '] = keys.Enter;
		if (!keys[e.key]) return;
		e.preventDefault();
		keys[e.key]();
	});

	// Columns open and close at the buttons. At first as many are open as there is room for: source,
	// front end, PTX and the last program, then machine code, then the passes that changed most.
	const button = id => document.querySelector(`button[data-column="${CSS.escape(id)}"]`);
	function show(column, open) {
		column.hidden = !open;
		button(column.id).setAttribute('aria-pressed', open);
	}
	for (const c of columns) button(c.id).addEventListener('click', () => {
		show(c, c.hidden);
		if (!c.hidden) c.scrollIntoView({ inline: 'nearest', block: 'nearest' });
	});
	const programs = columns.filter(c => !['source', 'ptx', 'machine', 'cpu'].includes(c.id));
	const open = new Set([document.getElementById('source'), document.getElementById('ptx'), programs[0], programs[programs.length - 1]]);
	const news = c => c.querySelectorAll('.came').length;
	for (const c of [...columns.filter(c => ['machine', 'cpu'].includes(c.id)), ...programs.toSorted((a, b) => news(b) - news(a))])
		if (innerWidth > 340 * (open.size + 1)) open.add(c);
	for (const c of columns) show(c, open.has(c));

	// The search: a name, a rule, a line of source; else any text.
	let found = [], current = -1;
	function search(text) {
		const rules = [], lines = new Set();
		const source = document.getElementById('source');
		const number = /^:?(\d+)$/.exec(text);
		if (text && number && source) {
			for (const line of linesOf(source)) if (numberOf(line) === number[1]) lines.add(line);
		} else if (text) {
			for (const c of columns) {
				for (const sigil of ['', '%', '@', '^'])
					for (const el of names.get(c).get(sigil + text) || []) lines.add(lineOf(el));
				for (const li of c.querySelectorAll('li'))
					if (li.firstElementChild.textContent === text) rules.push(li);
			}
			if (!lines.size && !rules.length) {
				const lower = text.toLowerCase();
				for (const c of columns) {
					for (const li of c.querySelectorAll('li')) if (li.textContent.includes(lower)) rules.push(li);
					for (const line of linesOf(c))
						if (line.lastElementChild.textContent.toLowerCase().includes(lower)) lines.add(line);
				}
			}
		}
		found = [...rules, ...lines];
		mark('found', found);
		current = -1;
		mark('current', []);
		output.textContent = text ? found.length ? `${found.length} found` : 'nothing' : '';
	}
	function step(by) {
		if (!found.length) return;
		current = (current + by + found.length) % found.length;
		const el = found[current];
		show(columnOf(el), true);
		columnOf(el).scrollIntoView({ inline: 'nearest', block: 'nearest' });
		mark('current', [el]);
		if (el.matches('.l')) {
			reveal(el);
			if (el.dataset.o) pin(el);
		}
		output.textContent = `${current + 1} of ${found.length}`;
	}
	input.addEventListener('input', () => search(input.value.trim()));
	input.form.addEventListener('submit', e => {
		e.preventDefault();
		step(1);
	});
	document.addEventListener('keydown', e => {
		if (e.key === 'Escape') {
			point(null);
			input.value = '';
			input.blur();
			search('');
			pin(null);
		} else if (e.key === '/' && document.activeElement !== input) {
			e.preventDefault();
			input.select();
		} else if (e.key === 'Enter' && e.shiftKey && document.activeElement === input) {
			e.preventDefault();
			step(-1);
		}
	});

	// A link may name a line of a column: report.html#source:12. It counts on from file to file.
	const link = /^#(.+):(\d+)$/.exec(location.hash), column = link && document.getElementById(decodeURIComponent(link[1]));
	if (columns.includes(column)) {
		const line = linesOf(column)[link[2] - 1];
		show(column, true);
		if (line) reveal(line);
		if (line && line.dataset.o) pin(line);
	}
}

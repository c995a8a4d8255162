'use strict';

// The page asks what the fields say, and shows the answer: nodes as a list of buttons, a path as a picture too. The fragment of
// the address holds the fields, so that an answer can be gone back to, and marked.
{
	const $ = id => document.getElementById(id);
	const form = document.querySelector('form'), said = $('said'), list = $('nodes'), more = $('more'), picture = $('picture'), pairs = $('pairs'), morePairs = $('more-pairs');
	const narrow = matchMedia('(max-width: 700px)');

	// Names come from programs of strangers: what does not show, or turns text round, is shown by its number.
	const shown = text => text.replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, c => `\\u{${c.codePointAt(0).toString(16)}}`);
	const element = (name, text, kind) => Object.assign(document.createElement(name), { textContent: shown(text), className: kind || '' });
	const label = node => node.name || String(node.node);

	async function fetched(path, question, signal) {
		const answer = await fetch(path, question && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(question), signal });
		const doc = await answer.json();
		if (!answer.ok) throw Object.assign(new Error(`${doc.error}; ${doc.fix}`), { gone: answer.status === 410 });
		warn(doc.warning);
		return doc;
	}
	function warn(text) {
		$('warning').hidden = !text;
		$('warning').textContent = text ? shown(text) : '';
	}
	function fail(error) {
		if (error.name === 'AbortError') return;
		said.className = 'bad';
		said.textContent = shown(error instanceof TypeError ? 'vyre serve does not answer; start it again' : error.message);
	}

	// A field with names that begin as what is typed (a combobox, as the ARIA practices have it).
	function names(input) {
		const choices = document.createElement('ul');
		let asking = new AbortController(), timer = 0;
		Object.assign(choices, { id: `${input.id}-names`, hidden: true, role: 'listbox', ariaLabel: 'names' });
		for (const [name, value] of Object.entries({ role: 'combobox', 'aria-expanded': 'false', 'aria-controls': choices.id, 'aria-autocomplete': 'list', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' })) input.setAttribute(name, value);
		input.after(choices);
		const chosen = () => choices.querySelector('[aria-selected=true]');
		function open(yes) {
			choices.hidden = !yes;
			input.setAttribute('aria-expanded', String(yes));
			if (!yes) input.removeAttribute('aria-activedescendant');
		}
		function close() {
			clearTimeout(timer);
			asking.abort();
			open(false);
		}
		function choose(choice) {
			chosen()?.setAttribute('aria-selected', 'false');
			choice.setAttribute('aria-selected', 'true');
			choice.scrollIntoView({ block: 'nearest' });
			input.setAttribute('aria-activedescendant', choice.id);
		}
		function take(choice) {
			input.value = choice.dataset.name;
			Object.assign(input.dataset, { id: choice.dataset.id, graph: choice.dataset.graph });
			close();
		}
		async function look() {
			asking.abort();
			asking = new AbortController();
			try {
				const doc = await fetched('/ask/names', { prefix: input.value, limit: 20 }, asking.signal);
				choices.replaceChildren(...doc.nodes.map((node, i) => {
					const choice = element('li', label(node));
					Object.assign(choice, { id: `${choices.id}-${i}`, role: 'option', ariaSelected: 'false' });
					Object.assign(choice.dataset, { id: node.node, graph: doc.graph, name: label(node) });
					if (node.pos) choice.append(element('span', node.pos, 'pos'));
					return choice;
				}));
				open(doc.nodes.length > 0 && document.activeElement === input);
			} catch (error) { fail(error); }
		}
		input.addEventListener('input', () => {
			delete input.dataset.id;
			close();
			if (input.value) timer = setTimeout(look, 60);
		});
		input.addEventListener('blur', close);
		choices.addEventListener('mousedown', event => {
			event.preventDefault(); // the field keeps the focus
			const choice = event.target.closest('li');
			if (choice) take(choice);
		});
		input.addEventListener('keydown', event => {
			const all = [...choices.children], at = all.indexOf(chosen());
			if (event.key === 'Escape' && !choices.hidden) close();
			else if (event.key === 'ArrowDown' && choices.hidden && input.value) look();
			else if (choices.hidden || !all.length) return;
			else if (event.key === 'ArrowDown') choose(all[(at + 1) % all.length]);
			else if (event.key === 'ArrowUp') choose(all[(at + all.length) % all.length - (at < 0 ? 0 : 1)] || all[all.length - 1]);
			else if (event.key === 'Enter' && at >= 0) take(all[at]);
			else return;
			event.preventDefault();
		});
		return { set(node, graph) { input.value = label(node); Object.assign(input.dataset, { id: node.node, graph }); close(); }, close };
	}
	const from = names($('from')), to = names($('to')), sanitizers = names($('sanitizers'));
	const inputs = [$('from'), $('to'), $('sanitizers'), $('arcs')];

	const kindOf = () => form.elements.ask.value;
	let contexts = false; // whether the graph says which call a return belongs to
	function fit() { // shows the fields of the question
		const ask = kindOf(), one = ask === 'reach' || ask === 'back';
		$('to').closest('.field').hidden = one;
		$('from').required = ask !== 'closure' || !!$('to').value; // without both, all pairs are counted
		$('to').required = !one && (ask !== 'closure' || !!$('from').value);
		$('arcs').closest('.field').hidden = !one;
		$('sanitizers').closest('.field').hidden = ask !== 'taint';
		$('contexts').hidden = ask !== 'taint' || !contexts;
	}
	// An id is one of a graph, and of no other that replaces it.
	function node(input, q) {
		if (!input.dataset.id || q.graph && q.graph !== input.dataset.graph) return [input.value];
		q.graph = input.dataset.graph;
		return [`id:${input.dataset.id}`];
	}

	// A question as the server takes it.
	function question() {
		const ask = kindOf(), q = {}, one = ask === 'reach' || ask === 'back';
		if (ask === 'taint') {
			q.sources = [{ label: $('from').value, nodes: node($('from'), q) }];
			q.sinks = node($('to'), q);
			if ($('sanitizers').value) q.sanitizers = [{ nodes: node($('sanitizers'), q) }];
			if (contexts && $('exact').checked) q.contexts = 'exact';
		} else if (ask !== 'closure' || $('from').value) {
			q.from = node($('from'), q);
			if (!one) q.to = node($('to'), q);
		}
		const kinds = [...form.querySelectorAll('#kinds input')];
		if (kinds.some(k => !k.checked)) q.kinds = String(kinds.reduce((mask, k) => mask + (k.checked ? 2 ** k.value : 0), 0));
		if (one && $('arcs').value) q.arcs = Number($('arcs').value);
		if (ask === 'back') q.back = true;
		if (!one && ask !== 'between') q.draw = narrow.matches ? 'down' : 'across';
		return [`/ask/${ask === 'back' ? 'reach' : ask}`, q];
	}

	let asking = new AbortController();
	async function ask() {
		asking.abort();
		asking = new AbortController();
		const { signal } = asking, [path, q] = question(), name = kindOf();
		said.className = '';
		said.textContent = 'asking…';
		picture.hidden = more.hidden = morePairs.hidden = true;
		list.replaceChildren();
		pairs.replaceChildren();
		try {
			show(await fetched(path, q, signal), path, q, name);
		} catch (error) {
			if (!error.gone || !q.graph) return fail(error);
			for (const input of inputs) delete input.dataset.id;
			ask();
		}
	}
	function show(doc, path, q, name) {
		const time = doc.run ? `, ${doc.run.device}, ${(doc.run.wall_ns / 1e6).toLocaleString('en', { maximumFractionDigits: 2 })} ms` : '';
		said.textContent = sayings[name](doc) + time;
		draw(doc.svg);
		if (!doc.pairs) return add(doc, path, q);
		add({ ...doc, next: undefined }, path, q); // the path of the first pair
		addPairs(doc, path, q);
		press(pairs.querySelector('button'));
	}
	const many = (n, noun) => n === 1 ? `1 ${noun}` : `${n.toLocaleString('en')} ${noun}s`;
	const reached = doc => many(doc.count, 'node');
	const sayings = {
		path: doc => doc.count ? `a shortest path has ${many(doc.count - 1, 'arc')}` : 'no path',
		paths: doc => doc.count ? `a shortest path has weight ${doc.weighed.distance.toLocaleString('en')} and ${many(doc.count - 1, 'arc')}` : 'no path',
		closure: doc => `${doc.pairs ? `${many(doc.count, 'pair')} of these; ` : ''}${many(doc.closure.pairs, 'pair')} in all, ${doc.closure.pairs_plus.toLocaleString('en')} by one arc or more, ${many(doc.closure.components, 'component')}`,
		taint: doc => many(doc.count, 'finding'),
		reach: reached, back: reached, between: reached,
	};
	function draw(svg) {
		picture.hidden = !svg;
		if (!svg) return;
		picture.replaceChildren(document.adoptNode(new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement));
		const drawn = picture.firstChild;
		drawn.setAttribute('viewBox', `0 0 ${drawn.getAttribute('width')} ${drawn.getAttribute('height')}`);
	}
	// Pairs are buttons: each shows its path.
	function press(button) {
		pairs.querySelector('[aria-pressed=true]')?.setAttribute('aria-pressed', 'false');
		button?.setAttribute('aria-pressed', 'true');
	}
	function addPairs(doc, path, q) {
		pairs.append(...doc.pairs.map(pair => {
			const item = document.createElement('li'), button = element('button', `${pair.from ? label(pair.from) : pair.label} → ${label(pair.to)}`);
			Object.assign(button, { type: 'button', title: 'show the path', ariaPressed: 'false' });
			button.onclick = async () => {
				press(button);
				const { signal } = asking;
				try {
					const one = await fetched(path, { ...q, limit: 1, cursor: pair.cursor }, signal);
					if (button.ariaPressed !== 'true') return; // another one since
					draw(one.svg);
					list.replaceChildren();
					add({ ...one, next: undefined }, path, q);
				} catch (error) { fail(error); }
			};
			item.append(button);
			if (pair.to.pos) item.append(element('span', pair.to.pos, 'pos'));
			return item;
		}));
		further(morePairs, pairs, doc, path, q, addPairs);
	}
	// The button for the next page, which goes on with the list.
	function further(button, list, doc, path, q, add) {
		button.hidden = !doc.next;
		button.onclick = async () => {
			const { signal } = asking, last = list.lastElementChild;
			try {
				add(await fetched(path, { ...q, draw: undefined, cursor: doc.next }, signal), path, q);
				last.nextElementSibling?.firstElementChild.focus();
			} catch (error) { fail(error); }
		};
	}
	function add(doc, path, q) {
		list.append(...doc.nodes.map(node => {
			const item = document.createElement('li'), button = element('button', label(node));
			Object.assign(button, { type: 'button', title: 'ask from here', onclick() { from.set(node, doc.graph); $('from').focus(); } });
			item.append(button);
			if (node.level !== undefined) item.append(element('span', `level ${node.level}`, 'pos'));
			if (node.sum !== undefined) item.append(element('span', `weight ${node.weight.toLocaleString('en')}, sum ${node.sum.toLocaleString('en')}`, 'pos'));
			if (node.kinds) item.append(element('span', node.kinds.join(', '), 'pos'));
			if (node.pos) item.append(element('span', node.pos, 'pos'));
			return item;
		}));
		further(more, list, doc, path, q, add);
	}

	// The address and the fields.
	function written() {
		const p = new URLSearchParams({ ask: kindOf() });
		for (const input of inputs) {
			if (!input.value || input.closest('.field').hidden) continue;
			p.set(input.id, input.value);
			if (input.dataset.id) p.set(`${input.id}-id`, `${input.dataset.id} ${input.dataset.graph}`);
		}
		const off = [...form.querySelectorAll('#kinds input:not(:checked)')].map(k => k.value);
		if (off.length) p.set('without', off.join());
		if ($('exact').checked && !$('contexts').hidden) p.set('exact', '');
		return `#${p}`;
	}
	function read() {
		const p = new URLSearchParams(location.hash.slice(1));
		const radio = [...form.elements.ask].find(r => r.value === p.get('ask'));
		if (radio) radio.checked = true;
		$('exact').checked = p.has('exact');
		for (const input of inputs) {
			input.value = p.get(input.id) || '';
			const [id, graph] = (p.get(`${input.id}-id`) || '').split(' ');
			Object.assign(input.dataset, { id, graph: graph || '' });
		}
		const off = (p.get('without') || '').split(',');
		for (const k of form.querySelectorAll('#kinds input')) k.checked = !off.includes(k.value);
		fit();
		if (p.has('ask') && (p.get('from') || kindOf() === 'closure') && form.checkValidity()) ask();
	}
	for (const on of ['change', 'input']) form.addEventListener(on, fit);
	form.addEventListener('submit', event => {
		event.preventDefault();
		for (const field of [from, to, sanitizers]) field.close();
		if (written() === location.hash) ask();
		else location.hash = written(); // and then read asks
	});
	addEventListener('hashchange', read);
	addEventListener('keydown', event => {
		if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.matches('input:not([type=radio], [type=checkbox])')) return;
		event.preventDefault();
		$('from').focus();
		$('from').select();
	});

	(async () => {
		try {
			const doc = await fetched('/about');
			document.title = document.querySelector('h1').textContent = shown(doc.file);
			$('about').textContent = `${doc.graph.n.toLocaleString('en')} nodes, ${doc.graph.m.toLocaleString('en')} arcs, on ${doc.device}`;
			$('weighed').hidden = !doc.weights;
			contexts = doc.contexts;
			$('kinds').hidden = doc.kinds.length < 2;
			$('kinds').append(...doc.kinds.map(kind => {
				const label = document.createElement('label');
				label.append(Object.assign(document.createElement('input'), { type: 'checkbox', checked: true, value: kind.bit }), element('span', kind.name));
				return label;
			}));
		} catch (error) { fail(error); }
		read();
		$('from').focus();
	})();
}

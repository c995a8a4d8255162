'use strict';

// The page asks what the fields say, and shows the answer: nodes as a list of buttons, a path as a picture too. The fragment of
// the address holds the fields, so that an answer can be gone back to, and marked.
{
	const $ = id => document.getElementById(id);
	const form = document.querySelector('form'), said = $('said'), list = $('nodes'), more = $('more'), picture = $('picture');
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
	const from = names($('from')), to = names($('to'));

	const kindOf = () => form.elements.ask.value;
	function fit() { // shows the fields of the question
		const ask = kindOf(), two = ask === 'path' || ask === 'between';
		$('to').closest('.field').hidden = !two;
		$('to').required = two;
		$('arcs').closest('.field').hidden = two;
	}
	// An id is one of a graph, and of no other that replaces it.
	function node(input, q) {
		if (!input.dataset.id || q.graph && q.graph !== input.dataset.graph) return [input.value];
		q.graph = input.dataset.graph;
		return [`id:${input.dataset.id}`];
	}

	// A question as the server takes it.
	function question() {
		const ask = kindOf(), q = {};
		q.from = node($('from'), q);
		const kinds = [...form.querySelectorAll('#kinds input')];
		if (kinds.some(k => !k.checked)) q.kinds = String(kinds.reduce((mask, k) => mask + (k.checked ? 2 ** k.value : 0), 0));
		if (ask === 'path' || ask === 'between') q.to = node($('to'), q);
		else if ($('arcs').value) q.arcs = Number($('arcs').value);
		if (ask === 'back') q.back = true;
		if (ask === 'path') q.draw = narrow.matches ? 'down' : 'across';
		return [`/ask/${ask === 'back' ? 'reach' : ask}`, q];
	}

	let asking = new AbortController();
	async function ask() {
		asking.abort();
		asking = new AbortController();
		const { signal } = asking, [path, q] = question(), name = kindOf();
		said.className = '';
		said.textContent = 'asking…';
		picture.hidden = more.hidden = true;
		list.replaceChildren();
		try {
			show(await fetched(path, q, signal), path, q, name);
		} catch (error) {
			if (!error.gone || !q.graph) return fail(error);
			for (const input of [$('from'), $('to')]) delete input.dataset.id;
			ask();
		}
	}
	function show(doc, path, q, name) {
		const n = doc.count.toLocaleString('en'), time = doc.run ? `, ${doc.run.device}, ${(doc.run.wall_ns / 1e6).toLocaleString('en', { maximumFractionDigits: 2 })} ms` : '';
		const arcs = doc.count === 2 ? '1 arc' : `${(doc.count - 1).toLocaleString('en')} arcs`;
		said.textContent = (name === 'path' ? (doc.count ? `a shortest path has ${arcs}` : 'no path') : doc.count === 1 ? '1 node' : `${n} nodes`) + time;
		if (doc.svg) {
			picture.replaceChildren(document.adoptNode(new DOMParser().parseFromString(doc.svg, 'image/svg+xml').documentElement));
			const svg = picture.firstChild;
			svg.setAttribute('viewBox', `0 0 ${svg.getAttribute('width')} ${svg.getAttribute('height')}`);
			picture.hidden = false;
		}
		add(doc, path, q);
	}
	function add(doc, path, q) {
		list.append(...doc.nodes.map(node => {
			const item = document.createElement('li'), button = element('button', label(node));
			Object.assign(button, { type: 'button', title: 'ask from here', onclick() { from.set(node, doc.graph); $('from').focus(); } });
			item.append(button);
			if (node.level !== undefined) item.append(element('span', `level ${node.level}`, 'pos'));
			if (node.kinds) item.append(element('span', node.kinds.join(', '), 'pos'));
			if (node.pos) item.append(element('span', node.pos, 'pos'));
			return item;
		}));
		more.hidden = !doc.next;
		more.onclick = async () => {
			const { signal } = asking, last = list.lastElementChild;
			try {
				add(await fetched(path, { ...q, draw: undefined, cursor: doc.next }, signal), path, q);
				last.nextElementSibling?.firstElementChild.focus();
			} catch (error) { fail(error); }
		};
	}

	// The address and the fields.
	function written() {
		const p = new URLSearchParams({ ask: kindOf() });
		for (const input of [$('from'), $('to'), $('arcs')]) {
			if (!input.value || input.closest('.field').hidden) continue;
			p.set(input.id, input.value);
			if (input.dataset.id) p.set(`${input.id}-id`, `${input.dataset.id} ${input.dataset.graph}`);
		}
		const off = [...form.querySelectorAll('#kinds input:not(:checked)')].map(k => k.value);
		if (off.length) p.set('without', off.join());
		return `#${p}`;
	}
	function read() {
		const p = new URLSearchParams(location.hash.slice(1));
		const radio = [...form.elements.ask].find(r => r.value === p.get('ask'));
		if (radio) radio.checked = true;
		for (const input of [$('from'), $('to'), $('arcs')]) {
			input.value = p.get(input.id) || '';
			const [id, graph] = (p.get(`${input.id}-id`) || '').split(' ');
			Object.assign(input.dataset, { id, graph: graph || '' });
		}
		const off = (p.get('without') || '').split(',');
		for (const k of form.querySelectorAll('#kinds input')) k.checked = !off.includes(k.value);
		fit();
		if (p.get('from') && form.checkValidity()) ask();
	}
	form.addEventListener('change', fit);
	form.addEventListener('submit', event => {
		event.preventDefault();
		from.close();
		to.close();
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

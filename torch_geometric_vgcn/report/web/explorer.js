
// The neighbourhood of a row, in the graph before and after learning.

const DRAWN = 24;
const DRAWN_SMALL = 14;
const LISTED = 200;

class Explorer {
  constructor(graph) {
    this.graph = graph;
    const move = (i) => this.move(i);
    this.before = new Panel(byId('before'), graph, move);
    this.after = new Panel(byId('after'), graph, move);
    byId('before-title').textContent = graph.hasGiven
      ? `Before: the ${graph.source} graph` : 'Before: the prior';
    byId('random').addEventListener('click', () => this.moveAnywhere());
    window.addEventListener('hashchange', () => this.follow());
    const panels = [this.before, this.after];
    const resized = new ResizeObserver(
      () => panels.forEach((panel) => panel.redraw()));
    panels.forEach((panel) => resized.observe(panel.element));
    matchMedia('(prefers-color-scheme: dark)').addEventListener(
      'change', () => panels.forEach((panel) => panel.restyle()));
    byId('neighbours').classList.toggle('no-given', !graph.hasGiven);
    this.explain();
    this.show(graph.placeOf(graph.start));
    this.follow();
  }

  // What the signs mean.
  explain() {
    const signs = [
      ['disc', 'label known (colour: the label)'],
      ['ring', 'label unknown (ring: the prediction)'],
      ['line', 'edge, as wide as it is probable'],
    ];
    if (this.graph.hasGiven) {
      signs.push(
        ['line doubt', `${this.graph.source}, but less likely than not`]);
    }
    if (this.graph.hasNew) signs.push(['line new', 'new']);
    byId('legend').append(...signs.map(([sign, words]) => {
      const element = create('span');
      element.append(create('i', sign), words);
      return element;
    }));
  }

  move(i) {
    location.hash = `row=${this.graph.row[i]}`;
  }

  moveAnywhere() {
    let i = 0;
    do i = Math.floor(Math.random() * this.graph.row.length);
    while (this.graph.numWhole > 0 && !this.graph.whole[i]);
    this.move(i);
  }

  // Shows the row that the address names, if any.
  follow() {
    const match = /^#row=(\d+)$/.exec(location.hash);
    if (match === null) return;
    this.show(this.graph.placeOf(Number(match[1])));
    const box = byId('before').getBoundingClientRect();
    if (box.bottom < 0 || box.top > innerHeight) {
      byId('explorer').scrollIntoView();
    }
  }

  say(text) {
    byId('status').textContent = text;
  }

  show(i) {
    if (i < 0) {
      this.say('This row is not part of this page.');
      return;
    }
    const graph = this.graph;
    const edges = graph.around(i);
    const small = byId('before').clientWidth < 480;
    const some = graph.strongest(edges, small ? DRAWN_SMALL : DRAWN);
    const notes = [];
    if (!graph.whole[i]) {
      notes.push(
        `This page holds all neighbours of `
        + `${graph.numWhole.toLocaleString('en')} of `
        + `${graph.numRows.toLocaleString('en')} rows; this row has more `
        + 'neighbours than those shown.');
    }
    if (edges.length > some.length) {
      notes.push(
        `The ${some.length} strongest of ${edges.length} neighbours are drawn.`);
    }
    this.say(notes.join(' '));
    byId('focus-name').replaceChildren(...titled(graph, i));
    const about = byId('focus-about');
    about.replaceChildren(
      ...(graph.isPredicted(i) ? [
        'predicted ', chip(graph, graph.predicted[i]),
        ` (${percent(graph.confidence[i] / 65535)}), `] : []), 'label ',
      graph.label[i] < 0 ? 'unknown' : chip(graph, graph.label[i]));
    this.draw(i, some);
    this.list(edges.slice(0, LISTED));
  }

  draw(i, edges) {
    const graph = this.graph;
    // Rows of one class stand together:
    const others = edges.map((edge) => edge.other).sort(
      (a, b) => graph.predicted[a] - graph.predicted[b]);
    const inner = graph.among(others).map((edge) => ({ ...edge, inner: true }));
    const all = [...inner, ...edges];
    this.before.draw(i, others, all
      .filter((edge) => !graph.hasGiven || edge.given)
      .map((edge) => ({
        ...edge, strength: graph.hasGiven ? 0.5 : edge.prior, kind: 'kept',
      })));
    this.after.draw(i, others, all
      .filter((edge) => edge.posterior > 0)
      .map((edge) => ({
        ...edge, strength: edge.posterior, kind: this.kind(edge),
      })));
    const words = `${others.length} neighbours of ${graph.title(i)}`;
    byId('before').setAttribute('aria-label', `${words} before learning`);
    byId('after').setAttribute('aria-label', `${words} after learning`);
  }

  kind(edge) {
    if (!this.graph.hasGiven) return 'kept';
    if (!edge.given) return 'new';
    return edge.posterior < 0.5 && !edge.inner ? 'doubt' : 'kept';
  }

  list(edges) {
    const graph = this.graph;
    const table = byId('neighbours');
    table.tBodies[0].replaceChildren(...edges.map((edge) => {
      const line = create('tr');
      const add = (content, value, className) => {
        const cell = create('td', className);
        cell.append(content);
        if (value !== undefined) cell.dataset.value = value;
        line.append(cell);
      };
      const { other, prior, posterior } = edge;
      const link = create('a', '', graph.name(other));
      link.title = describe(graph, other);
      link.href = `#row=${graph.row[other]}`;
      add(link);
      add(probability(prior), prior);
      add(probability(posterior), posterior);
      add(signed(posterior - prior), posterior - prior);
      add(graph.isPredicted(other) ? chip(graph, graph.predicted[other]) : '');
      add(graph.label[other] < 0 ? '' : chip(graph, graph.label[other]));
      add(edge.given ? 'yes' : 'no', undefined, 'given');
      return line;
    }));
    sortTable(table);
  }
}

if (!byId('explorer').hidden) {
  const graph = new Graph(JSON.parse(byId('data').textContent));
  const explorer = new Explorer(graph);
  new Search(graph, (i) => explorer.move(i));
}

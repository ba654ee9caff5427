
// Where the k-th of so many stands on a circle, the first half of them on the
// right: at equal distances in height, so that names don't overlap.
function spread(k, count) {
  const right = Math.ceil(count / 2);
  const [place, many] = k < right
    ? [k, right] : [count - 1 - k, count - right];
  const up = 1 - (2 * place + 1) / many;
  const side = Math.sqrt(1 - up * up);
  return [k < right ? side : -side, up];
}

// One of the two pictures. Rows have the same place in both.
class Panel {
  constructor(element, graph, move) {
    this.element = element;
    this.picture = element.nextElementSibling;
    this.graph = graph;
    this.cy = cytoscape({
      container: element,
      autoungrabify: true,
      autounselectify: true,
      boxSelectionEnabled: false,
      userPanningEnabled: false,
      userZoomingEnabled: false,
      layout: { name: 'preset' },
    });
    this.cy.on('tap', 'node', (event) => move(event.target.data('place')));
    this.cy.on('mouseover', 'node', (event) => {
      element.title = event.target.data('title');
      element.style.cursor = 'pointer';
    });
    this.cy.on('mouseout', 'node', () => {
      element.title = '';
      element.style.cursor = '';
    });
  }

  // Rows around a centre, and edges: {left, right, strength, kind, inner}.
  draw(centre, others, edges) {
    this.drawn = [centre, others, edges];
    const joined = new Set([centre]);
    for (const edge of edges) {
      if (!edge.inner) joined.add(edge.left).add(edge.right);
    }
    const { clientWidth: width, clientHeight: height } = this.element;
    const names = [centre, ...others].map(
      (i) => shortened(this.graph.name(i)));
    const longest = Math.max(...names.map((name) => name.length));
    const [radiusX, radiusY] = [width / 2 - 24 - 6.2 * longest, height / 2 - 24];
    const nodes = [centre, ...others].map((i, place) => {
      const [side, up] = place === 0
        ? [0, 0] : spread(place - 1, others.length);
      return {
        group: 'nodes',
        data: {
          id: `n${i}`,
          place: i,
          name: names[place],
          title: describe(this.graph, i),
          label: this.graph.colour[this.graph.label[i]] ?? -1,
          predicted: this.graph.colour[this.graph.predicted[i]],
          size: place === 0 ? 26 : 15,
          opacity: joined.has(i) ? 1 : 0.3,
          halign: place === 0 ? 'center' : side > 0 ? 'right' : 'left',
          valign: place === 0 ? 'bottom' : 'center',
          weight: place === 0 ? 'bold' : 'normal',
        },
        position: {
          x: width / 2 + radiusX * side,
          y: height / 2 - radiusY * up,
        },
      };
    });
    this.cy.elements().remove();
    this.cy.resize();
    this.cy.add(nodes);
    this.cy.add(edges.map((edge) => ({
      group: 'edges',
      data: {
        source: `n${edge.left}`,
        target: `n${edge.right}`,
        kind: edge.kind,
        width: (edge.inner ? 0.5 : 1) + (edge.inner ? 1.5 : 5) * edge.strength,
        opacity: edge.inner ? 0.08 + 0.3 * edge.strength
          : edge.kind === 'doubt' ? 0.65 : 0.15 + 0.8 * edge.strength,
      },
    })));
    this.restyle();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.photograph(), 300);
  }

  // For paper, where nothing can be drawn any more: in light colours.
  photograph() {
    this.restyle(this.picture);
    this.picture.src = this.cy.png({ scale: 2 });
    this.restyle();
  }

  redraw() {
    if (this.drawn) this.draw(...this.drawn);
  }

  // With the colours that an element has now.
  restyle(element = document.documentElement) {
    const css = getComputedStyle(element);
    const colour = (name) => css.getPropertyValue(`--${name}`).trim();
    const edge = { kept: colour('soft'), new: colour('good'),
      doubt: colour('warn') };
    this.cy.style([
      { selector: 'node', style: {
        width: 'data(size)',
        height: 'data(size)',
        opacity: 'data(opacity)',
        label: 'data(name)',
        color: colour('ink'),
        'font-size': 11,
        'font-family': 'system-ui, sans-serif',
        'font-weight': 'data(weight)',
        'text-halign': 'data(halign)',
        'text-valign': 'data(valign)',
        'text-margin-x': (node) => ({ left: -4, right: 4, center: 0 })[
          node.data('halign')],
        'text-margin-y': (node) => ({ bottom: 3, center: 0 })[
          node.data('valign')],
        'text-outline-color': colour('raised'),
        'text-outline-width': 2,
        'border-width': 3,
        'border-color': (node) => colour(`c${node.data('predicted')}`),
        'background-color': (node) => node.data('label') < 0
          ? colour('raised') : colour(`c${node.data('label')}`),
        'overlay-opacity': 0,
      } },
      { selector: 'edge', style: {
        'curve-style': 'straight',
        width: 'data(width)',
        'line-opacity': 'data(opacity)',
        'line-color': (line) => edge[line.data('kind')],
        'line-style': (line) => line.data('kind') === 'doubt'
          ? 'dashed' : 'solid',
        'overlay-opacity': 0,
      } },
    ]);
  }
}


// Elements and texts. What comes from data is only ever set as text.

const byId = (id) => document.getElementById(id);

const percent = (share) => `${(100 * share).toFixed(1)} %`;

function probability(value) {
  if (value > 0 && value < 5e-4) return '<\u00a00.001';
  if (value < 1 && value >= 0.9995) return '>\u00a00.999';
  return value.toFixed(3);
}

const signed = (value) => (value < 0 ? '\u2212' : '+')
  + Math.abs(value).toFixed(3);

const shortened = (text) => text.length > 14 ? `${text.slice(0, 13)}…` : text;

function create(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

// The name of a row, in which marks of the writing direction end.
function titled(graph, i) {
  if (graph.names === null) return [graph.title(i)];
  return [create('bdi', '', graph.name(i)), ` (row ${graph.row[i]})`];
}

function describe(graph, i) {
  const label = graph.label[i] < 0
    ? 'label unknown' : `label ${graph.classes[graph.label[i]]}`;
  if (!graph.isPredicted(i)) return `${graph.title(i)}: ${label}`;
  return `${graph.title(i)}: ${label}, predicted `
    + `${graph.classes[graph.predicted[i]]} `
    + `(${percent(graph.confidence[i] / 65535)})`;
}

function chip(graph, kind) {
  const element = create('span', 'chip');
  element.append(
    create('i', `c${graph.colour[kind]}`), graph.classes[kind]);
  return element;
}

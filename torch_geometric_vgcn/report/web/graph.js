
// The rows and edges that the page holds. Rows are numbered by their place in
// the arrays; 'row' has their numbers in the table.

const GIVEN = 2 ** 31;

function unpack(text, kind) {
  const bytes = atob(text);
  const out = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) out[i] = bytes.charCodeAt(i);
  return new kind(out.buffer);
}

class Graph {
  constructor(data) {
    Object.assign(this, data);
    this.row = unpack(data.row, Uint32Array);
    this.whole = unpack(data.whole, Uint8Array);
    this.label = unpack(data.label, Int32Array);
    this.predicted = unpack(data.predicted, Int32Array);
    this.confidence = unpack(data.confidence, Uint16Array);
    this.right = unpack(data.right, Uint32Array);
    this.left = new Uint32Array(this.right.length);
    let end = 0;
    unpack(data.count, Uint32Array).forEach((count, i) => {
      this.left.fill(i, end, end + count);
      end += count;
    });
    this.prior = unpack(data.prior, Uint16Array);
    this.posterior = unpack(data.posterior, Uint16Array);
    this.given = Uint8Array.from(this.right, (end) => end >= GIVEN);
    this.right = this.right.map((end) => end % GIVEN);
    this.collect();
  }

  // Lists the edges of each row, in both directions.
  collect() {
    const count = this.left.length;
    this.pointer = new Uint32Array(this.row.length + 1);
    for (let e = 0; e < count; e++) {
      this.pointer[this.left[e] + 1]++;
      this.pointer[this.right[e] + 1]++;
    }
    for (let i = 0; i < this.row.length; i++) {
      this.pointer[i + 1] += this.pointer[i];
    }
    const next = this.pointer.slice();
    this.edges = new Uint32Array(2 * count);
    for (let e = 0; e < count; e++) {
      this.edges[next[this.left[e]]++] = e;
      this.edges[next[this.right[e]]++] = e;
    }
  }

  name(i) {
    return this.names === null ? String(this.row[i]) : this.names[i];
  }

  title(i) {
    return this.names === null
      ? `Row ${this.row[i]}` : `${this.names[i]} (row ${this.row[i]})`;
  }

  // Whether there is a prediction beside the label, if the label is known.
  isPredicted(i) {
    return this.label[i] < 0 || !this.keepsLabels;
  }

  // The place of a row of the table, or -1.
  placeOf(row) {
    let [low, high] = [0, this.row.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (this.row[middle] === row) return middle;
      if (this.row[middle] < row) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  edge(e) {
    return {
      left: this.left[e],
      right: this.right[e],
      given: this.given[e] === 1,
      prior: this.prior[e] / 65535,
      posterior: this.posterior[e] / 65535,
    };
  }

  // The edges of a row, the most probable first.
  around(i) {
    const found = [];
    for (let p = this.pointer[i]; p < this.pointer[i + 1]; p++) {
      const edge = this.edge(this.edges[p]);
      found.push({ ...edge, other: edge.left === i ? edge.right : edge.left });
    }
    return found.sort((a, b) => b.posterior - a.posterior);
  }

  // Those that matter most, before or after: given ones are certain before.
  strongest(edges, most) {
    const size = (edge) => Math.max(edge.prior, edge.posterior, edge.given);
    return [...edges].sort((a, b) => size(b) - size(a)).slice(0, most);
  }

  // The edges among some rows.
  among(places) {
    const inside = new Set(places);
    return places.flatMap((i) => this.around(i).filter(
      (edge) => edge.left === i && inside.has(edge.right)));
  }

  // Rows by number, name or class: the number itself, then names that start
  // with the text, then names that contain it, then members of a class.
  search(text, most) {
    const wanted = text.trim().toLowerCase();
    if (wanted === '') return [];
    const classes = this.classes.map(
      (name) => name.toLowerCase().startsWith(wanted));
    const exact = /^\d+$/.test(wanted) ? this.placeOf(Number(wanted)) : -1;
    const [starts, holds, members] = [[], [], []];
    for (let i = 0; i < this.row.length && starts.length < most; i++) {
      if (i === exact) continue;
      const at = this.name(i).toLowerCase().indexOf(wanted);
      const kind = this.label[i] < 0 ? this.predicted[i] : this.label[i];
      const list = at === 0 ? starts : at > 0 ? holds
        : classes[kind] ? members : null;
      if (list !== null && list.length < most) list.push(i);
    }
    const first = exact < 0 ? [] : [exact];
    return [...first, ...starts, ...holds, ...members].slice(0, most);
  }
}

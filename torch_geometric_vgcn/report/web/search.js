
const FOUND = 8;

// A text field that lists the rows it finds.
class Search {
  constructor(graph, move) {
    this.graph = graph;
    this.move = move;
    this.input = byId('search');
    this.list = byId('found');
    this.at = 0;
    this.input.addEventListener('input', () => this.find());
    this.input.addEventListener('focus', () => this.find());
    this.input.addEventListener('blur', () => this.close());
    this.input.addEventListener('keydown', (event) => this.press(event));
  }

  find() {
    this.places = this.graph.search(this.input.value, FOUND);
    this.list.replaceChildren(...this.places.map((i, number) => {
      const item = create('li');
      item.id = `found-${number}`;
      item.setAttribute('role', 'option');
      const name = create('span');
      name.append(...titled(this.graph, i));
      item.append(name, chip(this.graph, this.graph.predicted[i]));
      // Before the field loses the focus:
      item.addEventListener('mousedown', (event) => {
        event.preventDefault();
        this.choose(number);
      });
      return item;
    }));
    if (this.places.length === 0 && this.input.value.trim() !== '') {
      this.list.append(create('li', '', this.graph.whole.length
        < this.graph.numRows ? 'No row found among those of this page'
        : 'No row found'));
    }
    this.list.hidden = this.list.children.length === 0;
    this.input.setAttribute('aria-expanded', String(!this.list.hidden));
    this.mark(0);
  }

  mark(number) {
    this.at = number;
    [...this.list.children].forEach((item, place) => item.setAttribute(
      'aria-selected', String(place === number && place < this.places.length)));
    if (number < this.places.length) {
      this.input.setAttribute('aria-activedescendant', `found-${number}`);
    } else {
      this.input.removeAttribute('aria-activedescendant');
    }
  }

  press(event) {
    const count = this.places?.length ?? 0;
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key === 'Escape') {
      this.close();
    } else if (event.key === 'Enter' && count > 0) {
      event.preventDefault();
      this.choose(this.at);
    } else if (event.key in steps && count > 0) {
      event.preventDefault();
      this.mark((this.at + steps[event.key] + count) % count);
    }
  }

  choose(number) {
    this.move(this.places[number]);
    this.input.value = '';
    this.close();
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute('aria-expanded', 'false');
  }
}

// The network at the described point as a graph: dagre lays it out, the style sheet colours it.
// Names come from the model and only ever become text.
'use strict';
(() => {
  const { data, decibels, percent } = drawing;
  const box = document.getElementById('network-graph');
  const point = data.chosen_point;
  if (!box || !point) {
    return;
  }
  const kAtOnce = 300;   // steps that are drawn without being asked for: a second of layout
  const kMost = 3000;    // more take minutes
  const kWidth = 176;
  const kHeight = 44;
  const kNameLength = 24;
  const kBar = 5;
  const kZoom = 1.4;
  const kEdge = 16;      // of the box on both sides, and its lines

  const svg = (name, attributes, parent, text) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) {
      element.setAttribute(key, value);
    }
    if (text !== undefined) {
      element.textContent = text;
    }
    parent.append(element);
    return element;
  };
  const tail = (text) => (text.length > kNameLength ? '…' + text.slice(1 - kNameLength) : text);
  const errorOf = (node) => (node.broken ? 'not finite' : node.sqnr_db === null ? '' : decibels(node.sqnr_db));
  const isBad = (node) => node.broken || (node.sqnr_db !== null && node.sqnr_db < point.bad_below_db);
  const known = ['float32', 'float16', 'bfloat16'];
  // Changes of the layout and copies belong to no node: nothing says where they stand.
  const steps = point.nodes.map((node, i) => ({ node, i })).filter(({ node }) => node.dtype !== '-');

  const describe = (node) => {
    const lines = [node.node + ' (' + node.op + ')', node.dtype];
    if (node.parts) {
      lines.push('with ' + node.parts.join(', '));
    }
    if (errorOf(node)) {
      lines.push('SQNR of its result: ' + errorOf(node));
    }
    if (node.time !== undefined) {
      lines.push(percent(node.time) + ' of a run in float32, there ' + percent(node.float32_time));
    }
    if (node.finding) {
      lines.push(node.finding);
    }
    return lines.join('\n');
  };

  const layOut = () => {
    const graph = new dagre.graphlib.Graph();
    graph.setGraph({ nodesep: 16, ranksep: 24, marginx: 6, marginy: 6 });
    graph.setDefaultEdgeLabel(() => ({}));
    steps.forEach(({ i }) => graph.setNode(i, { width: kWidth, height: kHeight }));
    steps.forEach(({ node, i }) => node.inputs.forEach((from) => graph.setEdge(from, i)));
    dagre.layout(graph);
    return graph;
  };

  const draw = () => {
    const graph = layOut();
    const { width, height } = graph.graph();
    const most = Math.max(0, ...steps.map(({ node }) => node.time || 0));
    const picture = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    picture.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
    for (const edge of graph.edges()) {
      const points = graph.edge(edge).points;
      svg('polyline', { points: points.map((p) => p.x + ',' + p.y).join(' '), class: 'edge' }, picture);
    }
    steps.forEach(({ node, i }) => {
      const { x, y } = graph.node(i);
      const kind = known.includes(node.dtype) ? node.dtype : 'other';
      const group = svg('g', {
        class: 'step ' + kind + (isBad(node) ? ' bad' : ''),
        transform: 'translate(' + (x - kWidth / 2) + ' ' + (y - kHeight / 2) + ')',
      }, picture);
      svg('title', {}, group, describe(node));
      svg('rect', { width: kWidth, height: kHeight, rx: 4 }, group);
      svg('text', { x: 6, y: 15 }, group, tail(node.node));
      const figures = [node.op, errorOf(node), node.time === undefined ? '' : percent(node.time)];
      svg('text', { x: 6, y: 31, class: 'figures' }, group, figures.filter(Boolean).join(' · '));
      if (most > 0) {
        svg('rect', { class: 'time', y: kHeight - kBar, height: kBar, width: kWidth * node.time / most }, group);
      }
    });
    // The box is as wide as the picture where that is narrower than the page; a wider picture is
    // made to fit.
    const room = () => box.parentElement.clientWidth - kEdge;
    let scale = Math.min(1, room() / width);
    const resize = (factor) => {
      scale = Math.min(3, Math.max(0.05, scale * factor));
      picture.setAttribute('width', width * scale);
      picture.setAttribute('height', height * scale);
    };
    resize(1);
    const buttons = document.createElement('p');
    buttons.className = 'buttons';
    const button = (label, name, act) => {
      const made = document.createElement('button');
      made.type = 'button';
      made.textContent = label;
      made.setAttribute('aria-label', name);
      made.addEventListener('click', act);
      buttons.append(made);
    };
    button('+', 'larger', () => resize(kZoom));
    button('−', 'smaller', () => resize(1 / kZoom));
    button('fit', 'fit into the box', () => {
      resize(Math.min(room() / width, (box.clientHeight - kEdge) / height) / scale);
    });
    box.replaceChildren(picture);
    box.before(buttons);
  };

  const count = steps.length;
  if (count <= kAtOnce) {
    draw();
    return;
  }
  const note = document.createElement('p');
  note.className = 'soft';
  if (count > kMost) {
    note.textContent = count + ' steps are more than a picture shows; the table below has them.';
  } else {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Draw ' + count + ' steps (some seconds)';
    button.addEventListener('click', draw);
    note.append(button);
  }
  box.append(note);
})();

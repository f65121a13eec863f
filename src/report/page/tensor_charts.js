// A tensor in 8 bits, and a weight, that the reader chooses: its figures in words, and its picture.
// Names come from the model and only ever become text.
'use strict';
(() => {
  const { colour, number, decibels, wrapped, axis, options, tooltip } = drawing;
  const element = document.getElementById('histograms-json');
  if (!element) {
    return;
  }
  const record = JSON.parse(element.textContent);
  const kLeftOut = 'Its picture is not in this page; halftone explain --tensor shows it.';

  const share = (value) => number(100 * value) + ' %';
  const from = (range) => number(range[0], 4) + ' to ' + number(range[1], 4);

  // ---- Tensors

  const byName = new Map(record.tensors.map((tensor) => [tensor.name, tensor]));
  const histogramOf = (tensor) => {
    const source = tensor.seen && byName.get(tensor.seen.histogram_of);
    return source ? source.histogram : null;
  };
  const readersOf = (tensor) => {
    const most = 4;
    const readers = tensor.readers;
    return readers.length === 0 ? 'no operator: an output'
      : readers.slice(0, most).join(', ') + (readers.length > most ? ' and ' + (readers.length - most) + ' others' : '');
  };
  const wordsOfTensor = (tensor) => {
    const words = [
      ['made by', tensor.producer ? tensor.producer + ' (' + tensor.op + ')' : 'input of the network'],
      ['read by', readersOf(tensor)],
      ['range kept', from(tensor.range)],
      ['scale, zero point', number(tensor.scale, 4) + ', ' + tensor.zero_point],
    ];
    if (tensor.factors) {
      words.push(['channel factors', number(tensor.factors[0], 3) + ' to ' + number(tensor.factors[2], 3) +
        '; all figures are of values divided by them']);
    }
    const seen = tensor.seen;
    if (!seen) {
      return words.concat([['seen', 'nothing: its scale was given']]);
    }
    words.splice(2, 0, ['seen', from(seen.observed)], ['method', seen.method || 'not known']);
    words.push(['clipped', share(seen.clipped_values) + ' of the values, ' + share(seen.clipped_energy) + ' of the energy']);
    words.push(['SQNR', seen.sqnr_db === null ? 'nothing is lost' : decibels(seen.sqnr_db)]);
    if (seen.histogram_of !== tensor.name) {
      words.push(['histogram', 'that of ' + seen.histogram_of + ', whose values these are']);
    }
    return words;
  };

  const lossOf = (tensor) => (!tensor.seen ? Infinity : tensor.seen.sqnr_db === null ? 1e6 : tensor.seen.sqnr_db);
  const tensors = {
    choice: 'tensor-choice', chart: 'histogram-chart', table: 'tensor-table', label: 'Tensor, the least exact first: ',
    items: record.tensors.slice().sort((a, b) => lossOf(a) - lossOf(b) || 0),
    nameOf: (tensor) => tensor.name,
    words: wordsOfTensor,
    isDrawn: (tensor) => histogramOf(tensor) !== null,
  };

  charts['histogram-chart'] = () => {
    const tensor = tensors.chosen;
    const histogram = tensor ? histogramOf(tensor) : null;
    if (!histogram) {
      return null;
    }
    const { low, high, counts } = histogram;
    const width = (high - low) / counts.length;
    const slack = tensor.scale / 2;
    const [first, last] = tensor.range;
    const total = counts.reduce((sum, count) => sum + count, 0);
    const bins = counts.map((count, i) => {
      const x = low + (i + 0.5) * width;
      return { x, y: count > 0 ? count : null, clipped: x > last + slack || x < first - slack };
    });
    const most = Math.max(...counts);
    const line = (x) => ({
      type: 'line', data: [{ x, y: 0.5 }, { x, y: most }], borderColor: colour('text'), borderWidth: 1.5,
      borderDash: [6, 4], pointRadius: 0, pointHoverRadius: 0,
    });
    return {
      type: 'bar',
      data: {
        datasets: [
          {
            data: bins,
            backgroundColor: bins.map((bin) => colour(bin.clipped ? 'bad' : 'float16')),
            barPercentage: 1,
            categoryPercentage: 1,
          },
          line(first),
          line(last),
        ],
      },
      options: options({
        interaction: { mode: 'nearest', axis: 'x', intersect: false },
        scales: {
          x: axis('value' + (tensor.factors ? ' divided by its channel factor' : ''), {
            type: 'linear', min: Math.min(low, first), max: Math.max(high, last),
          }),
          y: axis('values, logarithmic', { type: 'logarithmic', min: 0.5 }),
        },
        plugins: {
          legend: { display: false },
          tooltip: Object.assign(tooltip({
            title: () => wrapped(tensor.name),
            label: (item) => {
              const bin = bins[item.dataIndex];
              return [
                number(bin.x - width / 2, 4) + ' to ' + number(bin.x + width / 2, 4),
                bin.y + ' values, ' + share(bin.y / total),
                bin.clipped ? 'clipped' : 'kept',
              ];
            },
          }), { filter: (item) => item.datasetIndex === 0 }),
        },
      }),
    };
  };

  // ---- Weights

  const wordsOfWeight = (weight) => {
    const [least, median, largest] = weight.scales;
    const words = [
      ['read by', weight.node + ' (' + weight.op + ')'],
      ['result channels', String(weight.channels) +
        (weight.zero_channels > 0 ? ', of which ' + weight.zero_channels + ' are all 0' : '')],
      ['scales', 'least ' + number(least, 4) + ', median ' + number(median, 4) + ', largest ' + number(largest, 4)],
    ];
    if (least > 0) {
      words.push(['largest / least', number(largest / least)]);
    }
    if (weight.factors) {
      words.push(['channel factors of its operand', number(weight.factors[0]) + ' to ' + number(weight.factors[2])]);
    }
    if (weight.bias_shifts) {
      words.push(['bias shifts', 'median ' + number(weight.bias_shifts[1]) + ', largest ' + number(weight.bias_shifts[2])]);
    }
    if (weight.channels_a_place > 1) {
      words.push(['a bar is', weight.channels_a_place + ' neighbouring channels']);
    }
    return words;
  };

  const ratioOf = (weight) => (weight.scales[0] > 0 ? weight.scales[2] / weight.scales[0] : 0);
  const weights = {
    choice: 'weight-choice', chart: 'weight-chart', table: 'weight-table',
    label: 'Weight, the widest spread of scales first: ',
    items: record.weights.slice().sort((a, b) => ratioOf(b) - ratioOf(a)),
    nameOf: (weight) => weight.name,
    words: wordsOfWeight,
    isDrawn: (weight) => weight.places.length > 0,
  };

  charts['weight-chart'] = () => {
    const weight = weights.chosen;
    if (!weight || weight.places.length === 0) {
      return null;
    }
    const each = weight.channels_a_place;
    const labels = weight.places.map((place, i) => {
      const last = Math.min(weight.channels, (i + 1) * each) - 1;
      return each > 1 && last > i * each ? i * each + ' to ' + last : String(i * each);
    });
    return {
      type: 'bar',
      data: {
        labels,
        datasets: [{
          data: weight.places.map(([low, high]) => [low, high]),
          backgroundColor: colour('float16'),
          borderSkipped: false,
          minBarLength: 1,
          barPercentage: 0.9,
          categoryPercentage: 1,
        }],
      },
      options: options({
        interaction: { mode: 'index', intersect: false },
        scales: {
          x: axis('result channel', { ticks: { color: colour('soft'), autoSkip: true } }),
          y: axis('weights'),
        },
        plugins: {
          legend: { display: false },
          tooltip: tooltip({
            title: ([item]) => 'channel ' + labels[item.dataIndex],
            label: (item) => {
              const [low, high, scale] = weight.places[item.dataIndex];
              return [from([low, high]), 'scale ' + number(scale, 4)];
            },
          }),
        },
      }),
    };
  };

  // ---- The choice

  const make = (name, text, className) => {
    const made = document.createElement(name);
    made.textContent = text || '';
    if (className) {
      made.className = className;
    }
    return made;
  };

  const offer = (part) => {
    const box = document.getElementById(part.choice);
    if (!box || part.items.length === 0) {
      return;
    }
    const select = make('select');
    const label = make('label', part.label);
    const words = make('dl', '', 'words');
    part.items.forEach((item, i) => {
      const option = make('option', part.nameOf(item));
      option.value = String(i);
      select.append(option);
    });
    const show = () => {
      part.chosen = part.items[Number(select.value)];
      words.replaceChildren(...part.words(part.chosen).flatMap(([name, text]) => [make('dt', name), make('dd', text)]));
      if (!part.isDrawn(part.chosen)) {
        words.append(make('dt', 'picture'), make('dd', kLeftOut));
      }
      drawChart(part.chart);
    };
    part.chosen = part.items[0];
    select.addEventListener('change', show);
    label.append(select);
    box.append(label, words);
    show();
    // A name in the table chooses it too.
    const places = new Map(part.items.map((item, i) => [part.nameOf(item), i]));
    for (const row of document.querySelectorAll('#' + part.table + ' tbody tr')) {
      const cell = row.cells[0];
      const name = cell.textContent;
      if (!places.has(name)) {
        continue;
      }
      const button = make('button', name, 'name');
      button.type = 'button';
      button.addEventListener('click', () => {
        select.value = String(places.get(name));
        show();
        box.scrollIntoView({ block: 'start' });
      });
      cell.replaceChildren(button);
    }
  };

  offer(tensors);
  offer(weights);
})();

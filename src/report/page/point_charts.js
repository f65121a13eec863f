// The chosen point node by node: how the error grows, and where the time goes.
'use strict';
(() => {
  const {
    data, colour, kBottomLength, capOf, number, decibels, percent, shortened, wrapped, axis, options,
    tooltip, legend,
  } = drawing;

  const kChanges = 12;  // operators that the waterfall shows by themselves

  charts['growth-chart'] = () => {
    const chosen = data.chosen_point;
    const nodes = chosen ? chosen.nodes.filter((n) => n.sqnr_db !== null || n.broken) : [];
    if (nodes.length === 0) {
      return null;
    }
    const floor = 0;
    const cap = capOf(nodes.map((n) => n.sqnr_db));
    const values = nodes.map((n) => (n.broken ? floor : Math.min(n.sqnr_db, cap)));
    const isBad = (n) => n.broken || n.sqnr_db < chosen.bad_below_db;
    const firstBad = nodes.findIndex(isBad);
    const dense = nodes.length > 80;
    return {
      type: 'line',
      data: {
        labels: nodes.map((n) => shortened(n.node, kBottomLength)),
        datasets: [
          {
            label: 'SQNR of the result (colour: dtype)',
            data: values,
            borderColor: colour('soft'),
            borderWidth: 1,
            pointBackgroundColor: nodes.map((n) => colour(['float16', 'bfloat16'].includes(n.dtype) ? n.dtype : 'float32')),
            pointBorderColor: nodes.map((n, i) => colour(i === firstBad ? 'bad' : 'page')),
            pointBorderWidth: nodes.map((n, i) => (i === firstBad ? 3 : 0.5)),
            pointStyle: nodes.map((n) => (n.dtype === 'float16' ? 'circle' : n.dtype === 'bfloat16' ? 'rectRot' : 'rect')),
            pointRadius: nodes.map((n, i) => (i === firstBad ? 8 : dense ? 2.5 : 4.5)),
          },
          {
            label: 'bad below ' + number(chosen.bad_below_db) + ' dB',
            data: nodes.map(() => chosen.bad_below_db),
            borderColor: colour('bad'),
            borderDash: [6, 4],
            borderWidth: 1.5,
            pointRadius: 0,
            pointHoverRadius: 0,
            pointStyle: 'line',
          },
        ],
      },
      options: options({
        interaction: { mode: 'index', intersect: false },
        scales: {
          x: axis('nodes in the order they run', { ticks: { color: colour('soft'), autoSkip: true, maxRotation: 70 } }),
          y: axis('SQNR of the result, dB', { beginAtZero: true }),
        },
        plugins: {
          legend: legend(),
          tooltip: Object.assign(tooltip({
            title: ([item]) => wrapped(nodes[item.dataIndex].node + ' (' + nodes[item.dataIndex].op + ')'),
            label: (item) => {
              const node = nodes[item.dataIndex];
              return [node.dtype, node.broken ? 'infinite or NaN where float32 is finite' : decibels(node.sqnr_db)]
                .concat(item.dataIndex === firstBad ? ['the first bad node'] : []);
            },
          }), { filter: (item) => item.datasetIndex === 0 }),
        },
      }),
    };
  };

  charts['time-chart'] = () => {
    const chosen = data.chosen_point;
    if (!chosen || chosen.total_time === undefined) {
      return null;
    }
    const changes = chosen.nodes.map((node, order) => ({ node, order, change: node.time - node.float32_time }));
    const shown = changes.slice().sort((a, b) => Math.abs(b.change) - Math.abs(a.change))
      .slice(0, kChanges).sort((a, b) => a.order - b.order);
    const bars = [{ label: 'float32', from: 0, to: 1, kind: 'float32', text: ['one run in float32'] }];
    let now = 1;
    const add = (label, change, text) => {
      bars.push({ label, from: now, to: now + change, kind: change > 0 ? 'bad' : 'good', text });
      now += change;
    };
    for (const { node, change } of shown) {
      add(shortened(node.node), change, wrapped(node.node + ' (' + node.op + ') in ' + node.dtype).concat(
        'from ' + percent(node.float32_time) + ' to ' + percent(node.time)));
    }
    if (chosen.casts > 0) {
      add(chosen.casts + ' casts', chosen.cast_time, ['casts between dtypes: ' + percent(chosen.cast_time)]);
    }
    const rest = chosen.nodes.length - shown.length;
    add(rest > 0 ? rest + ' others' : 'rounding', chosen.total_time - now,
      ['all other operators, and what medians leave']);
    bars.push({ label: data.front.some((p) => p.chosen) ? 'chosen point' : 'nearest point', from: 0, to: chosen.total_time, kind: 'accent', text: ['one run of it'] });
    return {
      type: 'bar',
      data: {
        labels: bars.map((bar) => bar.label),
        datasets: [{
          label: 'share of one run in float32',
          data: bars.map((bar) => [bar.from, bar.to]),
          backgroundColor: bars.map((bar) => colour(bar.kind)),
          borderSkipped: false,
          minBarLength: 2,
        }],
      },
      options: options({
        indexAxis: 'y',
        interaction: { mode: 'nearest', axis: 'y', intersect: false },
        scales: {
          x: axis('share of one run in float32', {
            suggestedMin: Math.max(0, Math.min(now, chosen.total_time) - 0.1),
            ticks: { color: colour('soft'), callback: (value) => Math.round(100 * value) + ' %' },
          }),
          y: axis('', { title: { display: false }, ticks: { color: colour('soft'), autoSkip: false } }),
        },
        plugins: {
          legend: { display: false },
          tooltip: tooltip({
            title: ([item]) => bars[item.dataIndex].label,
            label: (item) => {
              const bar = bars[item.dataIndex];
              const change = bar.to - bar.from;
              const total = bar.from === 0;
              return bar.text.concat(total ? percent(bar.to) : (change > 0 ? 'costs ' : 'saves ') + percent(Math.abs(change)));
            },
          }),
        },
      }),
    };
  };
})();

// What each operator feels of 16 bits, in the order of the network.
'use strict';
(() => {
  const {
    data, colour, kBottomLength, capOf, number, decibels, percent, shortened, wrapped, axis, options,
    tooltip, legend,
  } = drawing;

  // The most accurate choice of a group with this dtype.
  const bestChoice = (group, dtype) => group.choices
    .filter((c) => c.choice.split(' ')[0] === dtype && !c.refusal)
    .sort((a, b) => b.local_sqnr_db - a.local_sqnr_db)[0];

  charts['sensitivity-chart'] = () => {
    const groups = data.sensitivity || [];
    if (groups.length === 0) {
      return null;
    }
    const cap = capOf(groups.flatMap((group) => group.choices.map((c) => c.local_sqnr_db)));
    const bar = (dtype, hatch) => ({
      type: 'bar',
      label: dtype + ', SQNR of its own result',
      data: groups.map((group) => {
        const choice = bestChoice(group, dtype);
        return choice ? Math.min(choice.local_sqnr_db, cap) : null;
      }),
      backgroundColor: colour(dtype),
      pointStyle: hatch,
      yAxisID: 'y',
    });
    const gains = groups.map((group) => (group.gain > 0 ? 10 * Math.log10(group.gain) : null));
    return {
      type: 'bar',
      data: {
        labels: groups.map((group) => shortened(group.node, kBottomLength)),
        datasets: [
          {
            type: 'line',
            label: 'gain to the outputs',
            data: gains,
            borderColor: colour('text'),
            backgroundColor: colour('text'),
            borderWidth: 1.5,
            pointRadius: groups.length > 60 ? 0 : 3,
            pointStyle: 'triangle',
            yAxisID: 'gain',
            spanGaps: true,
          },
          bar('float16', 'rect'),
          bar('bfloat16', 'rectRot'),
        ],
      },
      options: options({
        interaction: { mode: 'index', intersect: false },
        scales: {
          x: axis('operators in the order of the network', {
            ticks: { color: colour('soft'), autoSkip: true, maxRotation: 70 },
          }),
          y: axis('own SQNR, dB', { beginAtZero: true }),
          gain: axis('gain, dB', {
            position: 'right', grid: { drawOnChartArea: false },
          }),
        },
        plugins: {
          legend: legend(),
          tooltip: tooltip({
            title: ([item]) => wrapped(groups[item.dataIndex].node + ' (' + groups[item.dataIndex].op + ')'),
            label: (item) => item.dataset.label + ': ' + (item.dataset.yAxisID === 'y' && item.parsed.y >= cap ? 'exact' : item.parsed.y.toFixed(1) + ' dB'),
            afterBody: ([item]) => {
              const group = groups[item.dataIndex];
              const rows = group.choices.slice(1).flatMap((c) => wrapped(c.refusal
                ? c.choice + ': cannot be made, ' + c.refusal
                : c.choice + ': outputs ' + decibels(c.sqnr_db) + (c.probed ? '' : ' (by the gain)') +
                  ', saves ' + percent(group.choices[0].time - c.time)));
              return rows.concat('largest value ' + number(group.largest_value, 4));
            },
          }),
        },
      }),
    };
  };
})();

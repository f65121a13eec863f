// The front: speed-up against error, with intervals.
'use strict';
(() => {
  const {
    capOf, data, colour, kExactDb, decibels, times, ofLoss, wrapped, axis, options, tooltip, legend,
  } = drawing;

  charts['front-chart'] = () => {
    const points = data.front.map((point, i) => ({
      x: point.speed_up, sqnr: point.accuracy.sqnr_db || null, i, point,
    })).filter((point) => point.sqnr);
    if (points.length === 0) {
      return null;
    }
    const finite = points.map((point) => point.sqnr.mean).filter((value) => value < kExactDb);
    const cap = capOf(finite);
    const at = (value) => Math.min(value, cap);
    const exact = finite.length < points.length;
    const bars = [];
    for (const { i, sqnr, point, x } of points) {
      const [low, high] = point.speed_up_interval;
      const mean = at(sqnr.mean);
      bars.push({ x: low, y: mean, i }, { x: high, y: mean, i }, { x: NaN, y: NaN });
      bars.push({ x, y: Math.max(at(sqnr.worst), 0), i }, { x, y: mean, i }, { x: NaN, y: NaN });
    }
    const marks = points.map(({ x, sqnr, i, point }) => ({ x, y: at(sqnr.mean), i, point }));
    const lines = ({ point, i }) => {
      const sqnr = point.accuracy.sqnr_db;
      const [low, high] = point.speed_up_interval;
      const text = [
        times(point.speed_up) + ' [' + low.toFixed(3) + ', ' + high.toFixed(3) + '] the speed of float32',
        'SQNR ' + decibels(sqnr.mean) + ', worst sample ' + decibels(sqnr.worst),
      ];
      if (point.heldout_accuracy && point.heldout_accuracy.sqnr_db) {
        text.push('held-out ' + decibels(point.heldout_accuracy.sqnr_db.mean));
      }
      if (point.predicted && point.accuracy.rel_l2) {
        text.push('predicted ' + times(1 / point.predicted.latency_ratio) + ', ' +
          decibels(ofLoss(point.predicted.rel_l2)) + '; measured ' + times(point.speed_up) + ', ' +
          decibels(ofLoss(point.accuracy.rel_l2.mean)) + ' (of the mean relative L2 error)');
      }
      if (i > 0) {
        text.push('from point ' + i + ': ' + point.difference_from_previous);
      }
      return text.flatMap(wrapped);
    };
    const chosen = (point) => point.point.chosen;
    return {
      type: 'scatter',
      data: {
        datasets: [
          {
            label: 'point of the front',
            data: marks,
            backgroundColor: marks.map((m) => colour(chosen(m) ? 'accent' : 'float16')),
            borderColor: marks.map((m) => colour(chosen(m) ? 'text' : 'float16')),
            pointStyle: marks.map((m) => (chosen(m) ? 'rectRot' : 'circle')),
            pointRadius: marks.map((m) => (chosen(m) ? 9 : 5)),
            pointHoverRadius: 10,
            borderWidth: 1.5,
          },
          {
            label: '95 % interval, worst sample',
            type: 'line',
            data: bars,
            borderColor: colour('soft'),
            borderWidth: 1.5,
            pointRadius: 0,
            pointHoverRadius: 0,
            pointStyle: 'line',
            spanGaps: false,
          },
        ],
      },
      options: options({
        scales: {
          x: axis('speed-up over float32'),
          y: axis('SQNR of the outputs, dB', {
            suggestedMax: exact ? cap + 3 : undefined,
            // Identical outputs have no decibels: they stand above all others.
            afterBuildTicks: (scale) => {
              if (exact) {
                scale.ticks = scale.ticks.filter((tick) => tick.value < cap - 2).concat({ value: cap });
              }
            },
            ticks: {
              color: colour('soft'),
              callback: (value) => (exact && value === cap ? 'exact' : value),
            },
          }),
        },
        plugins: {
          legend: legend(),
          tooltip: Object.assign(tooltip({
            title: ([item]) => {
              const point = data.front[item.raw.i];
              return 'Point ' + (item.raw.i + 1) + (point.chosen ? ' (chosen)' : '');
            },
            label: (item) => lines({ point: data.front[item.raw.i], i: item.raw.i }),
          }), { filter: (item, index) => index === 0 }),
        },
      }),
    };
  };
})();

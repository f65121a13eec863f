// The front: speed-up against error, with intervals.
'use strict';
(() => {
  const {
    capOf, data, colour, kExactDb, decibels, share, times, ofLoss, wrapped, axis, options, tooltip, legend,
  } = drawing;

  const kLabel = 0.07;  // height of a label at the axis, of all of it

  // By what the points are told apart: SQNR, and agreement where no output is floating.
  const kSqnr = {
    metric: 'sqnr_db', of: (value) => value, text: decibels, name: 'SQNR', title: 'SQNR of the outputs, dB',
    isExact: (value) => value >= kExactDb,
  };
  const kAgreement = {
    metric: 'agreement', of: (value) => 100 * value, text: share, name: 'agreement',
    title: 'agreement with float32, % of the elements', isExact: () => false,
  };

  charts['front-chart'] = () => {
    const scale = data.front.some((point) => point.accuracy.sqnr_db) ? kSqnr : kAgreement;
    const points = data.front.map((point, i) => ({
      x: point.speed_up, value: point.accuracy[scale.metric] || null, i, point,
    })).filter((point) => point.value);
    if (points.length === 0) {
      return null;
    }
    const finite = points.map((point) => point.value.mean).filter((value) => !scale.isExact(value));
    const cap = scale === kSqnr ? capOf(finite) : 100;
    const at = (value) => Math.min(scale.of(value), cap);
    const exact = finite.length < points.length;
    const bars = [];
    for (const { i, value, point, x } of points) {
      const [low, high] = point.speed_up_interval;
      const mean = at(value.mean);
      bars.push({ x: low, y: mean, i }, { x: high, y: mean, i }, { x: NaN, y: NaN });
      bars.push({ x, y: Math.max(at(value.worst), 0), i }, { x, y: mean, i }, { x: NaN, y: NaN });
    }
    const marks = points.map(({ x, value, i, point }) => ({ x, y: at(value.mean), i, point }));
    const lines = ({ point, i }) => {
      const value = point.accuracy[scale.metric];
      const [low, high] = point.speed_up_interval;
      const text = [
        times(point.speed_up) + ' [' + low.toFixed(3) + ', ' + high.toFixed(3) + '] the speed of float32',
        scale.name + ' ' + scale.text(value.mean) + ', worst sample ' + scale.text(value.worst),
      ];
      if (point.heldout_accuracy && point.heldout_accuracy[scale.metric]) {
        text.push('held-out ' + scale.text(point.heldout_accuracy[scale.metric].mean));
      }
      if (point.predicted && point.predicted.rel_l2 !== undefined && point.accuracy.rel_l2) {
        text.push('predicted ' + times(1 / point.predicted.latency_ratio) + ', ' +
          decibels(ofLoss(point.predicted.rel_l2)) + '; measured ' + times(point.speed_up) + ', ' +
          decibels(ofLoss(point.accuracy.rel_l2.mean)) + ' (of the mean relative L2 error)');
      }
      if (point.predicted && point.predicted.disagreement !== undefined) {
        text.push('predicted ' + times(1 / point.predicted.latency_ratio) + ', ' +
          share(point.predicted.disagreement) + ' of the elements differ; measured ' + times(point.speed_up));
      }
      if (i > 0) {
        text.push('from point ' + i + ': ' + point.difference_from_previous);
      }
      return text.flatMap(wrapped);
    };
    return {
      type: 'scatter',
      data: {
        datasets: [
          {
            label: 'point of the front',
            data: marks,
            backgroundColor: colour('float16'),
            borderColor: colour('float16'),
            pointStyle: 'circle',
            pointRadius: 5,
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
          ...marks.filter((mark) => mark.point.chosen).map((mark) => ({
            label: 'chosen point',
            data: [mark],
            backgroundColor: colour('accent'),
            borderColor: colour('text'),
            pointStyle: 'rectRot',
            pointRadius: 9,
            pointHoverRadius: 11,
            borderWidth: 1.5,
            order: -1,
          })),
        ],
      },
      options: options({
        scales: {
          x: axis('speed-up over float32'),
          y: axis(scale.title, {
            suggestedMax: exact ? cap + 3 : undefined,
            // Identical outputs have no decibels: they stand above all others.
            afterBuildTicks: (scale) => {
              if (exact) {
                scale.ticks = scale.ticks.filter((tick) => tick.value < cap - kLabel * (scale.max - scale.min)).concat({ value: cap });
              }
            },
            ticks: {
              color: colour('soft'),
              callback: (value) => (exact && value === cap ? 'exact' : Number(value.toPrecision(12))),
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

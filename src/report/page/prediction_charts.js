// Predicted against measured.
'use strict';
(() => {
  const {
    data, colour, kExactDb, number, ofLoss, lossOf, wrapped, axis, options, tooltip, legend,
  } = drawing;

  const predictionChart = (name, unit, value) => {
    const predictions = (data.predictions || []).map((p) => ({
      x: value(p.predicted), y: value(p.measured), configuration: p.configuration,
    })).filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y) && p.x < kExactDb && p.y < kExactDb);
    if (predictions.length === 0) {
      return null;
    }
    const all = predictions.flatMap((p) => [p.x, p.y]);
    const ends = [Math.min(...all), Math.max(...all)];
    return {
      type: 'scatter',
      data: {
        datasets: [
          {
            label: 'plan', data: predictions, backgroundColor: colour('float16'), pointRadius: 4,
            pointHoverRadius: 7,
          },
          {
            label: 'predicted = measured', type: 'line', data: ends.map((end) => ({ x: end, y: end })),
            borderColor: colour('soft'), borderDash: [6, 4], borderWidth: 1.5, pointRadius: 0,
            pointHoverRadius: 0, pointStyle: 'line',
          },
        ],
      },
      options: options({
        scales: { x: axis('predicted ' + name), y: axis('measured ' + name) },
        plugins: {
          legend: legend(),
          tooltip: Object.assign(tooltip({
            label: (item) => wrapped(item.raw.configuration).concat(
              'predicted ' + number(item.raw.x, 4) + unit + ', measured ' + number(item.raw.y, 4) + unit),
          }), { filter: (item) => item.datasetIndex === 0 }),
        },
      }),
    };
  };

  charts['prediction-latency-chart'] =
    () => predictionChart('latency / float32', '', (o) => o.latency_ratio);
  charts['prediction-loss-chart'] = () => predictionChart('loss, dB', ' dB', (o) => ofLoss(lossOf(o)));
})();

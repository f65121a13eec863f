// What the charts of report.html share: the data, which are the content of front.json, colours that
// follow the style sheet, texts of figures. Names come from the model and are only ever drawn on a
// canvas, never parsed.
'use strict';
const drawing = (() => {
  const data = JSON.parse(document.getElementById('front-json').textContent);
  const colour = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
  const narrow = () => window.innerWidth < 500;
  const kExactDb = 200;        // what front.json has for identical outputs
  const kLineLength = 44;      // of a tooltip, characters
  const kNameLength = 26;      // of a label at the side of a chart
  const kBottomLength = 16;    // of one below it, where it stands on edge

  const number = (value, digits) => String(Number(Number(value).toPrecision(digits || 3)));
  const decibels = (value) => (value >= kExactDb ? 'exact' : value <= -kExactDb ? 'not finite' : Math.min(value, 199.9).toFixed(1) + ' dB');
  // 100 % is said of all alone: what is close has as many digits as show that it is not.
  const share = (value) => {
    for (let digits = 2; digits <= 12; digits += 1) {
      const text = (100 * value).toFixed(digits);
      if (value === 0 || value === 1 || (Number(text) !== 100 && Number(text) !== 0)) {
        return (value === 0 || value === 1 ? 100 * value : text) + ' %';
      }
    }
    return 100 * value + ' %';
  };
  const times = (ratio) => ratio.toFixed(3) + '×';
  const percent = (share) => (100 * share).toFixed(1) + ' %';
  const ofPower = (power) => (power > 0 ? -10 * Math.log10(power) : kExactDb);
  const ofLoss = (loss) => Math.min(kExactDb, ofPower(loss * loss));
  // Of a network without floating outputs the loss is the share of elements that differ.
  const lossOf = (objectives) => (objectives.rel_l2 === undefined ? objectives.disagreement : objectives.rel_l2);

  // Exact results have no decibels: they are drawn a little above all others.
  const capOf = (values) => {
    const finite = values.filter((value) => Number.isFinite(value) && value < kExactDb);
    return finite.length > 0 ? Math.max(...finite) * 1.05 + 5 : 60;
  };

  // The end of a name says more than its beginning.
  const shortened = (name, most) => {
    const length = Math.min(most || kNameLength, narrow() ? kNameLength / 2 : kNameLength);
    return name.length > length ? '…' + name.slice(1 - length) : name;
  };

  // Lines of at most kLineLength characters.
  const wrapped = (text) => {
    const length = narrow() ? 34 : kLineLength;
    const lines = [''];
    for (const word of text.split(' ')) {
      const last = lines[lines.length - 1];
      if (last && last.length + 1 + word.length > length) {
        lines.push(word);
      } else {
        lines[lines.length - 1] = last ? last + ' ' + word : word;
      }
    }
    return lines.flatMap((line) => line.match(new RegExp('.{1,' + length + '}', 'gsu')) || ['']);
  };

  const axis = (text, more) => Object.assign({
    title: { display: true, text, color: colour('soft') },
    ticks: { color: colour('soft') },
    grid: { color: colour('line'), borderColor: colour('line') },
  }, more);

  const options = (more) => Object.assign({
    animation: false,
    maintainAspectRatio: false,
    interaction: { mode: 'nearest', intersect: false },
    color: colour('text'),
  }, more);

  const tooltip = (callbacks) => ({
    displayColors: false,
    backgroundColor: colour('text'),
    titleColor: colour('page'),
    bodyColor: colour('page'),
    footerColor: colour('page'),
    callbacks,
  });

  const legend = () => ({
    position: 'bottom',
    labels: { color: colour('text'), usePointStyle: true, boxWidth: 8, boxHeight: 8 },
  });

  return {
    data, colour, narrow, kExactDb, capOf, kBottomLength, number, decibels, share, times, percent, ofLoss,
    lossOf, shortened, wrapped, axis, options, tooltip, legend,
  };
})();

// By the id of its canvas: a function that gives Chart.js its configuration, or null without data.
const charts = {};

// Draws one of them, again where it is drawn; a chart without data hides its figure.
const drawChart = (id) => {
  const canvas = document.getElementById(id);
  if (!canvas) {
    return;
  }
  const old = Chart.getChart(canvas);
  if (old) {
    old.destroy();
  }
  const configuration = charts[id]();
  canvas.closest('figure').hidden = configuration === null;
  if (configuration) {
    new Chart(canvas, configuration);
  }
};

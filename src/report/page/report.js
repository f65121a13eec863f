// Draws every chart of the page, again when the reader's system turns dark or light.
'use strict';
(() => {
  const draw = () => {
    for (const [id, make] of Object.entries(charts)) {
      const canvas = document.getElementById(id);
      if (!canvas) {
        continue;
      }
      const old = Chart.getChart(canvas);
      if (old) {
        old.destroy();
      }
      const configuration = make();
      canvas.closest('figure').hidden = configuration === null;
      if (configuration) {
        new Chart(canvas, configuration);
      }
    }
  };

  draw();
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
})();

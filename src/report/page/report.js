// Draws every chart of the page, again when the reader's system turns dark or light.
'use strict';
(() => {
  const draw = () => Object.keys(charts).forEach(drawChart);

  draw();
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
})();

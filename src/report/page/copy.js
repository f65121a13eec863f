// A button beside each command that copies it; where the browser allows no copy, it selects it.
'use strict';
(() => {
  const select = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  };
  for (const command of document.querySelectorAll('pre')) {
    const button = document.createElement('button');
    const text = command.textContent.trim();
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'copy';
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = 'copied';
      } catch (error) {
        select(command);
        button.textContent = 'selected';
      }
    });
    command.before(button);
  }
})();

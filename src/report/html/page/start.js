// Parse the data, if it is there.
'use strict';

document.addEventListener('DOMContentLoaded', () => {
  const block = document.getElementById('data');
  if (block && block.dataset.encoding === 'plain') {
    JSON.parse(block.textContent);
  }
});

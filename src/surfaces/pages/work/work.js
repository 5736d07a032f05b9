// A diagram that is larger than its frame is scrolled to the first open step.
for (const picture of document.querySelectorAll('[data-picture]')) {
  const now = picture.querySelector('[data-now]');
  if (!now) continue;
  const [target, frame] = [now.getBoundingClientRect(), picture.getBoundingClientRect()];
  picture.scrollTop += target.top - frame.top - (frame.height - target.height) / 2;
  picture.scrollLeft += target.left - frame.left - (frame.width - target.width) / 2;
}

// A step's box leads to a row of a list that may be folded.
function unfold() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const folded = target && target.closest('details:not([open])');
  if (!folded) return;
  folded.open = true;
  target.scrollIntoView({ block: 'center' });
}
window.addEventListener('hashchange', unfold);
unfold();

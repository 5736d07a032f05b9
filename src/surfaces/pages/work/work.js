// Single keys press the buttons that name them, except while the user is typing in a field, and never with a modifier.
document.addEventListener('keydown', (event) => {
  const entering =
    event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [contenteditable]');
  if (entering || event.ctrlKey || event.metaKey || event.altKey || event.repeat || !/^[a-z]$/.test(event.key)) return;
  const button = document.querySelector(`button[data-key="${event.key}"]`);
  if (!button || button.disabled) return;
  event.preventDefault();
  button.click();
});

// A button works once: a second press before the next page would be another call. If no page follows, it works again
// later.
const LOCK_MILLISECONDS = 3000;
for (const form of document.querySelectorAll('main form[method=post]:not(.entry)')) {
  let isSent = false;
  form.addEventListener('submit', (event) => {
    if (isSent) event.preventDefault();
    isSent = true;
    setTimeout(() => {
      isSent = false;
    }, LOCK_MILLISECONDS);
  });
  window.addEventListener('pageshow', () => {
    isSent = false;
  });
}

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

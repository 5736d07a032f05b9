// Single keys press the buttons that name them, as clerks use them all day; not while something is being entered, and never with a modifier.
document.addEventListener('keydown', (event) => {
  const entering =
    event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [contenteditable]');
  if (entering || event.ctrlKey || event.metaKey || event.altKey || event.repeat || !/^[a-z]$/.test(event.key)) return;
  const button = document.querySelector(`button[data-key="${event.key}"]`);
  if (!button || button.disabled) return;
  event.preventDefault();
  button.click();
});

// A button of a list is pressed once: a second press before the next page would be another call. After a while it may be, where the reader stayed.
const AGAIN_MILLISECONDS = 3000;
for (const form of document.querySelectorAll('main form[method=post]:not(.entry)')) {
  let isSent = false;
  form.addEventListener('submit', (event) => {
    if (isSent) event.preventDefault();
    isSent = true;
    setTimeout(() => {
      isSent = false;
    }, AGAIN_MILLISECONDS);
  });
  window.addEventListener('pageshow', () => {
    isSent = false;
  });
}

// A picture that is larger than its room shows first what is under way.
for (const picture of document.querySelectorAll('[data-picture]')) {
  const now = picture.querySelector('[data-now]');
  if (!now) continue;
  const [place, room] = [now.getBoundingClientRect(), picture.getBoundingClientRect()];
  picture.scrollTop += place.top - room.top - (room.height - place.height) / 2;
  picture.scrollLeft += place.left - room.left - (room.width - place.width) / 2;
}

// What a step's box leads to is in a list that may be folded away.
function unfold() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const folded = target && target.closest('details:not([open])');
  if (!folded) return;
  folded.open = true;
  target.scrollIntoView({ block: 'center' });
}
window.addEventListener('hashchange', unfold);
unfold();

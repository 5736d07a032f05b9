// Polls for running imports every two seconds while the page is visible. Without script, the link "Refresh" does it.

const POLL_INTERVAL_MILLISECONDS = 2000;
const FAILURES_MAX = 5;

let failures = 0;
let timer;
let isPolling = false;

const isRunning = () => document.querySelector('[data-running]') !== null;

function schedule() {
  clearTimeout(timer);
  if (!document.hidden && failures < FAILURES_MAX && isRunning()) timer = setTimeout(poll, POLL_INTERVAL_MILLISECONDS);
}

async function poll() {
  if (isPolling) return;
  isPolling = true;
  try {
    const address = new URL(location.href);
    for (const name of ['done', 'Preview']) address.searchParams.delete(name);
    address.searchParams.set('Part', 'live');
    const response = await fetch(address, { headers: { Accept: 'text/html' }, redirect: 'manual' });
    // The session has ended: reloading leads to the sign-in page and back.
    if (response.type === 'opaqueredirect') return location.reload();
    if (!response.ok) throw new Error(`The server answered ${response.status}.`);
    show(new DOMParser().parseFromString(await response.text(), 'text/html'));
    failures = 0;
  } catch {
    failures++;
    if (failures === FAILURES_MAX) announce('Live updates stopped. Refresh the page.');
  } finally {
    isPolling = false;
  }
  schedule();
}

/** Replaces the elements that changed. The focus stays where it is, and an element being pressed is left alone. */
function show(fresh) {
  const before = states();
  for (const part of document.querySelectorAll('[data-live]')) {
    const next = fresh.getElementById(part.id);
    if (!next || next.outerHTML === part.outerHTML || part.querySelector(':active')) continue;
    const focused = part.contains(document.activeElement) ? document.activeElement : null;
    const scrolled = part.querySelector('.scroll')?.scrollLeft ?? 0;
    const placed = document.adoptNode(next);
    part.replaceWith(placed);
    const scroll = placed.querySelector('.scroll');
    if (scroll && scrolled > 0) scroll.scrollLeft = scrolled;
    if (focused)
      ((focused.id && document.getElementById(focused.id)) || document.getElementById('main'))?.focus({
        preventScroll: true,
      });
  }
  const changed = [...states()].filter(([name, state]) => before.has(name) && before.get(name) !== state);
  if (changed.length > 0) announce(changed.map(([name, state]) => `${name}: ${state}.`).join(' '));
}

function states() {
  return new Map(
    [...document.querySelectorAll('[data-announce]')].map((mark) => [mark.dataset.announce, mark.textContent]),
  );
}

function announce(text) {
  const status = document.getElementById('announcement');
  if (!status) return;
  status.textContent = text;
  if (failures >= FAILURES_MAX) status.classList.remove('hidden');
}

document.addEventListener('visibilitychange', () => {
  clearTimeout(timer);
  if (!document.hidden && isRunning()) void poll();
});
schedule();

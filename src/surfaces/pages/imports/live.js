// What runs is looked at again every two seconds, while the page is seen. Without script the link "Look again" does it.

const EVERY_MILLISECONDS = 2000;
const FAILURES_MAX = 5;

let failures = 0;
let timer;
let isLooking = false;

const isRunning = () => document.querySelector('[data-running]') !== null;

function plan() {
  clearTimeout(timer);
  if (!document.hidden && failures < FAILURES_MAX && isRunning()) timer = setTimeout(look, EVERY_MILLISECONDS);
}

async function look() {
  if (isLooking) return;
  isLooking = true;
  try {
    const address = new URL(location.href);
    for (const name of ['done', 'Preview']) address.searchParams.delete(name);
    address.searchParams.set('Part', 'live');
    const response = await fetch(address, { headers: { Accept: 'text/html' }, redirect: 'manual' });
    // The session is over: the reader is sent to the sign-in, and back.
    if (response.type === 'opaqueredirect') return location.reload();
    if (!response.ok) throw new Error(`The server answered ${response.status}.`);
    show(new DOMParser().parseFromString(await response.text(), 'text/html'));
    failures = 0;
  } catch {
    failures++;
    if (failures === FAILURES_MAX) tell('The page is not kept up to date any more; look again.');
  } finally {
    isLooking = false;
  }
  plan();
}

/** Puts the new parts in the place of those that differ. What has the focus keeps it; what is being pressed is left alone. */
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
  if (changed.length > 0) tell(changed.map(([name, state]) => `${name}: ${state}.`).join(' '));
}

function states() {
  return new Map([...document.querySelectorAll('[data-told]')].map((mark) => [mark.dataset.told, mark.textContent]));
}

function tell(text) {
  const told = document.getElementById('told');
  if (!told) return;
  told.textContent = text;
  if (failures >= FAILURES_MAX) told.classList.remove('hidden');
}

document.addEventListener('visibilitychange', () => {
  clearTimeout(timer);
  if (!document.hidden && isRunning()) void look();
});
plan();

import { announce } from './announce.ts';
import { callOperation } from './call.ts';
import { noteMove, renewSidebar } from './sidebar-counts.ts';

/** Moves pinned views of the sidebar by dragging them and by Alt with an arrow; pins and unpins the view of a list. */
export function watchPins(): void {
  document.addEventListener('keydown', (event) => {
    const pin = event.altKey ? pinOf(event.target) : null;
    const by = event.key === 'ArrowUp' ? -1 : 1;
    if (!pin || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    moveBy(pin, by);
  });
  document.addEventListener('dragstart', ({ target, dataTransfer }) => {
    const pin = pinOf(target);
    if (!pin) return;
    pin.classList.add('dragged');
    dataTransfer?.setData('text/plain', pin.textContent.trim());
  });
  document.addEventListener('dragover', (event) => {
    const [dragged, over] = [document.querySelector('.dragged[data-pin]'), pinOf(event.target)];
    if (!dragged || !over) return;
    event.preventDefault();
    const { top, height } = over.getBoundingClientRect();
    if (event.clientY < top + height / 2) over.before(dragged);
    else over.after(dragged);
  });
  document.addEventListener('dragend', ({ target }) => {
    const pin = pinOf(target);
    if (!pin) return;
    pin.classList.remove('dragged');
    void store(pin);
  });
  // Before others take the form as one that leads to another page.
  document.addEventListener(
    'submit',
    (event) => {
      const form = event.target instanceof HTMLFormElement ? event.target : null;
      if (form?.matches('[data-pin-form]') !== true) return;
      event.preventDefault();
      event.stopPropagation();
      void togglePin(form);
    },
    true,
  );
}

function pinOf(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('[data-pin]') : null;
}

function moveBy(pin: HTMLElement, by: -1 | 1): void {
  const neighbor = by < 0 ? pin.previousElementSibling : pin.nextElementSibling;
  if (!neighbor) return announce(by < 0 ? 'It is the first.' : 'It is the last.');
  if (by < 0) neighbor.before(pin);
  else neighbor.after(pin);
  pin.querySelector('a')?.focus();
  announce(`Moved to position ${placeOf(pin) + 1} of ${pin.parentElement?.children.length ?? 1}.`);
  void store(pin);
}

function placeOf(pin: HTMLElement): number {
  return [...(pin.parentElement?.children ?? [])].indexOf(pin);
}

/** The last move that is being stored: they are stored in their order. */
let storing: Promise<void> = Promise.resolve();

function store(pin: HTMLElement): Promise<void> {
  const [view, place] = [pin.dataset['pin'] ?? '', placeOf(pin)];
  noteMove();
  storing = storing.then(() => storePlace(view, place));
  return storing;
}

async function storePlace(view: string, place: number): Promise<void> {
  const { error } = await callOperation('view/pin', { ViewID: view, Position: place });
  noteMove();
  if (error === undefined) return;
  announce(error);
  await renewSidebar();
}

async function togglePin(form: HTMLFormElement): Promise<void> {
  const pressed = form.querySelector<HTMLButtonElement>('button[name=Action]');
  const view = form.querySelector<HTMLInputElement>('input[name=ViewID]')?.value ?? '';
  if (!pressed) return;
  const isPinned = pressed.value === 'pin';
  const { error } = await callOperation('view/pin', { ViewID: view, Pinned: isPinned });
  if (error !== undefined) {
    announce(error);
    return;
  }
  const text = isPinned ? 'Unpin from the sidebar' : 'Pin to the sidebar';
  pressed.value = isPinned ? 'unpin' : 'pin';
  pressed.title = text;
  pressed.setAttribute('aria-pressed', String(isPinned));
  const words = pressed.querySelector('.hidden');
  if (words) words.textContent = text;
  announce(isPinned ? 'Pinned to the sidebar.' : 'Unpinned from the sidebar.');
  await renewSidebar();
}

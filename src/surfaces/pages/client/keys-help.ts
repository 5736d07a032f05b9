import { everywhereKeys } from '../shared/keys.ts';
import { pageActions, type PageAction } from './page-actions.ts';

/** Lists the keys of this page in a dialog when `?` is pressed, or the button for it. */
export function watchKeysHelp(): void {
  if (!document.body.classList.contains('app')) return;
  document.addEventListener('click', (event) => {
    const opener = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-keys-help]') : null;
    if (!opener) return;
    event.preventDefault();
    openHelp(opener);
  });
}

function openHelp(opener: HTMLElement): void {
  document.getElementById('keys-help')?.remove();
  const dialog = document.createElement('dialog');
  dialog.id = 'keys-help';
  dialog.className = 'dialog keys-dialog';
  dialog.setAttribute('aria-labelledby', 'keys-help-title');
  const head = document.createElement('header');
  const title = document.createElement('h2');
  title.id = 'keys-help-title';
  title.textContent = 'Keys on this page';
  head.append(title);
  const body = document.createElement('div');
  body.className = 'dialog-body';
  const list = document.createElement('dl');
  list.className = 'keys-help';
  const actions = pageActions().filter(({ key }) => key !== '?');
  list.append(
    ...everywhereKeys.map(([text, ...keys]) => line(text, keys)),
    ...actions.map((action) => line(action.text, keysOf(action))),
  );
  body.append(list);
  if (document.documentElement.dataset['shortcuts'] === 'off') {
    const note = document.createElement('p');
    note.className = 'muted';
    note.textContent = 'Single keys are turned off in your preferences.';
    body.prepend(note);
  }
  const foot = document.createElement('footer');
  const close = document.createElement('button');
  Object.assign(close, { type: 'button', className: 'button', textContent: 'Close' });
  close.dataset['close'] = '';
  foot.append(close);
  dialog.append(head, body, foot);
  document.body.append(dialog);
  dialog.addEventListener('close', () => opener.focus(), { once: true });
  dialog.showModal();
}

function keysOf({ kind, key }: PageAction): readonly string[] {
  return kind === 'go' ? ['G', key] : key.split('+');
}

function line(text: string, keys: readonly string[]): HTMLElement {
  const entry = document.createElement('div');
  const name = document.createElement('dt');
  name.textContent = text;
  const pressed = document.createElement('dd');
  pressed.className = 'keys';
  for (const key of keys) {
    const mark = document.createElement('kbd');
    mark.textContent = key.length === 1 ? key.toUpperCase() : key;
    pressed.append(mark, ' ');
  }
  entry.append(name, pressed);
  return entry;
}

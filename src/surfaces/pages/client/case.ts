/*
 * The page of a case: drafts of what is being written, Ctrl+Enter, tabs without a page load, the next and previous case
 * of the list that the user came from, and printing.
 */
import { openDocumentsBeside } from './document-drawer.ts';
import { rememberedList } from './list-memory.ts';
import { goTo } from './morph.ts';

/** Where the browser keeps drafts. */
const DRAFT_PREFIX = 'casewright-draft:';

/** Words of the address that say that what was written has been stored. */
const STORED: Readonly<Record<string, string>> = {
  noted: 'note',
  'mail-sent': 'mail',
  'task-added': 'task',
  held: 'hold',
};

/** Links to another part of the same case. */
const SWITCHES = '.case .tabs a, .composer-kinds a, .case .kinds a, a.automatic, .case-threads .thread-line';
const FIRST_FIELD = '.composer-form :is(textarea, select, input:not([type=hidden], [hidden]))';
const FIELDS = 'textarea[name], select[name], input[name]:not([type=hidden], [type=checkbox], [type=file])';

show();
openDocumentsBeside();
document.addEventListener('page-shown', show);

document.addEventListener('input', ({ target }) => {
  const composer = target instanceof Element ? target.closest<HTMLElement>('[data-composer]') : null;
  if (composer) saveDraft(composer);
});

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !(event.target instanceof Element)) return;
  const form = event.target.closest<HTMLFormElement>('.composer-form');
  const submit = form?.querySelector<HTMLButtonElement>('button[name=Action]');
  if (!form || !submit) return;
  event.preventDefault();
  form.requestSubmit(submit);
});

document.addEventListener('click', (event) => {
  if (!(event.target instanceof Element) || event.defaultPrevented || event.ctrlKey || event.metaKey) return;
  if (event.target.closest('[data-print]')) {
    print();
    return;
  }
  const link = event.target.closest<HTMLAnchorElement>(SWITCHES);
  if (!link) return;
  event.preventDefault();
  void follow(link);
});

window.addEventListener('popstate', () => void goTo(location.href, 'none'));

/** Completes a page that was just opened or changed. */
function show(): void {
  restoreDrafts();
  showPager();
  for (const picture of document.querySelectorAll('[data-picture]')) showCurrentStep(picture);
}

/** Scrolls the picture of a workflow to its first open step. */
function showCurrentStep(picture: Element): void {
  const now = picture.querySelector('[data-now]');
  if (!now) return;
  const [frame, box] = [picture.getBoundingClientRect(), now.getBoundingClientRect()];
  picture.scrollTop += box.top - frame.top - (frame.height - box.height) / 2;
  picture.scrollLeft += box.left - frame.left - (frame.width - box.width) / 2;
}

/** Shows what a tab or a kind leads to, and moves the focus to where the next key belongs. */
async function follow(link: HTMLAnchorElement): Promise<void> {
  const isComposer = link.closest('.composer-kinds') !== null;
  if (!(await goTo(link.href, isComposer ? 'replace' : 'push'))) return;
  if (isComposer) document.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
}

/** Stores what is in a composer, or removes the draft of an empty one. */
function saveDraft(composer: HTMLElement): void {
  const values = Object.fromEntries(
    fieldsOf(composer).flatMap((field) => (field.value === '' ? [] : [[field.name, field.value]])),
  );
  const key = DRAFT_PREFIX + (composer.dataset['composer'] ?? '');
  if (Object.keys(values).length === 0) localStorage.removeItem(key);
  else localStorage.setItem(key, JSON.stringify(values));
}

/** Fills an empty composer with its draft, after removing the draft of what was just stored. */
function restoreDrafts(): void {
  const stored = STORED[new URLSearchParams(location.search).get('done') ?? ''];
  const path = document.querySelector<HTMLElement>('[data-case]')?.dataset['case'] ?? '';
  if (stored !== undefined) localStorage.removeItem(`${DRAFT_PREFIX}${path}:${stored}`);
  for (const composer of document.querySelectorAll<HTMLElement>('[data-composer]')) {
    const text = localStorage.getItem(DRAFT_PREFIX + (composer.dataset['composer'] ?? ''));
    const fields = fieldsOf(composer);
    if (text === null || fields.some(({ value }) => value !== '')) continue;
    const values = JSON.parse(text) as Record<string, string>;
    for (const field of fields) field.value = values[field.name] ?? '';
  }
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function fieldsOf(composer: HTMLElement): readonly Field[] {
  return [...composer.querySelectorAll<Field>(FIELDS)];
}

/** Offers the previous and the next case of the list from which the user came. */
function showPager(): void {
  const pager = document.querySelector<HTMLElement>('case-pager');
  const list = rememberedList();
  const at = list?.items.indexOf(pager?.dataset['path'] ?? '') ?? -1;
  if (!pager || !list || at < 0) return;
  pager.replaceChildren(
    pagerLink('Previous case', 'k', list.items[at - 1]),
    Object.assign(document.createElement('a'), {
      className: 'muted small nowrap',
      href: list.href,
      textContent: `${at + 1} of ${list.items.length}`,
      title: list.title,
    }),
    pagerLink('Next case', 'j', list.items[at + 1]),
  );
  pager.hidden = false;
}

function pagerLink(text: string, key: string, href: string | undefined): HTMLElement {
  const link = document.createElement(href === undefined ? 'span' : 'a');
  link.className = 'button quiet square';
  link.title = `${text} (${key.toUpperCase()})`;
  link.setAttribute('aria-label', text);
  link.textContent = key === 'k' ? '↑' : '↓';
  if (href === undefined) link.setAttribute('aria-disabled', 'true');
  else {
    link.setAttribute('href', href);
    link.dataset['key'] = key;
  }
  return link;
}

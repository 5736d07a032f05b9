import { html, type Markup } from '../../../kernel/render/markup.ts';
import { page } from '../page.ts';
import { avatar, person } from './avatar.ts';
import { badge, type Tone } from './badge.ts';
import { banner } from './banner.ts';
import { button, buttonLink } from './button.ts';
import { card } from './card.ts';
import { dialog } from './dialog.ts';
import { emptyState, failedPart } from './empty.ts';
import {
  cardChoices,
  checkbox,
  moneyField,
  recordField,
  segmentedField,
  selectField,
  textAreaField,
  textField,
} from './field.ts';
import { icon, iconNames } from './icons.ts';
import { facts, linkList } from './list.ts';
import { menu, menuLine } from './menu.ts';
import { loadBar, progress, skeleton } from './progress.ts';
import { sparkline } from './sparkline.ts';
import { stagePill, targetBar } from './stage.ts';
import { table } from './table.ts';
import { tabs } from './tabs.ts';
import { toast } from './toast.ts';

/** Colors that are surfaces, lines, text, or have a meaning: each is a token of the style sheet. */
const COLORS = [
  'bg',
  'surface',
  'surface-2',
  'surface-3',
  'raised',
  'selected',
  'line',
  'line-2',
  'line-control',
  'text',
  'text-2',
  'text-3',
  'accent',
  'accent-solid',
  'accent-soft',
  'danger',
  'danger-soft',
  'warn',
  'warn-soft',
  'ok',
  'ok-soft',
  'violet',
  'violet-soft',
] as const;
const TONES: readonly Tone[] = ['neutral', 'accent', 'danger', 'warn', 'ok', 'violet', 'outline'];
const SIZES = [28, 22, 18, 15, 13, 12, 11] as const;

/** Shows every component of the design system, each in its states. */
export const galleryPage = page(() =>
  Promise.resolve({
    title: 'Design system',
    place: 'home',
    body: html`<div class="page wide">
<h1>Design system</h1>
<div class="gallery">
${[colors(), type(), icons(), buttons(), fields(), marks(), tables(), lists(), navigation(), messages(), waiting()]}
</div>
${dialog({
  id: 'example-dialog',
  title: 'Release the hold on 3 cases?',
  body: html`<p class="soft">Complaint steps start again today.</p>
${selectField({ label: 'Reason', name: 'reason', choices: [{ value: '1', text: 'Loss mitigation ended: denied' }] })}`,
  actions: button({ text: 'Release 3 holds', kind: 'primary', type: 'button' }),
})}
</div>`,
  }),
);

function example(id: string, title: string, body: Markup): Markup {
  return card({ id, title, body: html`<div class="card-body stack">${body}</div>` });
}

function colors(): Markup {
  const swatch = (name: string): Markup => html`<li><span class="swatch ${name}"></span>${name}</li>`;
  return example('colors', 'Colors', html`<ul class="swatches">${COLORS.map(swatch)}</ul>`);
}

function type(): Markup {
  const line = (size: number): Markup => html`<p class="size-${size}">${size} px: 213,902.40 due Nov 24</p>`;
  return example('type', 'Type', html`${SIZES.map(line)}`);
}

function icons(): Markup {
  const shown = iconNames.map((name) => html`<li>${icon(name)}<span>${name}</span></li>`);
  return example('icons', 'Icons', html`<ul class="icon-list">${shown}</ul>`);
}

function buttons(): Markup {
  return example(
    'buttons',
    'Buttons',
    html`<div class="row wrap">
${button({ text: 'Complete', kind: 'primary', type: 'button', key: 'c' })}
${button({ text: 'Skip', icon: 'skip', type: 'button', key: 's' })}
${button({ text: 'Cancel', kind: 'quiet', type: 'button' })}
${button({ text: 'Close case…', kind: 'danger', type: 'button', attributes: html`data-dialog="example-dialog"` })}
${button({ text: 'Publish', type: 'button', disabledReason: 'Fix 1 conflict to publish.' })}
${button({ text: 'Saving', type: 'button', attributes: html`aria-busy="true"` })}
${button({ text: 'More actions', icon: 'more', iconOnly: true, type: 'button' })}
${buttonLink({ text: 'Export', icon: 'export', href: '#buttons' })}
</div>`,
  );
}

function fields(): Markup {
  const yesOrNo = [
    { value: 'yes', text: 'Yes' },
    { value: 'no', text: 'No' },
  ];
  const decisions = [
    { value: 'clear', text: 'Clear', hint: 'Releases the complaint to the firm.' },
    { value: 'exceptions', text: 'Clear with exceptions', hint: 'The firm adds a party.' },
  ];
  return example(
    'fields',
    'Fields',
    html`<div class="fields">
${textField({ label: 'Name', name: 'text', value: 'Review title report' })}
${textField({ label: 'Recorded', name: 'wrong', type: 'date', value: '2018-06-21', error: 'Before the note date.' })}
${moneyField({ label: 'Amount', name: 'money', value: '4,817.33', hint: 'Taken from page 4. Check the amount.' })}
${selectField({ label: 'Queue', name: 'select', choices: [{ value: '1', text: 'Title review' }], hint: '34 waiting' })}
${recordField({ label: 'Firm', name: 'record', type: 'Organization', hint: 'Type the beginning of its name.' })}
${segmentedField({ label: 'Occupied', name: 'segments', value: 'yes', choices: yesOrNo })}
${textAreaField({ label: 'Note to the firm', name: 'area', isRequired: false })}
${checkbox({ label: 'Automatic entries', name: 'box', isChecked: true })}
</div>
${cardChoices({ label: 'Your decision', name: 'cards', value: 'exceptions', choices: decisions })}`,
  );
}

function marks(): Markup {
  const stage = { name: 'Service', reached: 3, total: 6 };
  return example(
    'marks',
    'Badges, stages, people',
    html`<div class="row wrap">${TONES.map((tone) => badge(tone, tone))}${badge('Loss mit', 'warn', 'hold')}</div>
<div class="row wrap">
${stagePill({ ...stage, state: 'open' })}${stagePill({ ...stage, state: 'hold' })}
${stagePill({ name: 'Closed', reached: 6, total: 6, state: 'closed' })}
</div>
<div class="row wrap">${targetBar(8, 20)}${targetBar(18, 20)}${targetBar(26, 20)}</div>
<div class="row wrap">${avatar('Dana Okafor')}${person('Ruth Vasquez')}${progress(7, 23, '7 of 23 done')}${sparkline(
      [0, 2, 9, 7, 3, 1],
      'At most 9 waiting',
    )}${loadBar({ late: 2, today: 3, later: 9 }, 20)}</div>`,
  );
}

function tables(): Markup {
  const row = (className: string, name: string, days: number): Markup => html`<tr class="${className}">
<td><a href="#tables">${name}</a></td><td>${stagePill({ name: 'Title', reached: 2, total: 6, state: 'open' })}</td>
<td>${targetBar(days, 20)}</td><td class="number">213,902.40</td></tr>`;
  return card({
    id: 'tables',
    title: 'Tables',
    body: table({
      label: 'Example of a table',
      heads: [
        { text: 'Borrower', href: '#tables', sorted: 'ascending' },
        'Stage',
        'Days / target',
        { text: 'Balance', isNumber: true },
      ],
      rows: [row('', 'Tran, Linh', 8), row('current', 'Delgado, Marisol', 22), row('', 'Novak, Arjun', 18)],
    }),
  });
}

function lists(): Markup {
  return example(
    'lists',
    'Lists and facts',
    html`${linkList([
      { href: '#lists', cells: ['Confirm service', 'Whitfield, Angela', html`<span class="late">1 day late</span>`] },
      { href: '#lists', cells: ['Order title update', 'Pacheco, Paulo', 'Today'] },
    ])}
${facts([
  ['Loan', '0047 718 223'],
  ['Servicer', 'Brightwater Mortgage'],
])}`,
  );
}

function navigation(): Markup {
  const summary = html`<summary class="button">Actions ${icon('chevronDown', 12)}</summary>`;
  return example(
    'navigation',
    'Tabs and menus',
    html`${tabs('Example of tabs', [
      { href: '#navigation', text: 'Overview', isCurrent: true },
      { href: '#navigation', text: 'Tasks', count: 3, isCurrent: false },
    ])}
${menu(
  summary,
  [
    { text: 'Place on hold', icon: 'hold', href: '#navigation' },
    menuLine,
    { text: 'Close case…', href: '#navigation' },
  ],
  'left',
)}`,
  );
}

function messages(): Markup {
  return example(
    'messages',
    'Banners, toasts, errors, nothing',
    html`${banner({ tone: 'warn', icon: 'hold', text: html`<b>Complaint is on hold.</b> Review due Nov 24.` })}
${banner({ tone: 'danger', text: '14 of 312 rows wait for you.', actions: html`<a class="link" href="#">Rows</a>` })}
${banner({ tone: 'ok', text: 'Published as version 8.' })}
${failedPart('The ledger', '#messages')}
<div class="row">${toast({ text: 'Hold released on Delgado' })}</div>
${emptyState({ title: 'No cases match these filters.', text: 'Without Stage there are 41.', icon: 'search' })}`,
  );
}

function waiting(): Markup {
  return example('waiting', 'Loading', skeleton(4));
}

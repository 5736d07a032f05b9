import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { timeZone } from '../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { splitCommaList } from '../../../kernel/parameters/split-list.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { checkbox, segmentedField, selectField, type Choice } from '../design/field.ts';
import { startPlaces } from '../shell/places.ts';
import { toast } from '../design/toast.ts';
import { csrfField } from '../layout.ts';
import { errorNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, plainTexts } from '../plain-text.ts';
import { zoneChoices } from './time-zones.ts';

type PreferenceRow = AnswerRowFor<'preference/own'>;

/** The page on which users choose how the console looks and behaves for them. */
export const preferencesPage = page((call) => preferencesAnswer(call));

/** Stores what the user has chosen. */
export const savePreferences = page(async (call) => {
  const { form } = call;
  const of = (name: string): string => plainText(form[name]);
  const notified = new Set(plainTexts(form['Notify']));
  try {
    await call.call('preference/choose', {
      Theme: of('Theme'),
      Density: of('Density'),
      Sidebar: of('Sidebar'),
      StartPage: of('StartPage'),
      TimeZone: of('TimeZone'),
      Shortcuts: of('Shortcuts') === 'true',
      MutedKinds: kinds
        .map(({ kind }) => kind)
        .filter((kind) => !notified.has(kind))
        .join(','),
    });
    return { redirectTo: '/preferences?done=saved' };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return preferencesAnswer(call, error);
  }
});

/** Kinds of notifications, by what happens. */
const kinds: readonly { readonly kind: string; readonly text: string }[] = [
  { kind: 'Stage', text: 'A case you follow reaches a stage' },
  { kind: 'Hold', text: 'A hold is placed or ends on a case you follow' },
  { kind: 'Date', text: 'A date changes on a case you follow' },
  { kind: 'Document', text: 'A document is added to a case you follow' },
  { kind: 'Message', text: 'A note or message is added to a case you follow' },
  { kind: 'Task', text: 'A task is completed on a case you follow' },
  { kind: 'Mention', text: 'Someone mentions you in a note' },
  { kind: 'Assignment', text: 'Work is assigned to you' },
  { kind: 'Payment', text: 'A customer disputes a payment that you requested or on a case you follow' },
];

const themes: readonly Choice[] = [
  { value: 'System', text: 'Same as this computer' },
  { value: 'Light', text: 'Light' },
  { value: 'Dark', text: 'Dark' },
  { value: 'Contrast', text: 'High contrast' },
];

async function preferencesAnswer(call: PageCall, refused?: PlatformError): Promise<PageAnswer> {
  const { answer } = await call.call('preference/own', {});
  return {
    title: 'Preferences',
    place: 'account',
    status: refused?.status ?? 200,
    toasts: call.query['done'] === 'saved' ? [toast({ text: 'Preferences saved' })] : [],
    body: html`<form class="page narrow entry" method="post" action="/preferences">
<div class="page-head"><h1>Preferences</h1></div>
${refused && errorNote(refused.masked())}
${csrfField(call)}
${appearance(answer.row)}
${behavior(call, answer.row)}
${notifications(answer.row)}
<div class="row">${button({ text: 'Save preferences', kind: 'primary' })}</div>
</form>`,
  };
}

function appearance({ Theme, Density, Sidebar }: PreferenceRow): Markup {
  return card({
    id: 'appearance',
    title: 'Appearance',
    body: html`<div class="card-body stack">
${segmentedField({ label: 'Colors', name: 'Theme', value: Theme ?? 'System', choices: themes })}
${segmentedField({
  label: 'Rows',
  name: 'Density',
  value: Density ?? 'Compact',
  choices: [
    { value: 'Compact', text: 'Compact' },
    { value: 'Comfortable', text: 'Comfortable' },
  ],
})}
${segmentedField({
  label: 'Sidebar',
  name: 'Sidebar',
  value: Sidebar ?? 'Expanded',
  choices: [
    { value: 'Expanded', text: 'Names' },
    { value: 'Collapsed', text: 'Icons only' },
  ],
})}
</div>`,
  });
}

function behavior(call: PageCall, { StartPage, TimeZone, Shortcuts }: PreferenceRow): Markup {
  const installed = call.platform.settings.get(timeZone);
  return card({
    id: 'behavior',
    title: 'Behavior',
    body: html`<div class="card-body stack">
${selectField({
  label: 'Start page',
  name: 'StartPage',
  value: StartPage ?? 'Home',
  hint: 'Where you begin after signing in.',
  choices: startPlaces(call),
})}
${selectField({
  label: 'Time zone',
  name: 'TimeZone',
  value: TimeZone ?? '',
  hint: html`Times are shown in this zone. Times that you enter are in ${installed}.`,
  empty: `Same as the installation (${installed})`,
  choices: zoneChoices(),
})}
<div>${checkbox({
      label: 'Press buttons by single letters',
      name: 'Shortcuts',
      isChecked: Shortcuts ?? true,
    })}
<p class="field-hint">Such as N for a note. Turn this off if you dictate, or press keys by accident.</p></div>
</div>`,
  });
}

function notifications({ MutedKinds }: PreferenceRow): Markup {
  const muted = new Set(splitCommaList(MutedKinds ?? ''));
  const box = ({ kind, text }: (typeof kinds)[number]): Markup =>
    checkbox({ label: text, name: 'Notify', value: kind, isChecked: !muted.has(kind) });
  return card({
    id: 'notify',
    title: 'Notifications',
    body: html`<fieldset class="card-body notify-kinds">
<legend class="hidden">Notify me when</legend>
<p class="field-label" aria-hidden="true">Notify me when</p>
${kinds.map(box)}
</fieldset>`,
  });
}

import type { PlatformError } from '../../../kernel/door/errors.ts';
import { f } from '../../../kernel/declare/field.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { LayoutDifference } from '../../../lib/page-layouts/differences.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { checkbox } from '../design/field.ts';
import { table } from '../design/table.ts';
import { displayValue, timeMark } from '../display-values.ts';
import { loadLabels, referencesOf } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { differenceText, layoutCrumbs, layoutPublishing, readLayoutDraft, type LayoutDraft } from './layout-draft.ts';
import { answerQuestion, questionPage, type Question } from './question-page.ts';

/** Differences of one version that are listed. */
const DIFFERENCES_MAX = 30;

function ask(call: PageCall, draft: LayoutDraft, question: Question, refusal?: PlatformError): PageAnswer {
  const crumbs = layoutCrumbs(call, draft, question.title);
  const back = { text: 'Back to the layout', href: draft.address };
  return questionPage(call, { crumbs, version: draft.version, back }, question, refusal);
}

/** Renders differences as a list. */
function differenceList(differences: readonly LayoutDifference[], none: string): Markup {
  if (differences.length === 0) return html`<p class="muted">${none}</p>`;
  const shown = differences.slice(0, DIFFERENCES_MAX);
  const more = differences.length - shown.length;
  return html`<ul class="plain-list">${shown.map((each) => html`<li>${differenceText(each)}</li>`)}${
    more > 0 && html`<li class="muted">${more} more</li>`
  }</ul>`;
}

async function askToPublish(call: PageCall, refusal?: PlatformError): Promise<PageAnswer> {
  const draft = await readLayoutDraft(call);
  const { published, base, version, differences, problems, name, record } = draft;
  const warnings = problems.filter(({ Severity }) => Severity === 'Warning').length;
  const isStale = version > 0 && base !== published;
  const off = layoutPublishing(draft)?.refusal;
  return ask(
    call,
    draft,
    {
      title: `Publish v${published + 1} of ${name}?`,
      body: html`<p>${record.titlePlural} show it as soon as it is published.</p>
${differenceList(differences, `The draft is the same as v${published}.`)}
${warnings > 0 && html`<p class="soon">${warnings} ${warnings === 1 ? 'warning' : 'warnings'}</p>`}
${isStale && checkbox({ label: `Undo what v${published} changed: this draft began from v${base}`, name: 'Replace' })}
${off && banner({ tone: 'danger', text: off.text })}`,
      action: off ? undefined : button({ text: `Publish v${published + 1}`, kind: 'primary' }),
    },
    refusal,
  );
}

/** Asks before a draft is published, with what it changes. */
export const publishLayoutPage = page((call) => askToPublish(call));

/** Publishes a draft. */
export const publishLayout = answerQuestion(askToPublish, async (call) => {
  const ID = recordIdFromPath(call);
  const Replace = plainText(call.form['Replace']) === 'true';
  await call.call('pagelayout/publishdraft', { ID, Version: plainText(call.form['Version']), Replace });
  return `/configure/layouts/${ID}?done=published`;
});

async function askToDiscard(call: PageCall, refusal?: PlatformError): Promise<PageAnswer> {
  const draft = await readLayoutDraft(call);
  return ask(
    call,
    draft,
    {
      title: `Discard the draft of ${draft.name}?`,
      body: html`<p>v${draft.published} stays published and unchanged. The draft is gone, with:</p>
${differenceList(draft.differences, 'No changes.')}`,
      action: button({ text: 'Discard draft', kind: 'danger' }),
    },
    refusal,
  );
}

/** Asks before a draft is discarded. */
export const discardLayoutPage = page((call) => askToDiscard(call));

/** Discards a draft. */
export const discardLayout = answerQuestion(askToDiscard, async (call) => {
  const ID = recordIdFromPath(call);
  await call.call('pagelayout/discarddraft', { ID, Version: plainText(call.form['Version']) });
  return `/configure/layouts/${ID}?done=discarded`;
});

const personField = f.id({ doc: 'Who published it.', to: 'Person' });

const heads = ['Version', 'Published', 'By', 'What it changed', { text: 'Actions', isHidden: true }];

async function versionsAnswer(call: PageCall, refusal?: PlatformError): Promise<PageAnswer> {
  const [draft, { answer }] = await Promise.all([
    readLayoutDraft(call),
    call.call('pagelayout/versions', { ID: recordIdFromPath(call) }),
  ]);
  const labels = await loadLabels(call, [referencesOf(answer.rows, ['CreatedPersonID', 'Person'])]);
  const rows = answer.rows.map((row) => {
    const isPublished = row.Number === draft.published;
    return html`<tr id="v${row.Number}"><th scope="row">v${row.Number}${isPublished && ' published'}</th>
<td>${timeMark(call, row.CreatedDate)}</td><td>${displayValue(call, personField, row.CreatedPersonID, labels)}</td>
<td>${differenceList(row.Differences, row.Number === 1 ? 'The first version.' : 'Nothing that cases show.')}</td>
<td>${draft.mayEdit && restoreForm(call, draft, row.Number)}</td></tr>`;
  });
  return {
    title: `Versions of ${draft.name}`,
    place: 'configure',
    crumbs: layoutCrumbs(call, draft, 'Versions'),
    status: refusal?.status ?? 200,
    body: html`<div class="page"><header class="page-head"><h1>Versions of ${draft.name}</h1>${buttonLink({
      text: 'Open the editor',
      href: draft.address,
    })}</header>${refusal && banner({ tone: 'danger', role: 'alert', text: refusal.message })}
${
  draft.version > 0 &&
  html`<section aria-labelledby="draft-differences"><h2 id="draft-differences">The draft, compared with
v${draft.published}</h2>${differenceList(draft.differences, 'No differences.')}
<p class="soft">Restoring a version replaces the draft.</p></section>`
}
${table({ label: 'Versions', heads, rows })}</div>`,
  };
}

function restoreForm(call: PageCall, { version }: LayoutDraft, number: number): Markup {
  return html`<form method="post">${csrfField(call)}<input type="hidden" name="Version" value="${version}">${button({
    text: 'Restore as draft',
    kind: 'quiet',
    name: 'Number',
    value: String(number),
    of: `v${number}`,
  })}</form>`;
}

/** Lists the published versions of a layout with what each changed, and what the draft changes. */
export const layoutVersionsPage = page((call) => versionsAnswer(call));

/** Makes an earlier version the draft. */
export const restoreLayoutVersion = answerQuestion(versionsAnswer, async (call) => {
  const ID = recordIdFromPath(call);
  await call.call('pagelayout/restoreversion', {
    ID,
    Version: plainText(call.form['Version']),
    Number: plainText(call.form['Number']),
  });
  return `/configure/layouts/${ID}?done=restored`;
});

import type { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { ColumnDifference } from '../../../lib/decision-tables/differences.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { checkbox, textAreaField } from '../design/field.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page, type Page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { matrixCrumbs } from './matrix-crumbs.ts';
import { answerQuestion, questionPage, type Question } from './question-page.ts';
import { publishingOf, readDraft, type MatrixDraft } from './matrix-draft.ts';

/** Asks about a matrix. */
function ask(call: PageCall, draft: MatrixDraft, question: Question, refusal?: PlatformError): PageAnswer {
  const back = { text: 'Back to the matrix', href: draft.address };
  return questionPage(
    call,
    { crumbs: matrixCrumbs(draft, question.title), version: draft.version, back },
    question,
    refusal,
  );
}

/** Does something, and goes back to the matrix; a refusal shows the question again. */
function answer(
  question: (call: PageCall, refusal?: PlatformError) => Promise<PageAnswer>,
  act: (call: PageCall, sent: { readonly id: number; readonly version: number }) => Promise<string>,
): Page {
  return answerQuestion(question, async (call) => {
    const id = Number(call.path['id']);
    const done = await act(call, { id, version: Number(plainText(call.form['Version'])) });
    return `/configure/matrices/${id}${done === '' ? '' : `?done=${done}`}`;
  });
}

async function askToPublish(call: PageCall, refusal?: PlatformError): Promise<PageAnswer> {
  const draft = await readDraft(call);
  const { published, base, version, findings } = draft;
  const open = findings.filter(({ Severity, AcceptedReason }) => Severity === 'Warning' && AcceptedReason === null);
  const isStale = version > 0 && base !== published;
  const off = publishingOf(draft)?.refusal;
  return ask(
    call,
    draft,
    {
      title: `Publish v${published + 1} of ${draft.name}?`,
      body: html`<p>Lookups use it as soon as it is published. Cases that decided before keep what they decided.</p>
${changeList(draft)}
${
  open.length > 0 &&
  html`<p class="soon">${open.length} ${open.length === 1 ? 'warning is' : 'warnings are'} not
accepted.</p>`
}
${isStale && checkbox({ label: `Undo what v${published} changed: this draft began from v${base}`, name: 'Replace' })}
${off && banner({ tone: 'danger', text: off.text })}`,
      action: off ? undefined : button({ text: `Publish v${published + 1}`, kind: 'primary' }),
    },
    refusal,
  );
}

/** Renders in words what a draft changes. */
function changeList({ differences, published }: MatrixDraft): Markup {
  const { added, changed, removed, columns } = differences;
  const words = [
    [added, 'added'],
    [changed, 'changed'],
    [removed, 'removed'],
  ] as const;
  const rows = words.flatMap(([count, word]) =>
    count === 0 ? [] : [`${count} ${count === 1 ? 'row' : 'rows'} ${word}`],
  );
  const others = columns.map(columnText);
  const all = [...rows, ...others];
  if (all.length === 0) return html`<p>The draft is the same as v${published}.</p>`;
  return html`<ul class="plain-list">${all.map((text) => html`<li>${text}</li>`)}</ul>`;
}

/** Describes the change of a column in words. */
function columnText({ kind, name, before, after }: ColumnDifference): string {
  if (kind === 'renamed') return `Column ${before ?? ''} renamed to ${name}`;
  if (kind === 'added' || kind === 'removed') return `Column ${name} ${kind}`;
  return `${kind === 'weight' ? 'Weight' : 'Type'} of ${name}: ${before ?? 'none'} → ${after ?? 'none'}`;
}

/** Asks before a draft is published, with what it changes. */
export const publishPage = page((call) => askToPublish(call));

/** Publishes a draft. */
export const publishMatrix = answer(askToPublish, async (call, { id, version }) => {
  const Replace = plainText(call.form['Replace']) === 'true';
  await call.call('matrix/publishdraft', { ID: id, Version: version, Replace });
  return 'published';
});

async function askToDiscard(call: PageCall, refusal?: PlatformError): Promise<PageAnswer> {
  const draft = await readDraft(call);
  return ask(
    call,
    draft,
    {
      title: `Discard the draft of ${draft.name}?`,
      body: html`<p>v${draft.published} stays published and unchanged. The draft is gone,
with:</p>${changeList(draft)}`,
      action: button({ text: 'Discard draft', kind: 'danger' }),
    },
    refusal,
  );
}

/** Asks before a draft is discarded. */
export const discardPage = page((call) => askToDiscard(call));

/** Discards a draft. */
export const discardMatrix = answer(askToDiscard, async (call, { id, version }) => {
  await call.call('matrix/discarddraft', { ID: id, Version: version });
  return 'discarded';
});

async function askToAccept(call: PageCall, refusal?: PlatformError): Promise<PageAnswer> {
  const draft = await readDraft(call);
  const key = plainText(call.query['Key']);
  const finding = draft.findings.find(({ Key }) => Key === key);
  if (!finding)
    return ask(call, draft, {
      title: 'This warning is gone',
      body: html`<p>The checks no longer find it.</p>`,
    });
  const isAccepted = typeof finding.AcceptedReason === 'string';
  const what = html`<p><b>${finding.Title}.</b> ${finding.Description}</p>`;
  return ask(
    call,
    draft,
    isAccepted
      ? {
          title: 'Report this warning again?',
          body: html`${what}<p>It was accepted because: “${finding.AcceptedReason}”</p>`,
          action: button({ text: 'Withdraw', name: 'do', value: 'withdraw' }),
        }
      : {
          title: 'Accept this warning?',
          body: html`${what}<p>It stays accepted in your name until one of its rows changes.</p>${textAreaField({
            label: 'Why the table is right',
            name: 'Reason',
            isRequired: true,
            value: plainText(call.form['Reason']),
            error: refusal?.field === 'Reason' ? refusal.message : undefined,
          })}`,
          action: button({ text: 'Accept', kind: 'primary', name: 'do', value: 'accept' }),
        },
    refusal,
  );
}

/** Asks why a warning is accepted, or before an acceptance is withdrawn. */
export const acceptPage = page((call) => askToAccept(call));

/** Accepts a warning, or withdraws its acceptance. */
export const acceptWarning = answer(askToAccept, async (call, { id }) => {
  const Key = plainText(call.query['Key']);
  if (plainText(call.form['do']) === 'withdraw') await call.call('matrix/withdrawacceptance', { ID: id, Key });
  else await call.call('matrix/acceptfinding', { ID: id, Key, Reason: plainText(call.form['Reason']) });
  return '';
});

import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { button, buttonLink } from '../design/button.ts';
import { banner } from '../design/banner.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { localDateTime } from '../display-values.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { sentenceFor } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { normalizeLineEnds, plainText } from '../plain-text.ts';
import { recordIdFromPath, recordLabel, selectRow } from '../record-address.ts';
import {
  heldPath,
  holdPill,
  holdsPath,
  holdWords,
  isHeldAsWhole,
  mayPlaceHold,
  placeFields,
  placeTitle,
  releaseFields,
  type HoldSubject,
  type LegalHoldRow,
} from './legal-holds.ts';

/** Holds that are listed, the newest. */
const HOLDS_MAX = 200;

/** Lists the present and earlier holds of a document or case, and places one. */
export const legalHoldsPage = page((call) => holdsAnswer(call));

/** Places a hold. A refusal is shown on the page, with the reason that was entered. */
export const placeLegalHold = page(async (call) => {
  const subject = subjectFromAddress(call);
  try {
    const [hold] = await place(call, subject, sentReason(call));
    return { redirectTo: backTo(call, subject, { held: hold }) };
  } catch (error) {
    if (!isShown(error)) throw error;
    return holdsAnswer(call, error);
  }
});

/** Shows a hold, and asks why it is released. */
export const legalHoldPage = page((call) => holdAnswer(call));

/** Releases a hold, or places one again that was just released. */
export const changeLegalHold = page(async (call) => {
  const { row } = (await call.call('legalhold/select', { ID: recordIdFromPath(call) })).answer;
  const subject = { object: row.Object, id: row.ObjectID };
  try {
    if (call.form['Action'] === 'again') {
      const [hold] = await place(call, subject, row.Reason);
      return { redirectTo: backTo(call, subject, { held: hold }) };
    }
    await call.call('attachment/releasehold', { LegalHoldID: row.LegalHoldID, Reason: sentReason(call) });
    return { redirectTo: backTo(call, subject, { released: row.LegalHoldID }) };
  } catch (error) {
    if (!isShown(error)) throw error;
    return holdAnswer(call, error);
  }
});

function isShown(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.status < 500 && error.status !== 404;
}

/** Returns the entered reason. @throws MISSING_PARAMETER */
function sentReason(call: PageCall): string {
  const reason = normalizeLineEnds(plainText(call.form['Reason'])).trim();
  if (reason === '') throw new PlatformError('MISSING_PARAMETER', { field: 'Reason', message: 'Enter a reason.' });
  return reason;
}

async function place(call: PageCall, { object, id }: HoldSubject, Reason: string): Promise<readonly number[]> {
  const target = object === 'Attachment' ? { ID: String(id) } : { Object: object, ObjectID: id };
  const { answer } = await call.call('attachment/hold', { ...target, Reason });
  return answer.rows.map(({ LegalHoldID }) => LegalHoldID);
}

function backTo(call: PageCall, subject: HoldSubject, done: Readonly<Record<string, number | undefined>>): string {
  const path = heldPath(call, subject);
  const query = Object.entries(done).map(([name, id]) => `${name}=${id ?? ''}`);
  return `${path}${path.includes('?') ? '&' : '?'}${query.join('&')}`;
}

/** Returns the document or case that the address names. @throws BAD_PARAMETER */
function subjectFromAddress(call: PageCall): HoldSubject {
  const record = call.platform.registry.requireRecord(plainText(call.query['Object']), 'Object');
  const id = Number(plainText(call.query['ObjectID']));
  if (record.name !== 'Attachment' && !isHeldAsWhole(call, record.name))
    throw new PlatformError('BAD_PARAMETER', { field: 'Object', message: 'Object: expected a document or a case.' });
  if (!Number.isSafeInteger(id) || id < 1) throw new PlatformError('NOT_FOUND');
  return { object: record.name, id };
}

async function readAllHolds(
  call: PageCall,
  { object, id }: HoldSubject,
): Promise<{ readonly holds: readonly LegalHoldRow[]; readonly people: Labels }> {
  const { answer } = await call.call('legalhold/search', {
    Object: object,
    ObjectID: String(id),
    OrderBy: '-LegalHoldID',
    DisplaySize: HOLDS_MAX,
    RecordCount: 'false',
  });
  const people = await loadLabels(call, [
    referencesOf(answer.rows, ['CreatedPersonID', 'Person'], ['ReleasedPersonID', 'Person']),
  ]);
  return { holds: answer.rows, people };
}

async function nameOf(call: PageCall, { object, id }: HoldSubject): Promise<string> {
  const record = call.platform.registry.requireRecord(object, 'Object');
  return recordLabel(record, await selectRow(call, record, id));
}

async function holdsAnswer(call: PageCall, refused?: PlatformError): Promise<PageAnswer> {
  const subject = subjectFromAddress(call);
  const [name, { holds, people }] = await Promise.all([nameOf(call, subject), readAllHolds(call, subject)]);
  const back = heldPath(call, subject);
  return {
    title: `Legal holds of ${name}`,
    place: 'none',
    crumbs: [{ text: name, href: back }, { text: 'Legal holds' }],
    status: refused?.status ?? 200,
    body: html`<div class="page"><h1>Legal holds of <bdi>${name}</bdi></h1>
${
  holds.length === 0
    ? emptyState({ title: 'It has never been on legal hold.', icon: 'lock' })
    : table({
        label: 'Legal holds',
        heads: ['State', 'Placed', 'Reason', 'Released', 'Reason for the release'],
        rows: holds.map((hold) => holdRow(call, hold, people)),
      })
}
${mayPlaceHold(call) && placeForm(call, subject, refused)}</div>`,
  };
}

function placeForm(call: PageCall, subject: HoldSubject, refused: PlatformError | undefined): Markup {
  const error = refused?.field === 'Reason' ? sentenceFor(refused) : undefined;
  return html`<form class="form entry" method="post" action="${holdsPath(subject)}" aria-labelledby="place-title">
<h2 id="place-title">${placeTitle(subject)}</h2>
${refused && error === undefined && banner({ tone: 'danger', role: 'alert', text: refused.masked().message })}
${csrfField(call)}${placeFields(subject, { reason: plainText(call.form['Reason']), error })}
<div class="row">${button({ text: 'Place hold', kind: 'primary' })}
${buttonLink({ text: 'Cancel', kind: 'quiet', href: heldPath(call, subject) })}</div></form>`;
}

function holdRow(call: PageCall, hold: LegalHoldRow, people: Labels): Markup {
  const by = (id: number | null): Markup | false => {
    const name = people.get('Person')?.get(id ?? 0);
    return name !== undefined && html`, <bdi>${name}</bdi>`;
  };
  const isActive = hold.ReleasedDate === null;
  const released =
    hold.ReleasedDate !== null && html`${localDateTime(call, hold.ReleasedDate)}${by(hold.ReleasedPersonID)}`;
  return html`<tr><td>${
    isActive ? html`<a href="/legal-holds/${hold.LegalHoldID}">${holdPill}</a>` : 'Released'
  }</td><td>${localDateTime(call, hold.CreatedDate)}${by(hold.CreatedPersonID)}</td><td
class="reason"><bdi>${hold.Reason}</bdi></td><td>${released}</td><td
class="reason"><bdi>${hold.ReleaseReason}</bdi></td></tr>\n`;
}

async function holdAnswer(call: PageCall, refused?: PlatformError): Promise<PageAnswer> {
  const { row } = (await call.call('legalhold/select', { ID: recordIdFromPath(call) })).answer;
  const subject = { object: row.Object, id: row.ObjectID };
  const [name, people] = await Promise.all([
    nameOf(call, subject),
    loadLabels(call, [referencesOf([row], ['CreatedPersonID', 'Person'], ['ReleasedPersonID', 'Person'])]),
  ]);
  const back = heldPath(call, subject);
  return {
    title: `Legal hold of ${name}`,
    place: 'none',
    crumbs: [{ text: name, href: back }, { text: 'Legal holds', href: holdsPath(subject) }, { text: 'Release' }],
    status: refused?.status ?? 200,
    body: html`<div class="page narrow"><h1>Legal hold of <bdi>${name}</bdi></h1>
<p>${holdWords(call, row, people)}</p>
${row.ReleasedDate === null ? releaseForm(call, row, refused) : releasedNote(call, row, people)}</div>`,
  };
}

function releasedNote(call: PageCall, row: LegalHoldRow, people: Labels): Markup {
  const who = people.get('Person')?.get(row.ReleasedPersonID ?? 0) ?? 'Somebody';
  return html`${banner({
    tone: 'info',
    role: 'status',
    text: html`<bdi>${who}</bdi> released it on ${localDateTime(call, row.ReleasedDate ?? '')}:
<bdi>${row.ReleaseReason}</bdi>`,
  })}<p>${buttonLink({ text: 'Go back', href: heldPath(call, { object: row.Object, id: row.ObjectID }) })}</p>`;
}

function releaseForm(call: PageCall, row: LegalHoldRow, refused: PlatformError | undefined): Markup {
  if (!call.may('attachment/releasehold'))
    return html`<p class="soft">You don't have permission to release legal holds.</p>`;
  const error = refused?.field === 'Reason' ? sentenceFor(refused) : undefined;
  return html`<form class="form entry" method="post" action="/legal-holds/${row.LegalHoldID}">${csrfField(call)}
${refused && error === undefined && banner({ tone: 'danger', role: 'alert', text: refused.masked().message })}
${releaseFields(row, { reason: plainText(call.form['Reason']), error })}
<div class="row">${button({ text: 'Release hold', kind: 'primary', name: 'Action', value: 'release' })}
${buttonLink({ text: 'Cancel', kind: 'quiet', href: heldPath(call, { object: row.Object, id: row.ObjectID }) })}</div>
</form>`;
}

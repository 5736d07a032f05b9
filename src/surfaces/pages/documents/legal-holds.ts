import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { casePath } from '../case/case-link.ts';
import { hiddenField } from '../components.ts';
import { shortDay } from '../days.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { dialog } from '../design/dialog.ts';
import { textAreaField } from '../design/field.ts';
import { toast } from '../design/toast.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';

/** A legal hold as it is stored. */
export type LegalHoldRow = RowNamed<'LegalHold'>;

/** A document, or a case with all its documents. `object`: `Attachment`, or the class of the case. */
export interface HoldSubject {
  readonly object: string;
  readonly id: number;
}

/** Active holds, and the names of those who placed them. */
export interface ShownHolds {
  readonly rows: readonly LegalHoldRow[];
  readonly people: Labels;
}

/** Most holds that are read at once. */
const HOLDS_MAX = 1_000;
/** Characters of a reason that a line shows. */
const REASON_CHARACTERS_MAX = 300;
/** The reason of a release that undoes a hold. */
const UNDONE = 'Undone right after it was placed';

/** Whether the user sees holds. Those of firms do not: they learn of a hold where it refuses what they do. */
function maySeeHolds(call: PageCall): boolean {
  return call.user.universal && call.may('legalhold/search');
}

/** Whether the user can place holds on the pages. */
export function mayPlaceHold(call: PageCall): boolean {
  return maySeeHolds(call) && call.may('attachment/hold');
}

/** Whether all documents of a record can be held at once. */
export function isHeldAsWhole(call: PageCall, object: string): boolean {
  const record = call.platform.registry.record(object);
  return record?.root.name === 'Process' && record.derivedOnly !== true;
}

/** Returns the address of the holds of a document or case, where one is placed. */
export function holdsPath({ object, id }: HoldSubject): string {
  return `/legal-holds?${new URLSearchParams({ Object: object, ObjectID: String(id) }).toString()}`;
}

/** Returns the page of a held document, or the documents of a held case. */
export function heldPath(call: PageCall, { object, id }: HoldSubject): string {
  const record = call.platform.registry.requireRecord(object, 'Object');
  return record.name === 'Attachment' ? `/documents/${id}` : `${casePath(record, id)}?tab=documents`;
}

/** Reads the active holds of records, the oldest first. Empty for users who do not see holds. */
export async function readActiveHolds(
  call: PageCall,
  subjects: readonly HoldSubject[],
): Promise<readonly LegalHoldRow[]> {
  if (!maySeeHolds(call)) return [];
  const found = await Promise.all(
    [...Map.groupBy(subjects, ({ object }) => object)].map(async ([object, of]) => {
      const { answer } = await call.call('legalhold/search', {
        Object: object,
        ObjectID: of.map(({ id }) => id).join(','),
        ReleasedDate: 'null',
        OrderBy: 'LegalHoldID',
        DisplaySize: HOLDS_MAX,
        RecordCount: 'false',
      });
      return answer.rows;
    }),
  );
  return found.flat();
}

/** Reads the active holds of records with the names of those who placed them. */
export async function readShownHolds(call: PageCall, subjects: readonly HoldSubject[]): Promise<ShownHolds> {
  const rows = await readActiveHolds(call, subjects);
  return {
    rows,
    people: rows.length === 0 ? new Map() : await loadLabels(call, [referencesOf(rows, ['CreatedPersonID', 'Person'])]),
  };
}

/** Renders the mark of a held document or case. */
export const holdPill = badge('Legal hold', 'violet', 'lock');

/** Says since when a hold is, who placed it, where the user may see names, and why. */
export function holdWords(call: PageCall, hold: LegalHoldRow, people: Labels): Markup {
  const who = people.get('Person')?.get(hold.CreatedPersonID ?? 0);
  const text = hold.Reason;
  const isCut = text.length > REASON_CHARACTERS_MAX;
  return html`Since ${shortDay(call, hold.CreatedDate)}${who !== undefined && html`, placed by <bdi>${who}</bdi>`}:
<bdi>${text.slice(0, REASON_CHARACTERS_MAX)}</bdi>${isCut && '…'}`;
}

/** Renders each active hold that concerns a page, with its release. `shown`: whose page it is. */
export function legalHoldBanners(call: PageCall, { rows, people }: ShownHolds, shown: HoldSubject): Markup {
  const banners = rows.map((hold) => {
    const isOwn = hold.Object === shown.object && hold.ObjectID === shown.id;
    const isOfCase = hold.Object !== 'Attachment';
    return banner({
      tone: 'info',
      icon: 'lock',
      text: html`<b>Legal hold.</b> ${isOfCase ? 'All documents of the case.' : 'This document.'} ${holdWords(
        call,
        hold,
        people,
      )}`,
      actions: isOwn
        ? releaseButton(call, hold)
        : html`<a class="link" href="${heldPath(call, { object: hold.Object, id: hold.ObjectID })}">Held case</a>`,
    });
  });
  const own = rows.filter((hold) => hold.Object === shown.object && hold.ObjectID === shown.id);
  return html`${banners}${own.map((hold) => releaseDialog(call, hold))}`;
}

function releaseButton(call: PageCall, { LegalHoldID: id }: LegalHoldRow): Markup | false {
  return (
    call.may('attachment/releasehold') &&
    buttonLink({
      text: 'Release hold…',
      href: `/legal-holds/${id}`,
      attributes: html`data-dialog="release-hold-${id}"`,
    })
  );
}

function releaseDialog(call: PageCall, hold: LegalHoldRow): Markup | false {
  const id = hold.LegalHoldID;
  return (
    call.may('attachment/releasehold') &&
    html`<form class="entry" method="post" action="/legal-holds/${id}">${csrfField(call)}${dialog({
      id: `release-hold-${id}`,
      title: 'Release the legal hold?',
      body: releaseFields(hold),
      actions: button({ text: 'Release hold', kind: 'primary', name: 'Action', value: 'release' }),
    })}</form>`
  );
}

/** Renders the fields of a release. `error`: why it was refused, with what was typed. */
export function releaseFields(
  { LegalHoldID: id, Object: object }: LegalHoldRow,
  sent: { readonly reason?: string; readonly error?: string | undefined } = {},
): Markup {
  const what = object === 'Attachment' ? 'the document' : 'the case and its documents';
  return html`<p class="soft">Unless another hold remains, ${what} can then be deleted.</p>
${textAreaField({
  label: 'Reason for the release',
  name: 'Reason',
  id: `release-reason-${id}`,
  value: sent.reason,
  error: sent.error,
  attributes: html`required`,
})}`;
}

/** Renders the button that places a hold, and its dialog; nothing where the user cannot place one. */
export function placeHoldButton(call: PageCall, subject: HoldSubject, kind: 'plain' | 'quiet' = 'plain'): Markup {
  if (!mayPlaceHold(call)) return html``;
  return html`${buttonLink({
    text: 'Legal hold…',
    icon: 'lock',
    kind,
    href: holdsPath(subject),
    attributes: html`data-dialog="place-hold"`,
  })}<form class="entry contents" method="post" action="${holdsPath(subject)}">${csrfField(call)}${dialog({
    id: 'place-hold',
    title: placeTitle(subject),
    body: html`${placeFields(subject)}
<p><a class="link small" href="${holdsPath(subject)}">Present and earlier holds</a></p>`,
    actions: button({ text: 'Place hold', kind: 'primary' }),
  })}</form>`;
}

/** Returns the question before a hold is placed. */
export function placeTitle({ object }: HoldSubject): string {
  return object === 'Attachment'
    ? 'Place a legal hold on this document?'
    : 'Place a legal hold on all documents of this case?';
}

/** Renders the fields of a hold. */
export function placeFields(
  { object }: HoldSubject,
  sent: { readonly reason?: string; readonly error?: string | undefined } = {},
): Markup {
  const what =
    object === 'Attachment'
      ? 'Until the hold is released, nobody can delete the document, and its earlier versions are kept.'
      : 'Until the hold is released, nobody can delete the case or its documents, including those added later.';
  return html`<p class="soft">${what}</p>
${textAreaField({
  label: 'Reason',
  name: 'Reason',
  id: 'hold-reason',
  value: sent.reason,
  error: sent.error,
  hint: 'Shown to those who try to delete or move what is on hold.',
  attributes: html`required`,
})}`;
}

/** Returns what was just done with a hold, as the address says, with the way back. */
export function legalHoldToasts(call: PageCall): readonly Markup[] {
  const [held, released] = ['held', 'released'].map((name) => plainText(call.query[name]));
  const undo = (id: string, action: string, reason: string): Markup =>
    html`<form method="post" action="/legal-holds/${id}">${csrfField(call)}${hiddenField('Reason', reason)}
${button({ text: 'Undo', name: 'Action', value: action, attributes: html`data-key="z"` })}</form>`;
  const isId = (text: string | undefined): text is string => /^\d{1,15}$/.test(text ?? '');
  if (isId(held))
    return [
      toast({ text: 'Legal hold placed', undo: call.may('attachment/releasehold') && undo(held, 'release', UNDONE) }),
    ];
  if (isId(released))
    return [toast({ text: 'Legal hold released', undo: mayPlaceHold(call) && undo(released, 'again', '') })];
  return [];
}

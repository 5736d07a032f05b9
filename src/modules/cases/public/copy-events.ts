import type { CopyBuffer } from '../../../kernel/database/copy-buffer.ts';
import { reserveIds } from '../../../kernel/database/reserve-ids.ts';
import type { Db, Transaction } from '../../../kernel/database/store.ts';

/** An event to be copied in. Its own columns are part of the piece's bytes, in COPY format. */
export interface CopiedEvent {
  readonly line: number;
  readonly firm: number;
  readonly loanId: number;
  /** The record type of what it belongs to; the loan's if it names no case. */
  readonly kind: string;
  readonly key: string;
  readonly caseId: number;
  /** The task that it completes or projects. */
  readonly task: { readonly id: number } | undefined;
  /** The hold that it reports; 0 for none. */
  readonly delayId: number;
  /** Positions of its columns, and of its name among them, in the piece's bytes. */
  readonly start: number;
  readonly end: number;
  readonly nameStart: number;
  readonly nameEnd: number;
  /** Set to the id of the event. */
  eventId: number;
}

/** The events of a piece of a file. */
export interface EventCopy {
  readonly importFileId: number;
  readonly personId: number;
  /** The columns in the bytes, in order. */
  readonly columns: readonly { readonly name: string }[];
  readonly events: readonly CopiedEvent[];
  readonly bytes: Buffer;
  readonly out: CopyBuffer;
}

const objectOf = (event: CopiedEvent): string => (event.key === '' ? 'Loan' : event.kind);

/**
 * Copies events in: platform columns first, then the bytes of the row's own columns. The caller has checked that the
 * firm may send events for the loan.
 */
export async function copyEvents(
  { transaction, db }: { readonly transaction: Transaction; readonly db: Db },
  { importFileId, personId, columns, events, bytes, out }: EventCopy,
): Promise<void> {
  const ids = await reserveIds(db, 'event', events.length);
  const names = `eventid, importfileid, sourceline, organizationid, loanid, object, objectid, importformid,
    decisiondelayid, createdpersonid, updatedpersonid, event,
    ${columns.map((column) => column.name.toLowerCase()).join(', ')}`;
  const persons = `${personId}|${personId}|`;
  const file = `|${importFileId}|`;
  await transaction.copyFrom(
    `copy event (${names}) from stdin with (format text, delimiter '|', null '')`,
    out.lines(events, (event, n) => {
      event.eventId = ids(n);
      out
        .number(event.eventId)
        .text(file)
        .number(event.line)
        .endValue()
        .number(event.firm)
        .endValue()
        .number(event.loanId)
        .endValue()
        .text(objectOf(event))
        .endValue()
        .number(event.caseId)
        .endValue();
      if (event.task) out.number(event.task.id);
      out.endValue();
      if (event.delayId !== 0) out.number(event.delayId);
      out.endValue().text(persons);
      out.raw(bytes, event.nameStart, event.nameEnd).endValue().raw(bytes, event.start, event.end);
    }),
  );
}

import type { ImportEngine, ImportPreview, ImportRun, ImportSource } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { DOUBLED } from '../../../../lib/readers/scan-delimited.ts';
import { CopyBuffer } from '../../../../kernel/database/copy-buffer.ts';
import { prefetchRecords, RecordCache, type CaseRules } from './write/cases.ts';
import { eventCorrections } from './event-corrections.ts';
import { eventParts } from './event-parts.ts';
import { openEventFile } from './file/event-file.ts';
import { eventLayout, type EventLayout } from './file/event-layout.ts';
import { readEventCodes } from '../../../cases/public/event-codes.ts';
import { scanKeys, readPieces } from './rows/read-pieces.ts';
import { RowKeys } from './rows/row-keys.ts';
import { applyStatuses } from './write/statuses.ts';
import { writePiece, type PieceWriteOptions } from './write/write-piece.ts';

/** Dependencies of the engine, from the composition. */
export interface EventEngineOptions {
  /** The record of events: its first columns are the layout. */
  readonly record: RecordType;
  /** Whether a firm gets access to another source's loan only after it is assigned to the firm's case. */
  readonly needsAssignment: () => boolean;
  /** Status with which open workflows are canceled when events close their case; undefined: they stay open. */
  readonly canceledStatus: () => string | undefined;
}

/** Message for a file without any event. */
const NO_EVENTS_MESSAGE = 'The file has no row of record type EVENT. It is stored but not listed among the imports.';
/** Message for a file whose rows are all unreadable. */
const UNREADABLE_MESSAGE = 'No row of the file can be read as an event.';

/** Returns the engine of default events: files of 110 columns, as delimited text, XML or a workbook. */
export function legacyEventsEngine({ record, needsAssignment, canceledStatus }: EventEngineOptions): ImportEngine {
  const layout = eventLayout(record);
  return {
    doc:
      'Default events of law firms: 110 columns in delimited text, XML or a workbook. Creates cases, tasks ' +
      'and delays from them.',
    options: {},
    detect: (source) => firstRowIsEvent(source, layout),
    preview: (source, _template, rowsMax) => preview(source, layout, rowsMax),
    async validate(source) {
      try {
        await openEventFile(source, layout);
        return [];
      } catch (error) {
        if (error instanceof PlatformError) return [{ line: 0, message: error.message }];
        throw error;
      }
    },
    import: (run) => importEvents(run, layout, { needsAssignment, canceledStatus }),
    parts: eventParts(layout),
    corrections: (source, _template, failed) => eventCorrections(source, layout, failed),
  };
}

/** Whether the first row is an event. */
async function firstRowIsEvent(source: ImportSource, layout: EventLayout): Promise<boolean> {
  try {
    const keys = new RowKeys(layout, new Map());
    for await (const records of (await openEventFile(source, layout)).records()) {
      for (let row = 0; row < records.count; row++) {
        const kind = keys.kindOf(records, row);
        if (kind !== 'passed over') return kind === 'event';
      }
    }
    return false;
  } catch (error) {
    if (error instanceof PlatformError) return false;
    throw error;
  }
}

async function preview(source: ImportSource, layout: EventLayout, rowsMax: number): Promise<ImportPreview> {
  const file = await openEventFile(source, layout);
  const rows: ImportPreview['rows'][number][] = [];
  const keys = new RowKeys(layout, new Map());
  const columns = layout.columns.map((column) => column.name);
  for await (const records of file.records()) {
    for (let record = 0; record < records.count && rows.length < rowsMax; record++) {
      const kind = keys.kindOf(records, record);
      if (kind === 'passed over') continue;
      const line = records.lines[record] ?? 0;
      const first = records.firstCells[record] ?? 0;
      const values = Object.fromEntries(
        columns.slice(0, (records.firstCells[record + 1] ?? 0) - first).map((name, place) => {
          const text = file.codec.text(records.bytes, records.starts[first + place], records.ends[first + place]);
          return [name, ((records.flags[first + place] ?? 0) & DOUBLED) === 0 ? text : text.replaceAll('""', '"')];
        }),
      );
      rows.push({
        line,
        values,
        ...(kind === 'event'
          ? {}
          : { problem: records.problems.get(record) ?? 'The row is not an event of 110 columns.' }),
      });
    }
    if (rows.length >= rowsMax) break;
  }
  return { columns, rows };
}

/**
 * Reads the file twice: first for the keys, to know which rows are repeated further down, then row by row in pieces.
 * While a piece is written, the next one is read and its loans and cases are prefetched.
 */
async function importEvents(
  run: ImportRun,
  layout: EventLayout,
  { needsAssignment, canceledStatus }: Omit<EventEngineOptions, 'record'>,
): Promise<void> {
  const { ctx } = run;
  const file = await openEventFile(run.source, layout);
  const keys = new RowKeys(layout, await readEventCodes(ctx.configuration.db));
  const found = await scanKeys(file, keys);
  await run.expect(found.records);
  // A row that cannot be read may be an event, so its file stays listed.
  if (found.events === 0 && found.unreadable === 0) await run.piece((own) => unlist(own, run));
  const rules: CaseRules = { needsAssignment: needsAssignment() };
  const work: Omit<PieceWriteOptions, 'onDatabaseBusy'> = {
    run,
    layout,
    known: new RecordCache(),
    rules,
    out: new CopyBuffer(),
  };
  const pieces = readPieces({ file, layout, keys, last: found.last, done: run.done, zone: ctx.settings.get(timeZone) });
  const ahead = async (): ReturnType<typeof pieces.next> => {
    const step = await pieces.next();
    // If prefetching fails, the piece meets the same error and reports it.
    if (step.done !== true)
      await ctx
        .inTransaction((own) =>
          own
            .transaction()
            .elevated((db) =>
              prefetchRecords(db, step.value.rows, { accountFirm: run.organizationId, known: work.known }),
            ),
        )
        .catch(() => undefined);
    return step;
  };
  let next = pieces.next();
  let firstFailure: string | undefined;
  try {
    for (let step = await next; step.done !== true; step = await next) {
      firstFailure ??= step.value.rows.find(({ message }) => message !== undefined)?.message;
      let isRead = false;
      const readOn = (): void => {
        if (isRead) return;
        isRead = true;
        next = ahead();
        // Reported when the piece is awaited, however long the previous one takes.
        next.catch(() => undefined);
      };
      await savePiece({ ...work, onDatabaseBusy: readOn }, step.value);
      // A piece without accepted rows never called it.
      readOn();
    }
  } finally {
    await next.catch(() => undefined);
    await pieces.return();
    // Also for a run that is stopped, or ended because too many rows failed: apply the statuses of its committed rows.
    await applyStatuses(ctx, run.importFileId, canceledStatus());
  }
  if (found.events === 0 && found.unreadable > 0)
    throw new PlatformError('BAD_PARAMETER', {
      message: UNREADABLE_MESSAGE + (firstFailure === undefined ? '' : ` The first one: ${firstFailure}`),
    });
}

/** Writes a piece, in several transactions if it would create too many cases at once. */
async function savePiece(work: PieceWriteOptions, piece: Parameters<typeof writePiece>[2]): Promise<void> {
  for (let left = piece; left.rows.length > 0 || left === piece;) {
    let written: Awaited<ReturnType<typeof writePiece>> | undefined;
    await work.run.piece(async (own) => {
      written = await writePiece(work, own, left);
      return written.piece;
    });
    const { known } = work;
    written?.cases.forEach((found, key) => known.cases.set(key, found));
    known.trim();
    left = { ...left, rows: left.rows.slice(written?.count ?? left.rows.length) };
  }
}

async function unlist(own: Context, { importFileId, done }: ImportRun): ReturnType<Parameters<ImportRun['piece']>[0]> {
  await own
    .transaction()
    .elevated((db) =>
      db.query('update importfile set unlisted = true where importfileid = $1::bigint', [importFileId]),
    );
  return {
    done,
    results: [
      {
        line: 0,
        label: 'Events',
        object: 'ImportFile',
        objectId: importFileId,
        operation: 'None',
        status: 'Warning',
        message: NO_EVENTS_MESSAGE,
      },
    ],
  };
}

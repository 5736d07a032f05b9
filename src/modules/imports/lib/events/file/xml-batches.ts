import type { ImportSource } from '../../../../../contracts/import-engine.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { isReason } from '../../../../../lib/readers/columns.ts';
import { localName, utf8Bytes, xmlEvents } from '../../../../../lib/readers/xml-events.ts';
import { RowBatchBuilder, type RowBatch } from './row-batch.ts';
import type { EventLayout } from './event-layout.ts';
import { XmlEventScanner } from './scan-xml.ts';

/**
 * Reads the events of an XML document: the elements below its root, whatever their names, each with its values as
 * elements. A batch is valid only until the next is read.
 *
 * The scan reads what it supports. At the first construct that it does not support, which may be a fault, the parser
 * reads the document again from the beginning and skips the events already yielded. So faults, messages and lines are
 * always the parser's.
 */
export async function* xmlBatches(
  source: ImportSource,
  layout: EventLayout,
): AsyncGenerator<RowBatch, void, undefined> {
  const scanned = yield* scannedBatches(source, layout);
  if (!scanned.isComplete) yield* parsedBatches(source, layout, scanned.events);
}

/** How many events the scan yielded, and whether they are all. */
export interface ScanResult {
  readonly isComplete: boolean;
  readonly events: number;
}

/** Scans the events of a document as far as the scan supports it. */
export async function* scannedBatches(
  source: ImportSource,
  layout: EventLayout,
): AsyncGenerator<RowBatch, ScanResult, undefined> {
  const scanner = new XmlEventScanner(layout);
  let events = 0;
  try {
    for await (const bytes of utf8Bytes(source.open())) {
      if (!scanner.write(bytes)) return { isComplete: false, events };
      const batch = scanner.isFull ? scanner.take() : undefined;
      if (!batch) continue;
      events += batch.lines.length;
      yield batch;
    }
  } catch (error) {
    // Only the parser can tell whether there is an earlier fault.
    if (error instanceof PlatformError && error.code === 'BAD_XML') return { isComplete: false, events };
    throw error;
  }
  if (!scanner.finish()) return { isComplete: false, events };
  const last = scanner.take();
  if (last) yield last;
  return { isComplete: true, events: scanner.events };
}

/** Parses the events of a document, skipping those already yielded. */
export async function* parsedBatches(
  source: ImportSource,
  layout: EventLayout,
  handedOn = 0,
): AsyncGenerator<RowBatch, void, undefined> {
  const places = new Map(layout.columns.map((column, index) => [column.name, index]));
  const maker = new RowBatchBuilder();
  const empty = layout.columns.map(() => '');
  let depth = 0;
  let event = 0;
  let values = empty;
  let place = -1;
  let problem: string | undefined;
  const steps = xmlEvents(source.open(), {
    open(name) {
      depth++;
      if (depth === 2) {
        event++;
        values = empty.slice();
        problem = /^(header|footer)$/i.test(localName(name))
          ? `<${name}>: the Header and Footer of the older layout are not allowed in XML`
          : undefined;
      } else if (depth === 3) {
        place = places.get(localName(name)) ?? -1;
        if (place < 0)
          problem ??= isReason(name)
            ? `<${name}> says why the event failed before; correct the event and remove this element`
            : `<${name.slice(0, 100)}> is not an element of the layout; expected exactly its names, such as ` +
              '<InvestorLoanNumberID>';
      } else if (depth > 3)
        problem ??= `<${name.slice(0, 100)}> is inside <${layout.columns[place]?.name ?? 'an element'}>; expected text`;
    },
    close() {
      depth--;
      if (depth === 1 && event > handedOn) maker.add(event, values, problem);
      if (depth === 2) place = -1;
    },
    text(text) {
      if (depth === 3 && place >= 0) values[place] = (values[place] ?? '') + text;
      else if (depth === 2 && text.trim() !== '') problem ??= 'there is text between the elements of an event';
    },
    fail: (message, line) =>
      new PlatformError('BAD_XML', {
        message: `Line ${line}: the document cannot be read: ${message}.`,
        details: { line },
      }),
  });
  for await (const _step of steps) if (maker.isFull) yield maker.take() as RowBatch;
  const last = maker.take();
  if (last) yield last;
}

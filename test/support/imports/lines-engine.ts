import type { ImportEngine, ImportSource, SourceRow } from '../../../src/contracts/import-engine.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';

/** Called between two batches, for example to wait for a signal; gets the number of rows returned so far. */
export type Between = (rows: number) => Promise<void> | void;

/**
 * The simplest import engine: lines of comma-separated cells, the first line their names; empty lines are skipped. A
 * test controls when the run continues. A document that begins with `!` is unreadable; on a line `?` the engine throws.
 */
export function linesEngine(between: Between = () => undefined, batchRows = 7): ImportEngine {
  const engine: ImportEngine = {
    doc: 'Lines of cells between commas, for tests.',
    options: { Slow: 'Waits.' },
    async detect(source, template) {
      const [first] = (await textOf(source)).split('\n');
      const names = (first ?? '').split(',');
      return (
        template.maps.length > 0 && template.maps.every((map) => map.type === 'Constant' || names.includes(map.source))
      );
    },
    async preview(source, _template, rowsMax) {
      const rows: SourceRow[] = [];
      for await (const batch of read(source, between, batchRows)) rows.push(...batch);
      return { columns: Object.keys(rows[0]?.values ?? {}), rows: rows.slice(0, rowsMax), total: rows.length };
    },
    async validate(source) {
      return (await textOf(source)).startsWith('!')
        ? [{ line: 1, message: 'The document begins with an exclamation mark; expected the names of columns.' }]
        : [];
    },
    async import(run) {
      if (run.template.options.get('total') !== undefined) await run.expect(Number(run.template.options.get('total')));
      await run.rows(read(run.source, between, batchRows));
    },
    corrections(source, _template, failed) {
      return { fileName: `corrections-${source.fileName}`, mime: 'text/csv', bytes: corrected(source, failed) };
    },
  };
  return engine;
}

async function textOf(source: ImportSource): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source.open()) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

async function* read(source: ImportSource, between: Between, batchRows: number): AsyncIterable<readonly SourceRow[]> {
  const [head = '', ...lines] = (await textOf(source)).split('\n');
  const names = head.split(',');
  let batch: SourceRow[] = [];
  let handed = 0;
  for (const [n, line] of lines.entries()) {
    if (line === '') continue;
    if (line === '?') throw new PlatformError('BAD_PARAMETER', { message: `Line ${n + 2} cannot be read.` });
    const cells = line.split(',');
    const values = Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
    batch.push(
      cells.length === names.length
        ? { line: n + 2, values }
        : { line: n + 2, values, problem: `${cells.length} cells; expected ${names.length}.` },
    );
    if (batch.length < batchRows) continue;
    yield batch;
    handed += batch.length;
    batch = [];
    await between(handed);
  }
  if (batch.length > 0) yield batch;
}

async function* corrected(
  source: ImportSource,
  failed: AsyncIterable<{ readonly line: number; readonly reason: string }>,
): AsyncIterable<Uint8Array> {
  const lines = (await textOf(source)).split('\n');
  yield Buffer.from(`${lines[0] ?? ''},ImportReason\n`);
  for await (const { line, reason } of failed)
    yield Buffer.from(`${lines[line - 1] ?? ''},${reason.replaceAll(',', ';')}\n`);
}

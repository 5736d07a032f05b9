import assert from 'node:assert/strict';
import { sourceOf } from '../../../src/contracts/conformance/import-engine.ts';
import type {
  ImportEngine,
  ImportIssue,
  ImportMap,
  ImportSource,
  ImportTemplate,
  SourceRow,
} from '../../../src/contracts/import-engine.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';

/** Returns a template with these options and maps. */
export function templateOf(
  options: Readonly<Record<string, string>> = {},
  maps: readonly Partial<ImportMap>[] = [],
  more: Partial<ImportTemplate> = {},
): ImportTemplate {
  return {
    id: 1,
    name: 'Test',
    engine: 'x',
    appliesTo: 'Loan',
    options: new Map(Object.entries(options).map(([name, value]) => [name.toLowerCase(), value])),
    maps: maps.map((map) => ({
      source: '',
      destination: map.source ?? '',
      type: 'Column',
      translation: undefined,
      isText: false,
      required: false,
      dataType: undefined,
      ...map,
    })),
    operationsAllowed: 3,
    importStatement: undefined,
    schema: undefined,
    ...more,
  };
}

/** Returns a document as a source; text is UTF-8. */
export function documentOf(
  content: string | Uint8Array,
  options: { readonly pieceBytes?: number; readonly fileName?: string } = {},
): ImportSource {
  return sourceOf(
    { fileName: options.fileName ?? 'test.txt', bytes: typeof content === 'string' ? Buffer.from(content) : content },
    options.pieceBytes,
  );
}

/** Returns all rows of a document, as an import gets them. */
export async function rowsOf(
  engine: ImportEngine,
  source: ImportSource,
  template: ImportTemplate = templateOf(),
): Promise<SourceRow[]> {
  const rows: SourceRow[] = [];
  await importInto(engine, source, template, rows);
  return rows;
}

/** Imports into a list, which keeps the rows that came before an error. */
export async function importInto(
  engine: ImportEngine,
  source: ImportSource,
  template: ImportTemplate,
  into: SourceRow[],
): Promise<void> {
  await engine.import({
    importFileId: 1,
    organizationId: null,
    template,
    source,
    done: 0,
    state: undefined,
    // These engines use nothing but the run.
    ctx: {} as Context,
    expect: async () => undefined,
    piece: () => assert.fail('the engine saves nothing by itself'),
    warn: () => Promise.resolve(),
    handOff: () => assert.fail('the engine ends its run itself'),
    async rows(batches) {
      for await (const batch of batches) into.push(...batch);
    },
  });
}

/** Returns rows in short form: their values, or that they failed. */
export function short(rows: readonly SourceRow[]): (Readonly<Record<string, string>> | string)[] {
  return rows.map((row) => row.problem ?? row.values);
}

/** Returns what is wrong with a document, as its validation reports it. */
export async function issuesOf(
  engine: ImportEngine,
  source: ImportSource,
  template: ImportTemplate = templateOf(),
): Promise<readonly ImportIssue[]> {
  return engine.validate(source, template, 10);
}

/** Returns the corrections document. */
export async function correctionsOf(
  engine: ImportEngine,
  source: ImportSource,
  template: ImportTemplate,
  failed: readonly (readonly [number, string])[],
): Promise<{ fileName: string; bytes: Buffer; text: string }> {
  const corrections = engine.corrections(
    source,
    template,
    (async function* () {
      for (const [line, reason] of failed) yield { line, reason };
    })(),
  );
  const parts: Uint8Array[] = [];
  for await (const part of corrections.bytes) parts.push(part);
  const bytes = Buffer.concat(parts);
  return { fileName: corrections.fileName, bytes, text: bytes.toString() };
}

/** Returns the result of reading a document, errors included; fails on any error but a PlatformError. */
export async function outcomeOf(
  engine: ImportEngine,
  source: ImportSource,
  template: ImportTemplate = templateOf(),
): Promise<{ rows: SourceRow[]; error?: string }> {
  const rows: SourceRow[] = [];
  try {
    await importInto(engine, source, template, rows);
    return { rows };
  } catch (error) {
    assert.ok(error instanceof PlatformError, `threw ${String(error instanceof Error ? error.stack : error)}`);
    return { rows, error: error.message };
  }
}

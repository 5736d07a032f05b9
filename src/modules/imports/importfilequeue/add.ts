import { item } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad, type RawValue } from '../../../kernel/parameters/parse-value.ts';
import { toText } from '../lib/to-text.ts';
import { CHUNK_ROWS_MAX } from './lib/chunk.ts';
import { addRows, type NewRow } from './lib/add-rows.ts';

export const operation = defineOperation({
  module: 'importfilequeue',
  name: 'Add',
  method: 'POST',
  summary:
    'Adds rows to a batch that is being created, at most 500 per call, and queues them in order. Each row ' +
    'is a call that runs later as the same user, whose permissions and access are checked then.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ImportFileID',
  reach: 'row',
  callsNamed: true,
  params: {
    ImportFileID: required(f.id({ doc: 'The batch: an import file that is Importing.', to: 'ImportFile' })),
    Rows: required(
      f.json({
        doc:
          'The rows, as a JSON array of objects: `className`, `operation`, `parameters` (an object of names ' +
          'and values), and `label`, `line`, `queue`, `type`, or `problem` if the row cannot run.',
      }),
    ),
    Queue: f.text({ doc: 'Queue of rows that name none; default Batch.', max: 100 }),
    Later: f.boolean({
      doc: 'True: the rows are stored now, and queued by importfilequeue/start after all of them have been added.',
    }),
  },
  returns: {
    Queued: required(
      f.integer({ doc: 'Number of rows that were or will be queued; the others are stored as failed.' }),
    ),
  },
  answerName: 'ImportFileQueue',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'BAD_PARAMETER'],
  source: '1-core §4, BatchReader',
});

export const run = handle(operation, async (ctx, { ImportFileID, Rows, Queue, Later }) => {
  const file = namedRow(ctx, ctx.registry.recordType('ImportFile'), 'ImportFileID');
  const rows = readRows(Rows);
  // Keeps the batch from ending while rows are added.
  const [state] = await ctx.db.query<{ status: string }>(
    'select status from importfile where importfileid = $1::bigint for share',
    [ImportFileID],
  );
  if (state?.status !== 'Importing')
    throw new PlatformError('STATE_REFUSES', {
      field: 'ImportFileID',
      message:
        `ImportFileID: the import file is ${state?.status ?? 'deleted'}; ` +
        'rows can be added only while it is Importing.',
    });
  const { OrganizationID: organizationId } = file;
  return item('ImportFileQueue', operation.returns, {
    Queued: await addRows(ctx, { importFileId: ImportFileID, organizationId }, rows, {
      queue: Queue ?? undefined,
      later: Later === true,
    }),
  });
});

const texts = ['label', 'type', 'className', 'operation', 'queue', 'problem'] as const;

function readRows(sent: unknown): NewRow[] {
  const rows = typeof sent === 'string' ? parse(sent) : sent;
  if (!Array.isArray(rows) || rows.length === 0 || rows.length > CHUNK_ROWS_MAX)
    throw bad('Rows', `a JSON array of 1 to ${CHUNK_ROWS_MAX} rows`);
  return rows.map((row, n) => readRow(row, n));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw bad('Rows', 'a JSON array of rows');
  }
}

function readRow(sent: unknown, n: number): NewRow {
  const name = `Rows[${n}]`;
  if (typeof sent !== 'object' || sent === null) throw bad(name, 'an object');
  const row = sent as Record<string, unknown>;
  const { line = n + 1, parameters = {} } = row;
  if (typeof line !== 'number' || !Number.isSafeInteger(line)) throw bad(`${name}.line`, 'a number');
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters))
    throw bad(`${name}.parameters`, 'an object of names and values');
  const read = Object.fromEntries(
    texts.flatMap((key) => (row[key] === undefined || row[key] === null ? [] : [[key, toText(row[key])]])),
  );
  return { ...read, line, parameters: parameters as Record<string, RawValue> };
}

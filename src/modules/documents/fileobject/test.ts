import { createHash, randomUUID } from 'node:crypto';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { FILE_OBJECT, type FileObject } from '../../../contracts/file-object.ts';
import { item } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';

/** Most files counted. */
const FILES_COUNTED_MAX = 1_000;

export const operation = defineOperation({
  module: 'fileobject',
  name: 'Test',
  method: 'POST',
  summary:
    'Connects to a storage location, lists it and reports what fails. With Write it also writes a small ' +
    'file, reads it and removes it.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The location.' })),
    Write: f.boolean({
      doc: 'Whether to also write a file and check that an existing file is not overwritten.',
      default: false,
    }),
  },
  transactions: 'own',
  returns: {
    FileObjectID: required(f.id({ doc: 'The location.' })),
    Status: required(f.text({ doc: 'Works or Failed.' })),
    Message: f.text({ doc: 'What is wrong, if the test failed.' }),
    FileCount: f.integer({ doc: `How many files are in its top folder, counted up to ${FILES_COUNTED_MAX}.` }),
    DurationMilliseconds: required(f.integer({ doc: 'How long the test took.' })),
  },
  answerName: 'Test',
  errors: ['NOT_FOUND'],
  source: 'docs/guides/operators/storage.md',
});

export const run = handle(operation, async (ctx, { ID, Write }) => {
  const { FileObject: name } = namedRow(ctx, ctx.record);
  const began = performance.now();
  const answer = (Status: string, Message: string | null, FileCount: number | null) =>
    item('Test', operation.returns, {
      FileObjectID: ID,
      Status,
      Message,
      FileCount,
      DurationMilliseconds: Math.round(performance.now() - began),
    });
  try {
    const files = ctx.providers.get(FILE_OBJECT, String(name));
    await files.check?.();
    const count = await countFiles(files);
    if (Write) await tryWriting(ctx, files);
    return answer('Works', null, count);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return answer('Failed', error.message, null);
  }
});

async function countFiles(files: FileObject): Promise<number> {
  let count = 0;
  for await (const _path of files.list('/')) if (++count >= FILES_COUNTED_MAX) break;
  return count;
}

/** Writes, reads and removes a file with a unique name. */
async function tryWriting(ctx: Context, files: FileObject): Promise<void> {
  const path = `/casewright-test-${randomUUID()}.txt`;
  const content = Buffer.from(`${ctx.correlationId}\n`);
  const one = async function* (): AsyncIterable<Uint8Array> {
    yield content;
  };
  await files.write(path, one());
  try {
    const hash = createHash('sha256');
    for await (const piece of files.read(path)) hash.update(piece);
    if (hash.digest('hex') !== createHash('sha256').update(content).digest('hex'))
      throw new PlatformError('UNAVAILABLE', { message: 'The location returned bytes other than those written.' });
    const again = await files.write(path, one()).then(
      () => true,
      (error: unknown) => {
        if (error instanceof PlatformError && error.code === 'DUPLICATE_KEY') return false;
        throw error;
      },
    );
    if (again)
      throw new PlatformError('UNAVAILABLE', {
        message: 'The location overwrote an existing file: of two files written to one path, one would be lost.',
      });
  } finally {
    await files.delete(path);
  }
}

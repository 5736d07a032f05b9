import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { hashAlgorithms, saveFileHash } from './lib/file-hashes.ts';
import { servedErrors } from './lib/scan/scan-gate.ts';

const answerFields = {
  AttachmentID: required(f.id({ doc: 'The document.', to: 'Attachment' })),
  Algorithm: required(f.text({ doc: 'The algorithm.' })),
  FileHash: required(f.text({ label: 'Hash', doc: 'The hash, hexadecimal.' })),
};

export const operation = defineOperation({
  module: 'attachment',
  name: 'SaveFileHash',
  method: 'GET',
  summary:
    'Calculates a hash of the file of a document and stores it: SHA-256, or SHA-1 or MD5 beside it. Fails if the ' +
    'file no longer has the SHA-256 that was stored with it.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The document.' })),
    Algorithm: f.text({ doc: 'SHA256, SHA1 or MD5.', max: 20, default: 'SHA256' }),
  },
  transactions: 'own',
  returns: answerFields,
  answerName: 'Attachment',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES', 'UNAVAILABLE', 'CONCURRENT_CHANGE', ...servedErrors],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID, Algorithm }) => {
  const name = Algorithm.replaceAll('-', '').toUpperCase();
  const algorithm = hashAlgorithms.find((each) => each === name);
  if (algorithm === undefined) throw bad('Algorithm', 'SHA256, SHA1 or MD5');
  const hash = await saveFileHash(ctx, namedRow(ctx, ctx.record), algorithm);
  return item('Attachment', answerFields, { AttachmentID: ID, Algorithm: algorithm, FileHash: hash });
});

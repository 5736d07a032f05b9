import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { list } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { DataShape } from '../../../contracts/generator.ts';
import { dataShape } from '../lib/generation/data-shape.ts';
import { requireDocumentType } from '../lib/generation/document-type.ts';

const rows = {
  Name: required(f.text({ doc: 'The name, as tags have it.' })),
  Path: required(f.text({ doc: 'The path from the start of the data: `Loan.UPBAmount`.' })),
  Kind: required(
    f.text({
      doc: '`record` for a linked record, `list` for a collection; otherwise the kind of value, such as `date`.',
    }),
  ),
  Label: f.text({ doc: 'What people call it.' }),
  Description: f.text({ doc: 'What it is.' }),
};

export const operation = defineOperation({
  module: 'attachmenttemplate',
  name: 'Fields',
  method: 'GET',
  summary:
    'Returns the fields, linked records and collections that a template of a document type can name, one level at a ' +
    'time; nothing if they are known only when the data are read.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'AttachmentTemplateSearch',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The document type.' })),
    Path: f.text({ doc: 'A linked record or a collection whose fields are wanted: `Loan`, `Contacts`.', max: 200 }),
  },
  returns: 'list',
  rows,
  answerName: 'Field',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'UNKNOWN_OPERATION'],
  source: '1-core §2',
});

export const run = handle(operation, async (ctx, { ID, Path }) => {
  const path = (Path ?? '').split('.').filter((name) => name !== '');
  const whole = await dataShape(ctx, await requireDocumentType(ctx, ID, 'ID'));
  const shape = whole && path.reduce(innerShape, whole);
  const prefix = path.map((name) => `${name}.`).join('');
  const inner = (kind: 'record' | 'list') => (name: string) => ({ Name: name, Path: `${prefix}${name}`, Kind: kind });
  return list('Field', rows, [
    ...(shape?.fields ?? []).map(({ name, field }) => ({
      Name: name,
      Path: `${prefix}${name}`,
      Kind: field.kind,
      Label: field.label ?? null,
      Description: field.doc,
    })),
    ...[...(shape?.links.keys() ?? [])].map(inner('record')),
    ...[...(shape?.lists.keys() ?? [])].map(inner('list')),
  ]);
});

function innerShape({ links, lists }: DataShape, name: string): DataShape {
  const lower = name.toLowerCase();
  for (const [key, shape] of [...links, ...lists]) if (key.toLowerCase() === lower) return shape();
  throw new PlatformError('BAD_PARAMETER', {
    field: 'Path',
    message:
      `Path: "${name}" is no linked record or collection there; ` +
      `expected one of ${[...links.keys(), ...lists.keys()].join(', ') || 'none'}.`,
  });
}

import { list } from '../../../kernel/door/answer.ts';
import { readAll } from '../../../kernel/parameters/body-parameters.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { importConfiguration, importFields } from '../../../kernel/records/transfer/transfer-import.ts';
import { TRANSFER_BYTES_MAX } from '../../../kernel/records/transfer/transfer-read.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'Import',
  on: 'configuration',
  method: 'POST',
  summary:
    'Imports an exported configuration document, completely or not at all: updates known records that differ ' +
    'and creates the others.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    Xml: f.xml({ doc: 'The document, if it is not the body.' }),
    Preview: f.boolean({ doc: 'Reports what would be done, without doing it.', default: false }),
  },
  body: 'raw',
  returns: 'list',
  answerName: 'ConfigurationChange',
  rows: importFields,
  errors: ['BAD_XML', 'BAD_PARAMETER', 'MISSING_PARAMETER', 'NO_PERMISSION', 'DUPLICATE_KEY', 'TOO_LARGE'],
  source: 'decisions, Records and operations',
});

export const run = handle(operation, async (ctx, { Xml, Preview }) => {
  const body = ctx.body ? await readAll(ctx.body.bytes, TRANSFER_BYTES_MAX) : undefined;
  const isSent = body !== undefined && body.length > 0;
  if (isSent && typeof Xml === 'string')
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Xml',
      message: 'Xml: the body already contains a document; send only one of them.',
    });
  const source = isSent ? body : Xml;
  if (typeof source !== 'string' && !source)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Xml',
      message: 'Xml: send the document as the body, or in this parameter.',
    });
  return list('ConfigurationChange', importFields, await importConfiguration(ctx, source, Preview));
});

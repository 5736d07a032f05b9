import { item } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { assertMayWatch, watchAnswer, watchParameters, watchRequest, watchRow } from '../../../contracts/file-watch.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { documentFields } from './lib/document-fields.ts';
import { requireEngine } from './lib/open-import-file.ts';
import { findImportTemplate } from './lib/import-template.ts';
import { importEach, saveAsDocument } from './lib/watched-file-handlers.ts';

export const operation = defineOperation({
  module: 'importfile',
  name: 'Watch',
  method: 'GET',
  summary:
    'Checks a storage location and imports each new file once by an import type: creates the import file ' +
    'and a document that points at the file, copies or moves the file, and imports it or queues its ' +
    'import. Without an import type each file becomes a document and nothing is imported. ' +
    '`Attachment_{Field}` sets fields of the documents. Queued with a ScheduleName it watches continuously.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    ...watchParameters,
    Template: f.text({ doc: 'Name of the import type of each file.', max: 100 }),
    TemplateID: f.id({ doc: 'The import type, instead of its name.', to: 'ImportFileTemplate' }),
    Async: f.boolean({ doc: 'Whether each import is queued rather than run now.', default: false }),
    Queue: f.text({
      doc: "Queue of the imports, which are then queued; default: the import type's.",
      max: 100,
    }),
  },
  free: 'any',
  async checkQueued(ctx, { Template, TemplateID }, rest) {
    await documentFields(ctx, rest, typeof Template === 'string' || typeof TemplateID === 'number');
  },
  callsNamed: true,
  transactions: 'own',
  returns: watchAnswer,
  answerName: 'Watch',
  errors: ['BAD_PARAMETER', 'UNKNOWN_PROVIDER', 'UNAVAILABLE', 'NO_PERMISSION', 'BAD_SIGNATURE'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params, rest) => {
  assertMayWatch(ctx);
  const { Template, TemplateID, Async, Queue } = params;
  const hasTemplate = typeof Template === 'string' || typeof TemplateID === 'number';
  const template = hasTemplate
    ? await findImportTemplate(ctx, { name: Template ?? undefined, id: TemplateID ?? undefined })
    : undefined;
  if (template) requireEngine(ctx, template);
  const queue = typeof Queue === 'string' ? ctx.queue.queueOf(Queue) : undefined;
  const fields = await documentFields(ctx, rest, template !== undefined);
  const taking = template
    ? importEach(template, { fields, isQueued: Async || queue !== undefined, queue })
    : saveAsDocument(fields);
  return item(
    'Watch',
    watchAnswer,
    watchRow(await ctx.fileWatch.run(ctx, watchRequest('importfile/watch', params, template !== undefined), taking)),
  );
});

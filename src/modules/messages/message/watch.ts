import { FILE_OBJECT } from '../../../contracts/file-object.ts';
import { assertMayWatch, watchAnswer, watchParameters, watchRow } from '../../../contracts/file-watch.ts';
import { item } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { checkSignature } from '../../../kernel/door/signature.ts';
import { messageOfFile } from '../lib/reading/watched-texts.ts';

const { FileObject, Path, Pattern, Depth, ExpectedBy } = watchParameters;

export const operation = defineOperation({
  module: 'message',
  name: 'Watch',
  method: 'GET',
  summary:
    'Polls a storage location and creates a message for each new text file, exactly once, with the file as its ' +
    'document. Queue the call with a ScheduleName to watch continuously.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: { object: 'Object', id: 'ObjectID' },
  params: {
    FileObject,
    Path,
    Pattern,
    Depth,
    ExpectedBy,
    Object: f.text({ doc: 'The record type of the record that the messages belong to.', max: 60 }),
    ObjectID: f.id({ doc: 'The record that the messages belong to.' }),
    TemplateID: f.id({ doc: 'The template of the messages.', to: 'MessageTemplate' }),
    Statement: f.text({
      doc: 'A method signature called once for each new message, with its ID; a bare name is an operation of Message.',
      max: 2000,
      exact: true,
    }),
    RemoveFile: f.boolean({
      doc: 'Whether files are removed from where they were found; their documents then have copies.',
      default: false,
    }),
  },
  callsNamed: true,
  transactions: 'own',
  returns: watchAnswer,
  answerName: 'Watch',
  errors: ['BAD_PARAMETER', 'NOT_FOUND', 'UNKNOWN_PROVIDER', 'UNAVAILABLE', 'NO_PERMISSION', 'BAD_SIGNATURE'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params) => {
  assertMayWatch(ctx);
  const { RemoveFile, ExpectedBy: expectedBy, Statement: statement } = params;
  if (typeof statement === 'string') await checkSignature(ctx, statement, { field: 'Statement', module: 'message' });
  const own = ctx.providers.names(FILE_OBJECT)[0] ?? '';
  const outcome = await ctx.fileWatch.run(
    ctx,
    {
      kind: 'message/watch',
      location: params.FileObject,
      path: params.Path,
      pattern: params.Pattern,
      depth: params.Depth,
      ...(RemoveFile ? { target: { location: own, remove: true, seal: false } } : {}),
      ...(typeof expectedBy === 'string' ? { expectedBy } : {}),
    },
    messageOfFile({
      object: params.Object ?? undefined,
      objectId: params.ObjectID ?? undefined,
      templateId: params.TemplateID ?? undefined,
      statement: statement ?? undefined,
    }),
  );
  return item('Watch', watchAnswer, watchRow(outcome));
});

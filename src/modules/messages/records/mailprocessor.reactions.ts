import { defineCallSource } from '../../../kernel/declare/call-source.ts';
import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { checkSignature } from '../../../kernel/door/signature.ts';
import { mailProcessor } from './mailprocessor.record.ts';

/** Returns the signature of a rule's statement: a name without a module is an operation of Message. */
function signatureOf(statement: string): string {
  const text = statement.trim();
  const [head = ''] = text.split('?');
  return head.includes('/') ? text : `Message/${text}`;
}

export const checks = [
  defineCheck({
    on: mailProcessor,
    doc: 'A rule of the kind Signature names an operation that can be called.',
    async run(ctx, { values, id }) {
      const statement = values.MessageStatement;
      const isSignature = (values.Processor ?? 'Signature') === 'Signature';
      if (typeof statement === 'string' && statement.trim() !== '')
        await checkSignature(ctx, statement, { field: 'MessageStatement', module: 'message' });
      else if (isSignature && (id === undefined || statement !== undefined))
        throw new PlatformError('MISSING_PARAMETER', {
          field: 'MessageStatement',
          message:
            'MessageStatement is required: the operation that the rule calls, such as ' +
            '`BindByParentMessage?ID={MessageID}`.',
        });
    },
  }),
];

export const callSources = [
  defineCallSource({
    on: mailProcessor,
    doc: 'The statement of a rule is called for each mail, as Workflow, and its first row is saved in the message.',
    place: ({ MailProcessor: name }) => (name === null ? 'Rule' : `Rule "${name}"`),
    calls: (_ctx, { MessageStatement: statement }) =>
      (statement ?? '').trim() === ''
        ? []
        : [
            { field: 'MessageStatement', signature: signatureOf(statement ?? '') },
            { field: 'MessageStatement', signature: 'Message/Save' },
          ],
  }),
];

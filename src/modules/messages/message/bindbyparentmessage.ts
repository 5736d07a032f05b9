import { list } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { assertStaff } from '../lib/receiving/assert-staff.ts';
import { findMailbox } from '../lib/receiving/mailboxes.ts';
import { findSubjectParent, type SubjectParent } from '../lib/filing/subject-parent.ts';
import { senderCounts } from '../lib/filing/sender-proof.ts';
import { templateOf } from '../lib/filing/message-templates.ts';
import { subjectLength } from '../mailreceipt/settings.ts';

/** Least length of a subject by which a message may be found: shorter ones appear in any other. */
const LENGTH_MIN = 5;

const rows = {
  Object: f.text({ doc: 'The type of the record on which the conversation is filed.' }),
  ObjectID: f.id({ doc: 'That record.' }),
  ParentMessageID: f.id({ doc: 'The earlier message.', to: 'Message' }),
  ThreadID: f.id({ doc: 'The first message of its conversation.', to: 'Message' }),
  MessageTemplateID: f.id({ doc: 'The template of a reply, or of a new conversation.', to: 'MessageTemplate' }),
} as const;

export const operation = defineOperation({
  module: 'message',
  name: 'BindByParentMessage',
  method: 'GET',
  summary:
    'Finds the conversation of a message by its subject: the newest earlier message whose subject appears in it. ' +
    'Returns no row if there is none and no ParentTemplate. For rules of mailboxes, which file the message by the row.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The message.' })),
    SubjectLength: f.integer({
      doc: 'Subjects with no more characters than this are not looked for; by default the setting SubjectLength.',
    }),
    ParentTemplate: f.text({ doc: 'The template of a message that begins a conversation, by name.', max: 100 }),
    ParentTemplateID: f.id({ doc: 'The same by its ID.', to: 'MessageTemplate' }),
    ChildTemplate: f.text({ doc: 'The template of a message that continues a conversation, by name.', max: 100 }),
    ChildTemplateID: f.id({ doc: 'The same by its ID.', to: 'MessageTemplate' }),
  },
  returns: 'list',
  rows,
  answerName: 'Message',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'NO_PERMISSION'],
  source: '1-core §4, receive rule 4',
});

export const run = handle(operation, async (ctx, params) => {
  assertStaff(ctx, 'ID', 'messages that are filed by rules');
  const row = namedRow(ctx, ctx.record);
  const length = params.SubjectLength ?? ctx.settings.get(subjectLength);
  if (length < LENGTH_MIN) throw bad('SubjectLength', `a number of characters, at least ${LENGTH_MIN}`);
  const [parentTemplate, childTemplate] = [
    await templateOf(ctx, 'ParentTemplate', params.ParentTemplate, params.ParentTemplateID),
    await templateOf(ctx, 'ChildTemplate', params.ChildTemplate, params.ChildTemplateID),
  ];
  const mailbox = row.MailInboundID === null ? undefined : await findMailbox(ctx.db, row.MailInboundID);
  const isGenuine = !mailbox || senderCounts(mailbox, row.SenderProof ?? 'Unproven');
  const found = await findSubjectParent(
    ctx.db,
    {
      id: params.ID,
      subject: row.Message ?? '',
      fromAddress: isGenuine ? row.FromAddress : null,
      // Only conversations of the mailbox's firm are looked at.
      firm: mailbox?.organizationId ?? null,
    },
    length,
  );
  if (!found && parentTemplate === undefined) return list('Message', rows, []);
  const begun = { ...nowhere, MessageTemplateID: parentTemplate };
  return list('Message', rows, [found ? rowOf(found, childTemplate) : begun]);
});

const nowhere = { Object: null, ObjectID: null, ParentMessageID: null, ThreadID: null };

function rowOf({ object, objectId, messageId, threadId }: SubjectParent, template: number | undefined): object {
  return {
    Object: object,
    ObjectID: objectId,
    ParentMessageID: messageId,
    ThreadID: threadId,
    MessageTemplateID: template ?? null,
  };
}

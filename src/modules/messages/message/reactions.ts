import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { assertOfFirm } from '../lib/filing/apply-filing.ts';
import { message } from './message.record.ts';

/** The columns of which a new message has at least one. */
const contents = ['Message', 'BodyText', 'BodyHTML', 'MessageTemplateID'] as const;

/** The columns that hold the text and its author. */
const textColumns = ['Message', 'BodyText', 'BodyHTML', 'FromAddress', 'FromName'] as const;

export const checks = [
  defineCheck({
    on: message,
    doc: 'A new message has a subject, a body or a template.',
    run: (_ctx, { values, id }) => {
      const isEmpty = contents.every((name) => String(values[name] ?? '').trim() === '');
      if (id === undefined && isEmpty)
        throw new PlatformError('MISSING_PARAMETER', {
          field: 'BodyText',
          message: 'BodyText is required: the text of the message. A subject (Message) alone is enough too.',
        });
    },
  }),
  defineCheck({
    on: message,
    doc: "Mail of a firm's mailbox is filed on records of that firm alone, also by saves and with what it answers.",
    applies: (_ctx, { values, id }) =>
      Promise.resolve(id !== undefined && (values.Object !== undefined || values.ObjectID !== undefined)),
    // Row security closes the mailboxes to firms' users.
    run: (ctx, { values, id }) =>
      ctx.transaction().elevated(async (db) => {
        const [mail] = await db.query<{ object: string | null; objectId: number | null; firm: number | null }>(
          `select m.object, m.objectid as "objectId", i.organizationid as firm
           from message m join mailinbound i on i.mailinboundid = m.mailinboundid
           where m.messageid = $1::bigint`,
          [id],
        );
        if (!mail) return;
        const object = values.Object === undefined ? mail.object : values.Object;
        const objectId = values.ObjectID === undefined ? mail.objectId : values.ObjectID;
        if (object !== null && objectId !== null) await assertOfFirm(db, { object, objectId }, mail.firm);
      }),
  }),
  defineCheck({
    on: message,
    doc: 'What a sent or received message said, and who wrote it, stays as it was: it is evidence.',
    applies: (_ctx, { values, id }) =>
      Promise.resolve(id !== undefined && textColumns.some((name) => values[name] !== undefined)),
    async run(ctx, { values, id }) {
      const [stored] = await ctx.db.query<Readonly<Record<(typeof textColumns)[number], string | null>>>(
        `select message as "Message", bodytext as "BodyText", bodyhtml as "BodyHTML", fromaddress as "FromAddress",
           fromname as "FromName"
         from message
         where messageid = $1::bigint and (sentdate is not null or mailinboundid is not null)`,
        [id],
      );
      const field = stored && textColumns.find((name) => values[name] !== undefined && values[name] !== stored[name]);
      if (field)
        throw new PlatformError('STATE_REFUSES', {
          field,
          message: `${field}: the message was sent or received, so it cannot be changed; add a note instead.`,
        });
    },
  }),
];

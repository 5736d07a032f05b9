import { createHash, randomUUID } from 'node:crypto';
import { assertMail } from '../../../contracts/mail-validation.ts';
import { MAIL_OUTBOUND } from '../../../contracts/mail-outbound.ts';
import { item } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { publicAddress } from '../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle, type ParametersOf } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { parseAddresses, parseHeaders } from './lib/addresses.ts';
import { attachedDocuments, recipientsIn, sealContent, senderOf, type MailContent } from './lib/mail-content.ts';
import { queueDelivery } from './lib/claim.ts';
import { mailMegabytesMax } from './settings.ts';

/** The most documents of one mail. */
const ATTACHMENTS_MAX = 50;
const MEGABYTE = 1024 * 1024;
/** What a mail has where nobody is told an address to. */
const NO_SENDER = { address: 'nobody@example.invalid' } as const;

export const operation = defineOperation({
  module: 'maildelivery',
  name: 'Post',
  method: 'POST',
  summary:
    'Decides to send one mail: it is sent once this call has committed, and what comes of it is kept for each receiver. Calls of the platform itself send through it.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    To: f.body({ doc: 'Receivers, comma-separated: `a@b.example, "Last, First" <c@d.example>`.' }),
    Cc: f.body({ doc: 'Receivers of a copy.' }),
    Bcc: f.body({ doc: 'Receivers of a copy whom the others do not see.' }),
    ReplyTo: f.body({ doc: 'Where answers go; to the sender where it is empty.' }),
    FromAddress: f.personal({ doc: "Who sends; the mail server's sender where it is empty.", max: 254 }),
    FromName: f.personal({ doc: "The sender's name.", max: 255 }),
    Subject: required(f.personal({ doc: 'The subject.', max: 1000 })),
    BodyText: f.body({ doc: 'The body as plain text.' }),
    BodyHTML: f.body({ doc: 'The body as HTML. With both, readers choose.' }),
    Headers: f.body({
      doc: 'Further headers, one `Name: value` a line: In-Reply-To, References, Auto-Submitted, X-… and the like.',
    }),
    AttachmentID: f.idList({ doc: 'Documents that go along. One that is kept sealed is refused.' }),
    Provider: f.text({ doc: 'The mail server; the first one where it is empty.', max: 100 }),
    Purpose: f.text({ doc: 'What it is for, in a word or two.', max: 255, default: 'Mail' }),
    Object: f.text({ doc: 'The record type that it is about.', max: 60, exact: true }),
    ObjectID: f.id({ doc: 'The record that it is about.' }),
    Key: f.secret({ doc: 'Names the decision: the same key again makes no second mail.', max: 500 }),
  },
  returns: {
    MailDeliveryID: required(f.id({ doc: 'The delivery.' })),
    InternetMessageID: required(f.text({ doc: "The mail's Message-ID." })),
    Status: required(f.text({ doc: 'Waiting, or how it stands where the key was known.' })),
  },
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NOT_FOUND', 'STATE_REFUSES', 'TOO_LARGE', 'UNKNOWN_PROVIDER'],
  source: '1-core §2, IMailOutbound',
});

type PostParameters = ParametersOf<typeof operation>;

interface PostedMail {
  readonly MailDeliveryID: number;
  readonly InternetMessageID: string;
  readonly Status: string;
}

export const run = handle(operation, async (ctx, params) => {
  const { Provider, Purpose, Object, ObjectID, Key } = params;
  if (Provider) ctx.providers.get(MAIL_OUTBOUND, Provider);
  const content = await contentOf(ctx, params);
  const messageId = `${randomUUID()}@${new URL(ctx.settings.get(publicAddress)).hostname.replace(/[^A-Za-z0-9.-]/g, '') || 'localhost'}`;
  assertMail({ ...content, messageId, date: ctx.clock.now(), from: senderOf(content.from, NO_SENDER) });
  const now = ctx.clock.now();
  // Under the reached role the table is closed.
  const [made] = await ctx.transaction().elevated((db) =>
    db.query<PostedMail & Record<string, unknown>>(
      `insert into maildelivery (maildelivery, status, provider, object, objectid, internetmessageid, mailkey, content, recipients, attempts, nextattempt, correlationid, createddate, createdpersonid, updateddate, updatedpersonid)
     values ($1::text, 'Waiting', $2::text, $3::text, $4::bigint, $5::text, $6::text, $7::text, $8::text::jsonb, 0, $9::timestamptz, $10::text, $9::timestamptz, $11::bigint, $9::timestamptz, $11::bigint)
     on conflict (mailkey) do nothing returning maildeliveryid as "MailDeliveryID", internetmessageid as "InternetMessageID", status as "Status"`,
      [
        Purpose,
        Provider ?? null,
        Object ?? null,
        ObjectID ?? null,
        messageId,
        hashKey(Key),
        sealContent(ctx.cipher, content),
        JSON.stringify(recipientsIn(content)),
        now,
        ctx.correlationId.slice(0, 64),
        ctx.user.personId,
      ],
    ),
  );
  if (made) await queueDelivery(ctx, made.MailDeliveryID);
  return item('MailDelivery', operation.returns, made ?? (await findByKey(ctx, hashKey(Key))));
});

function hashKey(key: string | null | undefined): string | null {
  return key === null || key === undefined ? null : createHash('sha256').update(key).digest('hex');
}

async function findByKey(ctx: Context, key: string | null): Promise<PostedMail> {
  const [row] = await ctx
    .transaction()
    .elevated((db) =>
      db.query<PostedMail & Record<string, unknown>>(
        'select maildeliveryid as "MailDeliveryID", internetmessageid as "InternetMessageID", status as "Status" from maildelivery where mailkey = $1::text',
        [key],
      ),
    );
  if (!row) throw new PlatformError('CONCURRENT_CHANGE');
  return row;
}

async function contentOf(
  ctx: Context,
  { FromAddress, FromName, ReplyTo, To, Cc, Bcc, Subject, BodyText, BodyHTML, Headers, AttachmentID }: PostParameters,
): Promise<MailContent> {
  if (!BodyText && !BodyHTML)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'BodyText',
      message: 'BodyText or BodyHTML is required: a mail says something.',
    });
  const attachmentIds = [...new Set(AttachmentID ?? [])];
  if (attachmentIds.length > ATTACHMENTS_MAX) throw bad('AttachmentID', `at most ${ATTACHMENTS_MAX} documents`);
  const documents = await attachedDocuments(ctx, attachmentIds);
  const bytes =
    documents.reduce((sum, { size }) => sum + Math.ceil((size * 4) / 3), 0) +
    Buffer.byteLength(BodyText ?? '') +
    Buffer.byteLength(BodyHTML ?? '');
  const megabytes = Math.max(1, ctx.settings.get(mailMegabytesMax));
  if (bytes > megabytes * MEGABYTE)
    throw new PlatformError('TOO_LARGE', {
      field: 'AttachmentID',
      message: `AttachmentID: the mail with its documents has ${Math.ceil(bytes / MEGABYTE)} megabytes; expected at most ${megabytes}, the setting MailMegabytesMax.`,
    });
  return {
    from: { ...(FromAddress ? { address: FromAddress } : {}), ...(FromName ? { name: FromName } : {}) },
    replyTo: parseAddresses(ReplyTo, 'ReplyTo'),
    to: parseAddresses(To, 'To'),
    cc: parseAddresses(Cc, 'Cc'),
    bcc: parseAddresses(Bcc, 'Bcc'),
    subject: Subject,
    ...(BodyText ? { text: BodyText } : {}),
    ...(BodyHTML ? { html: BodyHTML } : {}),
    headers: parseHeaders(Headers),
    attachmentIds,
  };
}

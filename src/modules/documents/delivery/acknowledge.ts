import { MAIL_HOUSE, type MailHouse, type Notice, type ParsedNotice } from '../../../contracts/delivery.ts';
import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readAll } from '../../../kernel/parameters/body-parameters.ts';
import { applyNotice } from './lib/apply-notice.ts';

/** Largest notice, in bytes. */
const NOTICE_BYTES_MAX = 1024 * 1024;

export const operation = defineOperation({
  module: 'delivery',
  name: 'Acknowledge',
  method: 'POST',
  summary:
    "Receives a mail house's notice about letters, signed according to Standard Webhooks. A repeated notice " +
    'changes nothing.',
  effect: 'write',
  idempotent: true,
  access: 'anonymous',
  params: {
    MailHouse: required(f.text({ doc: 'The mail house, by name.', max: 100 })),
    NoticeID: f.text({ doc: 'The ID of the notice.', max: 200, exact: true }),
    Timestamp: f.text({ doc: 'When it was sent, in seconds since 1970.', max: 20, exact: true }),
    Signature: f.secret({ doc: 'The signatures: `v1,` and base64, separated by blanks.', max: 2000 }),
  },
  headers: { 'webhook-id': 'NoticeID', 'webhook-timestamp': 'Timestamp', 'webhook-signature': 'Signature' },
  body: 'raw',
  transactions: 'own',
  returns: {
    Reports: required(f.integer({ doc: 'How many reports the notice has.' })),
    Changed: required(f.integer({ doc: 'How many letters have another state than before.' })),
  },
  answerName: 'Notice',
  errors: ['NO_PERMISSION', 'BAD_PARAMETER', 'TOO_LARGE'],
  source: '1-core §2, IDelivery',
});

export const run = handle(operation, async (ctx, { MailHouse: sentName, NoticeID, Timestamp, Signature }) => {
  const name = ctx.providers.names(MAIL_HOUSE).find((known) => known.toLowerCase() === sentName.toLowerCase());
  // The same answer as for a wrong signature: nobody learns which mail houses there are.
  if (name === undefined || ctx.body === undefined || !Signature) throw refused();
  const notice: Notice = {
    source: 'webhook',
    headers: {
      'webhook-id': NoticeID ?? '',
      'webhook-timestamp': Timestamp ?? '',
      'webhook-signature': Signature,
    },
    bytes: await readAll(ctx.body.bytes, NOTICE_BYTES_MAX),
    now: ctx.clock.now(),
  };
  const parsed = await parseSigned(ctx.providers.get(MAIL_HOUSE, name), notice);
  const { changed } = await ctx.actingAs('System', (system) =>
    system.inTransaction((own) => applyNotice(own, name, parsed)),
  );
  return item('Notice', operation.returns, { Reports: parsed.reports.length, Changed: changed });
});

async function parseSigned(mailHouse: MailHouse, notice: Notice): Promise<ParsedNotice> {
  try {
    return await mailHouse.parseNotice(notice);
  } catch (error) {
    throw error instanceof PlatformError && error.code === 'NO_PERMISSION' ? refused() : error;
  }
}

function refused(): PlatformError {
  return new PlatformError('NO_PERMISSION', {
    message: 'The notice has no valid signature of a mail house, or its timestamp is too far from the current time.',
  });
}

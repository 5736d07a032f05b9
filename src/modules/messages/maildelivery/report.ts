import { MAIL_OUTBOUND, type MailOutbound, type MailReport } from '../../../contracts/mail-outbound.ts';
import type { SignedRequest } from '../../../contracts/signed-request.ts';
import { item } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readAll } from '../../../kernel/parameters/body-parameters.ts';
import { applyServiceReport } from '../lib/outcome/apply-report.ts';
import { readReported } from '../lib/outcome/reported-deliveries.ts';

/** Largest webhook, in bytes. */
const REPORT_BYTES_MAX = 1024 * 1024;

export const operation = defineOperation({
  module: 'maildelivery',
  name: 'Report',
  method: 'POST',
  summary:
    "Receives a mail service's reports of mails that it delivered or could not deliver, and of complaints, signed " +
    'according to Standard Webhooks. A repeated report changes nothing.',
  effect: 'write',
  idempotent: true,
  access: 'anonymous',
  params: {
    MailOutbound: required(f.text({ doc: 'The mail server, by name.', max: 100 })),
    ReportID: f.text({ doc: 'The ID of the webhook.', max: 200, exact: true }),
    Timestamp: f.text({ doc: 'When it was sent, in seconds since 1970.', max: 20, exact: true }),
    Signature: f.secret({ doc: 'The signatures: `v1,` and base64, separated by blanks.', max: 2000 }),
  },
  headers: { 'webhook-id': 'ReportID', 'webhook-timestamp': 'Timestamp', 'webhook-signature': 'Signature' },
  body: 'raw',
  transactions: 'own',
  returns: {
    Reports: required(f.integer({ doc: 'How many reports about recipients it has.' })),
    Changed: required(f.integer({ doc: 'How many of them changed something.' })),
  },
  answerName: 'Report',
  errors: ['NO_PERMISSION', 'BAD_PARAMETER', 'TOO_LARGE'],
  source: 'docs/guides/operators/mail.md',
});

export const run = handle(operation, async (ctx, { MailOutbound: sentName, ReportID, Timestamp, Signature }) => {
  const name = ctx.providers.names(MAIL_OUTBOUND).find((known) => known.toLowerCase() === sentName.toLowerCase());
  // The same answer as for a wrong signature: nobody learns which mail servers there are.
  if (name === undefined || ctx.body === undefined || !Signature) throw refused();
  const reports = parseSigned(ctx.providers.get(MAIL_OUTBOUND, name), {
    headers: {
      'webhook-id': ReportID ?? '',
      'webhook-timestamp': Timestamp ?? '',
      'webhook-signature': Signature,
    },
    bytes: await readAll(ctx.body.bytes, REPORT_BYTES_MAX),
    now: ctx.clock.now(),
  });
  let changed = 0;
  for (const report of reports)
    changed += await ctx.actingAs('System', (system) => system.inTransaction((own) => apply(own, name, report)));
  return item('Report', operation.returns, { Reports: reports.length, Changed: changed });
});

function parseSigned(outbound: MailOutbound, request: SignedRequest): readonly MailReport[] {
  if (!outbound.parseReports) throw refused();
  try {
    return outbound.parseReports(request);
  } catch (error) {
    throw error instanceof PlatformError && error.code === 'NO_PERMISSION' ? refused() : error;
  }
}

function refused(): PlatformError {
  return new PlatformError('NO_PERMISSION', {
    message: 'The report has no valid signature of a mail service, or its timestamp is too far from the current time.',
  });
}

/** Applies one report to the mails that the service took over; returns how many changed. */
async function apply(own: Context, provider: string, report: MailReport): Promise<number> {
  const deliveries = await readReported(own, { messageId: report.messageId, address: report.address, provider });
  let changed = 0;
  for (const delivery of deliveries) {
    const { event, status = null, detail = null, address } = report;
    const applied = await applyServiceReport(own, delivery, address, { event, status, detail });
    if (applied.status === 'applied') changed++;
  }
  return changed;
}

/** What mail and payments mean for the health report. Nothing is connected to here. */
import type { Context } from '../../../../kernel/door/context.ts';

interface ServiceFinding {
  readonly State: 'ok' | 'warning' | 'failed';
  readonly Detail: string;
  readonly Advice?: string;
  readonly Since?: string | null;
}

/** An email, or the outcome of a payment, that is open for longer than this needs an operator. */
const LATE_MINUTES = 60;
/** Most mailboxes and gateways that a finding names. */
const NAMED_MAX = 5;
/** Most gateways whose last comparison is looked at. */
const GATEWAYS_MAX = 50;

/** Records that have been open for too long. */
interface Late {
  readonly count: number;
  /** Since when the oldest has been. */
  readonly since: string | null;
}

/** Reports emails that are not sent. */
export async function checkMail(ctx: Context): Promise<ServiceFinding> {
  const { count, since } = await lateMail(ctx);
  if (count === 0) return { State: 'ok', Detail: 'No email has waited for an hour to be sent.' };
  return {
    State: 'warning',
    Detail: `${counted(count, 'email')} ${count === 1 ? 'has' : 'have'} waited for more than an hour to be sent.`,
    Since: since,
    Advice:
      'Press Test on the page of mail servers. Each recipient of an email that waits has the last answer of the ' +
      'server.',
  };
}

async function lateMail(ctx: Context): Promise<Late> {
  const { rows } = await ctx.call('maildelivery/search', {
    Status: ['Waiting', 'Sending'],
    CreatedDate: `<${lateBefore(ctx)}`,
    OrderBy: ['CreatedDate'],
    DisplaySize: 1,
  });
  return { count: rows[0]?.RecordCount ?? 0, since: rows[0]?.CreatedDate ?? null };
}

/** Reports mailboxes whose mail is not received. */
export async function checkMailboxes(ctx: Context): Promise<ServiceFinding> {
  const { rows } = await ctx.call('mailinbound/search', {
    State: ['Failed', 'SignInNeeded'],
    Active: '<>false',
    OrderBy: ['LastSuccess'],
    DisplaySize: NAMED_MAX,
  });
  const [first] = rows;
  if (!first) return { State: 'ok', Detail: 'No mailbox has failed.' };
  const names = rows.map(({ MailInbound: name, LastError: error }) => `${name ?? ''} (${error ?? 'no answer'})`);
  const needsSignIn = rows.some(({ State: state }) => state === 'SignInNeeded');
  return {
    State: 'warning',
    Detail: `Not received: ${named(names, first.RecordCount ?? rows.length)}.`,
    Since: first.LastSuccess,
    Advice:
      (needsSignIn ? 'Correct the user name or password of mailboxes that need a sign-in. ' : '') +
      'Press Test on the page of mailboxes. No mail is lost: it is received once the mailbox answers.',
  };
}

/** Reports payments whose outcome is unknown, and gateways that differ from what is recorded. */
export async function checkPayments(ctx: Context): Promise<ServiceFinding> {
  const [unknown, failed, differences] = await Promise.all([
    lateOutcomes(ctx),
    failedComparisons(ctx),
    openDifferences(ctx),
  ]);
  const problems = [
    ...(unknown.count > 0
      ? [`${counted(unknown.count, 'payment or refund', 'payments or refunds')} without a known outcome`]
      : []),
    ...(failed.length > 0 ? [`the last comparison failed: ${named(failed, failed.length)}`] : []),
    ...(differences > 0 ? [counted(differences, 'open difference')] : []),
  ];
  if (problems.length === 0)
    return { State: 'ok', Detail: 'All outcomes are known; nothing differs from the payment gateways.' };
  const text = problems.join('; ');
  return {
    State: 'warning',
    Detail: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`,
    Since: unknown.since,
    Advice: [
      ...(unknown.count + failed.length > 0
        ? ['Test the gateway on the page of payment gateways. Outcomes are settled once it answers; charge none again.']
        : []),
      ...(differences > 0 ? ['Resolve the differences under Payments, Reconciliation.'] : []),
    ].join(' '),
  };
}

/** Returns the payments and refunds that have been without a known outcome for too long. */
async function lateOutcomes(ctx: Context): Promise<Late> {
  const late = {
    Status: ['Requested', 'Unknown'],
    RequestedDate: `<${lateBefore(ctx)}`,
    OrderBy: ['RequestedDate'],
    DisplaySize: 1,
  };
  const [payments, refunds] = await Promise.all([
    ctx.call('payment/search', late),
    ctx.call('paymentrefund/search', late),
  ]);
  const first = [...payments.rows, ...refunds.rows];
  return {
    count: first.reduce((sum, { RecordCount: count = 0 }) => sum + count, 0),
    since: first.map(({ RequestedDate: at }) => at ?? '').toSorted()[0] ?? null,
  };
}

/** Returns the active gateways whose last comparison failed, with the reason. */
async function failedComparisons(ctx: Context): Promise<readonly string[]> {
  const { rows: gateways } = await ctx.call('paymentprovider/search', {
    Active: '<>false',
    DisplaySize: GATEWAYS_MAX,
    RecordCount: false,
  });
  const found = await Promise.all(
    gateways.map(async ({ PaymentProviderID, PaymentProvider: name }) => {
      const { rows } = await ctx.call('paymentreconciliation/search', {
        PaymentProviderID,
        OrderBy: ['-PaymentReconciliationID'],
        DisplaySize: 1,
        RecordCount: false,
      });
      const [last] = rows;
      return last?.Status === 'Failed' ? [`${name ?? ''} (${last.Error ?? 'no reason'})`] : [];
    }),
  );
  return found.flat();
}

async function openDifferences(ctx: Context): Promise<number> {
  const { rows } = await ctx.call('paymentdifference/search', { Status: 'Open', DisplaySize: 1 });
  return rows[0]?.RecordCount ?? 0;
}

function lateBefore(ctx: Context): string {
  return new Date(ctx.clock.milliseconds() - LATE_MINUTES * 60_000).toISOString();
}

function counted(count: number, one: string, several = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : several}`;
}

function named(names: readonly string[], count: number): string {
  const more = count > NAMED_MAX ? ` and ${count - NAMED_MAX} more` : '';
  return `${names.slice(0, NAMED_MAX).join(', ')}${more}`;
}

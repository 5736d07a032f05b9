/** Health findings about email, mailboxes and payments, from stored records: no server is contacted. */
import type { Context } from '../../../../kernel/door/context.ts';

interface ServiceFinding {
  readonly State: 'ok' | 'warning' | 'failed';
  readonly Detail: string;
  readonly Advice?: string;
  readonly Since?: string | null;
}

/** An email that waits, or a payment without an outcome, for longer than this needs an operator. */
const LATE_MINUTES = 60;
/** Most mailboxes and gateways that a finding names. */
const NAMED_MAX = 5;
/** Most gateways whose last reconciliation is read. */
const GATEWAYS_MAX = 50;

const OUTCOMES = 'payments, refunds or subscriptions';

/** How many records have been open for too long. */
interface Late {
  readonly count: number;
  /** When the oldest was created or requested. */
  readonly since: string | null;
}

/** Reports emails that are not sent. */
export async function checkMail(ctx: Context): Promise<ServiceFinding> {
  const { count, since } = await lateMail(ctx);
  if (count === 0) return { State: 'ok', Detail: 'No email has waited for more than an hour.' };
  return {
    State: 'warning',
    Detail: `${counted(count, 'email')} ${count === 1 ? 'has' : 'have'} waited for more than an hour to be sent.`,
    Since: since,
    Advice: "Press Test under Administration, Mail servers. The server's last answer is shown with each recipient.",
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

/** Reports mailboxes that fail to receive mail. */
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
      'Press Test under Administration, Mailboxes. No mail is lost: it is received once the mailbox responds.',
  };
}

/** Reports payments with unknown outcomes, failed reconciliations, and open differences. */
export async function checkPayments(ctx: Context): Promise<ServiceFinding> {
  const [unknown, failed, differences] = await Promise.all([
    lateOutcomes(ctx),
    failedReconciliations(ctx),
    openDifferences(ctx),
  ]);
  const problems = [
    ...(unknown.count > 0
      ? [`${counted(unknown.count, 'payment, refund or subscription', OUTCOMES)} without a known outcome`]
      : []),
    ...(failed.length > 0 ? [`the last reconciliation failed: ${named(failed, failed.length)}`] : []),
    ...(differences > 0 ? [counted(differences, 'open difference')] : []),
  ];
  if (problems.length === 0) return { State: 'ok', Detail: 'All outcomes are known, and no difference is open.' };
  const text = problems.join('; ');
  return {
    State: 'warning',
    Detail: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`,
    Since: unknown.since,
    Advice: [
      ...(unknown.count + failed.length > 0
        ? [
            'Test the gateway under Administration, Payment gateways. Outcomes are settled once it responds. ' +
              "Don't charge again meanwhile.",
          ]
        : []),
      ...(differences > 0 ? ['Resolve the differences under Payments, Reconciliation.'] : []),
    ].join(' '),
  };
}

/** Returns the payments, refunds and subscriptions whose outcome has been unknown for too long. */
async function lateOutcomes(ctx: Context): Promise<Late> {
  const late = {
    Status: ['Requested', 'Unknown'],
    RequestedDate: `<${lateBefore(ctx)}`,
    OrderBy: ['RequestedDate'],
    DisplaySize: 1,
  };
  const [payments, refunds, subscriptions] = await Promise.all([
    ctx.call('payment/search', late),
    ctx.call('paymentrefund/search', late),
    ctx.call('paymentsubscription/search', late),
  ]);
  const first = [...payments.rows, ...refunds.rows, ...subscriptions.rows];
  return {
    count: first.reduce((sum, { RecordCount: count = 0 }) => sum + count, 0),
    since: first.map(({ RequestedDate: at }) => at ?? '').toSorted()[0] ?? null,
  };
}

/** Returns the active gateways whose last reconciliation failed, with the reason. */
async function failedReconciliations(ctx: Context): Promise<readonly string[]> {
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

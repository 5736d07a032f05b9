import type { AuthenticationResults, SenderCheckResult } from '../../../../lib/mail/authentication-results.ts';
import { trustedServers, UNNAMED_SERVER as UNNAMED } from '../../../../lib/mail/checking-servers.ts';
import type { ParsedMail } from '../../../../lib/mail/parsed-mail.ts';
import type { Mailbox } from '../receiving/mailboxes.ts';
import { detailText } from './filing.ts';

/** The result of one kind of check. `Pass` only where it is about the address in From. */
export type CheckVerdict = 'Pass' | 'Fail' | 'None';

/** Whether a mail is from the address in its From, as the mailbox's own server found. */
export interface SenderProof {
  /** `Unproven`: nobody whose word counts has found either. */
  readonly proof: 'Proven' | 'Failed' | 'Unproven';
  /** Null without a header of the mailbox's server. */
  readonly dkim: CheckVerdict | null;
  readonly spf: CheckVerdict | null;
  readonly dmarc: CheckVerdict | null;
  /** Why, in words. */
  readonly detail: string;
}

/** What a mail and its mailbox say about the sender. */
type CheckedMail = Pick<ParsedMail, 'from' | 'authentication'>;
type CheckingMailbox = Pick<Mailbox, 'host' | 'authenticationServer' | 'senderProof'>;

/** Returns whether the mailbox's own server found a mail's sender to be genuine. */
export function senderProofOf(mailbox: CheckingMailbox, { from, authentication }: CheckedMail): SenderProof {
  const names = trustedServers(mailbox.authenticationServer, mailbox.host);
  const checks = checksOf(trustedHeaders(authentication, names));
  if (!checks) return { ...unchecked, detail: detailText(missingDetail(names, authentication[0])) };
  const domain = from?.address.split('@').at(-1)?.toLowerCase() ?? '';
  const verdicts = {
    dkim: verdictOf(checks, 'dkim', (check) => isOfSender(domain, check, ['header.d', 'header.i'])),
    spf: verdictOf(checks, 'spf', (check) => isOfSender(domain, check, ['smtp.mailfrom'])),
    dmarc: dmarcVerdict(checks, domain),
  };
  const detail = `${names[0] === UNNAMED ? 'The mail server' : names.join(', ')} found: ${foundText(verdicts)}.`;
  return { proof: domain === '' ? 'Unproven' : proofOf(verdicts), ...verdicts, detail: detailText(detail) };
}

/** Whether a mail has a header of a server whose headers count for the mailbox. */
export function isChecked(mailbox: CheckingMailbox, { authentication }: Pick<CheckedMail, 'authentication'>): boolean {
  return trustedHeaders(authentication, trustedServers(mailbox.authenticationServer, mailbox.host)).length > 0;
}

/** Whether evidence that depends on the sender counts for a mailbox. */
export function senderCounts({ senderProof }: Pick<Mailbox, 'senderProof'>, proof: SenderProof['proof']): boolean {
  return proof === 'Proven' || (senderProof === 'NotFailed' && proof === 'Unproven');
}

const unchecked = { proof: 'Unproven', dkim: null, spf: null, dmarc: null } as const;

/**
 * Returns the topmost header of a known server, and those of known servers that follow it directly: some servers write
 * one for each kind of check. Headers further below were there when the mail arrived, whatever they say.
 */
function trustedHeaders(
  headers: readonly AuthenticationResults[],
  names: readonly string[],
): readonly AuthenticationResults[] {
  const isTrusted = ({ server }: AuthenticationResults): boolean => names.includes(server === '' ? UNNAMED : server);
  const first = headers.findIndex(isTrusted);
  if (first < 0) return [];
  const trusted: AuthenticationResults[] = [];
  for (const header of headers.slice(first)) {
    const last = trusted.at(-1);
    if (last && header.place !== last.place + 1) break;
    if (!isTrusted(header)) break;
    trusted.push(header);
    // Its author has seen the results of all others.
    if (header.checks.some(({ method }) => method === 'dmarc')) break;
  }
  return trusted;
}

function checksOf(headers: readonly AuthenticationResults[]): readonly SenderCheckResult[] | undefined {
  return headers.length === 0 ? undefined : headers.flatMap(({ checks }) => checks);
}

const failures: ReadonlySet<string> = new Set(['fail', 'hardfail', 'policy', 'permerror']);

/** A result that passes counts only if it is about the domain of the sender; then others do not matter. */
function verdictOf(
  checks: readonly SenderCheckResult[],
  method: string,
  isOfSender: (check: SenderCheckResult) => boolean,
): CheckVerdict {
  const own = checks.filter((check) => check.method === method);
  if (own.some((check) => check.result === 'pass' && isOfSender(check))) return 'Pass';
  return own.some(({ result }) => failures.has(result)) ? 'Fail' : 'None';
}

/** Of several results of DMARC, one that fails decides. */
function dmarcVerdict(checks: readonly SenderCheckResult[], domain: string): CheckVerdict {
  const own = checks.filter(({ method }) => method === 'dmarc');
  if (own.some(({ result }) => failures.has(result))) return 'Fail';
  const passed = own.filter(({ result }) => result === 'pass');
  return passed.length > 0 && passed.every(({ properties }) => (properties['header.from'] ?? domain) === domain)
    ? 'Pass'
    : 'None';
}

/** Whether a check names the domain of the sender or one above it. */
function isOfSender(domain: string, { properties }: SenderCheckResult, names: readonly string[]): boolean {
  return names.some((name) => {
    const checked = properties[name]?.split('@').at(-1) ?? '';
    return checked.includes('.') && (checked === domain || domain.endsWith(`.${checked}`));
  });
}

function proofOf({ dkim, spf, dmarc }: Omit<SenderProof, 'proof' | 'detail'>): SenderProof['proof'] {
  if (dmarc !== 'None') return dmarc === 'Pass' ? 'Proven' : 'Failed';
  if (dkim === 'Pass' || spf === 'Pass') return 'Proven';
  return dkim === 'Fail' || spf === 'Fail' ? 'Failed' : 'Unproven';
}

const words: Readonly<Record<CheckVerdict, string>> = { Pass: 'passed', Fail: 'failed', None: 'no result' };

function foundText({ dkim, spf, dmarc }: Readonly<Record<'dkim' | 'spf' | 'dmarc', CheckVerdict>>): string {
  return `DMARC ${words[dmarc]}, DKIM ${words[dkim]}, SPF ${words[spf]}`;
}

function missingDetail(names: readonly string[], topmost: AuthenticationResults | undefined): string {
  const of = names[0] === UNNAMED ? 'without a server name' : `of ${names.join(', ')}`;
  const other = topmost ? ` The topmost one is of ${topmost.server || 'a server that writes no name'}.` : '';
  return `The email has no header Authentication-Results ${of}.${other}`;
}

/**
 * What each health check means when it does not pass, in the order of its consequences: the most serious first.
 */
const consequences: ReadonlyMap<string, string> = new Map([
  ['Database disk', 'Nothing can be stored: every save, import and upload is refused.'],
  ['Database', 'Pages and calls are slow or fail.'],
  ['Stored files', 'Documents can be neither opened nor uploaded.'],
  ['Malware scan', 'New documents cannot be opened before they are scanned; quarantined ones wait for a decision.'],
  ['Disk space', 'Once the disk is full, no document can be uploaded or received.'],
  ['Queues', 'Mail, imports and other work in the background are late.'],
  ['Installation', 'Nothing runs in the background: no queue, no schedule, no sFTP.'],
  ['Payments', 'Some ledgers do not show what was paid, and cannot be charged again until it is known.'],
  ['Public address', 'Links in mail, webhooks and the return from a payment page do not arrive here.'],
  ['Mail', 'These emails have not reached their recipients.'],
  ['Mailboxes', 'New mail of these mailboxes is not on its cases.'],
  ['Dead letters', 'These calls do not run unless you retry them.'],
  ['API keys', 'Programs that use these keys will be refused from that day.'],
  ['Certificates', 'From that day on, encrypted connections to these servers fail.'],
  ['Failures of the last day', 'Some calls ended without doing what they should.'],
  ['Proxies', 'All callers behind the proxy share one limit of failed sign-ins.'],
  ['Printing', 'PDF files cannot be made from templates.'],
  ['Text of documents', 'Searches do not find these documents by their words.'],
]);

/** The names of the checks, the most serious first. */
const order = [...consequences.keys()];

/** Returns what it means that a check has not passed. */
export function consequenceOf(check: string): string | null {
  return consequences.get(check) ?? null;
}

/** A check as far as its place in the list depends on it. */
interface RankedCheck {
  readonly Health: string;
  readonly State: 'ok' | 'warning' | 'failed';
  readonly MutedUntil: string | null;
}

const weights = { failed: 0, warning: 1, ok: 3 } as const;
const MUTED_WEIGHT = 2;

/** Returns checks in the order in which they are looked into: failed, warnings, muted, passed; each by consequence. */
export function byConsequence<T extends RankedCheck>(checks: readonly T[]): T[] {
  const weight = ({ State: state, MutedUntil: muted }: T): number => (muted === null ? weights[state] : MUTED_WEIGHT);
  const place = ({ Health: name }: T): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return checks.toSorted((a, b) => weight(a) - weight(b) || place(a) - place(b));
}

import type { DayRange, MailFilters } from '../../../../contracts/mail-inbound.ts';
import { f } from '../../../../kernel/declare/field.ts';
import type { ParameterFields } from '../../../../kernel/declare/field-types.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';

const range =
  'a day such as `2026-03-02`, or a range of days such as `2026-03-01..2026-03-31`; either end may be missing';

/** Parameters that limit which mails are received. */
export const filterParameters = {
  HasEmail: f.text({ doc: 'Only emails from, to or copying this address.', max: 254, exact: true }),
  To: f.text({ doc: 'Only emails to this address.', max: 254, exact: true }),
  Cc: f.text({ doc: 'Only emails with a copy to this address.', max: 254, exact: true }),
  Bcc: f.text({ doc: 'Only emails with a blind copy to this address.', max: 254, exact: true }),
  Sent: f.text({ doc: `Only emails that were sent on ${range}.`, max: 22, exact: true }),
  Delivered: f.text({ doc: `Only emails that the server received on ${range}.`, max: 22, exact: true }),
  Subject: f.text({ doc: 'Only emails whose subject contains this text.', max: 200, exact: true }),
  Label: f.text({ doc: 'Only emails with this label of the mailbox.', max: 100, exact: true }),
} as const satisfies ParameterFields;

type FilterValues = { readonly [N in keyof typeof filterParameters]?: string | null | undefined };

/** Returns the filters that an operation's parameters describe. */
export function mailFilters({ HasEmail, To, Cc, Bcc, Sent, Delivered, Subject, Label }: FilterValues): MailFilters {
  const given: Record<keyof Omit<MailFilters, 'after' | 'since' | 'timeZone'>, string | DayRange | null | undefined> = {
    hasEmail: HasEmail,
    to: To,
    cc: Cc,
    bcc: Bcc,
    sent: dayRange('Sent', Sent),
    delivered: dayRange('Delivered', Delivered),
    subject: Subject,
    label: Label,
  };
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  );
}

/** Returns a range of days from its text. Throws BAD_PARAMETER. */
function dayRange(field: string, text: string | null | undefined): DayRange | undefined {
  if (text === null || text === undefined || text.trim() === '') return undefined;
  const [from = '', to = from, ...more] = text.split('..').map((part) => part.trim());
  const days = [from, to].filter((day) => day !== '');
  const isInOrder = days.length < 2 || from <= to;
  if (more.length > 0 || days.length === 0 || !days.every(isDay) || !isInOrder) throw bad(field, range);
  return { ...(from === '' ? {} : { from }), ...(to === '' ? {} : { to }) };
}

/** Whether a text is a day that exists. */
function isDay(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

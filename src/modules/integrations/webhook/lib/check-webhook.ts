import type { Registry } from '../../../../kernel/declare/registry.ts';
import type { Cipher } from '../../../../kernel/security/cipher.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { outboundRules, outboundUrl } from '../../../../kernel/security/outbound.ts';
import { sealText } from '../../../../kernel/security/sealed-text.ts';
import { parseColumns, parseEvents } from './event-patterns.ts';
import { parseHeaders } from './headers.ts';
import type { webhook } from '../webhook.record.ts';
import { type Values, valueAfter } from '../../../../kernel/declare/values.ts';
import type { Row } from '../../../../kernel/door/answer.ts';

/** The stored names of a webhook, to check new columns or fields against. */
export type EventSelection = Pick<Row<typeof webhook>, 'Events' | 'Columns' | 'Fields'>;

/**
 * Checks a webhook to be saved and brings it into its stored form: names in their declared spelling, headers sealed.
 * `values` are the columns to write; `before` is the stored state of an existing webhook.
 */
export function checkWebhook(
  ctx: Pick<Context, 'registry' | 'settings' | 'cipher'>,
  values: Values<typeof webhook>,
  before?: EventSelection,
): void {
  const { registry, settings, cipher } = ctx;
  if (values.URL !== undefined) values.URL = outboundUrl(outboundRules(settings), textOf(values.URL), 'URL').href;
  if (values.Events !== undefined || values.Columns !== undefined || values.Fields !== undefined)
    checkNames(registry, values, before);
  if (values.Headers !== undefined) sealHeaders(cipher, values);
}

/** Checks events, columns and fields together: columns and fields are those of the events' record types. */
function checkNames(registry: Registry, values: Values<typeof webhook>, before: EventSelection | undefined): void {
  const events = parseEvents(registry, textOf(valueAfter(values, before, 'Events')));
  if (values.Events !== undefined) values.Events = events.map((e) => e.text).join(', ');
  for (const field of ['Columns', 'Fields'] as const) {
    const text = valueAfter(values, before, field);
    const names = parseColumns(events, typeof text === 'string' ? text : null, field);
    if (values[field] !== undefined) values[field] = names.length === 0 ? null : names.join(', ');
  }
}

/** Seals the headers and stores their names beside them. */
function sealHeaders(cipher: Cipher, values: Values<typeof webhook>): void {
  const headers = parseHeaders(textOf(values.Headers));
  const isEmpty = headers.length === 0;
  values.Headers = isEmpty ? null : sealText(cipher, 'webhook', 'headers', JSON.stringify(headers));
  values.HeaderNames = isEmpty ? null : headers.map(([name]) => name).join(', ');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

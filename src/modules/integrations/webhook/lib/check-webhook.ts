import type { Registry } from '../../../../kernel/declare/registry.ts';
import type { Cipher } from '../../../../kernel/security/cipher.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { outboundRules, outboundUrl } from '../../../../kernel/security/outbound.ts';
import { sealText } from '../../../../kernel/security/sealed-text.ts';
import { parseColumns, parseEvents } from './event-patterns.ts';
import { parseHeaders } from './headers.ts';

/** The stored names of a webhook, to check new columns or fields against. */
export interface EventSelection {
  readonly events: string;
  readonly columns: string | null;
  readonly fields: string | null;
}

/**
 * Checks a webhook to be saved and brings it into its stored form: names in their declared spelling, headers sealed.
 * `values` are the columns to write, by lower-cased name; `before` is the stored state of an existing webhook.
 */
export function checkWebhook(
  ctx: Pick<Context, 'registry' | 'settings' | 'cipher'>,
  values: Map<string, unknown>,
  before?: EventSelection,
): void {
  const { registry, settings, cipher } = ctx;
  if (values.has('url')) values.set('url', outboundUrl(outboundRules(settings), textOf(values.get('url')), 'URL').href);
  if (values.has('events') || values.has('columns') || values.has('fields')) checkNames(registry, values, before);
  if (values.has('headers')) sealHeaders(cipher, values);
}

/** Checks events, columns and fields together: columns and fields are those of the events' record types. */
function checkNames(registry: Registry, values: Map<string, unknown>, before: EventSelection | undefined): void {
  const events = parseEvents(registry, textOf(values.has('events') ? values.get('events') : before?.events));
  if (values.has('events')) values.set('events', events.map((e) => e.text).join(', '));
  for (const [key, field] of [
    ['columns', 'Columns'],
    ['fields', 'Fields'],
  ] as const) {
    const text = values.has(key) ? values.get(key) : before?.[key];
    const names = parseColumns(events, typeof text === 'string' ? text : null, field);
    if (values.has(key)) values.set(key, names.length === 0 ? null : names.join(', '));
  }
}

/** Seals the headers and stores their names beside them. */
function sealHeaders(cipher: Cipher, values: Map<string, unknown>): void {
  const headers = parseHeaders(textOf(values.get('headers')));
  const isEmpty = headers.length === 0;
  values.set('headers', isEmpty ? null : sealText(cipher, 'webhook', 'headers', JSON.stringify(headers)));
  values.set('headernames', isEmpty ? null : headers.map(([name]) => name).join(', '));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

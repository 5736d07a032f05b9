import type { Context } from '../../../../kernel/door/context.ts';
import { outboundRules, outboundUrl } from '../../../../kernel/security/outbound.ts';
import { sealText } from '../../../../kernel/security/sealed-text.ts';
import { parseColumns, parseEvents } from './event-patterns.ts';
import { parseHeaders } from './headers.ts';

/** What is stored of a webhook's events, where only other columns are sent. */
export interface EventSelection {
  readonly events: string;
  readonly columns: string | null;
  readonly fields: string | null;
}

/**
 * Checks what is to be stored of a webhook and brings it into its stored form: names in their declared spelling, headers sealed.
 * `values` are the columns that are written, by lower-cased name; `before` is what stands, of a webhook that is changed.
 */
export function checkWebhook(
  ctx: Pick<Context, 'registry' | 'settings' | 'cipher'>,
  values: Map<string, unknown>,
  before?: EventSelection,
): void {
  const { registry, settings, cipher } = ctx;
  if (values.has('url')) values.set('url', outboundUrl(outboundRules(settings), textOf(values.get('url')), 'URL').href);
  if (values.has('events') || values.has('columns') || values.has('fields')) {
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
  if (values.has('headers')) {
    const headers = parseHeaders(textOf(values.get('headers')));
    values.set(
      'headers',
      headers.length === 0 ? null : sealText(cipher, 'webhook', 'headers', JSON.stringify(headers)),
    );
    values.set('headernames', headers.length === 0 ? null : headers.map(([name]) => name).join(', '));
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

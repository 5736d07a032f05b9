import type { Shape } from '../../../../kernel/door/answer.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { RecordChange } from '../../../../kernel/ports/record-events.ts';
import type { Registry } from '../../../../kernel/declare/registry.ts';
import { isPublic, splitNames, parseEvents, type EventPattern } from './event-patterns.ts';

/** A webhook subscribed to a kind of change of a record type. */
export interface Subscriber {
  readonly webhookId: number;
  /** Only updates that change one of these columns; undefined for all. */
  readonly columns: ReadonlySet<string> | undefined;
  /** Columns whose values are sent. */
  readonly shape: Shape;
  readonly organizationId: number | null;
}

/** The webhooks of an installation by record type and kind of change. */
export type Subscribers = ReadonlyMap<string, Readonly<Partial<Record<RecordChange, readonly Subscriber[]>>>>;

interface SubscriberRow {
  readonly webhookid: number;
  readonly events: string;
  readonly columns: string | null;
  readonly fields: string | null;
  readonly organizationid: number | null;
}

/**
 * Loads the active webhooks. One whose events this version cannot parse gets no events; its id is passed to
 * `unreadable`.
 */
export async function loadSubscribers(
  db: Db,
  registry: Registry,
  unreadable: (webhookId: number) => void,
): Promise<Subscribers> {
  const rows = await db.query<SubscriberRow>(
    'select webhookid, events, columns, fields, organizationid from webhook where isactive order by webhookid',
  );
  const found = new Map<string, Partial<Record<RecordChange, Subscriber[]>>>();
  for (const row of rows) {
    const patterns = tryParseEvents(registry, row.events);
    if (patterns === undefined) unreadable(row.webhookid);
    for (const record of new Set(patterns?.flatMap((p) => [...p.records]))) {
      // Records that all firms or none can read belong to no firm.
      if (row.organizationid !== null && record.root.reach !== 'one' && record.root.reach !== 'many') continue;
      const listener = toSubscriber(record, row);
      const byChange = found.get(record.name) ?? {};
      found.set(record.name, byChange);
      for (const change of ['insert', 'update', 'delete', 'undelete'] as const) {
        if (patterns?.some((p) => p.records.has(record) && (p.change === '*' || p.change === change)))
          (byChange[change] ??= []).push(listener);
      }
    }
  }
  return found;
}

function tryParseEvents(registry: Registry, events: string): EventPattern[] | undefined {
  try {
    return parseEvents(registry, events);
  } catch {
    return undefined;
  }
}

function toSubscriber(record: RecordType, row: SubscriberRow): Subscriber {
  const columns = splitNames(row.columns);
  const fields = new Set(splitNames(row.fields).map((name) => name.toLowerCase()));
  return {
    webhookId: row.webhookid,
    columns:
      columns.length === 0
        ? undefined
        : new Set(columns.map((name) => record.columns.get(name.toLowerCase())?.name ?? name)),
    // Checked again: a custom field may have become personal since.
    shape: record.shown
      .filter((c) => fields.has(c.name.toLowerCase()) && isPublic(record, c))
      .map(({ name, field }) => ({ name, field })),
    organizationId: row.organizationid,
  };
}

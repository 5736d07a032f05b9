import { loggableMessage } from '../../database/database-error.ts';
import type { Store } from '../../database/store.ts';
import type { Log } from '../../ports/log.ts';
import type { Clock } from '../../time/clock.ts';

/** A search that took longer than the setting SlowSearchMilliseconds. */
export interface SlowSearch {
  readonly record: string;
  /** The columns that it filters by, sorted and comma-separated; with `*` before those that have patterns. */
  readonly filters: string;
  /** The columns of its order, as in `OrderBy`. */
  readonly orderBy: string;
  readonly milliseconds: number;
  /** The slowest of its statements. */
  readonly statement: { readonly text: string; readonly values: readonly unknown[] };
  /** The firm whose rows it finds; null for all. */
  readonly firm: number | null;
  /** The tables of the record type. */
  readonly tables: readonly string[];
}

/** Slow searches of one kind, not stored yet. */
interface Pending {
  search: SlowSearch;
  searches: number;
  worst: number;
  last: string;
}

/** Between two plans of the same kind of search in one process. */
const SECONDS_BETWEEN_PLANS = 60;
/** Most kinds of searches that a process remembers, and that the table has: callers choose them. */
const KINDS_MAX = 500;
/** Longest statement with its values that is remembered, in characters: callers send filters of megabytes. */
const STATEMENT_CHARACTERS_MAX = 20_000;

/**
 * Finds slow searches that read a whole table, by planning them again after they have returned, and counts them. Fast
 * searches cost nothing; of slow ones of the same kind, one a minute is planned.
 */
export class SlowSearches {
  private readonly store: Store;
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly pending = new Map<string, Pending>();
  private readonly nextPlan = new Map<string, number>();
  private writing: Promise<void> | undefined;

  constructor(store: Store, clock: Clock, log: Log) {
    this.store = store;
    this.clock = clock;
    this.log = log;
  }

  /** Records a slow search in the background. Returns immediately. */
  note(search: SlowSearch): void {
    const key = JSON.stringify([search.record, search.filters, search.orderBy]);
    const known = this.pending.get(key);
    if ((!known && this.pending.size >= KINDS_MAX) || charactersOf(search.statement) > STATEMENT_CHARACTERS_MAX) return;
    const { milliseconds } = search;
    this.pending.set(key, {
      search,
      searches: (known?.searches ?? 0) + 1,
      worst: Math.max(known?.worst ?? 0, milliseconds),
      last: this.clock.now(),
    });
    this.writing ??= this.write().finally(() => {
      this.writing = undefined;
    });
  }

  /** Waits until what was noted is stored, except for what is stored later because it has just been. */
  async settled(): Promise<void> {
    await this.writing;
  }

  private async write(): Promise<void> {
    for (const key of this.due()) {
      const pending = this.pending.get(key);
      this.pending.delete(key);
      if (pending) await this.record(pending).catch((error: unknown) => this.warn(error));
    }
  }

  private *due(): Generator<string> {
    const now = this.clock.milliseconds();
    if (this.nextPlan.size > 2 * KINDS_MAX) this.nextPlan.clear();
    for (const key of this.pending.keys()) {
      if ((this.nextPlan.get(key) ?? 0) > now) continue;
      this.nextPlan.set(key, now + SECONDS_BETWEEN_PLANS * 1_000);
      yield key;
    }
  }

  private async record(pending: Pending): Promise<void> {
    if (await this.isScan(pending.search)) await this.insert(pending);
  }

  private async isScan({ statement, firm, tables }: SlowSearch): Promise<boolean> {
    const text = `explain (format json) ${statement.text}`;
    const rows =
      firm === null
        ? await this.store.query<Plans>(text, statement.values)
        : await this.store.readAs<Plans>(firm, text, statement.values);
    const [plan] = Object.values(rows[0] ?? {})[0] ?? [];
    return plan?.Plan !== undefined && readsWholeTable(plan.Plan, new Set(tables));
  }

  /** Where the table is full, the least frequent kind makes room: nobody keeps others out by searching in many ways. */
  private async insert({ search, searches, worst, last }: Pending): Promise<void> {
    const rounded = (milliseconds: number): number => Math.round(milliseconds);
    await this.store.query(
      `with forgotten as (
         delete from slowsearch
         where (recordtype, filters, orderby) in (
           select recordtype, filters, orderby
           from slowsearch
           where not exists (
             select 1 from slowsearch where recordtype = $1::text and filters = $2::text and orderby = $3::text)
           order by searches, lastdate
           limit greatest(0, (select count(*) from slowsearch) - ${KINDS_MAX - 1})))
       insert into slowsearch (recordtype, filters, orderby, searches, lastdate, lastmilliseconds, worstmilliseconds)
       values ($1::text, $2::text, $3::text, $4::bigint, $5::timestamptz, $6::integer, $7::integer)
       on conflict (recordtype, filters, orderby) do update
       set searches = slowsearch.searches + excluded.searches, lastdate = excluded.lastdate,
         lastmilliseconds = excluded.lastmilliseconds,
         worstmilliseconds = greatest(slowsearch.worstmilliseconds, excluded.worstmilliseconds)`,
      [search.record, search.filters, search.orderBy, searches, last, rounded(search.milliseconds), rounded(worst)],
    );
  }

  private warn(error: unknown): void {
    this.log.warn('a slow search could not be planned again', { error: loggableMessage(error) });
  }
}

/** Returns the length of a statement with the texts among its values. */
function charactersOf({ text, values }: SlowSearch['statement']): number {
  return values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), text.length);
}

/** A row of EXPLAIN. */
type Plans = Record<string, readonly { readonly Plan?: PlanNode }[]>;

/** A plan node, with the properties that show whether it reads a whole table. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly PlanNode[];
}

/** Whether a plan reads all rows of one of some tables: one after another, or all entries of an index. */
function readsWholeTable(node: PlanNode, tables: ReadonlySet<string>): boolean {
  const { 'Node Type': type, 'Relation Name': table = '' } = node;
  const isIndexRead = type === 'Index Scan' || type === 'Index Only Scan';
  const isWhole = type === 'Seq Scan' || (isIndexRead && node['Index Cond'] === undefined && node.Filter !== undefined);
  return (isWhole && tables.has(table)) || (node.Plans ?? []).some((child) => readsWholeTable(child, tables));
}

/** How long the last slow search of a kind is remembered, in days. */
const DAYS_KEPT = 30;

/** Housekeeping: deletes kinds of searches that have not been slow for a while. Returns how many. */
export async function deleteOldSlowSearches({ store }: { readonly store: Store }): Promise<number> {
  const text = `delete from slowsearch where lastdate < now() - interval '${DAYS_KEPT} days' returning 1`;
  return (await store.query(text)).length;
}

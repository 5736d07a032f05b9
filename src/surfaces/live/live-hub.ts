import type { ChangeFeed } from '../../kernel/changes/change-feed.ts';
import type { ChangeBatch } from '../../kernel/changes/read-changes.ts';
import type { RecordKey } from '../../kernel/changes/references.ts';
import { keyText, relatedChanges, type RelatedChange } from '../../kernel/changes/related-records.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { firmOf, type Principal } from '../../kernel/security/identity.ts';
import { mayRead, type Topic } from './topic.ts';
import { visibleRecords, wasVisible } from './visible-records.ts';

/** What listens: one open response. */
export interface Listener {
  /** The user as of the last check. */
  readonly user: Principal;
  readonly topics: readonly Topic[];
  /** Sends the names of changed topics. */
  changed(names: readonly string[], position: string): void;
  /** Tells that anything may have changed. */
  allChanged(position: string): void;
}

/** A change that a listener's topic is about. */
interface Match {
  readonly listener: Listener;
  readonly topic: Topic;
  readonly change: RelatedChange;
}

/** Brings changes to the listeners of a process whose topics they are about, and who may see the changed records. */
export class LiveHub {
  private readonly platform: Platform;
  private readonly byKey = new Map<string, Set<Listener>>();
  private readonly listeners = new Set<Listener>();
  private stopListening: Promise<() => void> | undefined;

  constructor(platform: Platform) {
    this.platform = platform;
  }

  private get feed(): ChangeFeed {
    return this.platform.changes;
  }

  /** Number of listeners. */
  get size(): number {
    return this.listeners.size;
  }

  /** Returns the listeners of a user, the oldest first. */
  of(personId: number): Listener[] {
    return [...this.listeners].filter(({ user }) => user.personId === personId);
  }

  /** Adds a listener. Resolves once it misses nothing that is committed from then on. */
  async add(listener: Listener): Promise<void> {
    this.listeners.add(listener);
    for (const { key } of listener.topics) {
      const of = this.byKey.get(key);
      if (of) of.add(listener);
      else this.byKey.set(key, new Set([listener]));
    }
    this.stopListening ??= this.feed.listen((batch) => this.deliver(batch));
    await this.stopListening;
  }

  remove(listener: Listener): void {
    if (!this.listeners.delete(listener)) return;
    for (const { key } of listener.topics) {
      const of = this.byKey.get(key);
      of?.delete(listener);
      if (of?.size === 0) this.byKey.delete(key);
    }
    if (this.listeners.size > 0) return;
    void this.stopListening?.then((stop) => {
      stop();
    });
    this.stopListening = undefined;
  }

  /** Sends one listener what was committed since a position. */
  async catchUp(listener: Listener, position: string): Promise<void> {
    await this.deliver(await this.feed.readSince(position), listener);
  }

  /** Sends a batch to its listeners, or to one of them. */
  private async deliver(batch: ChangeBatch, only?: Listener): Promise<void> {
    if (batch.isOverflow) {
      for (const listener of only ? [only] : this.listeners) listener.allChanged(batch.position);
      return;
    }
    const { store, registry } = this.platform;
    const changes = await relatedChanges({ db: store, registry }, batch.changes);
    const matches = changes.flatMap((change) => this.matchesOf(change, only));
    const names = new Map<Listener, Set<string>>();
    for (const { listener, topic } of await this.visible(matches)) {
      const found = names.get(listener) ?? new Set();
      names.set(listener, found.add(topic.name));
    }
    for (const [listener, of] of names) if (this.listeners.has(listener)) listener.changed([...of], batch.position);
  }

  private matchesOf(change: RelatedChange, only: Listener | undefined): Match[] {
    const keys = [change.table, keyText(change), ...change.related.flatMap((key) => keysBelow(key, change.table))];
    return keys.flatMap((key) =>
      [...(this.byKey.get(key) ?? [])]
        .filter((listener) => only === undefined || listener === only)
        .flatMap((listener) =>
          listener.topics.filter((topic) => topic.key === key).map((topic) => ({ listener, topic, change })),
        ),
    );
  }

  /**
   * Returns the matches that their listeners may know of: a firm's user those of changed rows that the firm sees, below
   * records that it still sees. Checked at each change, because both may have changed since the topic was accepted.
   */
  private async visible(matches: readonly Match[]): Promise<Match[]> {
    const { registry } = this.platform;
    const allowed = matches.filter(({ listener, topic }) =>
      topic.types.every((type) => mayRead(registry, listener.user, type)),
    );
    const byFirm = Map.groupBy(allowed, ({ listener }) => firmOf(listener.user));
    const found = await Promise.all(
      [...byFirm].map(async ([firm, of]) => {
        if (firm === null) return of;
        const seen = await visibleRecords(this.platform, firm, of.flatMap(keysToCheck));
        return of.filter((match) => isVisible(firm, match, seen));
      }),
    );
    return found.flat();
  }
}

/** Returns the keys that a change of a row of `table` has below a record. */
function keysBelow(key: RecordKey, table: string): string[] {
  return [keyText(key), `${keyText(key)}/${table}`];
}

function keysToCheck({ topic, change }: Match): RecordKey[] {
  return topic.record ? [change, { table: topic.record.type.root.table, id: topic.record.id }] : [change];
}

function isVisible(firm: number, { topic, change }: Match, seen: ReadonlySet<string>): boolean {
  const { record } = topic;
  // What belongs to the user, such as a notification, has no firm.
  if (topic.types.length === 0 && 'PersonID' in (change.record.collections ?? {})) return true;
  const isOwn = record?.type.root.table === change.table && record.id === change.id;
  const isChangeSeen = change.change === 'delete' ? wasVisible(firm, change.old) : seen.has(keyText(change));
  if (!record || isOwn) return isChangeSeen;
  return isChangeSeen && seen.has(keyText({ table: record.type.root.table, id: record.id }));
}

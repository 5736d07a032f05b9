import type { BusinessRules } from './business-rules.ts';
import type { RuleSets } from './rule-sets.ts';
import type { ChangeFeed } from '../changes/change-feed.ts';
import type { Cipher } from '../security/cipher.ts';
import type { Clock } from '../time/clock.ts';
import type { Configuration } from '../database/configuration.ts';
import type { Documents } from './documents.ts';
import type { FileWatch } from './file-watch.ts';
import type { EventLimit, Identity, LimitedEvent, SecurityEvent } from '../security/identity.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Operation } from '../declare/operation.ts';
import type { Providers } from './providers.ts';
import type { Queue } from './queue.ts';
import type { RecordEvents } from './record-events.ts';
import type { Registry } from '../declare/registry.ts';
import type { Settings } from '../declare/setting.ts';
import type { Usage } from './usage.ts';
import type { Store } from '../database/store.ts';
import type { SlowSearches } from '../records/search/slow-searches.ts';
import type { Sandbox } from '../xml/sandbox/sandbox.ts';

/** An unexpected error as the error log stores it. */
export interface ErrorEntry {
  readonly correlationId: string;
  readonly operation: string;
  readonly message: string;
  /** Stack frames; null for a note to operators, which is no failure of code. */
  readonly stack: string | null;
  readonly cause: string;
  readonly personId: number | null;
}

/** Records refusals and failures, each entry in its own transaction. */
export interface Journal {
  /** Months for which entries of the security log are kept at least, whatever the setting says. */
  readonly monthsMin: number;
  security(event: SecurityEvent, correlationId: string): Promise<void>;
  /**
   * Writes an event that its user may cause only so often. Returns 0 once it is written, or the seconds after which the
   * next is admitted; the first refusal is written as `{event}Refused`, those that follow are not. Counted in the
   * database, for all processes together.
   */
  limitedSecurity(event: LimitedEvent, limit: EventLimit, correlationId: string): Promise<number>;
  error(entry: ErrorEntry): Promise<void>;
}

/** Operations that are configuration instead of code: saved statements. */
export interface SavedOperations {
  find(module: string, path: string): Promise<Operation | undefined>;
}

/** The current version of a stylesheet. */
export interface Stylesheet {
  readonly id: number;
  readonly name: string;
  readonly text: string;
}

/** Stylesheets that are configuration: Transform records. */
export interface Stylesheets {
  /**
   * Returns a stylesheet by name, ignoring case, or by id.
   * @throws BAD_PARAMETER listing the nearest names
   */
  find(nameOrId: string): Promise<Stylesheet>;
}

/** The parts that the door needs, connected by the composition. */
export interface Platform {
  /** Record types and operations, with the custom fields as of the last refresh of `settings`. */
  readonly registry: Registry;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /**
   * `fresh` refreshes what is read synchronously: the settings and the registry. Returns undefined if they are up to
   * date.
   */
  readonly settings: Settings & { fresh(): Promise<void> | undefined };
  readonly configuration: Configuration;
  readonly cipher: Cipher;
  readonly identity: Identity;
  readonly usage: Usage;
  readonly providers: Providers;
  readonly queue: Queue;
  readonly documents: Documents;
  readonly fileWatch: FileWatch;
  readonly recordEvents: RecordEvents;
  /** Which records changed, in whatever process and way. */
  readonly changes: ChangeFeed;
  readonly slowSearches: SlowSearches;
  readonly journal: Journal;
  readonly savedOperations: SavedOperations;
  readonly stylesheets: Stylesheets;
  /** Where user-written stylesheets and XPath expressions run. */
  readonly sandbox: Sandbox;
  readonly businessRules: BusinessRules;
  readonly ruleSets: RuleSets;
}

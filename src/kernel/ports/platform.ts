import type { BusinessRules } from './business-rules.ts';
import type { Cipher } from '../security/cipher.ts';
import type { Clock } from '../time/clock.ts';
import type { Configuration } from '../database/configuration.ts';
import type { Documents } from './documents.ts';
import type { FileWatch } from './file-watch.ts';
import type { Identity, SecurityEvent } from '../security/identity.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Operation } from '../declare/operation.ts';
import type { Providers } from './providers.ts';
import type { Queue } from './queue.ts';
import type { RecordEvents } from './record-events.ts';
import type { Registry } from '../declare/registry.ts';
import type { Settings } from '../declare/setting.ts';
import type { Store } from '../database/store.ts';
import type { Sandbox } from '../xml/sandbox/sandbox.ts';

/** An unforeseen failure, as the error log keeps it. */
export interface ErrorEntry {
  readonly correlationId: string;
  readonly operation: string;
  readonly message: string;
  /** Where it happened; null of what is noted for operators and is no failure of code. */
  readonly stack: string | null;
  readonly cause: string;
  readonly personId: number | null;
}

/** Keeps what must be known of refusals and failures, each entry in a transaction of its own. */
export interface Journal {
  security(event: SecurityEvent, correlationId: string): Promise<void>;
  error(entry: ErrorEntry): Promise<void>;
}

/** Operations that are configuration rather than code: saved statements. */
export interface SavedOperations {
  find(module: string, path: string): Promise<Operation | undefined>;
}

/** A stylesheet as it stands when it is asked for. */
export interface Stylesheet {
  readonly id: number;
  readonly name: string;
  readonly text: string;
}

/** Stylesheets that are configuration: Transform records. */
export interface Stylesheets {
  /** By name without regard to case, or by id. @throws BAD_PARAMETER that lists the nearest names */
  find(nameOrId: string): Promise<Stylesheet>;
}

/** The parts that the door needs, connected by the composition. */
export interface Platform {
  /** What exists now: with the fields that the installation has added, as they were when `settings` were last fresh. */
  readonly registry: Registry;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** `fresh` brings up to date what is looked up without waiting: the settings, and the registry. */
  readonly settings: Settings & { fresh(): Promise<void> | undefined };
  readonly configuration: Configuration;
  readonly cipher: Cipher;
  readonly identity: Identity;
  readonly providers: Providers;
  readonly queue: Queue;
  readonly documents: Documents;
  readonly fileWatch: FileWatch;
  readonly recordEvents: RecordEvents;
  readonly journal: Journal;
  readonly savedOperations: SavedOperations;
  readonly stylesheets: Stylesheets;
  /** Where user-written stylesheets and XPath run. */
  readonly sandbox: Sandbox;
  readonly businessRules: BusinessRules;
}

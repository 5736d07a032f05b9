import { ChangeFeed } from '../kernel/changes/change-feed.ts';
import type { Cipher } from '../kernel/security/cipher.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { Configuration } from '../kernel/database/configuration.ts';
import type { Log } from '../kernel/ports/log.ts';
import { silentMetrics, type Metrics } from '../kernel/ports/metrics.ts';
import { defined } from '../kernel/parameters/defined.ts';
import type { Journal, Platform } from '../kernel/ports/platform.ts';
import { ProviderRegistry } from '../kernel/ports/providers.ts';
import { Registry, type Declarations } from '../kernel/declare/registry.ts';
import { Store, type Connection } from '../kernel/database/store.ts';
import { SlowSearches } from '../kernel/records/search/slow-searches.ts';
import { ThreadSandbox, type Sandbox, type SandboxLimits } from '../kernel/xml/sandbox/sandbox.ts';
import { StoredDocuments } from '../modules/documents/attachment/lib/stored-documents.ts';
import { StoredFileWatch } from '../modules/documents/fileobject/lib/watch/stored-file-watch.ts';
import { NamedConnections } from '../providers/import-engine/bulk/named-connections.ts';
import { UsageLimits } from '../modules/access/lib/usage-limits.ts';
import { StoredIdentity } from '../modules/access/person/lib/stored-identity.ts';
import { loadRoles } from '../modules/access/role/lib/load-roles.ts';
import { createStoredJournal } from '../modules/access/securitylog/lib/stored-journal.ts';
import { StoredSessions } from '../modules/access/session/lib/stored-sessions.ts';
import { StoredCustomFields } from '../modules/records/customfield/lib/stored-custom-fields.ts';
import { StoredRuleSets } from '../modules/records/any/lib/rule-set/stored-rule-sets.ts';
import { StoredBusinessRules } from '../modules/rules/businessrule/lib/stored-business-rules.ts';
import { StoredSettings } from '../modules/system/setting/lib/stored-settings.ts';
import { SavedStatements } from '../modules/reports/statement/lib/saved-statements.ts';
import { StoredStylesheets } from '../modules/reports/transform/lib/stored-stylesheets.ts';
import { WebhookEvents } from '../modules/integrations/webhook/lib/webhook-events.ts';
import { XsltRuleValidator } from '../providers/rule-validator/xslt/xslt-rule-validator.ts';
import { DEFAULT_RULE_VALIDATOR, RULE_VALIDATOR } from '../contracts/rule-validator.ts';
import { BossQueue } from '../surfaces/worker/boss-queue.ts';
import type { SecurityStream } from './security-stream.ts';
import { declarations } from './catalog.gen.ts';
import { registerImportEngines } from './import-engines.ts';
import { registerMail } from './mail.ts';
import { registerMailInbound } from './mail-inbound.ts';
import { registerMailHouses } from './mail-houses.ts';
import { registerPayments } from './payments.ts';
import { registerSources } from './sources.ts';
import { ChromiumPrinter } from '../lib/chromium/chromium-printer.ts';
import { chromiumCommand } from '../modules/documents/attachment/settings.ts';
import { registerConverters } from './converters.ts';
import { registerGenerators } from './generators.ts';
import { registerScoreEngines } from './score-engines.ts';
import { registerMalwareScanners } from './malware-scanners.ts';
import { registerStorages } from './storages.ts';
import { registerTextReaders } from './text-readers.ts';

/** What a platform needs from its process. */
export interface PlatformParts {
  readonly connection: Connection;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes entries of the security log besides the database; default: none. */
  readonly securityStream?: SecurityStream | undefined;
  /** Months for which the security log is kept at least; default: none. */
  readonly securityLogMonthsMin?: number | undefined;
  /** Default: nothing is counted. */
  readonly metrics?: Metrics;
  /** The folder of stored documents. */
  readonly filesFolder: string;
  /** The folder below which administrators may name storage locations; default: none on this machine. */
  readonly storagesFolder?: string;
  /** The folder that stores mail while no mail server is configured; without it mail cannot be sent then. */
  readonly mailFolder?: string;
  /** Whether this process takes over the jobs of dead workers. */
  readonly supervise: boolean;
  readonly connectionsMax?: number;
  /** Further databases that bulk imports may load into, by name. */
  readonly connections?: ReadonlyMap<string, Connection>;
  /** Declarations to use instead of the catalog's: tests add their own record types and operations. */
  readonly declarations?: Declarations;
  /** Limits of the stylesheets that users write; default: those of the sandbox. */
  readonly sandboxLimits?: SandboxLimits;
}

/** A connected platform, with the queue that workers claim jobs from. */
export interface RunningPlatform extends Platform {
  readonly queue: BossQueue;
  readonly providers: ProviderRegistry;
  stop(): Promise<void>;
}

/** Connects the modules to the kernel's ports on a migrated database. */
export async function createPlatform(parts: PlatformParts): Promise<RunningPlatform> {
  const { clock, cipher, log, connection } = parts;
  const store = new Store({ connection, log, ...defined({ connectionsMax: parts.connectionsMax }) });
  const configuration = new Configuration(store, clock);
  const settings = new StoredSettings(configuration, log);
  const types = new StoredCustomFields(new Registry(parts.declarations ?? declarations), configuration, log);
  const journal = createStoredJournal({
    store,
    clock,
    stream: parts.securityStream,
    monthsMin: parts.securityLogMonthsMin ?? 0,
  });
  const usage = new UsageLimits({ store, clock, settings, journal, log });
  const savedOperations = new SavedStatements(configuration, types.declared);
  await Promise.all([settings.fresh(), types.fresh()]);
  const stored: StoredParts = { store, configuration, settings, types, journal, usage, savedOperations };
  const queue = await BossQueue.open(connection, { cipher, clock, settings, log, supervise: parts.supervise });
  const sandbox = new ThreadSandbox(log, parts.sandboxLimits);
  const registered = await registerProviders(parts, stored, sandbox);
  const { providers, mail, mailboxes, storages, mailHouses, payments, connections, printer, textReaders } = registered;
  const slowSearches = new SlowSearches(store, clock, log);
  const changes = new ChangeFeed(store, log);
  return {
    get registry() {
      return types.registry;
    },
    store,
    clock,
    log,
    metrics: parts.metrics ?? silentMetrics,
    settings: {
      get: (definition) => settings.get(definition),
      fresh: refresherOf(configuration, settings, types, storages, mail, mailboxes, mailHouses, payments),
    },
    configuration,
    cipher,
    identity: identityOf(parts, stored),
    usage,
    providers,
    documents: new StoredDocuments({ providers, cipher, settings, clock }),
    fileWatch: new StoredFileWatch(),
    recordEvents: new WebhookEvents(configuration, types, log),
    changes,
    slowSearches,
    queue,
    journal,
    savedOperations,
    stylesheets: new StoredStylesheets(configuration),
    sandbox,
    businessRules: new StoredBusinessRules(configuration, settings),
    ruleSets: new StoredRuleSets(),
    async stop() {
      await changes.stop();
      await queue.stop();
      await slowSearches.settled();
      await sandbox.stop();
      textReaders.stop();
      printer.stop();
      await mail.close();
      await mailboxes.close();
      await payments.close();
      await storages.close();
      await connections.end();
      await store.end();
    },
  };
}

/** The parts of a platform that read its database. */
interface StoredParts {
  readonly store: Store;
  readonly configuration: Configuration;
  readonly settings: StoredSettings;
  readonly types: StoredCustomFields;
  readonly journal: Journal;
  readonly usage: UsageLimits;
  readonly savedOperations: SavedStatements;
}

function identityOf({ clock, cipher }: PlatformParts, stored: StoredParts): StoredIdentity {
  const { store, configuration, settings, types, journal, usage, savedOperations } = stored;
  return new StoredIdentity({
    store,
    clock,
    cipher,
    settings,
    configuration,
    journal,
    usage,
    sessions: new StoredSessions(store, clock, settings),
    rules: {
      loadRoles: async (db) => loadRoles(db, types.declared.permissions(), await savedOperations.permissions()),
    },
  });
}

/** The registered providers, and those of them that must be refreshed and closed. */
interface RegisteredProviders {
  readonly providers: ProviderRegistry;
  readonly mail: Awaited<ReturnType<typeof registerMail>>;
  readonly mailboxes: Awaited<ReturnType<typeof registerMailInbound>>;
  readonly storages: Awaited<ReturnType<typeof registerStorages>>;
  readonly mailHouses: Awaited<ReturnType<typeof registerMailHouses>>;
  readonly payments: Awaited<ReturnType<typeof registerPayments>>;
  readonly connections: NamedConnections;
  readonly printer: ChromiumPrinter;
  readonly textReaders: ReturnType<typeof registerTextReaders>;
}

async function registerProviders(
  parts: PlatformParts,
  { store, configuration, settings }: StoredParts,
  sandbox: Sandbox,
): Promise<RegisteredProviders> {
  const { clock, cipher, log, filesFolder, storagesFolder, mailFolder } = parts;
  const providers = new ProviderRegistry();
  const mail = await registerMail(providers, { folder: mailFolder, settings, configuration, cipher, log });
  const mailboxes = await registerMailInbound(providers, { settings, configuration, cipher, log });
  const storages = await registerStorages(providers, {
    filesFolder,
    store,
    clock,
    settings,
    configuration,
    cipher,
    log,
    ...defined({ storagesFolder }),
  });
  const mailHouses = await registerMailHouses(providers, { settings, configuration, cipher, log });
  const payments = await registerPayments(providers, { store, clock, settings, configuration, cipher, log });
  providers.register(RULE_VALIDATOR, DEFAULT_RULE_VALIDATOR, new XsltRuleValidator(sandbox));
  registerSources(providers, { store, settings, cipher });
  const connections = new NamedConnections(parts.connections ?? new Map<string, Connection>(), log);
  registerImportEngines(providers, { settings, connections });
  registerScoreEngines(providers);
  const printer = new ChromiumPrinter(() => settings.get(chromiumCommand));
  registerGenerators(providers, printer);
  registerConverters(providers, { printer, settings });
  registerMalwareScanners(providers, settings);
  const textReaders = registerTextReaders(providers);
  return { providers, mail, mailboxes, storages, mailHouses, payments, connections, printer, textReaders };
}

/**
 * Returns a function that refreshes everything that is read synchronously, and returns undefined if it is up to date.
 * Runs on every call, so it checks the parts only after configuration has changed.
 */
function refresherOf(
  configuration: Configuration,
  ...parts: readonly { fresh(): Promise<void> | undefined }[]
): () => Promise<void> | undefined {
  let refreshed: number | undefined;
  return () => {
    const { generation } = configuration;
    if (!configuration.ensureFresh() && generation === refreshed) return undefined;
    const waiting = parts.flatMap((part) => part.fresh() ?? []);
    if (waiting.length > 0) return Promise.all(waiting).then(() => undefined);
    refreshed = generation;
    return undefined;
  };
}

import { BlockList } from 'node:net';
import type { Cipher } from '../kernel/security/cipher.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { Configuration } from '../kernel/database/configuration.ts';
import type { Log } from '../kernel/ports/log.ts';
import { silentMetrics, type Metrics } from '../kernel/ports/metrics.ts';
import type { Platform } from '../kernel/ports/platform.ts';
import { ProviderRegistry } from '../kernel/ports/providers.ts';
import { Registry, type Declarations } from '../kernel/declare/registry.ts';
import { Store, type Connection } from '../kernel/database/store.ts';
import { ThreadSandbox } from '../kernel/xml/sandbox/sandbox.ts';
import { StoredDocuments } from '../modules/documents/attachment/lib/stored-documents.ts';
import { StoredFileWatch } from '../modules/documents/fileobject/lib/watch/stored-file-watch.ts';
import { hashOfKey, isAllowed, networkList } from '../modules/access/apikey/lib/api-key.ts';
import { NamedConnections } from '../providers/import-engine/bulk/named-connections.ts';
import { StoredIdentity } from '../modules/access/person/lib/stored-identity.ts';
import { loadRoles } from '../modules/access/role/lib/load-roles.ts';
import { createStoredJournal } from '../modules/access/securitylog/lib/stored-journal.ts';
import { StoredSessions } from '../modules/access/session/lib/stored-sessions.ts';
import { StoredCustomFields } from '../modules/records/customfield/lib/stored-custom-fields.ts';
import { StoredBusinessRules } from '../modules/rules/businessrule/lib/stored-business-rules.ts';
import { StoredSettings } from '../modules/system/setting/lib/stored-settings.ts';
import { SavedStatements } from '../modules/reports/statement/lib/saved-statements.ts';
import { StoredStylesheets } from '../modules/reports/transform/lib/stored-stylesheets.ts';
import { WebhookEvents } from '../modules/integrations/webhook/lib/webhook-events.ts';
import { XsltRuleValidator } from '../providers/rule-validator/xslt/xslt-rule-validator.ts';
import { DEFAULT_RULE_VALIDATOR, RULE_VALIDATOR } from '../contracts/rule-validator.ts';
import { BossQueue } from '../surfaces/worker/boss-queue.ts';
import { declarations } from './catalog.gen.ts';
import { registerImportEngines } from './import-engines.ts';
import { registerMail } from './mail.ts';
import { registerSources } from './sources.ts';
import { registerScoreEngines } from './score-engines.ts';
import { registerStorages } from './storages.ts';

/** What a platform is made on. */
export interface PlatformParts {
  readonly connection: Connection;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly log: Log;
  /** Where it is left out, nothing is counted. */
  readonly metrics?: Metrics;
  /** The folder of stored documents. */
  readonly filesFolder: string;
  /** The folder below which administrators may name storage locations; without it they name none on this machine. */
  readonly storagesFolder?: string;
  /** The folder in which mail is kept where no mail server is configured; without it there is no sending then. */
  readonly mailFolder?: string;
  /** Whether this process takes over the jobs of workers that died. */
  readonly supervise: boolean;
  readonly connectionsMax?: number;
  /** Databases beside this one that bulk imports may load into, by name. */
  readonly connections?: ReadonlyMap<string, Connection>;
  /** What modules declare where it is not the catalog's: tests add record types and operations of their own. */
  readonly declarations?: Declarations;
}

/** A connected platform, with the queue that workers take their jobs from. */
export interface RunningPlatform extends Platform {
  readonly queue: BossQueue;
  readonly providers: ProviderRegistry;
  stop(): Promise<void>;
}

/** Connects the modules to the kernel's ports on a migrated database. */
export async function createPlatform(parts: PlatformParts): Promise<RunningPlatform> {
  const { clock, cipher, log, connection } = parts;
  const store = new Store({
    connection,
    log,
    ...(parts.connectionsMax === undefined ? {} : { connectionsMax: parts.connectionsMax }),
  });
  const configuration = new Configuration(store, clock);
  const settings = new StoredSettings(configuration, log);
  const types = new StoredCustomFields(new Registry(parts.declarations ?? declarations), configuration, log);
  const journal = createStoredJournal(store, clock);
  const saved = new SavedStatements(configuration, types.declared);
  await refreshAll(settings, types);
  const identity = new StoredIdentity({
    store,
    clock,
    settings,
    configuration,
    journal,
    sessions: new StoredSessions(store, clock, settings),
    rules: {
      loadRoles: async (db) => loadRoles(db, [...types.declared.permissions(), ...(await saved.permissions())]),
      hashOfKey,
      networkList,
      emptyNetworkList: () => new BlockList(),
      isAllowed,
    },
  });
  const queue = await BossQueue.open(connection, { cipher, clock, settings, log, supervise: parts.supervise });
  const sandbox = new ThreadSandbox(log);
  const providers = new ProviderRegistry();
  const { filesFolder, storagesFolder } = parts;
  const mail = await registerMail(providers, { folder: parts.mailFolder, settings, configuration, cipher, log });
  const storages = await registerStorages(providers, {
    filesFolder,
    ...(storagesFolder === undefined ? {} : { storagesFolder }),
    store,
    clock,
    settings,
    configuration,
    cipher,
    log,
  });
  providers.register(RULE_VALIDATOR, DEFAULT_RULE_VALIDATOR, new XsltRuleValidator(sandbox));
  registerSources(providers, { store, settings, cipher });
  const connections = new NamedConnections(parts.connections ?? new Map<string, Connection>(), log);
  registerImportEngines(providers, { settings, connections });
  registerScoreEngines(providers);
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
      fresh: () => refreshAll(settings, types, storages, mail),
    },
    configuration,
    cipher,
    identity,
    providers,
    documents: new StoredDocuments(providers, cipher),
    fileWatch: new StoredFileWatch(),
    recordEvents: new WebhookEvents(configuration, types, log),
    queue,
    journal,
    savedOperations: saved,
    stylesheets: new StoredStylesheets(configuration),
    sandbox,
    businessRules: new StoredBusinessRules(configuration, settings, clock),
    async stop() {
      await queue.stop();
      await sandbox.stop();
      await mail.close();
      await storages.close();
      await connections.end();
      await store.end();
    },
  };
}

/** Brings up to date all that is looked up without waiting; undefined where it is. */
function refreshAll(...parts: readonly { fresh(): Promise<void> | undefined }[]): Promise<void> | undefined {
  const waiting = parts.flatMap((part) => part.fresh() ?? []);
  return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => undefined);
}

import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, posix } from 'node:path';
import { loggableMessage } from '../../kernel/database/database-error.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { fitsFileName } from '../../kernel/documents/file-names.ts';
import { invoke } from '../../kernel/door/invoke.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { parseRoute } from '../../kernel/door/route.ts';
import type { SftpAccount, SftpAccounts, SftpContent, SftpDelivery } from '../../contracts/sftp-accounts.ts';
import type { Db } from '../../kernel/database/store.ts';
import { DueFiles, type DueFile } from './due-files.ts';
import { Home, takenPath } from './home.ts';

/** How often due files are polled. */
const POLL_MILLISECONDS = 1_000;
/** Most files of one pass, and how many are imported at once. */
const FILES_MAX = 100;
const PARALLEL_MAX = 4;
/** Most attempts of an import that fails for a transient reason; the wait doubles from the first. */
const ATTEMPTS_MAX = 10;
const WAIT_MILLISECONDS = 5_000;
/** Time after which an import without a trace is certain to have died with its server. */
const ABANDONED_MILLISECONDS = 5 * 60_000;
/** How long a file waits whose account is inactive. */
const INACTIVE_MILLISECONDS = 60_000;

/** Codes of failures that may pass. */
const transientCodes: ReadonlySet<string> = new Set([
  'CONCURRENT_CHANGE',
  'TOO_MANY',
  'TIMED_OUT',
  'UNAVAILABLE',
  'INTERNAL',
]);

/** What the importer depends on. */
export interface ImporterParts {
  readonly platform: Platform;
  readonly accounts: SftpAccounts;
  readonly folder: string;
}

/**
 * Imports complete files: each is moved out of its home, sent through the door as the account's user, and removed. The
 * call's idempotency key is the file's id, so that a crash between import and removal imports nothing twice.
 */
export class Importer {
  private readonly parts: ImporterParts;
  private readonly due: DueFiles;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isRunning = false;
  private isStopped = false;

  constructor(parts: ImporterParts) {
    this.parts = parts;
    this.due = new DueFiles(parts.platform.store, parts.platform.clock);
  }

  start(): void {
    this.timer = setInterval(() => {
      if (!this.isRunning) void this.run();
    }, POLL_MILLISECONDS);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.running;
  }

  /** Runs one pass over the due files, after the one that runs. */
  run(): Promise<void> {
    this.running = this.running.then(async () => {
      this.isRunning = true;
      await this.pass().catch((error: unknown) =>
        this.parts.platform.log.error('sftp import failed', { error: loggableMessage(error) }),
      );
      this.isRunning = false;
    });
    return this.running;
  }

  private async pass(): Promise<void> {
    const ids = [...(await this.due.ids(FILES_MAX))];
    const work = async (): Promise<void> => {
      for (let id = ids.shift(); id !== undefined && !this.isStopped; id = ids.shift()) await this.processFile(id);
    };
    await Promise.all(Array.from({ length: PARALLEL_MAX }, work));
  }

  /** Runs the three steps, each committed before the next: after a crash it resumes at the first uncommitted one. */
  private async processFile(id: number): Promise<void> {
    try {
      await this.due.withClaim(id, (db, file) => this.decide(db, file));
      await this.due.withClaim(id, (db, file) => this.takeOut(db, file));
      await this.due.withClaim(id, (db, file) => this.import(db, file));
    } catch (error) {
      this.parts.platform.log.error('sftp file failed', { fileId: id, error: loggableMessage(error) });
      await this.due
        .withClaim(id, (db, file) => this.due.postpone(db, file.id, WAIT_MILLISECONDS, file.attempts))
        .catch(() => undefined);
    }
  }

  /** Decides whether to import a complete file. */
  private async decide(db: Db, file: DueFile): Promise<void> {
    if (file.state !== 'Complete' || file.path === null) return;
    const delivery = await this.parts.accounts.delivery(file.accountId);
    if (!delivery) return this.due.postpone(db, file.id, INACTIVE_MILLISECONDS, 0);
    const { account, template, hasTemplate, fileNames } = delivery;
    // Without a template nothing would be stored of the file; it waits until someone creates one.
    if (!hasTemplate) {
      if (file.attempts === 0) await this.logNotImported(file, account, `there is no import template ${template}`);
      return this.due.postpone(db, file.id, INACTIVE_MILLISECONDS, 1);
    }
    if (fileNames && !fitsFileName(fileNames, file.fileName))
      return this.leaveInHome(db, file, account, 'its name fits none of the patterns');
    const home = await Home.open(this.parts.folder, account.id);
    const stats = await home.stat(file.path).catch(() => undefined);
    // Someone removed it from the folder directly.
    if (!stats) return this.due.remove(db, file.id);
    if (stats.size !== file.size)
      return this.leaveInHome(db, file, account, 'it is not as it was when it was complete');
    await this.due.markTaking(db, file.id);
  }

  /** Moves the file out of the home. */
  private async takeOut(db: Db, file: DueFile): Promise<void> {
    if (file.state !== 'Taking' || file.path === null) return;
    const target = takenPath(this.parts.folder, file.accountId, file.id);
    if (!(await fileExists(target))) {
      const home = await Home.open(this.parts.folder, file.accountId);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await rename(await home.locate(file.path), target);
    }
    await this.due.markTaken(db, file.id);
  }

  private async import(db: Db, file: DueFile): Promise<void> {
    if (file.state !== 'Taken') return;
    const place = takenPath(this.parts.folder, file.accountId, file.id);
    // The file is removed already; only the row is left.
    if (!(await fileExists(place))) return this.due.remove(db, file.id);
    const delivery = await this.parts.accounts.delivery(file.accountId);
    if (!delivery) return this.due.postpone(db, file.id, INACTIVE_MILLISECONDS, file.attempts);
    const { account } = delivery;
    const failure = await this.send(file, delivery, place);
    if (failure === undefined) {
      await rm(place, { force: true });
      return this.due.remove(db, file.id);
    }
    if (transientCodes.has(failure.code) && file.attempts + 1 < ATTEMPTS_MAX)
      return this.due.postpone(db, file.id, WAIT_MILLISECONDS * 2 ** file.attempts, file.attempts + 1);
    await this.putBack(db, file, place, { account, failure });
  }

  /** Sends the file through the door. Returns why it was refused, or undefined if it is imported or queued. */
  private async send(
    file: DueFile,
    { account, template }: SftpDelivery,
    place: string,
  ): Promise<PlatformError | undefined> {
    const { platform, accounts } = this.parts;
    const since = file.takenDate ?? platform.clock.now();
    const isCutOff = file.attempts > 0 && platform.clock.milliseconds() - Date.parse(since) > ABANDONED_MILLISECONDS;
    // The idempotency key of an interrupted call cannot be claimed again; by now it is certain that the call did
    // nothing.
    const key = `sftp file ${file.id}${isCutOff ? ` ${file.attempts}` : ''}`;
    try {
      if (
        file.attempts > 0 &&
        (await accounts.importedSince(account.personId, await contentOf(place), since)) !== undefined
      )
        return undefined;
      await invoke(platform, {
        route: parseRoute(platform.registry, ['import', template], 'POST'),
        parameters: { PreTransform_FileName: file.fileName },
        principal: await platform.identity.ofPerson(account.personId),
        address: 'sftp',
        surface: 'sftp',
        cause: [`SftpAccount ${account.id}`],
        correlationId: randomUUID(),
        body: { mime: 'application/octet-stream', bytes: bytesOf(place) },
        idempotency: { key, request: key, render: () => ({ status: 200, headers: {}, body: '' }) },
      });
      platform.log.info('sftp file imported', { accountId: account.id, fileId: file.id, bytes: file.size });
      return undefined;
    } catch (error) {
      if (error instanceof PlatformError) return error;
      throw error;
    }
  }

  /** Puts a refused file back where the firm sees it; it is tried again when written or renamed. */
  private async putBack(
    db: Db,
    file: DueFile,
    place: string,
    { account, failure }: { readonly account: SftpAccount; readonly failure: PlatformError },
  ): Promise<void> {
    const home = await Home.open(this.parts.folder, account.id);
    for (let i = 0; ; i++) {
      // Another file may have its name by now, and its folder may be gone.
      const path = posix.join('/', i === 0 ? file.fileName : `${String(i)}-${file.fileName}`);
      try {
        await link(place, await home.locate(path));
        await rm(place);
        await this.due.markLeft(db, file.id, failure.message, path);
        await this.logNotImported(file, account, `${failure.code}: ${failure.message}`);
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || i >= FILES_MAX) throw error;
      }
    }
  }

  private async leaveInHome(db: Db, file: DueFile, account: SftpAccount, why: string): Promise<void> {
    await this.due.markLeft(db, file.id, why);
    await this.logNotImported(file, account, why);
  }

  /** Logs a file that is not imported, once, where administrators look. */
  private async logNotImported(file: DueFile, account: SftpAccount, why: string): Promise<void> {
    const { platform } = this.parts;
    platform.log.warn('sftp file not imported', { accountId: account.id, fileId: file.id });
    await platform.journal.security(
      {
        event: 'SftpFileLeft',
        personId: account.personId,
        object: 'SftpAccount',
        objectId: account.id,
        detail: `${file.fileName.slice(0, 200)}: ${why}`.slice(0, 400),
      },
      '',
    );
  }
}

async function fileExists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function contentOf(path: string): Promise<SftpContent> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of bytesOf(path)) {
    hash.update(piece);
    size += piece.length;
  }
  return { hash: hash.digest('hex'), size };
}

/** Opens the file at the first read: a call that only repeats a stored answer reads nothing. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array, void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  yield* handle.createReadStream() as AsyncIterable<Uint8Array>;
}

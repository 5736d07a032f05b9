import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { once } from 'node:events';
import { Store, type Connection, type Db } from '../kernel/database/store.ts';
import { silentLog } from '../kernel/ports/log.ts';
import { checkLedgers } from '../modules/ledgers/public/check-ledgers.ts';
import { writeJournal } from '../modules/ledgers/public/ledger-journal.ts';
import { ConfigurationError } from './configuration-error.ts';

/** What to check, and where to write the journal. */
export interface LedgerCheckOptions {
  readonly connection: Connection;
  /** The file of the journal; undefined for none. It must not exist. */
  readonly journal: string | undefined;
  readonly print: (line: string) => void;
}

/**
 * Compares the stored balances of all ledgers with their lines while the installation serves, and exports their
 * journal. Throws if anything differs.
 */
export async function ledgerCheck({ connection, journal, print }: LedgerCheckOptions): Promise<void> {
  const store = new Store({
    connection,
    log: silentLog,
    connectionsMax: 1,
    applicationName: 'casewright ledger-check',
  });
  const read = <T>(run: (db: Db) => Promise<T>): Promise<T> =>
    store.transaction({ personId: null, firm: null, callId: 'ledger-check' }, run, 'read');
  try {
    const { ledgers, lines, differences } = await read(checkLedgers);
    if (journal !== undefined) {
      await read((db) => exportJournal(db, journal));
      print(`the journal is in ${journal}`);
    }
    for (const difference of differences) print(difference);
    if (differences.length > 0)
      throw new ConfigurationError(
        'the balances above differ from their lines. ledger/calculate with RecalculateItem=false totals a ledger',
      );
    print(`${ledgers} ledgers with ${lines} lines: every balance matches its lines; the trial balance is zero`);
  } finally {
    await store.end();
  }
}

async function exportJournal(db: Db, file: string): Promise<void> {
  const stream = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  await once(stream, 'open').catch((error: unknown) => {
    throw new ConfigurationError(
      `--journal: ${file} cannot be created (${(error as NodeJS.ErrnoException).code ?? ''})`,
    );
  });
  await writeJournal(db, async (text) => {
    if (!stream.write(text)) await once(stream, 'drain');
  });
  stream.end();
  await finished(stream);
}

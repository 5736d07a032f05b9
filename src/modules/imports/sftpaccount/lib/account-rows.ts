import { createHash } from 'node:crypto';
import type { SftpAccount } from '../../../../contracts/sftp-accounts.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { fingerprintOf } from './keys.ts';

/** A stored account. */
export interface AccountRow {
  readonly sftpaccountid: number;
  readonly sftpaccount: string;
  readonly status: string | null;
  readonly personid: number;
  readonly environment: string | null;
  readonly publickeys: string | null;
  readonly allowednetworks: string | null;
  readonly template: string | null;
  readonly filenames: string | null;
  readonly password: string | null;
}

const columns =
  'sftpaccountid, sftpaccount, status, personid, environment, publickeys, allowednetworks, template, ' +
  'filenames, password';

/** Finds an account by name, ignoring case. */
export async function accountByName(db: Db, name: string): Promise<AccountRow | undefined> {
  const [row] = await db.query<AccountRow>(`select ${columns} from sftpaccount where sftpaccount = $1::text`, [name]);
  return row;
}

/** Finds an account by id. */
export async function accountById(db: Db, id: number): Promise<AccountRow | undefined> {
  const [row] = await db.query<AccountRow>(`select ${columns} from sftpaccount where sftpaccountid = $1::bigint`, [id]);
  return row;
}

/** Returns the networks of all usable accounts of an environment, comma-separated. */
export async function expectedNetworks(db: Db, environment: string): Promise<string> {
  const rows = await db.query<{ networks: string }>(
    `select distinct allowednetworks as networks from sftpaccount where lower(status) = 'active'
      and environment = $1::text and allowednetworks is not null order by 1`,
    [environment],
  );
  return rows.map((row) => row.networks).join(',');
}

/** Returns the account as the sFTP server sees it. */
export function toAccount(row: AccountRow): SftpAccount {
  return { id: row.sftpaccountid, name: row.sftpaccount, personId: row.personid };
}

/** Returns the fingerprints of the account's keys. */
export function keyFingerprints(row: AccountRow): readonly string[] {
  return (row.publickeys ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => fingerprintOf(Buffer.from(line.split(' ')[1] ?? '', 'base64')));
}

/** Returns a digest that identifies the password in a session: changing or removing the password ends the session. */
export function passwordProof(row: AccountRow): string | undefined {
  return row.password === null ? undefined : `password ${createHash('sha256').update(row.password).digest('hex')}`;
}

import { createHash } from 'node:crypto';
import type { SftpAccount } from '../../../../contracts/sftp-accounts.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { fingerprintOf } from './keys.ts';

/** An account as it is stored. */
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
  'sftpaccountid, sftpaccount, status, personid, environment, publickeys, allowednetworks, template, filenames, password';

/** The account of a name, which is compared without case, or undefined. */
export async function accountByName(db: Db, name: string): Promise<AccountRow | undefined> {
  const [row] = await db.query<AccountRow & Record<string, unknown>>(
    `select ${columns} from sftpaccount where sftpaccount = $1::text`,
    [name],
  );
  return row;
}

/** The account of an id, or undefined. */
export async function accountById(db: Db, id: number): Promise<AccountRow | undefined> {
  const [row] = await db.query<AccountRow & Record<string, unknown>>(
    `select ${columns} from sftpaccount where sftpaccountid = $1::bigint`,
    [id],
  );
  return row;
}

/** The networks of all accounts that can be signed in to in an environment. */
export async function expectedNetworks(db: Db, environment: string): Promise<string> {
  const rows = await db.query<{ networks: string }>(
    "select distinct allowednetworks as networks from sftpaccount where lower(status) = 'active' and environment = $1::text and allowednetworks is not null order by 1",
    [environment],
  );
  return rows.map((row) => row.networks).join(',');
}

/** An account as the server knows it. */
export function toAccount(row: AccountRow): SftpAccount {
  return { id: row.sftpaccountid, name: row.sftpaccount, personId: row.personid };
}

/** The fingerprints of the keys that an account has. */
export function keyFingerprints(row: AccountRow): readonly string[] {
  return (row.publickeys ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => fingerprintOf(Buffer.from(line.split(' ')[1] ?? '', 'base64')));
}

/** What stands for a password in a session: another one, or none, ends it. */
export function passwordProof(row: AccountRow): string | undefined {
  return row.password === null ? undefined : `password ${createHash('sha256').update(row.password).digest('hex')}`;
}

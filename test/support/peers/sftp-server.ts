import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { newHostKey } from '../../../src/app/sftp-host-keys.ts';
import { serveSftp } from '../../../src/app/sftp.ts';
import type { RunningSftpServer } from '../../../src/surfaces/sftp/server.ts';
import { atEnd } from '../at-end.ts';
import type { CleanUp } from '../database.ts';
import { OpenSsh, type Peer } from './openssh.ts';
import { testPlatform, type TestPlatform, type TestPlatformOptions } from '../platform.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** An account that a test created. */
export interface TestAccount {
  readonly id: number;
  readonly name: string;
  readonly firm: Awaited<ReturnType<TestPlatform['firm']>>;
  readonly peer: Peer;
  /** The account's home folder on disk. */
  readonly home: string;
  /** The files in the home folder. */
  files(): readonly string[];
}

/** An sFTP server on its own platform, and OpenSSH's client. */
export interface TestSftp {
  readonly p: TestPlatform;
  readonly server: RunningSftpServer;
  readonly client: OpenSsh;
  readonly folder: string;
  /** Creates a firm with an account that signs in with its own key. */
  account(name: string, fields?: Readonly<Record<string, string>>): Promise<TestAccount>;
  /** Changes an account. */
  save(id: number, fields: Readonly<Record<string, string>>): Promise<void>;
  set(setting: string, value: string): Promise<void>;
  /** Returns the account's events in the security log, oldest first, with their details. */
  events(event: string): Promise<readonly string[]>;
}

/** Starts a server; everything is stopped at the end. Files are due for import at once. */
export async function testSftp(cleanUp: CleanUp, options: TestPlatformOptions = {}): Promise<TestSftp> {
  const p = await testPlatform(cleanUp, options);
  const folder = temporaryFolder(cleanUp);
  const server = await serveSftp(p.platform, {
    host: '127.0.0.1',
    port: 0,
    folder,
    hostKeys: { keys: [newHostKey()], fingerprints: [] },
  });
  atEnd(cleanUp, () => server.stop());
  const client = new OpenSsh(cleanUp);
  const post = async (path: string, fields: Readonly<Record<string, string>>): Promise<Record<string, unknown>> => {
    const answer = await p.admin.post(`/api/${path}?Output=Json`, fields);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json();
  };
  const known = new Map<string, string>();
  const set: TestSftp['set'] = async (setting, value) => {
    const id = known.get(setting);
    const saved = await post('setting/save', {
      Setting: setting,
      Value: value,
      ...(id === undefined ? {} : { ID: id }),
    });
    known.set(setting, String(saved['SettingID']));
    p.platform.configuration.expire();
  };
  await set('SftpQuietSeconds', '0');
  return {
    p,
    server,
    client,
    folder,
    set,
    save: async (id, fields) => {
      await post('sftpaccount/save', { ID: String(id), ...fields });
    },
    async account(name, fields = {}) {
      const firm = await p.firm(`Firm of ${name}`);
      const key = client.key(`key-of-${name}`);
      const made = await post('sftpaccount/save', {
        SftpAccount: name,
        PersonID: String(firm.personId),
        PublicKeys: key.line,
        AllowedNetworks: '127.0.0.0/8',
        ...fields,
      });
      const id = Number(made['SftpAccountID']);
      const home = join(folder, String(id), 'home');
      return {
        id,
        name,
        firm,
        home,
        peer: { port: server.port, user: name, key: key.file },
        files: () => (existsSync(home) ? readdirSync(home).sort() : []),
      };
    },
    async events(event) {
      const rows = await p.platform.store.query<{ detail: string | null }>(
        'select detail from securitylog where securitylog = $1::text order by securitylogid',
        [event],
      );
      return rows.map((row) => row.detail ?? '');
    },
  };
}

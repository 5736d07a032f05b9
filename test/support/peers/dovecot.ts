import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { atEnd } from '../at-end.ts';
import type { CleanUp } from '../database.ts';
import { eventually } from '../eventually.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { certificate } from './certificate.ts';
import { installProgram } from './debian-packages.ts';

const DOVECOT = '/usr/sbin/dovecot';
/** Dovecot serves no mail as root: then it does as this user. */
const NOBODY = 65_534;

/** Installs Debian's Dovecot if possible. Returns the reason if it is not. */
export function installDovecot(log: (line: string) => void): string | undefined {
  return installProgram(DOVECOT, { name: 'Dovecot', packages: ['dovecot-imapd'], log });
}

/** Why its tests are skipped; false if it is installed. */
export const withoutDovecot: string | false = existsSync(DOVECOT) ? false : 'Dovecot is not installed';

/** A mail server with mailboxes in folders on this machine. */
export interface Dovecot {
  readonly host: string;
  /** Ports of STARTTLS or no encryption, and of TLS. */
  readonly port: number;
  readonly tlsPort: number;
  /** The certificate of both, in PEM. */
  readonly authority: string;
  /** The password of every mailbox. */
  readonly password: string;
  /** Stores a mail as the server would; returns its file. The mailbox and folder are created if needed. */
  deliver(user: string, raw: Buffer, folder?: string): void;
  /** The raw mails of a folder. */
  mails(user: string, folder?: string): readonly string[];
  /** Runs doveadm. */
  doveadm(...parameters: readonly string[]): string;
  /** Changes UIDVALIDITY of an INBOX. */
  renumber(user: string): void;
  /** Ends all connections. */
  dropConnections(): void;
  stop(): void;
  start(): Promise<void>;
}

/** What tests set differently. */
export interface DovecotOptions {
  /** The address that says whether an access token is valid (RFC 7662), for OAuth 2 instead of passwords. */
  readonly introspection?: string;
}

/** Starts a server on local ports, for any user name with one password. */
export async function startDovecot(cleanUp: CleanUp, options: DovecotOptions = {}): Promise<Dovecot> {
  const own = temporaryFolder(cleanUp);
  const [port, tlsPort] = await freePorts();
  const password = 'mailbox-password-1';
  const homes = join(own, 'homes');
  ownedFolder(homes);
  writeFileSync(join(own, 'cert.pem'), certificate.cert);
  writeFileSync(join(own, 'key.pem'), certificate.key);
  const file = join(own, 'dovecot.conf');
  writeFileSync(file, configuration({ own, port, tlsPort, password, options }));
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn(DOVECOT, ['-F', '-c', file], { stdio: 'ignore' });
    await eventually('Dovecot listens', () => existsSync(join(own, 'run', 'master.pid')));
  };
  const stop = (): void => {
    child?.kill('SIGKILL');
    for (const pid of processesOf(own)) kill(pid);
    rmSync(join(own, 'run', 'master.pid'), { force: true });
    child = undefined;
  };
  const folderOf = (user: string, folder = 'INBOX'): string => {
    const home = join(homes, user);
    const mailbox = join(home, 'Maildir', ...(folder === 'INBOX' ? [] : [`.${folder}`]));
    const folders = ['cur', 'new', 'tmp'].map((name) => join(mailbox, name));
    for (const each of [home, join(home, 'Maildir'), mailbox, ...folders]) ownedFolder(each);
    return mailbox;
  };
  const doveadm = (...parameters: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync('doveadm', ['-c', file, ...parameters], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`doveadm ${parameters.join(' ')}: ${stderr}`);
    return stdout;
  };
  let validity = 7;
  let delivered = 0;
  atEnd(cleanUp, stop);
  await start();
  return {
    host: 'localhost',
    port,
    tlsPort,
    authority: certificate.cert,
    password,
    deliver(user, raw, folder) {
      const mailbox = folderOf(user, folder);
      // Names in order of delivery: the server numbers new mails by them.
      const name = `${String(1_700_000_000 + delivered++)}.M${process.pid}.localhost`;
      writeFileSync(join(mailbox, 'tmp', name), raw, { mode: 0o644 });
      owned(join(mailbox, 'tmp', name));
      renameSync(join(mailbox, 'tmp', name), join(mailbox, 'new', name));
    },
    mails(user, folder) {
      const mailbox = folderOf(user, folder);
      return ['cur', 'new'].flatMap((name) =>
        readdirSync(join(mailbox, name)).map((each) => readFileSync(join(mailbox, name, each), 'latin1')),
      );
    },
    doveadm,
    renumber(user) {
      validity++;
      doveadm('mailbox', 'update', '-u', user, '--uid-validity', String(validity), 'INBOX');
    },
    dropConnections: () => {
      for (const pid of processesOf(own, /^imap/)) kill(pid);
    },
    stop,
    start,
  };
}

function ownedFolder(folder: string): void {
  if (existsSync(folder)) return;
  mkdirSync(folder);
  owned(folder);
}

function owned(file: string): void {
  if (userInfo().uid === 0) chownSync(file, NOBODY, NOBODY);
}

interface Settings {
  readonly own: string;
  readonly port: number;
  readonly tlsPort: number;
  readonly password: string;
  readonly options: DovecotOptions;
}

function configuration({ own, port, tlsPort, password, options: { introspection } }: Settings): string {
  const { username, uid, gid } = userInfo();
  const isRoot = uid === 0;
  const mailUser = isRoot ? NOBODY : uid;
  if (introspection !== undefined)
    writeFileSync(
      join(own, 'oauth2.conf'),
      `introspection_url = ${introspection}\nintrospection_mode = post\nusername_attribute = username\n`,
    );
  const mechanism =
    introspection === undefined
      ? `passdb {\n  driver = static\n  args = password=${password}\n}`
      : `passdb {\n  driver = oauth2\n  mechanisms = xoauth2 oauthbearer\n  args = ${own}/oauth2.conf\n}`;
  return `
protocols = imap
base_dir = ${own}/run
state_dir = ${own}/state
log_path = ${own}/log
listen = 127.0.0.1
ssl = yes
ssl_cert = <${own}/cert.pem
ssl_key = <${own}/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain login ${introspection === undefined ? '' : 'xoauth2 oauthbearer'}
auth_verbose = no
auth_failure_delay = 0
default_internal_user = ${isRoot ? 'nobody' : username}
default_login_user = ${isRoot ? 'nobody' : username}
default_internal_group = ${isRoot ? 'nogroup' : String(gid)}
first_valid_uid = ${mailUser}
mail_location = maildir:~/Maildir
mail_max_userip_connections = 100
maildir_very_dirty_syncs = no
${mechanism}
userdb {
  driver = static
  args = uid=${mailUser} gid=${isRoot ? NOBODY : gid} allow_all_users=yes home=${own}/homes/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = ${tlsPort}
    ssl = yes
  }
}
service anvil {
  chroot =
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service auth {
  client_limit = 500
}
service imap {
  client_limit = 1
}
`;
}

/** Returns the processes of a server, by its folder in their environment or command, and their name. */
function processesOf(own: string, name = /./): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const about = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'latin1'));
        const isNamed = name.test(readFileSync(`/proc/${pid}/comm`, 'latin1'));
        return isNamed && pid !== process.pid && about.join().includes('dovecot') && about.join().includes(own);
      } catch {
        return false;
      }
    });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

async function freePorts(): Promise<readonly [number, number]> {
  const servers = [createServer(), createServer()];
  const [first = 0, second = 0] = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return (server.address() as AddressInfo).port;
    }),
  );
  await Promise.all(servers.map((server) => new Promise<void>((resolve) => void server.close(() => resolve()))));
  return [first, second];
}

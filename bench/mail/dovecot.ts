import { spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const DOVECOT = '/usr/sbin/dovecot';
/** Dovecot serves no mail as root: then it does as this user. */
const NOBODY = 65_534;
/** Most time for the server to start. */
const START_MILLISECONDS_MAX = 10_000;

/** Whether the mail server is installed. */
export const isDovecotInstalled = existsSync(DOVECOT);

/** The password of the mailbox. */
export const PASSWORD = 'mailbox-of-benchmarks';

/** A mail server on this machine with one mailbox. */
export interface MailboxServer {
  readonly port: number;
  stop(): void;
}

/** Starts Dovecot without encryption, with these mails in the INBOX of every user. */
export async function startDovecot(user: string, mails: readonly string[]): Promise<MailboxServer> {
  const own = mkdtempSync(join(tmpdir(), 'casewright-bench-mail-'));
  const port = await freePort();
  const { uid, gid } = userInfo();
  const [mailUser, mailGroup] = uid === 0 ? [NOBODY, NOBODY] : [uid, gid];
  const folder = (...parts: readonly string[]): string => {
    const path = join(own, ...parts);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const inbox = ['cur', 'new', 'tmp'].map((name) => folder('homes', user, 'Maildir', name));
  const files = mails.map((mail, n) => {
    const file = join(inbox[1] ?? '', `${1_700_000_000 + n}.M${process.pid}.localhost`);
    writeFileSync(file, mail);
    return file;
  });
  for (const path of [
    own,
    folder('homes'),
    folder('homes', user),
    folder('homes', user, 'Maildir'),
    ...inbox,
    ...files,
  ])
    chownSync(path, mailUser, mailGroup);
  const configuration = join(own, 'dovecot.conf');
  writeFileSync(configuration, configurationText({ own, port, mailUser, mailGroup }));
  const child = spawn(DOVECOT, ['-F', '-c', configuration], { stdio: 'ignore' });
  await started(join(own, 'run', 'master.pid'), child);
  return {
    port,
    stop() {
      child.kill('SIGTERM');
      rmSync(own, { recursive: true, force: true });
    },
  };
}

function configurationText(of: {
  readonly own: string;
  readonly port: number;
  readonly mailUser: number;
  readonly mailGroup: number;
}): string {
  const { own, port, mailUser, mailGroup } = of;
  const { username, uid, gid } = userInfo();
  return `protocols = imap
base_dir = ${own}/run
state_dir = ${own}/state
log_path = ${own}/log
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
default_internal_user = ${uid === 0 ? 'nobody' : username}
default_login_user = ${uid === 0 ? 'nobody' : username}
default_internal_group = ${uid === 0 ? 'nogroup' : String(gid)}
first_valid_uid = ${mailUser}
mail_location = maildir:~/Maildir
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${mailUser} gid=${mailGroup} home=${own}/homes/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
}
service anvil {
  chroot =
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
`;
}

async function started(pidFile: string, child: ChildProcess): Promise<void> {
  for (let waited = 0; waited < START_MILLISECONDS_MAX && child.exitCode === null; waited += 50) {
    if (existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '') return;
    await delay(50);
  }
  throw new Error('Dovecot did not start');
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificate } from '../peers/certificate.ts';
import { startMailApi } from '../peers/mail-api.ts';
import { startCardGateway } from '../peers/card-gateway.ts';
import { startMailHouse } from '../peers/mail-house.ts';
import { startMailServer } from '../peers/mail-server.ts';
import { startReceiver, type Receiver } from '../peers/receiver.ts';
import type { CleanUp } from '../database.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { saveReadersFiles } from './guide-files.ts';
import { callAsAdministrator, type GuideAccounts, recordsOfReaders } from './guide-premises.ts';
import { GuideShell, type GuideServer } from './guide-shell.ts';
import { runGuide, type StoryResult } from './guide-story.ts';

/** The reader's surroundings: programs and servers beside Casewright that guides mention. */
export interface Surroundings {
  /** A program that receives webhooks, at hooks.example.com. */
  readonly receiver: Receiver;
  /** API keys of users with the role that a guide asks for, by role. */
  readonly keys: Readonly<Record<string, string>>;
  /** What texts of the guides stand for here. */
  readonly texts: Readonly<Record<string, string>>;
  readonly keyFile: string;
}

/** Starts what is beside the server, and lets the server connect to it. */
export async function surroundings(
  cleanUp: CleanUp,
  server: GuideServer,
  accounts: GuideAccounts,
): Promise<Surroundings> {
  const receiver = await startReceiver(cleanUp);
  const folder = temporaryFolder(cleanUp, 'closed');
  const keyFile = join(folder, 'id_ed25519');
  const { status, stderr } = spawnSync('ssh-keygen', ['-q', '-N', '', '-t', 'ed25519', '-f', keyFile], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`ssh-keygen: ${stderr}`);
  await callAsAdministrator(accounts, 'setting/save', { Setting: 'OutboundHttpLoopback', Value: 'true' });
  await callAsAdministrator(accounts, 'setting/save', { Setting: 'OutboundAllowedNetworks', Value: '127.0.0.0/8' });
  // The sFTP server of somebody else is played by our own.
  const person = await callAsAdministrator(accounts, 'person/save', {
    Person: 'files.example',
    Roles: 'Staff',
  });
  const sftpAccount = await callAsAdministrator(accounts, 'sftpaccount/save', {
    SftpAccount: 'files.example',
    PersonID: person['PersonID'],
    AllowedNetworks: '127.0.0.0/8',
    FileNames: 'none',
  });
  const { Password } = await callAsAdministrator(accounts, 'sftpaccount/setpassword', {
    ID: sftpAccount['SftpAccountID'],
  });
  // The guide's own password follows on the line, and becomes a comment.
  const account = `-d UserName=files.example -d Password=${String(Password)} #`;
  return {
    receiver,
    keys: { Analyst: await keyWithRole(accounts, 'Analyst') },
    keyFile,
    texts: {
      'https://hooks.example.com/casewright': `${receiver.url}/casewright`,
      '-d Host=files.example -d UserName=casewright': `-d Host=127.0.0.1 -d Port=${server.sftpPort} ${account}`,
      ...(await mailHouse(cleanUp)),
      ...(await cardGateway(cleanUp)),
      ...(await mailServers(cleanUp, folder)),
      'Password=…': 'Password=Nine-lanterns-over-Port-Callan',
      'ssh-ed25519 AAAAC3Nz… jones 2026': readFileSync(`${keyFile}.pub`, 'utf8').trim(),
      'AllowedNetworks=192.0.2.0/28': 'AllowedNetworks=127.0.0.0/8',
      '/backups/2026-11-21': join(temporaryFolder(cleanUp), 'backup'),
      '/srv/test': join(temporaryFolder(cleanUp), 'restored'),
      '/srv/new': join(temporaryFolder(cleanUp), 'restored'),
    },
  };
}

/** Starts the mail servers at smtp.example.com and mail.example.com. Returns what their addresses stand for. */
async function mailServers(cleanUp: CleanUp, folder: string): Promise<Record<string, string>> {
  const smtp = await startMailServer(cleanUp);
  smtp.hooks.signIn = (name) => name === 'cases';
  const api = await startMailApi(cleanUp);
  const authorities = join(folder, 'authorities.pem');
  writeFileSync(authorities, certificate.cert);
  return {
    "-d 'Host=smtp.example.com'": `-d Host=127.0.0.1 -d Port=${smtp.port} --data-urlencode Authorities@${authorities}`,
    'https://mail.example.com/v1/messages': api.url,
    'Secrets=ApiKey=…': `Secrets=ApiKey=${encodeURIComponent(api.key)}`,
  };
}

/** Starts the mail house at mail.example. Returns what its address and its secrets stand for. */
async function mailHouse(cleanUp: CleanUp): Promise<Record<string, string>> {
  const { url, key, secret } = await startMailHouse(cleanUp);
  const secrets = new URLSearchParams({ ApiKey: key, WebhookSecret: secret });
  return { 'https://mail.example/v1': url, 'Secrets=ApiKey=…&WebhookSecret=whsec_…': `Secrets=${secrets.toString()}` };
}

/** Starts a card gateway. Returns what its key and the secret of its webhooks stand for. */
async function cardGateway(cleanUp: CleanUp): Promise<Record<string, string>> {
  const { url, key, secret } = await startCardGateway(cleanUp);
  const own = `-d ApiKey=${key} -d WebhookSecret=${secret} --data-urlencode BaseURL=${url}`;
  return { '-d ApiKey=rk_live_… -d WebhookSecret=whsec_…': own };
}

async function keyWithRole(accounts: GuideAccounts, role: string): Promise<string> {
  const { PersonID } = await callAsAdministrator(accounts, 'person/save', { Person: `guides.${role}`, Roles: role });
  return String((await callAsAdministrator(accounts, 'apikey/create', { PersonID }))['ApiKey']);
}

/** Runs a guide of the repository in a folder of its own. */
export async function runGuideOn(cleanUp: CleanUp, { path, server, accounts, around }: GuideRun): Promise<StoryResult> {
  const markdown = readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');
  const { name, password } = accounts;
  const [, role = ''] = /You need (?:an API key of a user with )?the role (\w+)/.exec(markdown) ?? [];
  const key = around.keys[role] ?? accounts.key;
  const shell = new GuideShell(temporaryFolder(cleanUp), server, around.keyFile, {
    KEY: key,
    ADMIN_KEY: accounts.key,
    TEST_KEY: key,
    LIVE_KEY: key,
    TEST: server.url,
    LIVE: server.url,
    NAME: name,
    PASSWORD: password,
    name: 'Zelniker',
  });
  await saveReadersFiles(shell, key);
  return runGuide(path, markdown, shell, { create: recordsOfReaders(accounts), texts: around.texts });
}

/** A guide, and what it is run on. */
export interface GuideRun {
  readonly path: string;
  readonly server: GuideServer;
  readonly accounts: GuideAccounts;
  readonly around: Surroundings;
}

import { join } from 'node:path';
import {
  signInFailuresMax,
  signInFailuresPerAddressMax,
  signInWindowMinutes,
} from '../modules/access/person/settings.ts';
import { StoredSftpAccounts } from '../modules/imports/sftpaccount/lib/stored-accounts.ts';
import { isNative } from '../surfaces/sftp/algorithms.ts';
import { startSftpServer, type RunningSftpServer } from '../surfaces/sftp/server.ts';
import type { RunningPlatform } from './platform.ts';
import type { HostKeys } from './sftp-host-keys.ts';

/** Returns the folder with the home folders of sFTP accounts. */
export function sftpFolder(dataFolder: string): string {
  return join(dataFolder, 'sftp');
}

/** Starts the platform's sFTP server. */
export function serveSftp(
  platform: RunningPlatform,
  of: { readonly host: string; readonly port: number; readonly hostKeys: HostKeys; readonly folder: string },
): Promise<RunningSftpServer> {
  const { store, clock, settings, journal, identity, documents } = platform;
  const signIn = {
    failuresMax: signInFailuresMax,
    failuresPerAddressMax: signInFailuresPerAddressMax,
    windowMinutes: signInWindowMinutes,
  };
  const accounts = new StoredSftpAccounts({ store, clock, settings, journal, identity, documents, signIn });
  return startSftpServer({
    host: of.host,
    port: of.port,
    hostKeys: of.hostKeys.keys,
    folder: of.folder,
    platform,
    accounts,
  });
}

/**
 * Returns the line that announces the server: its address, its host keys, and whether encryption is native and thus
 * fast.
 */
export function sftpLine(server: RunningSftpServer, { fingerprints }: HostKeys): string {
  const speed = isNative()
    ? 'encryption by the native part'
    : 'encryption without the native part, several times slower: with a C++ compiler on this machine npm start ' +
      'builds it';
  return (
    `sftp on ${server.host.includes(':') ? `[${server.host}]` : server.host}:${server.port}, host ` +
    `keys ${fingerprints.join(' ')}; ${speed}`
  );
}

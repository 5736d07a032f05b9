import ssh2 from 'ssh2';
import type { FileLocation, FileObjectType } from '../../../contracts/file-object.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { outboundRules, outboundUrl } from '../../../kernel/security/outbound.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import type { Settings } from '../../../kernel/declare/setting.ts';
import { SftpConnections } from './connections.ts';
import { SftpFolder } from './sftp-folder.ts';

/** Default timeout of a response from the server, in seconds. */
const TIMEOUT_SECONDS = 30;
/** Default limit of simultaneous connections to one server. */
const CONNECTIONS_MAX = 4;
const PORT = 22;

/** Folders on servers reached by sFTP. */
export function sftpFolders(settings: Settings): FileObjectType {
  return {
    required: ['host', 'userName'],
    optional: ['port', 'folder', 'password', 'privateKey', 'passphrase', 'hostKey', 'connectionsMax', 'timeoutSeconds'],
    validate(location) {
      validateHost(settings, location);
      if (fingerprintsOf(location).some((one) => !/^SHA256:[A-Za-z0-9+/]{43}$/.test(one)))
        throw bad(
          'HostKey',
          "fingerprints of the server's keys as `ssh-keygen -lf` shows them, SHA256: and 43 characters, " +
            'comma-separated',
        );
      if ((location.password === undefined) === (location.privateKey === undefined))
        throw bad('Password', 'either Password or PrivateKey');
      if (
        location.privateKey !== undefined &&
        ssh2.utils.parseKey(location.privateKey, location.passphrase) instanceof Error
      )
        throw bad('PrivateKey', 'a private key in OpenSSH or PEM format, and its Passphrase if it has one');

      if (/[\u0000-\u001f\u007f]/.test(location.folder ?? ''))
        throw bad('Folder', 'the path of a folder on the server');
    },
    open(location) {
      const {
        name,
        host = '',
        port = PORT,
        userName = '',
        folder,
        connectionsMax = CONNECTIONS_MAX,
        timeoutSeconds = TIMEOUT_SECONDS,
        password,
        privateKey,
        passphrase,
      } = location;
      const milliseconds = timeoutSeconds * 1_000;
      const connections = new SftpConnections({
        location: name,
        host,
        port,
        userName,
        connectionsMax,
        milliseconds,
        hostKeys: fingerprintsOf(location),
        rules: () => outboundRules(settings),
        ...(password === undefined ? {} : { password }),
        ...(privateKey === undefined ? {} : { privateKey }),
        ...(passphrase === undefined ? {} : { passphrase }),
      });
      return new SftpFolder(name, connections, folder ?? '.', milliseconds);
    },
  };
}

function fingerprintsOf({ hostKey }: FileLocation): readonly string[] {
  return (hostKey ?? '').split(/[\s,]+/).filter((one) => one !== '');
}

/** A host name or address; an address must be one that the settings allow connections to. */
function validateHost(settings: Settings, { host = '', port = PORT }: FileLocation): void {
  if (!/^[A-Za-z0-9.:_-]{1,255}$/.test(host)) throw bad('Host', 'the name or address of a server');
  if (port < 1 || port > 65_535) throw bad('Port', 'a port between 1 and 65535');
  try {
    outboundUrl(outboundRules(settings), `https://${host.includes(':') ? `[${host}]` : host}:${port}`, 'Host');
  } catch (error) {
    throw error instanceof PlatformError && error.message.includes('network')
      ? error
      : bad('Host', 'the name or address of a server');
  }
}
